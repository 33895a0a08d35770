"""The state that a node gets: an instance of the user's class that cannot be changed.

Atoms lie in the instance; lists, dicts and everything else are guarded or copied when they are first read,
so that a step costs what the node touches and not the size of the state.
"""

from __future__ import annotations

import abc
import copy
import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from pydantic import BaseModel

from graphnb.errors.text import choices, shown
from graphnb.state.annotations.classes import is_typeddict
from graphnb.state.fields import Field
from graphnb.state.marks import UNSET
from graphnb.state.model import State
from graphnb.state.values.detach import detach
from graphnb.state.values.guarded import state_changed, unset_field
from graphnb.state.values.instances import plain_state, set_model_dict, set_private
from graphnb.state.views.dictview import dict_view
from graphnb.state.views.guarding import Place, check_copies, guarded_to

_new: Final = object.__new__
_keep: Final = object.__setattr__


class View(Protocol):
    """What all views have beside the user's own class: the values they read from and the copies they gave out."""

    _graphnb_values: Mapping[str, Any]
    _graphnb_node: str
    _graphnb_copies: list[tuple[Place, Any, Any]]


def view_maker(cls: type, fields: Mapping[str, Field]) -> Callable[[dict[str, Any], str], View]:
    """A function (values, node name) -> view, for states of the class. The view never changes the values."""
    if is_typeddict(cls):
        return lambda values, node: dict_view(fields, values, node)
    boxed = {name: _Boxed(each) for name, each in fields.items() if not each.atomic}
    is_opaque = not all(each.refuses for each in fields.values())
    kind = _view_class(cls, fields, boxed, is_opaque=is_opaque)
    set_values, set_node = kind.__dict__["_graphnb_values"].__set__, kind.__dict__["_graphnb_node"].__set__
    boxes = tuple(boxed)
    set_copies = kind.__dict__["_graphnb_copies"].__set__ if is_opaque else None

    def model(values: dict[str, Any], node: str) -> Any:
        view = _new(kind)
        atoms = values.copy()  # its own: going round the guard must not reach the run
        for name in boxes:
            del atoms[name]
        set_model_dict(view, atoms)
        set_values(view, values)
        set_node(view, node)
        if set_copies:
            set_copies(view, [])
        return view

    def record(values: dict[str, Any], node: str) -> Any:
        view = _new(kind)
        for name in fields:
            if name not in boxed:
                _keep(view, name, values[name])
        set_values(view, values)
        set_node(view, node)
        if set_copies:
            set_copies(view, [])
        return view

    return model if issubclass(cls, BaseModel) else record


def check_untouched(view: View, update: object = None) -> None:
    """Raises MutatedState if the node changed a copy that it was given of something that cannot refuse.

    A field that the node's update writes may have been changed: what was written is what counts.
    """
    if view._graphnb_copies:
        written = update if isinstance(update, Mapping) else ()
        check_copies(each for each in view._graphnb_copies if each[0].field not in written)


class _Boxed:
    """A field that is guarded when it is first read, and then lies in the instance."""

    __slots__ = ("levels", "mends", "name")

    def __init__(self, field: Field) -> None:
        self.name, self.mends, self.levels = field.name, field.mends, field.levels

    def __get__(self, view: Any, kind: type | None = None) -> Any:
        if view is None:
            raise AttributeError(self.name)
        name = self.name
        value = view._graphnb_values[name]
        if value is UNSET:
            raise unset_field(view._graphnb_node, name)
        kept = guarded_to(self.levels, value, Place(view._graphnb_node, name, self.mends, view._graphnb_copies))
        _keep(view, name, kept)
        return kept


class _Once:
    """A cached property: computed when it is first read, and then kept in the instance."""

    def __init__(self, name: str, function: Callable[[Any], Any]) -> None:
        self.name, self.function = name, function

    def __get__(self, view: Any, kind: type | None = None) -> Any:
        value = self.function(view)
        _keep(view, self.name, value)
        return value


def _view_class(cls: Any, fields: Mapping[str, Field], boxed: Mapping[str, _Boxed], *, is_opaque: bool) -> Any:
    """A subclass of the user's class, made without pydantic: it has the same fields, schema and serializer."""
    meta = type(cls)
    make = abc.ABCMeta.__new__ if issubclass(meta, abc.ABCMeta) else type.__new__
    namespace = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__slots__": ("_graphnb_values", "_graphnb_node", *(("_graphnb_copies",) if is_opaque else ())),
        **({} if is_opaque else {"_graphnb_copies": ()}),  # no copies are made, and none need be remembered
        "__new__": lambda kind, *given, **more: cls(*given, **more),  # as dataclasses.replace makes a changed one
        **_cached_properties(cls),
        **_view_methods(cls, fields),
        **_reading(cls, fields, boxed),
    }
    if issubclass(cls, BaseModel):
        namespace |= _model_attributes(cls, fields)
    if cls.__dictoffset__:  # without a __dict__ the class's own slots are empty until __getattr__ fills them
        namespace |= boxed
    return make(meta, cls.__name__, (cls,), namespace)


def _model_attributes(cls: type[BaseModel], fields: Mapping[str, Field]) -> dict[str, Any]:
    """What every model instance has beside its fields; the same for all views unless a node may change it."""
    has_extra = cls.model_config.get("extra") == "allow"
    return {
        "__pydantic_fields_set__": property(lambda self: set(fields)),
        "__pydantic_extra__": property(lambda self: {} if has_extra else None),
        **({} if cls.__private_attributes__ else {"__pydantic_private__": None}),
    }


def _cached_properties(cls: type) -> dict[str, Any]:
    found = {name: each for base in reversed(cls.__mro__) for name, each in vars(base).items()}
    return {name: _Once(name, each.func) for name, each in found.items() if isinstance(each, functools.cached_property)}


def _view_methods(cls: Any, fields: Mapping[str, Field]) -> dict[str, Any]:
    """What a view does otherwise than the user's class: refusing changes, being compared, shown and copied."""
    private = getattr(cls, "__private_attributes__", {})

    def refuse(self: Any, name: str, *value: object) -> None:
        if name in private and value:  # scratch paper of this node
            self.__pydantic_private__[name] = value[0]
            return
        raise state_changed(self._graphnb_node, "set" if value else "delete", name=name, fields=fields)

    def filled(self: Any) -> dict[str, Any]:
        return {name: getattr(self, name) for name in fields if self._graphnb_values[name] is not UNSET}

    def plain(self: Any, *_: object) -> Any:
        return plain_state(cls, {name: detach(value) for name, value in self._graphnb_values.items()})

    def equals(self: Any, other: object) -> Any:
        if not isinstance(other, cls):
            return NotImplemented
        return plain(self) == (plain(other) if type(other) is type(self) else other)

    methods = {
        "__setattr__": refuse,
        "__delattr__": refuse,
        "__dict__": property(filled),
        "__eq__": equals,
        "__hash__": cls.__hash__,
        "__repr__": lambda self: repr(plain(self)),
        "__str__": lambda self: str(plain(self)),
        "__copy__": plain,
        "__deepcopy__": plain,
        "__reduce_ex__": lambda self, protocol: (copy.copy, (plain(self),)),
    }
    if getattr(cls, "__contains__", State.__contains__) is State.__contains__:
        methods["__contains__"] = lambda self, name: self._graphnb_values.get(name, UNSET) is not UNSET
    return methods


def _reading(cls: Any, fields: Mapping[str, Field], boxed: Mapping[str, _Boxed]) -> dict[str, Any]:
    """What happens when an attribute is read that lies neither in the instance nor in the class."""
    of_model: Any = getattr(BaseModel, "__getattr__")  # noqa: B009  hidden from type checkers
    inherited = getattr(cls, "__getattr__", of_model)
    private = getattr(cls, "__private_attributes__", {})

    def read(self: Any, name: str) -> Any:
        if name in boxed:
            return boxed[name].__get__(self)
        if name == "__pydantic_private__":  # made at last, since a private attribute is read
            set_private(self, None)
            cls.model_post_init(self, None)
            return object.__getattribute__(self, name)
        if hasattr(type(self), name):  # a property of the class failed: its own error tells more
            return object.__getattribute__(self, name)
        if name in private or inherited is not of_model:
            return inherited(self, name)
        raise AttributeError(f"{cls.__name__} has no field {shown(name)}. {choices('Fields', fields, name)}")

    return {"__getattr__": read}
