"""The few HTML elements that tables are made of, with styles of their own.

Styles stand inline, because front ends drop `<style>` from notebooks that are not trusted. Badges set both
of their colours; everything else inherits the text colour and tints the background, so that it reads on
light and dark pages alike. Nothing is told by colour alone.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Final

from graphnb.show.writing.palette import LOOKS
from graphnb.show.writing.words import clipped, printable

LEFT: Final = "text-align:left;vertical-align:top;padding:3px 8px"
RULE: Final = "border-top:1px solid rgba(128,128,128,.3)"
CODE: Final = "font-family:monospace;overflow-wrap:break-word"
QUIET: Final = "opacity:.7"
PROSE: Final = "font-family:sans-serif"
TALK: Final = f"{PROSE};opacity:.7"
ALARM: Final = "background:rgba(184,58,0,.14);border-left:4px solid #B83A00"
HALT: Final = "background:rgba(128,128,128,.14);border-left:4px solid #8B8B8B"
WAIT: Final = "background:rgba(140,106,0,.14);border-left:4px solid #8C6A00"
_QUIET_NAMES: Final = ("last_write_wins", "validator")
IGNORE_MATH: Final = "tex2jax_ignore mathjax_ignore"

_LONGEST_MESSAGE: Final = 600
_LONGEST_NAME: Final = 120

_PILL: Final = "border-radius:3px;padding:0 4px;margin:1px 0;font-size:12px;line-height:1.3;display:inline-block"

BADGES: Final = {
    "reducer": ("#E6F2FA", "#0B3C5D", "#0072B2"),
    "Replace": ("#FFE4D6", "#7A2600", "#B83A00"),
    "default": ("#EEF0F2", "#3A444D", "#8B959E"),
    "writer": ("#FFFFFF", "#1F2933", "#1F2933"),
    **{kind: (look.fill, "#1F2933", look.line) for kind, look in LOOKS.items()},
}


def escaped(text: object, limit: int = _LONGEST_MESSAGE) -> str:
    """A message as HTML, cut if it is very long."""
    return html.escape(clipped(printable(text), limit))


def badge(text: str, kind: str) -> str:
    """A small label in the colours of its kind, both set."""
    fill, ink, line = BADGES[kind]
    return f'<span style="background:{fill};color:{ink};border:1px solid {line};{_PILL}">{breakable(text)}</span>'


def quiet(text: str) -> str:
    """A text of ours beside the data."""
    return f'<span style="{QUIET}">{html.escape(text)}</span>'


def reducer_badge(name: str) -> str:
    """The badge of a reducer; quieter for the default, louder where the reducer was bypassed. Options stand below."""
    kind = "Replace" if name == "Replace" else "default" if name in _QUIET_NAMES else "reducer"
    short, bracket, options = name.partition("(")
    told = badge(clipped(short, 28), kind)
    return f"{told}<br>{quiet(printable(options.removesuffix(')')))}" if bracket and options != ")" else told


def prose(text: str) -> str:
    """A sentence in a table of code."""
    return f'<span style="{PROSE}">{escaped(text)}</span>' if text else ""


def breakable(text: str) -> str:
    """A name as HTML that may be broken behind its underscores; long ones are cut."""
    return escaped(text, _LONGEST_NAME).replace("_", "_<wbr>")


def row(cells: Iterable[str], style: str = "") -> str:
    """A table row whose cells are HTML already."""
    inside = "".join(f'<td style="{LEFT};{CODE}">{cell}</td>' for cell in cells)
    return f'<tr style="{RULE};background:none{";" + style if style else ""}">{inside}</tr>'


def wide_row(inside: str, columns: int, *, style: str = "background:none") -> str:
    """A table row of one cell."""
    return f'<tr style="{RULE};{style}"><td colspan="{columns}" style="{LEFT}">{inside}</td></tr>'


def head_row(columns: Mapping[str, int]) -> str:
    """The row of column names, each with its share of the width in percent."""
    cells = "".join(
        f'<th style="{LEFT};font-weight:bold;width:{share}%">{html.escape(name)}</th>'
        for name, share in columns.items()
    )
    return f'<tr style="background:none">{cells}</tr>'


def table(rows: Iterable[str]) -> str:
    """A table of rows that are HTML already; the text in it is never set as mathematics."""
    style = "border-collapse:collapse;margin:4px 0;font-size:13px;line-height:1.7;width:100%;table-layout:fixed"
    lines = "\n".join(rows)
    return f'<table class="{IGNORE_MATH}" style="{style}"><tbody>\n{lines}\n</tbody></table>'


def block(inside: str) -> str:
    """The outermost element of everything shown."""
    return f'<div class="{IGNORE_MATH}" style="font-size:13px;line-height:1.5">{inside}</div>'
