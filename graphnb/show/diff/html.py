"""The step diff table as HTML: a heading per step, a row per written field, what ran within instances folded below."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.graph.topology import Topology
from graphnb.show.diff.headings import heading_html, instance_html
from graphnb.show.diff.instances import instances_marks
from graphnb.show.diff.marks import FoldView, view_of
from graphnb.show.diff.marks_html import legend_html, marks_html
from graphnb.show.diff.rows import Row, inside_text, no_write
from graphnb.show.diff.selecting import Gap, gap_text
from graphnb.show.writing.error_text import error_text
from graphnb.show.writing.tags import (
    ALARM,
    HALT,
    TALK,
    WAIT,
    badge,
    block,
    breakable,
    escaped,
    head_row,
    quiet,
    reducer_badge,
    row,
    table,
    wide_row,
)
from graphnb.show.writing.values import value_html
from graphnb.show.writing.words import clipped, things
from graphnb.trace.reading.unfinished import OpenStep

_COLUMNS: Final = {"field": 11, "before": 16, "written": 26, "reducer": 16, "after": 31}  # percent of the width
_NAME: Final = 40
_MOST_NAMES: Final = 4
_WIDTH: Final = len(_COLUMNS)
_HEADING: Final = "background:rgba(128,128,128,.16)"


def diff_html(items: Sequence[Row | Gap], *, total: int, topology: Topology) -> str:
    """The table of the given rows out of `total`; what is not shown is told where it would stand."""
    shown = sum(isinstance(each, Row) for each in items)
    rows = [head_row(_COLUMNS), *_rows(items, topology)] if items else [wide_row(quiet("no steps"), _WIDTH)]
    return block(f"<div>{_head(shown, total)}{legend_html(rows)}</div>{table(rows)}")


def _head(shown: int, total: int) -> str:
    return quiet(things(total, "row")) if shown == total else f"<b>showing {shown:,} of {things(total, 'row')}</b>"


def _rows(items: Sequence[Row | Gap], topology: Topology) -> Iterator[str]:
    for is_inside, run in itertools.groupby(items, key=lambda each: each.is_inside):
        if is_inside:
            yield _folded(list(run), topology)
        else:
            yield from _of_steps(run, topology)


def _folded(items: Sequence[Row | Gap], topology: Topology) -> str:
    """The steps within instances, branches or delegates, to be opened by a click."""
    steps = len({each.number for each in items if isinstance(each, Row)})
    if not steps:
        return "\n".join(_of_steps(items, topology))
    hidden = sum(each.steps for each in items if isinstance(each, Gap))
    failed = sum(isinstance(each, Row) and each.error is not None for each in items)
    # gaps say nothing of a kind that no shown row has
    told = f"inside the {inside_text(each.unit for each in items if isinstance(each, Row))}: "
    told += things(steps + hidden, "step")
    stopped = len({each.path for each in items if isinstance(each, Row) and each.fate == "stopped"})
    told += (f", {failed:,} failed" if failed else "") + (f", {stopped:,} stopped" if stopped else "")
    told += f", {steps:,} shown" if hidden else ""
    inner = table([head_row(_COLUMNS), *_of_steps(items, topology)])
    inside = f'<details><summary>{quiet(told)}</summary><div style="padding-left:16px">{inner}</div></details>'
    return wide_row(inside, _WIDTH)


def _of_steps(items: Iterable[Row | Gap], topology: Topology) -> Iterator[str]:
    def place(item: Row | Gap) -> object:
        if isinstance(item, Gap):
            return item
        return id(item.together) if item.together else id(item.step)

    for _, run in itertools.groupby(items, key=place):
        each = next(run)
        if isinstance(each, Gap):
            yield wide_row(quiet(gap_text(each)), _WIDTH)
            continue
        yield wide_row(heading_html(each.together or (each.step,), topology), _WIDTH, style=_HEADING)
        for one in (each, *run):
            assert isinstance(one, Row)
            yield _field_row(one) if one.delta else _bare_row(one)


def _field_row(each: Row) -> str:
    view = view_of(each)
    told = f'<div style="{TALK}">{html.escape(view.change)}</div>' if view.change != "changed" else ""
    writer = f"<br>{_writers(each)}" if each.together else ""
    writer += f"<br>{instance_html(each.branch, 'branch')}" if each.branch is not None else ""
    name, after = f"<b>{breakable(each.field)}</b>{writer}", f"{marks_html(view.after)}{told}"
    return row((name, value_html(each.before, 160), _written(each, view), reducer_badge(each.reducer), after))


def _written(each: Row, view: FoldView) -> str:
    if each.is_replace:
        return f"<b>Replace(</b>{value_html(each.written, 160)}<b>)</b>"
    if view.parts is None:
        return value_html(each.written, 160)
    return marks_html(view.parts[1:] if view.parts[0].kind == "line" else view.parts)


def _bare_row(each: Row) -> str:
    node = f"{_writers(each)} " if each.together else ""
    if each.made is not None:
        told = marks_html(instances_marks(each.step, errors=False))
        return wide_row(f"{node}{escaped(each.change)}{told}", _WIDTH, style=HALT if each.fate else ALARM)
    unit = each.step.instances.unit if each.step.instances else "instance"
    where = f"{instance_html(each.instance, unit)} " if each.instance is not None else ""
    if each.attempts:
        sign = "<b>↻</b> " if each.failures else ""
        return wide_row(f"{node}{where}{sign}{escaped(each.change)}", _WIDTH, style=HALT)
    if each.asked is not None:
        return wide_row(f"{node}<b>‖</b> {escaped(each.change)}", _WIDTH, style=WAIT)
    if each.fate == "dropped":
        return wide_row(f"{node}<b>⊘</b> {escaped(each.change)}", _WIDTH, style=HALT)
    if each.error is None:
        is_cut_off = isinstance(each.step, OpenStep) and not each.step.is_finished
        return wide_row(f"{node}{quiet(no_write(each.step) if is_cut_off else each.change)}", _WIDTH)
    tried = f"after {each.tried:,} attempts: " if each.tried > 1 and each.instance is not None else ""
    return wide_row(f"{node}{where}<b>✗</b> {tried}{escaped(error_text(each.error))}", _WIDTH, style=ALARM)


def _writers(each: Row) -> str:
    """The nodes of a row, each as a badge; of many their number, since what each of them wrote bears its name."""
    if len(each.nodes) > _MOST_NAMES:
        return quiet(things(len(each.nodes), "node"))
    return " ".join(badge(clipped(name, _NAME), "writer") for name in each.nodes)
