"""Where a run was stopped, and what the instances of a fan-out had done that came to no end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.show.diff.element_marks import Mark
from graphnb.show.diff.instances import instances_marks, instances_text, split_lines
from graphnb.show.diff.marks_html import marks_html
from graphnb.show.diff.text import marks_text
from graphnb.show.writing.tags import ALARM, HALT, escaped
from graphnb.show.writing.words import clipped, printable
from graphnb.trace.reading.notices import listed
from graphnb.trace.reading.steps import Entry, Step
from graphnb.trace.reading.unfinished import FailedStep, OpenStep
from graphnb.trace.reading.walking import walk
from graphnb.trace.trace import Trace

_MOST_PLACES: Final = 3
_LONGEST: Final = 120  # characters of a path


def ending_text(trace: Trace) -> list[str]:
    """Where the run came to no end, as lines; none for a run that completed, or failed at a single node."""
    ended = _unfinished(trace)
    at = _fan_out_of(ended)
    lines = [_beside(trace, ended), _head(ended, at)] if ended else []
    return [line for line in lines if line] + [f"  {marks_text(marks)}" for marks in _lines(at)]


def ending_html(trace: Trace) -> str:
    """The same as HTML; empty if there is nothing to tell."""
    ended = _unfinished(trace)
    at = _fan_out_of(ended)
    beside, head = (_beside(trace, ended), _head(ended, at)) if ended else ("", "")
    heads = [*([escaped(beside)] if beside else []), *([f"<b>{escaped(head)}</b>"] if head else [])]
    style = HALT if isinstance(at, OpenStep) or at is None else ALARM
    told = [*heads, *map(marks_html, _lines(at))]
    return f'<div style="{style};padding:3px 8px;margin:4px 0">{"<br>".join(told)}</div>' if heads else ""


def _unfinished(trace: Trace) -> list[Entry]:
    """The nodes that did not complete, those within instances included."""
    return [each for each in walk(trace.log) if not isinstance(each, Step)]


def _is_inside(each: Entry) -> bool:
    return any(part.instance is not None for part in each.parents)


def _fan_out_of(ended: Iterable[Entry]) -> Entry | None:
    """The fan-out in which the run came to no end; None if there is none."""
    return next((each for each in _cut_off(ended) if each.instances and not _is_inside(each)), None)


def _cut_off(ended: Iterable[Entry]) -> Iterator[Entry]:
    """Those that had not finished."""
    return (each for each in ended if not (isinstance(each, OpenStep) and each.is_finished))


def _beside(trace: Trace, ended: Iterable[Entry]) -> str:
    """What became of the other nodes of a super-step that was not committed; empty if there were none."""
    dropped = [_path(each) for each in ended if isinstance(each, OpenStep) and each.fate == "dropped"]
    failed = [each for each in ended if isinstance(each, FailedStep) and each.is_shared]
    others = [_path(each) for each in failed if each.error is not trace.error]
    told = [f"{listed(others)} failed as well"] if others else []
    told += [f"what {listed(dropped)} wrote was dropped"] if dropped else []
    return f"in the same step: {'; '.join(told)}" if told else ""


def _head(ended: Sequence[Entry], at: Entry | None) -> str:
    """The node in which the run was stopped, or the fan-out that failed, and how far its instances had come."""
    stops = [each for each in _cut_off(ended) if isinstance(each, OpenStep) and not _is_inside(each)]
    if not stops:
        return f"{_path(at)}: {instances_text(at)}" if at is not None else ""
    around = {(each.parents[:i], part.node) for each in stops for i, part in enumerate(each.parents)}
    deepest = [each for each in stops if (each.parents, each.node) not in around]
    first = deepest[0]
    told = f"{first.fate} at {'the edge of ' if first.at_edge else ''}node '{_path(first)}'"
    if len(deepest) > 1:
        told = f"{first.fate} at the nodes {listed([_path(each) for each in deepest])}"
    if at is None:
        return told
    places = [_path(each) for each in _innermost(ended)]
    hidden = len(places) - _MOST_PLACES
    inside = ", ".join([*places[:_MOST_PLACES], *([f"… {hidden:,} more"] if hidden > 0 else [])])
    own = "" if deepest == [at] else f"; of '{_path(at)}'"
    return f"{told}{f' (in {inside})' if inside else ''}{own}: {instances_text(at)}"


def _innermost(ended: Iterable[Entry]) -> Iterator[OpenStep]:
    """The nodes within instances in which these were stopped, without those around them."""
    stops = [each for each in ended if isinstance(each, OpenStep) and _is_inside(each)]
    around = {(each.parents[:-1], each.parents[-1].node) for each in stops}
    return (each for each in stops if (each.parents, each.node) not in around)


def _lines(at: Entry | None) -> Iterator[list[Mark]]:
    """The marks of the instances, those of each line by themselves."""
    return split_lines(instances_marks(at)) if at is not None else iter(())


def _path(step: Entry | None) -> str:
    return clipped(printable(step.path), _LONGEST) if step is not None else ""
