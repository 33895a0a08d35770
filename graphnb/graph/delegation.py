"""Delegates and their briefs: which one is whose, and through which fields a graph takes and gives."""

from __future__ import annotations

from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final

from graphnb.errors import DelegationError
from graphnb.errors.text import kind_of

BRIEF: Final = "brief"
"""The field in which a graph that is a delegate takes its brief; without it the brief maps the graph's fields."""
RESULT: Final = "result"
"""The field in which it gives its result; without it the result is its last state."""
_READ_ONCE: Final = (GeneratorType, AsyncGeneratorType, CoroutineType)


def briefs_for(count: int, briefs: Any, *, place: str) -> tuple[Any, ...]:
    """One brief for each of so many delegates: those of a list or tuple, or one value for all of them.

    Raises DelegationError, naming both lengths, for a list or tuple that has another one, else like `shared_brief`.

    >>> briefs_for(2, "hello", place="here"), briefs_for(2, ["a", "b"], place="here")
    (('hello', 'hello'), ('a', 'b'))
    """
    if not isinstance(briefs, (list, tuple)):
        return (shared_brief(briefs, "briefs", place=place),) * count
    if len(briefs) == count:
        return tuple(briefs)
    what = f"has {_counted(count, 'delegate')} and {_counted(len(briefs), 'brief')}"
    raise DelegationError(
        place, what, "Give one for each, in the same order, or a single one, which is no list, for all."
    )


def shared_brief(brief: Any, option: str, *, place: str) -> Any:
    """The brief that several are given. Raises DelegationError for one of which there can be no copies."""
    if isinstance(brief, _READ_ONCE):
        what = f"{option} is a {kind_of(brief)}, which the first to read it would take from all others"
        raise DelegationError(place, what, "Give what comes of it: a list, or the value that was awaited.")
    return brief


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
