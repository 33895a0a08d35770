"""One result as a reader wants it: texts as they were written, tables as tables, dicts and lists line by line."""

from __future__ import annotations

import html
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pydantic import BaseModel

from graphnb.show.writing.columns import aligned, wrapped
from graphnb.show.writing.tags import CODE, PROSE, RULE, escaped, quiet
from graphnb.show.writing.values import value_html, value_text
from graphnb.show.writing.words import clipped, printable, things

_MOST_ENTRIES: Final = 12
_MOST_LINES: Final = 16
_MOST_ROWS: Final = 6
_MOST_COLUMNS: Final = 6
_CELL: Final = 24
_ENTRY: Final = 160
_VALUE: Final = 300
_BULLET: Final = "• "
_SHORT: Final = 480  # characters of a text that are shown without a click
_CELL_STYLE: Final = f"text-align:left;padding:0 8px;{RULE}"


def result_html(value: object, *, most: int) -> str:
    """The result as HTML; of a long text the beginning, with about `most` characters behind a click. Never raises."""
    try:
        if isinstance(value, str):
            return f'<div style="{PROSE}">{_text_html(value, most)}</div>'
        if (frame := _frame_cells(value)) is not None:
            return _frame_html(*frame)
        lines = [f"{name}{_entry_html(each, name)}" for name, each in _entries(value)]
        if lines:
            hidden = len(value) - _MOST_ENTRIES if isinstance(value, (dict, list, tuple)) else 0
            lines += [quiet(f"… {hidden:,} more")] if hidden > 0 else []
            return f'<div style="{CODE}">{"<br>".join(lines)}</div>'
    except Exception:  # noqa: BLE001  a user's own value may raise whatever is asked of it
        pass
    return f'<div style="{CODE}">{value_html(value, _VALUE)}</div>'


def result_lines(value: object, *, columns: int) -> list[str]:
    """The result as a few lines of text, each at most so many columns wide. Never raises."""
    try:
        if isinstance(value, str) and value.strip():
            beginning = clipped(value[: columns * 100].strip("\n"), columns * 8)  # the rest would be cut off below
            text = "\n".join(map(printable, beginning.split("\n")))
            return wrapped(text, columns, most=_MOST_ENTRIES // 2)
        if (frame := _frame_cells(value)) is not None:
            shape, heads, rows = frame
            caps = [_CELL] * len(heads)
            told = [line[:columns] for line in aligned([heads, *rows], caps).split("\n")] if heads else []
            return [*told, shape]
    except Exception:  # noqa: BLE001  a user's own value may raise whatever is asked of it
        pass
    return wrapped(value_text(value, columns * 3), columns, most=4)


def _text_html(text: str, most: int) -> str:
    """The text with its line breaks; what is left of a long one folded."""
    if not text.strip():
        return quiet("empty text" if not text else "blank text")
    short = _beginning(text)
    if len(short) == len(text):
        return _lines_html(text)
    rest = clipped(text[len(short) :], most)
    cut = " the beginning of" if len(rest) < len(text) - len(short) else ""
    summary = quiet(f"…{cut} the rest of {len(text):,} characters")
    return f"{_lines_html(short)}<details><summary>{summary}</summary>{_lines_html(rest)}</details>"


def _beginning(text: str) -> str:
    """What of a text is shown at once: some lines, some characters, up to a blank."""
    lines = text[: _SHORT * 4].split("\n")
    short = text if len(lines) <= _MOST_LINES else "\n".join(lines[:_MOST_LINES])
    if len(short) <= _SHORT * 5 // 4:  # what is barely too long is left whole
        return short
    blank = short.rfind(" ", _SHORT // 2, _SHORT)
    return short[: blank if blank > 0 else _SHORT]


def _lines_html(text: str) -> str:
    return "<br>".join(html.escape(printable(line)) for line in text.strip("\n").split("\n"))


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """The first entries of a dict, a model, or a list of texts or dicts, with what stands before each."""
    told: Iterable[tuple[str, Any]] = ()
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in type(value).model_fields}
    if isinstance(value, dict):
        told = ((f"<b>{html.escape(_name(name))}</b>: ", each) for name, each in value.items())
    elif isinstance(value, (list, tuple)) and all(isinstance(each, (str, dict)) for each in value):
        told = ((_BULLET, each) for each in value)
    return itertools.islice(told, _MOST_ENTRIES)


def _entry_html(value: Any, before: str) -> str:
    """One entry; texts of a list stand there as texts."""
    if before == _BULLET and isinstance(value, str):
        return f'<span style="{PROSE}">{escaped(value, _ENTRY)}</span>'
    return value_html(value, _ENTRY)


def _name(key: object) -> str:
    return clipped(printable(key), 40) if isinstance(key, str) else value_text(key, 40)


def _frame_cells(value: Any) -> tuple[str, Sequence[str], list[Sequence[str]]] | None:
    """The shape of a DataFrame in words, its first columns and the texts of its first rows; None for other values."""
    pandas = sys.modules.get("pandas")  # who has a DataFrame has imported it
    if pandas is None or not isinstance(value, pandas.DataFrame):
        return None
    some = value.iloc[:_MOST_ROWS, :_MOST_COLUMNS].astype(object)
    heads = [_name(each) for each in some.columns]
    rows: list[Sequence[str]] = [[_name(each) for each in row] for row in some.to_numpy().tolist()]
    shape = f"{things(value.shape[0], 'row')} × {things(value.shape[1], 'column')}"
    return shape, heads, rows


def _frame_html(shape: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        told = (f'<{tag} style="{_CELL_STYLE}">{html.escape(clipped(each, _CELL))}</{tag}>' for each in cells)
        return f'<tr style="background:none">{"".join(told)}</tr>'

    body = "".join([line("th", heads), *(line("td", each) for each in rows)])
    style = "border-collapse:collapse;font-size:12px"
    return f'<table style="{style}"><tbody>{body}</tbody></table><div>{quiet(shape)}</div>'
