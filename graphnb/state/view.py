"""The state that a node gets: an instance of the user's class that cannot be changed.

Atoms lie in the instance; lists, dicts and everything else are guarded or copied when they are first read,
so that a step costs what the node touches and not the size of the state.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, cast

from pydantic import BaseModel

from graphnb.errors import MutatedState, UnsetField
from graphnb.errors.text import choices
from graphnb.state.detach import detach
from graphnb.state.fields import Field
from graphnb.state.guard import DeepDict, Place, guarded
from graphnb.state.marks import UNSET
from graphnb.state.same import is_same

_new: Final = object.__new__
_model_slots: Final = BaseModel.__dict__
_set_model_dict: Final = _model_slots["__dict__"].__set__
_get_model_dict: Final = _model_slots["__dict__"].__get__
_set_fields_set: Final = _model_slots["__pydantic_fields_set__"].__set__
_set_extra: Final = _model_slots["__pydantic_extra__"].__set__
_set_private: Final = _model_slots["__pydantic_private__"].__set__


class View(Protocol):
    """What all views have beside the user's own class: the values they read from and the copies they gave out."""

    _values: Mapping[str, Any]
    _node: str
    _copies: list[tuple[Any, Any]]


def view_maker(cls: type, fields: Mapping[str, Field]) -> Callable[[dict[str, Any], str], View]:
    """A function (values, node name) -> view, for states of the class."""
    boxed = {name: each for name, each in fields.items() if not each.atomic}
    if typing.is_typeddict(cls):
        return cast("Callable[[dict[str, Any], str], View]", _dict_view)
    kind = type(cls)(
        cls.__name__,
        (cls,),
        {
            "__module__": cls.__module__,
            "__qualname__": cls.__qualname__,
            "__doc__": cls.__doc__,
            "__slots__": ("_values", "_node", "_copies"),
            "__annotations__": {},
            **_view_methods(cls, fields, boxed),
        },
    )
    return _model_view(kind, tuple(boxed)) if issubclass(cls, BaseModel) else _record_view(kind, fields, boxed)


def check_untouched(view: Any, fields: Mapping[str, Field]) -> None:
    """Raises MutatedState if the node changed a copy that it was given of something that cannot refuse."""
    copies = view._place.copies if isinstance(view, DeepDict) else getattr(view, "_copies", ())
    for place, original, own in copies:
        if not is_same(original, own):
            raise place.refuse("the value differs after the node has run")


def plain_state(cls: type, values: dict[str, Any]) -> Any:
    """An instance of the class that holds the values as they are; nothing is validated again."""
    if typing.is_typeddict(cls):
        return {name: value for name, value in values.items() if value is not UNSET}
    state = _new(cls)
    if isinstance(state, BaseModel):
        _fill_model(state, values)
        return state
    for name, value in values.items():
        object.__setattr__(state, name, value)
    return state


def _fill_model(state: BaseModel, values: dict[str, Any]) -> None:
    _set_model_dict(state, values)
    _set_fields_set(state, {name for name, value in values.items() if value is not UNSET})
    _set_extra(state, {} if state.model_config.get("extra") == "allow" else None)
    _set_private(state, None)
    if type(state).__private_attributes__:
        state.model_post_init(None)


def _model_view(kind: type, boxed: tuple[str, ...]) -> Callable[[dict[str, Any], str], View]:
    set_values, set_node = kind.__dict__["_values"].__set__, kind.__dict__["_node"].__set__
    private = bool(kind.__private_attributes__)  # type: ignore[attr-defined]
    nothing_set: frozenset[str] = frozenset()

    def make(values: dict[str, Any], node: str) -> Any:
        view = _new(kind)
        atoms = values.copy()  # its own: going round the guard must not reach the run
        for name in boxed:
            del atoms[name]
        _set_model_dict(view, atoms)
        _set_fields_set(view, nothing_set)
        _set_extra(view, None)
        _set_private(view, None)
        set_values(view, values)
        set_node(view, node)
        if private:
            view.model_post_init(None)
        return view

    return make


def _record_view(
    kind: type, fields: Mapping[str, Field], boxed: Mapping[str, Field]
) -> Callable[[dict[str, Any], str], View]:
    atoms = tuple(name for name in fields if name not in boxed)

    def make(values: dict[str, Any], node: str) -> Any:
        view = _new(kind)
        for name in atoms:
            object.__setattr__(view, name, values[name])
        object.__setattr__(view, "_values", values)
        object.__setattr__(view, "_node", node)
        return view

    return make


def _dict_view(values: dict[str, Any], node: str) -> Any:
    view = DeepDict((name, value) for name, value in values.items() if value is not UNSET)
    view._place = Place(node, "the state", "Return the change instead: return {'field': update}")
    return view


def _view_methods(cls: type, fields: Mapping[str, Field], boxed: Mapping[str, Field]) -> dict[str, Any]:
    """What a view does otherwise than the user's class: reading boxed fields, refusing changes, being copied."""

    def read(self: Any, name: str) -> Any:
        field = boxed.get(name)
        if field is None:
            return _missing_attribute(cls, fields, self, name)
        value = self._values[name]
        if value is UNSET:
            raise _unset(self._node, name)
        kept = guarded(value, Place(self._node, name, field.mend, _copies_of(self)), flat=field.flat)
        object.__setattr__(self, name, kept)
        return kept

    def refuse(self: Any, name: str, *value: object) -> None:
        mend = fields[name].mend if name in fields else choices("Fields", fields, name)
        error = MutatedState(f"node '{self._node}'", f"tried to set '{name}' on the state it was given", mend)
        error.node = self._node
        raise error

    def filled(self: Any) -> dict[str, Any]:
        return {name: getattr(self, name) for name in fields if self._values[name] is not UNSET}

    def plain(self: Any, *_: object) -> Any:
        return plain_state(cls, {name: detach(value) for name, value in self._values.items()})

    def equals(self: Any, other: object) -> bool:
        return bool(isinstance(other, cls) and plain(self) == (plain(other) if hasattr(other, "_node") else other))

    return {
        "__getattr__": read,
        "__setattr__": refuse,
        "__delattr__": refuse,
        "__dict__": property(filled),
        "__eq__": equals,
        "__hash__": cls.__hash__,
        "__contains__": lambda self, name: self._values.get(name, UNSET) is not UNSET,
        "__copy__": plain,
        "__deepcopy__": plain,
        "__reduce_ex__": lambda self, protocol: plain(self).__reduce_ex__(protocol),
    }


def _copies_of(view: Any) -> list[Any]:
    try:
        return cast("list[Any]", object.__getattribute__(view, "_copies"))
    except AttributeError:
        copies: list[Any] = []
        object.__setattr__(view, "_copies", copies)
        return copies


def _missing_attribute(cls: type, fields: Mapping[str, Field], view: Any, name: str) -> Any:
    if issubclass(cls, BaseModel) and name in cls.__private_attributes__:
        return BaseModel.__getattr__(view, name)  # type: ignore[attr-defined]
    raise AttributeError(f"{cls.__name__} has no field '{name}'. {choices('Fields', fields, name)}")


def _unset(node: str, name: str) -> UnsetField:
    error = UnsetField(
        f"node '{node}'",
        f"read field '{name}', which nothing has written yet",
        f"Test with: if '{name}' in s",
    )
    error.node = node
    return error
