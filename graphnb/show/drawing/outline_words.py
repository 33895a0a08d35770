"""Words of outlines: names, cells below each other, and what is wrong or hardly meant at a place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.graph.ends import Endpoint, Target
from graphnb.graph.topology import Mark
from graphnb.show.drawing.signs import error_tag
from graphnb.show.writing.columns import GAP, padded, width
from graphnb.show.writing.palette import readable, shortened
from graphnb.show.writing.words import clipped

LONGEST: Final = 100
"""Characters of a name."""
_UNCLEAR: Final = re.compile(r"^$|^\s|\s$|^['\"]|[\n\t→⇢]|^(START|END|\?)$")
_WIDEST: Final = 48


def name_text(name: Target) -> str:
    """A name as it is written, in quotes if it could be misread; START and END."""
    if isinstance(name, Endpoint):
        return repr(name)
    short = clipped(name, LONGEST)
    return repr(short) if _UNCLEAR.search(short) else readable(short)


def flat(text: str) -> str:
    """The text on one line, cut where it is very long."""
    return shortened(text, LONGEST * 2)


def aligned(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The rows as lines with their cells below each other; cells that are too wide push the rest of their line."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [min(max(map(width, column)), _WIDEST) for column in columns]
    for row in zip(*columns, strict=True):
        yield GAP.join(map(padded, row, widths)).rstrip()


def error_words(marks: Iterable[Mark]) -> tuple[str, ...]:
    """The errors at a place by their numbers, as one more fact about it."""
    tag = error_tag(marks)
    return () if tag is None else (tag.text,)


def warning_lines(marks: Iterable[Mark], place: str = "") -> Iterator[str]:
    """The warnings that stand at this place, each with its number and what more exactly it is about."""
    for each in marks:
        if each.severity == "warning":
            _, _, within = each.place.rpartition(place) if place else ("", "", "")
            yield f"  ⚠ {each.number} {flat(': '.join(filter(None, (within.removeprefix(', '), each.text))))}"
