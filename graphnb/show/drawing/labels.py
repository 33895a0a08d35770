"""Text as Graphviz labels: names are data, so everything comes out as it was written."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from graphnb.show.writing.palette import FAINT, INK, NAME_SIZE, NOTES, PAPER, SMALL_SIZE, TAKEN, readable
from graphnb.show.writing.words import clipped

_LONGEST_TIP: Final = 600
_TAG_SIZE: Final = 9
_TAG_HEIGHT: Final = 14
_TAG_SPACE: Final = 4
_BREAK: Final = '<BR ALIGN="LEFT"/>'


@dataclass(frozen=True, slots=True)
class Tag:
    """A few characters in a small box that is filled with the colour, or has a border of it; `tip` is its tooltip."""

    text: str
    colour: str
    is_filled: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line or cell of a label: its text as written, and how it is set. `badge` follows in small bold type.

    `tag` stands before it.

    In a note a text may have several lines, which are set flush left.
    """

    text: str
    size: int = NAME_SIZE
    bold: bool = False
    colour: str = INK
    badge: str = ""
    tag: Tag | None = None


def small(text: str, colour: str = FAINT, *, bold: bool = False) -> Line:
    """A line in the smaller type of details."""
    return Line(text, SMALL_SIZE, bold, colour)


def width_of(line: Line) -> float:
    """The width of a line in points, on the large side: fonts differ between the renderer and the reader."""
    width = max(sum(map(_width, part)) for part in line.text.split("\n")) * line.size
    width += sum(map(_width, line.badge)) * SMALL_SIZE + 5 if line.badge else 0
    width *= 1.1 if line.bold else 1
    return width + (0 if line.tag is None else _tag_width(line.tag) + _TAG_SPACE + 6)


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


def _markup(text: str, *, quote: bool = False) -> str:
    return html.escape(readable(text), quote=quote).replace("\\", "\\\\")  # else \N would be the node's id


def _row(row: Sequence[Line], columns: int, *, align: str) -> str:
    cells = [_cell(line, align) for line in row[:-1]]
    return f"<TR>{''.join(cells)}{_cell(row[-1], align, span=columns - len(cells))}</TR>"


def _cell(line: Line, align: str, *, span: int = 1) -> str:
    told = f' COLSPAN="{span}"' if span > 1 else ""
    return f'<TD ALIGN="{align}" WIDTH="{width_of(line):.0f}"{told}>{typeset(line, align=align)}</TD>'


def typeset(line: Line, *, align: str = "CENTER") -> str:
    """One line as the inside of an HTML-like cell, all text in it escaped."""
    text = _markup(line.text).replace("\n", _BREAK)
    text += _BREAK if _BREAK in text else ""
    if text:
        text = f"<B>{text}</B>" if line.bold else text
        text = f'<FONT POINT-SIZE="{line.size}" COLOR="{line.colour}">{text}</FONT>'
    badge = f'<FONT POINT-SIZE="{SMALL_SIZE}" COLOR="{TAKEN}"><B> {_markup(line.badge)}</B></FONT>'
    text += badge if line.badge else ""
    return text if line.tag is None else _tagged(line.tag, line, text=text, align=align)


def _tagged(tag: Tag, line: Line, *, text: str, align: str) -> str:
    """The tag with the text after it; a cell has either text or a table.

    All sizes are fixed: where there is more room, a table would give some of it to each cell and part the two.
    """
    if not text:
        return _tag(tag)
    width, height = width_of(replace(line, tag=None, bold=False)) + 6, line.size * 1.5
    cells = f'<TD>{_tag(tag)}</TD><TD {_size(_TAG_SPACE, 1)}></TD><TD ALIGN="LEFT" {_size(width, height)}>{text}</TD>'
    look = f'ALIGN="{align}" BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"'
    return f"<TABLE {look} {_size(_tag_width(tag) + _TAG_SPACE + width, height)}><TR>{cells}</TR></TABLE>"


def _tag(tag: Tag) -> str:
    ink, ground = (PAPER, tag.colour) if tag.is_filled else (tag.colour, PAPER)
    text = f'<FONT POINT-SIZE="{_TAG_SIZE}" COLOR="{ink}"><B>{_markup(tag.text)}</B></FONT>'
    look = f'BORDER="1" STYLE="ROUNDED" COLOR="{tag.colour}" BGCOLOR="{ground}" CELLBORDER="0"'
    tip = _markup(clipped(tag.tip, _LONGEST_TIP), quote=True).replace("\n", "&#10;")
    look += f' TOOLTIP="{tip}"' if tip else ""
    width = _tag_width(tag)
    cell = f"<TR><TD {_size(width - 2, _TAG_HEIGHT - 2)}>{text}</TD></TR>"
    return f'<TABLE {look} CELLSPACING="0" CELLPADDING="0" {_size(width, _TAG_HEIGHT)}>{cell}</TABLE>'


def _size(width: float, height: float) -> str:
    return f'FIXEDSIZE="TRUE" WIDTH="{width:.0f}" HEIGHT="{height:.0f}"'


def _tag_width(tag: Tag) -> float:
    return round(sum(map(_width, tag.text)) * _TAG_SIZE + 8)


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
