"""Two marks that a user writes: UNSET for a field that may stay unwritten, Replace to go round a reducer."""

from __future__ import annotations

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
