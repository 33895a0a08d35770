"""Text in the columns of a terminal, where a character may take two of them, or none."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

GAP: Final = "  "


def width(text: str) -> int:
    """The columns that a text takes in a terminal.

    >>> width("ab"), width("日本")
    (2, 4)
    """
    return sum(_columns(character) for character in text)


def padded(text: str, columns: int) -> str:
    """The text with blanks behind it, up to so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """The beginning of the text that takes at most so many columns, one character at least."""
    taken = 0
    for i, character in enumerate(text):
        taken += _columns(character)
        if taken > columns and i:
            return text[:i]
    return text


def aligned(rows: Iterable[Sequence[str]], caps: Sequence[int]) -> str:
    """Rows as columns with two blanks between them, each cell cut at the cap of its column."""
    short = [
        [cell if width(cell) <= cap else cut(cell, cap - 1) + "…" for cell, cap in zip(row, caps, strict=True)]
        for row in rows
    ]
    widths = [max(map(width, column)) for column in zip(*short, strict=True)]
    return "\n".join(GAP.join(map(padded, row, widths)).rstrip() for row in short)


def wrapped(text: str, room: int, *, most: int) -> list[str]:
    """The text as lines of at most `room` columns, broken at blanks where that works; `most` of them.

    >>> wrapped("one two three four", 8, most=2)
    ['one two', 'three…']
    """
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.split(" "):
            if line and width(line) + 1 + width(word) > room:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
            while width(line) > room:
                head = _head(line, room)
                lines.append(head)
                line = line[len(head) :]
        lines.append(line)
    if len(lines) > most:
        lines = [*lines[: most - 1], cut(lines[most - 1], room - 1).rstrip() + "…"]
    return lines


def _head(word: str, most: int) -> str:
    """What of a word goes on a line of its own: up to its last slash, else underscore, else as much as fits."""
    head = cut(word, most)
    at = head.rfind("/") + 1 or head.rfind("_") + 1
    return head[: at or None]


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
