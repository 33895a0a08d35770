"""Marked text as HTML, and what its signs mean."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Final

from graphnb.show.diff.element_marks import Mark
from graphnb.show.writing.palette import UNIT_KINDS
from graphnb.show.writing.tags import ALARM, QUIET, badge

_ADDED: Final = "background:rgba(46,160,67,.24);border-bottom:2px solid #2E9E43;text-decoration:none"
_DROPPED: Final = "background:rgba(215,58,73,.2)"
_LOST: Final = "border:1px dashed #8B8B8B"
_KEPT: Final = "opacity:.62"
_OPENED: Final = "color:#D8447F;font-weight:bold"
_PAIR: Final = re.compile(f'<del style="{re.escape(_DROPPED)}">[^<]*</del> → <ins style="{re.escape(_ADDED)}">')


def marks_html(marks: Iterable[Mark]) -> str:
    """Marked text as HTML: `<ins>` underlined and `<del>` struck out, kept parts in a quieter colour.

    No sign stands before what was added: a number would read as an increment.
    """
    pieces = list(marks)
    told = []
    for i, (kind, text) in enumerate(pieces):
        if kind in UNIT_KINDS:  # the item stands within the badge of its instance
            item = pieces[i + 1].text if i + 1 < len(pieces) and pieces[i + 1].kind == "item" else ""
            told.append(badge(f"{text} {item}".rstrip(), UNIT_KINDS[kind]) + " ")
        elif kind == "writer":
            told.append(badge(text, "writer") + " " if text else "")
        elif kind != "item":
            told.append(_mark(kind, text))
    return "".join(told)


def legend_html(rows: Iterable[str]) -> str:
    """The signs that these rows have, with their meanings."""
    text = "".join(rows)
    rest = _PAIR.sub("", text)
    signs = [
        ([Mark("kept", "kept")], _KEPT in text),
        ([Mark("added", "added")], _ADDED in rest),
        ([Mark("dropped", "dropped")], _DROPPED in rest),
        ([Mark("old", "old"), Mark("plain", " → "), Mark("new", "new")], rest != text),
        ([Mark("lost", "written, not taken")], _LOST in text),
        ([Mark("opened", "["), Mark("plain", "list"), Mark("opened", "]"), Mark("plain", " opened")], _OPENED in text),
    ]
    return "".join(f" · {marks_html(marks)}" for marks, is_used in signs if is_used)


def _mark(kind: str, text: str) -> str:
    told = html.escape(text)
    if kind == "line":
        return "<br>"
    if kind in ("added", "new", "put"):
        return f'<ins style="{_ADDED}">{told}</ins>'
    if kind in ("dropped", "old", "cut"):
        return f'<del style="{_DROPPED}">{told}</del>'
    if kind == "lost":
        return f'<del style="{_LOST}">{told}</del>'
    if kind == "opened":
        return f'<del style="{_OPENED}">{told}</del>'
    if kind == "failed":
        return f'<b style="{ALARM};padding:0 4px">✗ {told}</b>'
    if kind == "note":
        return f'<i style="{QUIET}">{told}</i>'
    return f'<span style="{_KEPT}">{told}</span>' if kind == "kept" else told
