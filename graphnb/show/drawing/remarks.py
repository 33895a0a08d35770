"""Diagnostics beside a drawing, in full: those that say the same of several nodes are said once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphnb.graph.topology import Mark
from graphnb.show.writing.palette import shortened

_MOST_NAMES = 4
_LONGEST = 260


class Remark(NamedTuple):
    """One line beside a drawing, and the numbers of the marks that it explains."""

    numbers: tuple[int, ...]
    text: str


def remarks_of(marks: Iterable[Mark]) -> Iterator[Remark]:
    """The lines for these marks, in the order of the first of each.

    >>> marks = [Mark(i, "error", "", f"node {name!r} has no edge.", name=name) for i, name in enumerate("abc", 1)]
    >>> list(remarks_of(marks))
    [Remark(numbers=(1, 2, 3), text="node 'a' has no edge. The same: 'b', 'c'.")]
    """
    alike: dict[object, list[Mark]] = {}
    for mark in marks:
        alike.setdefault(_apart_from_name(mark), []).append(mark)
    for several in alike.values():
        names = [repr(shortened(each.name, 28)) for each in several[1:]]
        more = [f"… {len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
        also = f" The same: {', '.join([*names[:_MOST_NAMES], *more])}." if names else ""
        yield Remark(tuple(each.number for each in several), shortened(several[0].line, _LONGEST) + also)


def _apart_from_name(mark: Mark) -> object:
    """What marks have in common that differ in the name of their node alone."""
    return mark.severity, tuple(mark.line.split(repr(mark.name)) if mark.name else (mark.line,))
