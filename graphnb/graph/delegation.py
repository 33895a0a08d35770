"""Delegates and their briefs: which one is whose, and through which fields a graph takes and gives."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Final

from graphnb.errors import DelegationError
from graphnb.errors.text import kind_of

BRIEF: Final = "brief"
"""The field in which a graph that is a delegate takes its brief; without it the brief maps the graph's fields."""
RESULT: Final = "result"
"""The field in which it gives its result; without it the result is its last state."""


def briefs_for(count: int, briefs: Any, *, place: str) -> tuple[Any, ...]:
    """One brief for each of so many delegates: those of a list or tuple, or one value for all of them.

    Raises DelegationError, naming both lengths, for a list or tuple that has another one.

    >>> briefs_for(2, "hello", place="here"), briefs_for(2, ["a", "b"], place="here")
    (('hello', 'hello'), ('a', 'b'))
    """
    if not isinstance(briefs, (list, tuple)):
        return (briefs,) * count
    if len(briefs) == count:
        return tuple(briefs)
    what = f"has {_counted(count, 'delegate')} and {_counted(len(briefs), 'brief')}"
    raise DelegationError(
        place, what, "Give one for each, in the same order, or a single one, which is no list, for all."
    )


def copy_of_brief(brief: Any, place: str) -> Any:
    """A deep copy, which shares with the brief nothing that can be changed. Raises DelegationError if there is none.

    Each delegate is to have a brief of its own, so one that cannot be copied cannot be given.
    """
    try:
        return copy.deepcopy(brief)
    except Exception as error:
        what = f"the brief cannot be copied: {kind_of(brief)} ({type(error).__name__}: {error})"
        mend = (
            "Give what can be copied, and let each delegate make the rest of it: a path for an open file, for instance."
        )
        raise DelegationError(place, what, mend) from error


def copies_of_briefs(briefs: Sequence[Any], places: Sequence[str]) -> tuple[Any, ...]:
    """A copy of each brief, one for those that are the same object; `places` are those of the delegates, for errors."""
    copies: dict[int, Any] = {}
    for brief, place in zip(briefs, places, strict=True):
        if id(brief) not in copies:
            copies[id(brief)] = copy_of_brief(brief, place)
    return tuple(copies[id(brief)] for brief in briefs)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
