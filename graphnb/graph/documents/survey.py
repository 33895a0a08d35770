"""Looking over the content of a document before anything is made of it, so that hostile content ends in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from graphnb.errors.text import kind_of, shown
from graphnb.state.storable.values import MOST_LEVELS, Path, find_unstorable

MOST_VALUES: Final = 1_000_000
"""In one document, with shared parts counted as often as they occur."""
MOST_DIGITS: Final = 4300
"""Of one integer: what Python turns to and from text by default."""
_BOUND: Final = 10**MOST_DIGITS


def find_fault(content: object) -> tuple[Path, str] | None:
    """The place of the first value that no document can hold, and why; None if there is none.

    Keys that begin with "$" pass, because some of them mean something. Nothing here recurses.

    >>> find_fault({"a": [1, {"b": {2}}]})
    (('a', 1, 'b'), 'set cannot be stored: {2}')
    """
    path: list[str | int] = []
    above: list[int] = []  # the objects and lists around the value that is looked at
    levels: list[Iterator[tuple[str | int, Any]]] = [iter((("", content),))]
    count = 0
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
            if levels:
                above.pop()
                path.pop()
            continue
        key, value = entry
        count += 1
        why = f"holds more than {MOST_VALUES:,} values" if count > MOST_VALUES else _why_not(value)
        is_nested = isinstance(value, (dict, list))
        if why is None and is_nested and id(value) in above:
            why = "holds itself"
        if why is None and is_nested and len(above) >= MOST_LEVELS:
            why = f"is nested deeper than {MOST_LEVELS} levels"
        if why is not None:
            return (*path, key)[1:], why
        if is_nested:
            path.append(key)
            above.append(id(value))
            levels.append(iter(value.items() if isinstance(value, dict) else enumerate(value)))
    return None


def _why_not(value: Any) -> str | None:
    """What is wrong with one value, whatever lies within it."""
    kind = type(value)
    if kind is int:
        return None if -_BOUND < value < _BOUND else f"is an integer of more than {MOST_DIGITS} digits"
    if value is None or kind is bool or (kind is str and value.isascii()) or isinstance(value, list):
        return None
    if isinstance(value, dict):
        strange = next((key for key in value if type(key) is not str), None)
        if strange is not None or None in value:
            return f"has the key {shown(strange)}, which is {kind_of(strange)}: only text can be a key"
        return next((why for key in value if (why := _why_no_text(key))), None)
    unstorable = find_unstorable(value)
    return None if unstorable is None else unstorable[1]


def _why_no_text(key: str) -> str | None:
    if key.isascii():
        return None
    unstorable = find_unstorable(key)
    return None if unstorable is None else unstorable[1]
