"""Changes by who gave them, instances, delegates or several nodes, and how many of them are shown."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

from graphnb.show.diff.change_text import opened_sizes
from graphnb.show.diff.rows import Row
from graphnb.show.writing.words import clipped, things, units
from graphnb.state.folding.writes import Contribution
from graphnb.state.values.grown import GrownList
from graphnb.trace.comparing.differences import Change
from graphnb.trace.reading.steps import Delta

MOST_INSTANCES: Final = 6
MOST_WRITERS: Final = 12
_MOST_NAMES: Final = 40  # of delegates that are not shown
_LISTS: Final = (list, tuple, GrownList)


class Group(NamedTuple):
    """Changes that came from one item of the write. `instance` is that of the fan-out or delegates, None without one.

    `error` is how it failed: then it gave nothing, or as a delegate None.

    `writer` is the node that gave the item where several wrote the field, "" for elements that none is known for
    behind such of a node; None for all others. `others` are further instances that are only counted.
    """

    part: int | None
    instance: int | None
    changes: Sequence[Change]
    error: BaseException | None = None
    writer: str | None = None
    others: Sequence[int] = ()


def groups_of(row: Row, changes: Sequence[Change]) -> list[Group]:
    """The changes by the item of the write that they came from, where that is worth showing."""
    assert row.delta is not None
    made = row.delta.instances
    if row.delta.contributions:
        return _groups_of_writers(row, changes, parts=row.delta.contributions)
    sizes = opened_sizes(row.delta)
    opens = row.reducer == "concat_flatten" and sizes is not None
    if made is None and not opens:
        return [Group(None, None, changes)]
    if sizes is not None and not opens:  # the order of entries tells little, that of the dicts who overwrote whom
        changes = sorted(changes, key=_order)
    runs = itertools.groupby(changes, key=lambda change: change.part)
    groups = [Group(part, made.slots[part] if made and part is not None else None, list(run)) for part, run in runs]
    seen = {group.part for group in groups}
    empty = [part for part, size in enumerate(sizes or ()) if not size and part not in seen]
    most = MOST_INSTANCES + 1 if made else len(empty)  # each begins a line there, of which there are so many
    extra = [Group(part, made.slots[part] if made else None, ()) for part in empty[:most]]
    errors = made.errors if made else ()
    if made and made.unit == "delegate":  # what failed has its place in the list
        told = {made.slots.index(i): error for i, error in made.errors}
        groups = [each._replace(error=told.get(each.part)) if each.part is not None else each for each in groups]
        errors = ()
    extra += [Group(None, i, (), error) for i, error in errors[:most]]
    others = [*(made.slots[part] for part in empty[most:]), *(i for i, _ in errors[most:])] if made else []
    rest = [Group(None, None, (), others=others)] if others else []
    first = next((i for i, group in enumerate(groups) if group.part is not None), len(groups))
    tail = groups[first:]
    parts = [sys.maxsize if group.part is None else group.part for group in tail]
    in_order = all(one < other for one, other in itertools.pairwise(parts))
    return groups[:first] + (sorted(tail + extra, key=_place) if in_order else tail + extra) + rest


def _groups_of_writers(row: Row, changes: Sequence[Change], *, parts: Sequence[Contribution]) -> list[Group]:
    """The changes by the node that gave the elements: lists in their own order, dicts and sets in that of the fold."""
    if not isinstance(row.after, _LISTS):
        changes = sorted(changes, key=_order)
    runs = itertools.groupby(changes, key=lambda change: change.part)
    groups = [Group(part, None, list(run), writer="" if part is None else parts[part].writer) for part, run in runs]
    return [groups[0] if groups[0].writer else groups[0]._replace(writer=None), *groups[1:]]


def _order(change: Change) -> int:
    """The item of the write that the change came from; before all of these what was kept, behind them many at once."""
    return (sys.maxsize if change.parts else -1) if change.part is None else change.part


def _place(group: Group) -> int:
    """The instance, or without a fan-out the part; what has neither comes last."""
    places = (each for each in (group.instance, group.part) if each is not None)
    return next(places, sys.maxsize)


def first_of(groups: Sequence[Group], most: int) -> tuple[list[Group], list[Group]]:
    """The groups that fit into `most` changed elements and a few instances, the last one cut, and what is left."""
    shown: list[Group] = []
    lines = 0
    for i, group in enumerate(groups):
        changed = [at for at, each in enumerate(group.changes) if _is_told(each)]
        lines += group.instance is not None or group.writer is not None
        if lines > (MOST_INSTANCES if group.writer is None else MOST_WRITERS):
            return shown, list(groups[i:])
        if len(changed) > most:
            cut = changed[most]
            rest = group._replace(changes=[each for each in group.changes[cut:] if _is_told(each)])
            return [*shown, group._replace(changes=group.changes[:cut])] if most else shown, [rest, *groups[i + 1 :]]
        shown.append(group)
        most -= len(changed)
    return shown, []


def _is_told(change: Change) -> bool:
    """True for what takes a place of its own; kept elements are abbreviated, but for those that were written again."""
    return change.kind != "kept" or bool(change.note)


def rest_text(hidden: Sequence[Group], delta: Delta) -> str:
    """How much is not shown, in words."""
    changed = sum(each.count for group in hidden for each in group.changes if _is_told(each))
    parts = {part for group in hidden for each in group.changes for part in each.parts}
    instances: set[int | None] = {group.instance for group in hidden} - {None}
    writers = {group.writer for group in hidden} - {"", None}
    if delta.contributions:
        writers |= {delta.contributions[part].writer for part in parts}
    elif delta.instances is not None:
        instances |= {delta.instances.slots[part] for part in parts} | {i for group in hidden for i in group.others}
    if writers:
        return f"… of {things(len(writers), 'more node')} ({changed:,} more)"
    made = delta.instances
    unit = made.unit if made else "instance"
    if made is not None and unit == "delegate" and changed == len(instances):
        names = [clipped(str(made.label(i)), 24) for i in sorted(i for i in instances if i is not None)]
        more = [f"… {len(names) - _MOST_NAMES:,} more"] if len(names) > _MOST_NAMES else []
        return f"… {units(changed, unit, more=True)}: {', '.join([*names[:_MOST_NAMES], *more])}"
    return f"… {units(len(instances), unit, more=True)} ({changed:,} more)" if instances else f"… {changed:,} more"
