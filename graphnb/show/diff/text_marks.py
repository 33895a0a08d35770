"""The difference between two texts, word by word."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final, Literal

from graphnb.show.writing.words import printable

TextKind = Literal["kept", "cut", "put", "plain", "note"]

_CONTEXT: Final = 24
_MOST: Final = 120
_MOST_WORDS: Final = 300
_MOST_COMPARED: Final = 1_000_000


def are_alike(before: str, after: str) -> bool:
    """True if the texts share enough of their beginning and end for a difference to be read with ease."""
    if max(len(before), len(after)) > _MOST_COMPARED:
        return False
    return len(_start(before, after)) + len(_end(before, after)) >= max(6, min(len(before), len(after)) // 3)


def text_marks(before: str, after: str) -> list[tuple[TextKind, str]]:
    """The new text between quotes, with what was cut out and put in; long stretches are cut, and it is told.

    >>> text_marks("one two three", "one 2 three")
    [('plain', "'"), ('kept', 'one '), ('cut', 'two'), ('put', '2'), ('kept', ' three'), ('plain', "'")]
    """
    start = _start(before, after)
    rest_before, rest_after = before[len(start) :], after[len(start) :]
    end = _end(rest_before, rest_after)
    old, new = rest_before[: len(rest_before) - len(end)], rest_after[: len(rest_after) - len(end)]
    marks: list[tuple[TextKind, str]] = [("plain", "'")]
    marks += _kept(start, from_end=True)
    marks += _middle(old, new)
    marks += _kept(end, from_end=False)
    return [*marks, ("plain", "'")]


def _middle(old: str, new: str) -> Iterator[tuple[TextKind, str]]:
    words = [re.findall(r"\w+|\s+|.", text[: _MOST * 4], re.DOTALL) for text in (old, new)]
    matcher = difflib.SequenceMatcher(a=words[0], b=words[1], autojunk=False)
    few = max(len(old), len(new)) <= _MOST * 4 and max(map(len, words)) <= _MOST_WORDS
    if not few or matcher.ratio() < 0.4:
        yield from _stretch("cut", old)
        yield from _stretch("put", new)
        return
    for tag, i, i_stop, j, j_stop in matcher.get_opcodes():
        if tag == "equal":
            yield "kept", printable("".join(words[0][i:i_stop]))
            continue
        yield from _stretch("cut", "".join(words[0][i:i_stop]))
        yield from _stretch("put", "".join(words[1][j:j_stop]))


def _stretch(kind: TextKind, text: str) -> Iterator[tuple[TextKind, str]]:
    if text:
        yield kind, printable(text[:_MOST])
    if len(text) > _MOST:
        yield "note", f"… {len(text) - _MOST:,} more characters"


def _kept(text: str, *, from_end: bool) -> Iterator[tuple[TextKind, str]]:
    """A stretch that both texts share, long ones cut on the side that is further from the difference."""
    if len(text) <= _CONTEXT * 2:
        if text:
            yield "kept", printable(text)
        return
    note: tuple[TextKind, str] = ("note", f"… {len(text) - _CONTEXT:,} characters …")
    if from_end:
        yield from (note, ("kept", printable(text[-_CONTEXT:])))
    else:
        yield from (("kept", printable(text[:_CONTEXT])), note)


def _start(one: str, other: str) -> str:
    """What both texts begin with, found by halving, since comparing slices is fast."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return one[:low]


def _end(one: str, other: str) -> str:
    """What both texts end with, behind what they begin with."""
    most = min(len(one), len(other)) - len(_start(one, other))
    return _start(one[len(one) - most :][::-1], other[len(other) - most :][::-1])[::-1]
