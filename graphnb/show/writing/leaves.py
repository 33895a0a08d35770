"""Values that hold no others as bounded text: texts, numbers, functions, and what describes itself."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

from graphnb.show.writing.words import printable, things
from graphnb.state.marks import UNSET

Pieces = list[tuple[str, bool]]
"""Text in order, each piece with whether it is a note of ours and no part of the value."""

_ADDRESS: Final = re.compile(r'(?: object)? at 0x[0-9A-Fa-f]+|, file "[^"]*", line \d+')
_BARE_ADDRESS: Final = re.compile(r"0x[0-9A-Fa-f]{7,}")


def cut_to_pieces(text: str, limit: int) -> Pieces:
    """The text in about `limit` characters, 12 at least, with … behind it if something was cut."""
    if len(text) <= max(limit, 12):
        return [(text, False)]
    return [(text[: max(limit - 1, 11)], False), ("…", True)]


def _quoted(value: Any, limit: int) -> Pieces:
    """A string or bytes; its beginning alone if it is long, of a text no more than its first line."""
    note = f" ({things(len(value), 'character' if isinstance(value, str) else 'byte')})"
    most = max(limit, 12) + len(note)  # not cut where the note would take as much
    if len(value) <= most and len(text := repr(value)) <= most:
        return [(text, False)]
    room = max(limit - len(note) - 1, 8)
    keep = _first_line(value, room) if isinstance(value, str) else room
    while len(text := repr(value[:keep])) > room and keep > 1:  # quotes and escapes take room too
        keep -= max((len(text) - room) // 6, 1)
    return [(text[:-1], False), ("…", True), (text[-1], False), (note, True)]


def _first_line(text: str, most: int) -> int:
    """Where the first line that is not blank ends, `most` if it goes on."""
    head = text[:most]
    end = head.find("\n", len(head) - len(head.lstrip()))
    return most if end < 0 else end


def _number(value: Any, limit: int) -> Pieces:
    if isinstance(value, int) and value.bit_length() > 2_000:  # Python may refuse to write such numbers
        return [(f"<int of {value.bit_length():,} bits>", False)]
    text = repr(value)
    if len(text) <= max(limit, 24):
        return [(text, False)]
    return [(text[: max(limit - 14, 10)], False), (f"… ({len(text):,} digits)", True)]


def own_text(value: object) -> str:
    """What the value says of itself, on one line and without addresses; its type if it says nothing."""
    kind = type(value)
    if kind.__repr__ is object.__repr__:
        return f"<{kind.__name__}>"
    text = _BARE_ADDRESS.sub("0x…", _ADDRESS.sub("", repr(value)))
    return printable(re.sub(r"\s*\n\s*", " ", text))


def _named(label: str) -> Callable[[Any, int], Pieces]:
    return lambda value, limit: cut_to_pieces(f"<{label} {printable(value.__name__)}>", limit)


LEAVES: Final[Mapping[type, Callable[[Any, int], Pieces]]] = {
    **dict.fromkeys((str, bytes), _quoted),
    **dict.fromkeys((int, float, complex, bool, type(None)), _number),
    types.FunctionType: _named("function"),
    types.BuiltinFunctionType: _named("function"),
    types.ModuleType: _named("module"),
    type: _named("class"),
    type(UNSET): lambda value, limit: [("not set", True)],
}
