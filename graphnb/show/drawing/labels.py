"""Text as Graphviz labels: names are data, so everything comes out as it was written."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from graphnb.show.writing.palette import FAINT, INK, NAME_SIZE, NOTES, SMALL_SIZE, TAKEN, readable
from graphnb.show.writing.words import clipped

_LONGEST_TIP: Final = 600
_BREAK: Final = '<BR ALIGN="LEFT"/>'


@dataclass(frozen=True, slots=True)
class Line:
    """One line or cell of a label: its text as written, and how it is set. `badge` follows in small bold type.

    In a note a text may have several lines, which are set flush left.
    """

    text: str
    size: int = NAME_SIZE
    bold: bool = False
    colour: str = INK
    badge: str = ""


def small(text: str, colour: str = FAINT, *, bold: bool = False) -> Line:
    """A line in the smaller type of details."""
    return Line(text, SMALL_SIZE, bold, colour)


def width_of(line: Line) -> float:
    """The width of a line in points, on the large side: fonts differ between the renderer and the reader."""
    width = max(sum(map(_width, part)) for part in line.text.split("\n")) * line.size
    width += sum(map(_width, line.badge)) * SMALL_SIZE + 5 if line.badge else 0
    return width * 1.1 if line.bold else width


def quoted(lines: Iterable[str]) -> str:
    """Lines as a label between quotes: backslashes, entities and angle brackets come out as they are."""
    return _literal("\n".join(lines).replace("&", "&amp;").replace("\\", "\\\\"))


def label(lines: Iterable[Line], *, align: str = "CENTER", aside: bool = False) -> str:
    """Lines in several types as an HTML-like label; all text in it is escaped. `aside` keeps clear of an edge."""
    rows = "".join(_row((line,), 1, align=align) for line in lines)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="{4 if aside else 1}">{rows}</TABLE>>'


def note(rows: Sequence[Sequence[Line]], *, line: str, fill: str, space: int) -> str:
    """A table with a border, for `stacked`. A row's last cell takes what is left of the row."""
    text = "".join(_row(row, max(map(len, rows)), align="LEFT") for row in rows)
    told = f'STYLE="ROUNDED" COLOR="{line}" BGCOLOR="{fill}"'
    return f'<TABLE BORDER="1" CELLBORDER="0" CELLSPACING="{space}" CELLPADDING="2" {told}>{text}</TABLE>'


def stacked(tables: Iterable[str]) -> str:
    """Tables one below the other as one HTML-like label."""
    rows = "".join(f'<TR><TD ALIGN="LEFT">{each}</TD></TR>' for each in tables if each)
    return f'<<TABLE BORDER="0" BGCOLOR="{NOTES}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="6">{rows}</TABLE>>'


def tooltip(text: str) -> str:
    """The text as the value of a `tooltip` attribute, in which Graphviz resolves escapes twice; long ones are cut."""
    return _literal(_markup(clipped(text, _LONGEST_TIP)).replace("\\", "\\\\"))


def _literal(text: str) -> str:
    """The text marked as no HTML, however it looks."""
    import graphviz

    return cast("str", graphviz.nohtml(text.replace("\n", r"\n")))


def _markup(text: str) -> str:
    return html.escape(readable(text), quote=False).replace("\\", "\\\\")  # else \N would be the node's id


def _row(row: Sequence[Line], columns: int, *, align: str) -> str:
    cells = [_cell(line, align) for line in row[:-1]]
    return f"<TR>{''.join(cells)}{_cell(row[-1], align, span=columns - len(cells))}</TR>"


def _cell(line: Line, align: str, *, span: int = 1) -> str:
    told = f' COLSPAN="{span}"' if span > 1 else ""
    return f'<TD ALIGN="{align}" WIDTH="{width_of(line):.0f}"{told}>{typeset(line)}</TD>'


def typeset(line: Line) -> str:
    """One line as the inside of an HTML-like cell, all text in it escaped."""
    text = _markup(line.text).replace("\n", _BREAK)
    text += _BREAK if _BREAK in text else ""
    if text:
        text = f"<B>{text}</B>" if line.bold else text
        text = f'<FONT POINT-SIZE="{line.size}" COLOR="{line.colour}">{text}</FONT>'
    badge = f'<FONT POINT-SIZE="{SMALL_SIZE}" COLOR="{TAKEN}"><B> {_markup(line.badge)}</B></FONT>'
    return text + badge if line.badge else text


def _width(character: str) -> float:
    """The width in em; those of DejaVu Sans, a wide font that many machines fall back to."""
    if character in "iljI.,:;'|!()[]{} /\\-tfr\"`":
        return 0.37
    if character in "mwMW@%—…":
        return 0.95
    if unicodedata.category(character) in {"Cf", "Mn", "Me"}:
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.25
    return 0.7 if character.isupper() or ord(character) > 0x2FF else 0.62
