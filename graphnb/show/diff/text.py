"""The step diff table as plain text, aligned for a terminal of 120 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.show.diff.element_marks import Mark
from graphnb.show.diff.instances import instances_marks, split_lines
from graphnb.show.diff.marks import FoldView, view_of
from graphnb.show.diff.rows import Row
from graphnb.show.diff.selecting import Gap, gap_text
from graphnb.show.writing.columns import GAP, padded, width, wrapped
from graphnb.show.writing.values import value_text
from graphnb.show.writing.words import UNITS, printable, things

_WIDTH: Final = 120
_MOST_LINES: Final = 4
_MOST_SHARED_LINES: Final = 16  # of a field that several nodes or delegates gave: each of them begins a line
_NAMES: Final = ("step", "node", "field", "reducer", "before", "written", "after", "change")
# the widest that a column gets; the last four share what the first four leave
_CAPS: Final = (6, 20, 16, 18)
_SIGNS: Final = {"added": "⊕", "dropped": "⊖", "lost": "⊗", "failed": "✗ "}  # no value has them, unlike + and -
_WORDS: Final = {"cut": ("[-", "-]"), "put": ("{+", "+}")}
_MEANINGS: Final = {"⊕": "⊕ added", "⊖": "⊖ dropped", "⊗": "⊗ written, not taken"}
_NATURAL: Final = (0, 0, 0, 0, 16, 18, 24, 24)


def diff_text(items: Sequence[Row | Gap], *, total: int) -> str:
    """The table of the given rows out of `total`, at most 120 characters wide."""
    if not items:
        return "no steps"
    views = [view_of(item) if isinstance(item, Row) and item.delta else None for item in items]
    pairs = [(item, view) for item, view in zip(items, views, strict=True) if isinstance(item, Row)]
    table = [_cells(row, view, widths=_NATURAL) for row, view in pairs]
    heads = [(*cells[:2], *_NAMES[2:]) if len(cells) < len(_NAMES) else cells for cells in table]
    widths = _widths([_NAMES, *heads])
    lines = [] if len(pairs) == total else [f"showing {len(pairs):,} of {things(total, 'row')}"]
    lines += _lines(_NAMES, widths)
    lines.append(GAP.join("─" * width for width in widths))
    above: tuple[object, object] = (None, None)
    for item, view in zip(items, views, strict=True):
        if isinstance(item, Gap):
            lines.append(gap_text(item))
            continue
        cells = _cells(item, view, widths=widths)
        step = id(item.together) if item.together else (item.number, item.path)
        cells = ("" if step == above[0] else cells[0], "" if (step, item.path) == above else cells[1], *cells[2:])
        above = (step, item.path)
        lines += _lines(cells, widths, most=min(_MOST_LINES + 2 * (_givers(item) - 1), _MOST_SHARED_LINES))
    seen = {_SIGNS.get(mark.kind) for view in views if view for mark in (*view.after, *(view.parts or ()))}
    meanings = [text for sign, text in _MEANINGS.items() if sign in seen]
    meanings += _of_tags(view for view in views if view)
    lines += ["", " · ".join(meanings)] if meanings else []
    return "\n".join(lines)


def _givers(row: Row) -> int:
    """How many there are of which each begins a line of its own in the row's cells."""
    made = row.delta.instances if row.delta else None
    return len(made.slots) if made and made.unit == "delegate" and made.slots else len(row.nodes)


def _of_tags(views: Iterable[FoldView]) -> list[str]:
    """What the first tag of each kind means."""
    marks = [mark for view in views for mark in (*(view.parts or ()), *view.after)]
    firsts = {mark.kind: mark.text for mark in reversed(marks) if mark.kind in UNITS}
    writers = [mark.text for mark in marks if mark.kind == "writer" and mark.text]
    told = [f"{firsts[unit]}: from {unit} {firsts[unit][1:]}" for unit in UNITS if unit in firsts]
    return [*told, f"{writers[0]}: from node {writers[0]}"] if writers else told


def _cells(row: Row, view: FoldView | None, *, widths: Sequence[int]) -> tuple[str, ...]:
    """The row's texts, values abbreviated to what fits into the lines of their columns."""
    head = (str(row.number), printable(row.path))
    if view is None:
        return (*head, "", _told(row))
    room = [max(width * _MOST_LINES - _MOST_LINES * 4, 8) for width in widths]
    if row.is_replace:
        written = f"Replace({value_text(row.written, room[5] - 9)})"
    else:
        written = marks_text(view.parts) if view.parts else value_text(row.written, room[5])
    reducer = printable(row.reducer)
    reducer = reducer if len(reducer) <= _CAPS[3] else reducer.replace("(", "\n(", 1)
    after = marks_text(view.after)
    return (*head, printable(row.field), reducer, value_text(row.before, room[4]), written, after, view.change)


def _told(row: Row) -> str:
    """What a row without a field says."""
    sign = "✗ " if row.error else "⊘ " if row.fate in ("stopped", "dropped") else "↻ " if row.failures else ""
    sign = "‖ " if row.asked else sign
    if row.made is None:
        return f"{sign}{f'after {row.tried:,} attempts: ' if row.tried > 1 else ''}{row.change}"
    fate = f"{sign}{row.fate}: " if row.fate else ""
    return " · ".join([f"{fate}{row.change}", *map(marks_text, split_lines(instances_marks(row.step, errors=False)))])


def _widths(table: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column: the first four by their text, the others by their share of what is left."""
    natural = [max(width(line) for cell in column for line in cell.split("\n")) for column in zip(*table, strict=True)]
    fixed = [min(*pair) for pair in zip(natural, _CAPS, strict=False)]
    left = _WIDTH - sum(fixed) - len(GAP) * (len(_NAMES) - 1)
    shared = natural[len(_CAPS) :]
    widths = [0] * len(shared)
    waiting = sorted(range(len(shared)), key=lambda i: shared[i])
    for place, i in enumerate(waiting):  # the narrowest first: what it does not need goes to the others
        widths[i] = min(shared[i], left // (len(waiting) - place))
        left -= widths[i]
    return fixed + widths


def _lines(cells: Sequence[str], widths: Sequence[int], *, most: int = _MOST_LINES) -> Iterator[str]:
    """One row as at most so many lines, each cell wrapped within its column.

    A row without a field runs over all columns.
    """
    if len(cells) < len(widths):
        number, path, _, text = cells
        rest = _WIDTH - sum(widths[:2]) - len(GAP) * 2
        widths = (*widths[:2], rest)
        parts = [[number], wrapped(path, widths[1], most=_MOST_LINES), wrapped(text, rest, most=_MOST_LINES)]
    else:
        parts = [wrapped(cell, room, most=most) for cell, room in zip(cells, widths, strict=True)]
    for i in range(max(map(len, parts))):
        line = [cell[i] if i < len(cell) else "" for cell in parts]
        yield GAP.join(map(padded, line, widths)).rstrip()


def marks_text(marks: Iterable[Mark]) -> str:
    """The marks in one line of plain text: `⊕` before what was added, `⊖` dropped, `⊗` lost.

    Where several nodes wrote, or delegates were asked, each has a line of its own. What instance 0 gave stands behind
    `#0:`, which no value begins with, and what node b wrote behind `b:`. Words of a text stand in the brackets that
    word diffs have.
    """
    text = ""
    for kind, each in marks:
        if kind == "line":
            text += "" if text.endswith(("[", "{", "(", " ")) or not text else " "
        elif kind in ("writer", "delegate"):
            text = f"{text.rstrip()}\n" if text else ""
            text += f"{each}: " if each else ""
        elif kind in UNITS:
            text += f"{each}: "
        elif kind == "plain" and each in ("]", "}", ")"):
            text = text.rstrip() + each
        elif kind not in ("opened", "item"):
            start, end = _WORDS.get(kind, (_SIGNS.get(kind, ""), ""))
            text += f"{start}{each}{end}"
    return text
