"""Delegates and their briefs: which one is whose, and through which fields a graph takes and gives."""

from __future__ import annotations

from typing import Any, Final

from graphnb.errors import DelegationError

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


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
