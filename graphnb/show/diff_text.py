"""The step diff table as plain text, aligned for a terminal of 120 columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.show.change_text import change_text
from graphnb.show.diff_html import gap_text
from graphnb.show.marks import Mark, marks_of, part_marks
from graphnb.show.rows import Gap, Row
from graphnb.show.values import printable, things, value_text
from graphnb.trace.changes import Change

_WIDTH: Final = 120
_MOST_LINES: Final = 4
_NAMES: Final = ("step", "node", "field", "reducer", "before", "written", "after", "change")
# the widest that a column gets; the last four share what the first four leave
_CAPS: Final = (6, 20, 16, 18)
_NATURAL: Final = (0, 0, 0, 0, 16, 18, 24, 24)
_GAP: Final = "  "


def diff_text(items: Sequence[Row | Gap], *, total: int) -> str:
    """The table of the given rows out of `total`, at most 120 characters wide."""
    if not items:
        return "no steps"
    changed = [item.changes if isinstance(item, Row) else () for item in items]
    pairs = [(item, changes) for item, changes in zip(items, changed, strict=True) if isinstance(item, Row)]
    widths = _widths([_NAMES, *(_cells(row, changes, _NATURAL) for row, changes in pairs if row.delta)])
    lines = [] if len(pairs) == total else [f"showing {len(pairs):,} of {things(total, 'row')}"]
    lines += _lines(_NAMES, widths)
    lines.append(_GAP.join("─" * width for width in widths))
    above: object = None
    for item, changes in zip(items, changed, strict=True):
        if isinstance(item, Gap):
            lines.append(gap_text(item))
            continue
        cells = _cells(item, changes, widths)
        same = above == (item.number, item.path)
        above = (item.number, item.path)
        lines += _lines(("", "", *cells[2:]) if same else cells, widths)
    return "\n".join(lines)


def _cells(row: Row, changes: Sequence[Change], widths: Sequence[int]) -> tuple[str, ...]:
    """The row's texts, values abbreviated to what fits into the lines of their columns."""
    head = (str(row.number), printable(row.path))
    if row.delta is None:
        return (*head, "", f"✗ {row.change}" if row.error else row.change)
    room = [max(width * _MOST_LINES - _MOST_LINES * 4, 8) for width in widths]
    if row.delta.is_replace:
        written = f"Replace({value_text(row.written, room[5] - 9)})"
    elif row.delta.instances is not None:
        written = marks_text(part_marks(row))
    else:
        written = value_text(row.written, room[5])
    reducer = printable(row.reducer)
    reducer = reducer if len(reducer) <= _CAPS[3] else reducer.replace("(", "\n(", 1)
    after, change = marks_text(marks_of(row, changes)), change_text(row.delta, changes)
    return (*head, printable(row.field), reducer, value_text(row.before, room[4]), written, after, change)


def _widths(table: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column: the first four by their text, the others by their share of what is left."""
    natural = [max(width(line) for cell in column for line in cell.split("\n")) for column in zip(*table, strict=True)]
    fixed = [min(*pair) for pair in zip(natural, _CAPS, strict=False)]
    left = _WIDTH - sum(fixed) - len(_GAP) * (len(_NAMES) - 1)
    shared = natural[len(_CAPS) :]
    widths = [0] * len(shared)
    waiting = sorted(range(len(shared)), key=lambda i: shared[i])
    for place, i in enumerate(waiting):  # the narrowest first: what it does not need goes to the others
        widths[i] = min(shared[i], left // (len(waiting) - place))
        left -= widths[i]
    return fixed + widths


def _lines(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """One row as lines, each cell wrapped within its column. A row without a field runs over all columns."""
    if len(cells) < len(widths):
        number, path, _, text = cells
        rest = _WIDTH - sum(widths[:2]) - len(_GAP) * 2
        widths = (*widths[:2], rest)
        wrapped = [[number], _wrapped(path, widths[1]), _wrapped(text, rest)]
    else:
        wrapped = [_wrapped(cell, most) for cell, most in zip(cells, widths, strict=True)]
    for i in range(max(map(len, wrapped))):
        parts = [cell[i] if i < len(cell) else "" for cell in wrapped]
        yield _GAP.join(map(padded, parts, widths)).rstrip()


def _wrapped(text: str, most: int) -> list[str]:
    """The text as lines of at most `most` columns, broken at blanks where that works; a few of them."""
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.split(" "):
            if line and width(line) + 1 + width(word) > most:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
            while width(line) > most:
                head = cut(line, most)
                lines.append(head)
                line = line[len(head) :]
        lines.append(line)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], cut(lines[_MOST_LINES - 1], most - 1).rstrip() + "…"]
    return lines


def marks_text(marks: Iterable[Mark]) -> str:
    """The marks in one line of plain text: `+` before what was added, `-` dropped, `×` lost."""
    signs = {"added": "+", "dropped": "-", "lost": "×", "failed": "✗ "}
    text = ""
    for kind, each in marks:
        if kind == "line":
            text += "" if text.endswith(("[", "{", "(", " ")) or not text else " "
        elif kind == "tag":
            text += f"{each} "
        elif kind == "plain" and each in ("]", "}", ")"):
            text = text.rstrip() + each
        elif kind not in ("opened", "item"):
            text += f"{signs.get(kind, '')}{each}"
    return text


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
    return "\n".join(_GAP.join(map(padded, row, widths)).rstrip() for row in short)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
