"""Marks: UNSET for a field that may stay unwritten, Replace to go round a reducer, and what is no value of a field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final


class _Unset:
    """The type of `UNSET`; there is one instance, and it is false."""

    __slots__ = ()
    _shown_as = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False

    def __copy__(self) -> _Unset:
        return self

    def __deepcopy__(self, memo: object) -> _Unset:
        return self

    def __reduce__(self) -> str:
        return "UNSET"


UNSET: Final[Any] = _Unset()
"""Declares a field that may stay unwritten: `answer: str = gn.UNSET`. Reading it before a write is an error."""


@dataclass(frozen=True, slots=True)
class Replace:
    """A write that bypasses the field's reducer: the value becomes the field as it is.

    It is validated as the whole field and marked in the diff.

    >>> Replace([])
    Replace(value=[])
    """

    value: Any


class NoValue:
    """What a node may return by itself and no field may hold: an interrupt, of which the state knows no more."""

    __slots__ = ()


ASK_BY_ITSELF: Final = (
    "An interrupt is no value: a node asks by returning it by itself, instead of an update: return gn.interrupt(...)."
)
"""How to mend an interrupt that was written to a field."""


def find_no_value(value: object) -> tuple[tuple[Any, ...], NoValue] | None:
    """The first part that is no value with the key or index that leads to it: the value itself, or one of its items.

    None if there is none. What lies deeper is not looked at, and of lists and dicts plain ones alone.
    """
    if isinstance(value, NoValue):
        return (), value
    if type(value) is list:
        return _among(value, enumerate(value))
    return _among(value.values(), value.items()) if type(value) is dict else None


def _among(parts: Iterable[object], items: Iterable[tuple[Any, object]]) -> tuple[tuple[Any, ...], NoValue] | None:
    if not any(issubclass(kind, NoValue) for kind in set(map(type, parts))):  # quicker than to look at each
        return None
    return next(((key,), each) for key, each in items if isinstance(each, NoValue))
