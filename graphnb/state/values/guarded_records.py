"""Models and dataclasses that refuse to be changed: what C code finds in a long list of them."""

from __future__ import annotations

import abc
import contextlib
import copy
import dataclasses
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, Final, SupportsIndex

from pydantic import BaseModel

from graphnb.errors import MutatedState
from graphnb.state.values.atom_types import ATOMS
from graphnb.state.values.atoms import is_atom
from graphnb.state.values.guarded import Place

_read: Final = object.__getattribute__
_keep: Final = object.__setattr__
_ABSENT: Final = object()
_METACLASSES: Final = (type, abc.ABCMeta, type(BaseModel))  # others may tie instances to something of their own
_SCHEMA: Final = BaseModel.__get_pydantic_core_schema__.__func__  # type: ignore[attr-defined]  # a class method
_HEAP_TYPE: Final = 1 << 9  # set in __flags__ of classes that are written in Python


class GuardedRecord:
    """Mixed into the class of a record by `guarded_record`: an instance for isinstance, equality, methods, pydantic.

    Whatever is read comes guarded from what the run keeps; nothing lies in the instance. So what is set round
    the guard, as by object.__setattr__ or in `__dict__`, is seen by nobody.
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:  # the user's own may keep a list of subclasses
        """Nothing."""

    def __new__(cls, *given: Any, **more: Any) -> Any:  # noqa: D102  as type(record)(...) makes one: the caller's own
        return cls.__bases__[1](*given, **more)

    def __getattribute__(self, name: str) -> Any:
        kept, found = kept_of(self), _on_class(self, name)
        if not hasattr(type(found), "__set__"):
            held = getattr(kept, "__dict__", {})
            if name in held:
                return _guarded(self, held[name])
        if found is _ABSENT:  # Python goes on to the class's own __getattr__, if it has one
            raise AttributeError(f"{type(kept).__name__!r} object has no attribute {name!r}")
        return found.__get__(self, type(kept)) if hasattr(type(found), "__get__") else found

    def __setattr__(self, name: str, value: object) -> None:
        raise _refused(self, f"setting '{name}'")

    def __delattr__(self, name: str) -> None:
        raise _refused(self, f"deleting '{name}'")

    def __copy__(self) -> Any:
        return copy.deepcopy(kept_of(self))

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Any:
        return copy.deepcopy(kept_of(self), memo)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return copy.copy, (copy.deepcopy(kept_of(self)),)


class _Slot:
    """A slot of the record's class."""

    def __init__(self, slot: types.MemberDescriptorType) -> None:
        self._slot = slot

    def __get__(self, record: GuardedRecord, kind: type | None = None) -> Any:
        return self._slot if record is None else _guarded(record, self._slot.__get__(kept_of(record)))

    def __set__(self, record: GuardedRecord, value: object) -> None:
        raise _refused(record, f"setting '{self._slot.__name__}'")

    def __delete__(self, record: GuardedRecord) -> None:
        raise _refused(record, f"deleting '{self._slot.__name__}'")


def guarded_record(kept: Any, guard: Callable[[Any, Place], Any], place: Place) -> Any:
    """The record, read at `place`; `guard` gives the guarded form of what it holds. None for what has no such form."""
    kind: type = type(kept)
    made = _guarded_class(kind)
    if made is None:
        return None
    own = object.__new__(made)
    _keep(own, "_graphnb_kept", kept)
    _keep(own, "_graphnb_guard", guard)
    _keep(own, "_graphnb_place", place)
    return own


def kept_of(record: GuardedRecord) -> Any:
    """What the run keeps, to be read only."""
    return _read(record, "_graphnb_kept")


def _guarded(record: GuardedRecord, held: Any) -> Any:
    return _read(record, "_graphnb_guard")(held, _read(record, "_graphnb_place"))


def _refused(record: GuardedRecord, how: str) -> MutatedState:
    place: Place = _read(record, "_graphnb_place")
    return place.refuse(how)


def _attributes(record: GuardedRecord) -> dict[str, Any]:
    return {name: _guarded(record, held) for name, held in kept_of(record).__dict__.items()}


def is_guardable(value: Any) -> bool:
    """True if the value and all that it holds are atoms or have a form that refuses to be changed.

    >>> is_guardable({1}), is_guardable([{"a": {1}}]), is_guardable(bytearray()), is_guardable(iter([]))
    (True, True, False, False)
    """
    return _is_guardable(value, set())


def _is_guardable(value: Any, met: set[int]) -> bool:
    """`met`: the ids of what is being looked at or has been, since records refer to each other in rings."""
    kind: type = type(value)
    if kind in ATOMS or kind is set or id(value) in met or is_atom(value):
        return True
    met.add(id(value))
    if kind is list or kind is tuple:
        return all(_is_guardable(each, met) for each in value)
    if kind is dict:
        return all(_is_guardable(each, met) for each in value.values())
    return _guarded_class(kind) is not None and all(_is_guardable(each, met) for each in _held_by(value))


def _held_by(record: Any) -> Iterator[Any]:
    """All that lies in the instance, also in slots and what pydantic keeps beside the fields."""
    yield from getattr(record, "__dict__", {}).values()
    for slot in _slots_of(type(record)):
        with contextlib.suppress(AttributeError):  # it may be empty
            yield slot.__get__(record)


@functools.lru_cache(maxsize=256)
def _guarded_class(cls: type) -> Any:
    """A subclass of the record's class whose instances refuse; None if the class is no record, or needs more."""
    if not _is_record(cls) or not _is_ordinary(cls):
        return None
    make = type.__new__ if type(cls) is type else abc.ABCMeta.__new__  # without pydantic: same fields, same schema
    namespace = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__class__": property(lambda self: cls),
        **({"__dict__": property(_attributes)} if cls.__dictoffset__ else {}),
        **{slot.__name__: _Slot(slot) for slot in _slots_of(cls)},
        "__slots__": ("_graphnb_kept", "_graphnb_guard", "_graphnb_place"),
    }
    return make(type(cls), cls.__name__, (GuardedRecord, cls), namespace)


def _slots_of(cls: type) -> list[types.MemberDescriptorType]:
    return [each for kind in cls.__mro__ for each in kind.__dict__.values() if type(each) is types.MemberDescriptorType]


def _is_record(cls: type) -> bool:
    return issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls)


def _is_ordinary(cls: Any) -> bool:
    """True if a subclass of the class can stand for it everywhere.

    Not so where a record inherits fields from another: where a type is `Base | Derived`, pydantic goes by the
    exact class when it writes a value, and would write what is Derived as a Base. Nor where validating an
    instance runs code of the class, which may set what a validator sets.
    """
    bases = [each for each in cls.__mro__ if each not in (BaseModel, object)]
    origin = getattr(cls, "__pydantic_generic_metadata__", {}).get("origin")  # of Box[int] that is Box
    inherits = any(_is_record(each) and _names_fields(each) for each in bases[1:] if each is not origin)
    is_python = all(each.__flags__ & _HEAP_TYPE for each in bases)  # not based on dict or an exception
    reads_plainly = type(cls) in _METACLASSES and cls.__getattribute__ is _read
    decorators = getattr(cls, "__pydantic_decorators__", None)
    schema = getattr(getattr(cls, "__get_pydantic_core_schema__", None), "__func__", None)
    is_validated = bool(decorators and decorators.model_validators) or schema not in (None, _SCHEMA)
    return not inherits and is_python and reads_plainly and not is_validated


def _names_fields(cls: Any) -> bool:
    return bool(cls.model_fields if issubclass(cls, BaseModel) else dataclasses.fields(cls))


def _on_class(record: GuardedRecord, name: str) -> Any:
    """What the attribute is in the record's class and its bases; _ABSENT for nothing."""
    for kind in type(record).__mro__:
        if name in kind.__dict__:
            found = kind.__dict__[name]
            return _ABSENT if type(found) is types.MemberDescriptorType else found  # the guard's own slots
    return _ABSENT
