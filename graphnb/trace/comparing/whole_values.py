"""Two values compared as wholes: in a few words, how they differ."""

from __future__ import annotations

from typing import Any, Final

from graphnb.errors.text import kind_of
from graphnb.state.marks import UNSET

_ELEMENTS: Final = {
    list: ("item", "items"),
    tuple: ("item", "items"),
    dict: ("entry", "entries"),
    set: ("member", "members"),
    frozenset: ("member", "members"),
}


def how_they_differ(before: Any, after: Any) -> str:
    """In which way two values differ, empty if nothing is to be said beside the values."""
    if before is UNSET:
        return "first value"
    if before is None or after is None:
        return ""
    if type(before) is not type(after):
        return types_note(before, after)
    if hasattr(before, "equals") or hasattr(before, "__array__"):
        return arrays_note(before, after)
    if getattr(type(before), "__eq__", None) is object.__eq__:
        return "another object"
    bool(before == after)  # raises what the comparison raised: the caller says that these cannot be compared
    return ""


def types_note(old: object, new: object) -> str:
    """The types of two values if they differ, else nothing.

    >>> types_note(1, True), types_note(1, 2)
    ('type int → bool', '')
    """
    return f"type {kind_of(old)} → {kind_of(new)}" if type(old) is not type(new) else ""


def sizes_note(before: Any, after: Any) -> str:
    """How many elements two lists, tuples, dicts or sets have; nothing for other values.

    >>> sizes_note([1, 2], [3]), sizes_note({}, {"a": 1}), sizes_note([], {})
    ('2 items → 1 item', '0 entries → 1 entry', '')
    """
    for kind, (one, many) in _ELEMENTS.items():
        if isinstance(before, kind) and isinstance(after, kind):
            return " → ".join(f"{len(value):,} {one if len(value) == 1 else many}" for value in (before, after))
    return ""


def arrays_note(before: Any, after: Any) -> str:
    """In which of shape and element type two arrays or tables differ, empty if in neither."""
    for name in ("shape",) if hasattr(before, "columns") else ("shape", "dtype"):
        old, new = getattr(before, name, None), getattr(after, name, None)
        if str(old) != str(new):
            return f"{name} {old} → {new}"
    return ""
