"""The value after a fold as marked text: which parts were kept, added, replaced, dropped, and who gave them.

Marks know neither HTML nor terminals; `html` and `text` beside them write them down.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from graphnb.show.diff.change_text import change_text, opened_sizes
from graphnb.show.diff.element_marks import Mark, MarkKind, element_marks, pair_marks
from graphnb.show.diff.instances import tag_marks
from graphnb.show.diff.rows import Row
from graphnb.show.diff.text_marks import are_alike, text_marks
from graphnb.show.writing.values import value_text
from graphnb.show.writing.words import clipped, printable, things
from graphnb.state.folding.writes import Contribution, Split, written_value
from graphnb.state.marks import UNSET
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.trace.comparing.changes import Change
from graphnb.trace.reading.steps import Delta

_NAME: Final = 40
_OLD: Final = 30  # the value before has a column of its own
_WHOLE: Final = 160
_MOST_INSTANCES: Final = 6
_MOST_WRITERS: Final = 12
_MOST_CHANGES: Final = 12
_LISTS: Final = (list, tuple, GrownList)


class _Group(NamedTuple):
    """Changes that came from one item of the write. `instance` is that of the fan-out, None without one.

    `writer` is the node that gave the item where several wrote the field, "" for elements that none is known for
    behind such of a node; None for all others. `others` are further instances that are only counted.
    """

    part: int | None
    instance: int | None
    changes: Sequence[Change]
    error: BaseException | None = None
    writer: str | None = None
    others: Sequence[int] = ()


class FoldView(NamedTuple):
    """One fold to be shown: the parts of the write, the value after, and both in words.

    The parts are what each instance of a fan-out gave, or each of several nodes; None for any other write.
    """

    parts: list[Mark] | None
    after: list[Mark]
    change: str


def view_of(row: Row) -> FoldView:
    """The row's fold as marked text. Never raises: a value that cannot be looked into is shown as it is."""
    assert row.delta is not None
    changes = row.changes
    told = change_text(row.delta, changes)
    if row.delta.overwritten_by is not None:
        value = value_text(row.after, _WHOLE)
        return FoldView(None, [Mark("lost", value), Mark("note", " overwritten")], told)
    try:
        return FoldView(_part_marks(row), _marks_of(row, changes), told)
    except Exception:  # noqa: BLE001  a user's own list or dict may raise whatever is asked of it
        return FoldView(None, [Mark("added", value_text(row.after, 160))], told)


def _marks_of(row: Row, changes: Sequence[Change]) -> list[Mark]:
    """The value after the row's fold, marked by its changes, a few of them told one by one."""
    assert row.delta is not None
    before, after = row.before, row.after
    if changes[0].kind == "changed":
        if isinstance(before, str) and isinstance(after, str) and are_alike(before, after):
            return [Mark(kind, text) for kind, text in text_marks(before, after)]
        return _whole_marks(row)
    brackets = _brackets(after)
    if brackets is None:
        return [Mark("kept", value_text(after, 120))]
    shown, hidden = _within(_groups(row, changes), _MOST_CHANGES)
    marks = _separated(_group_marks(row, group, changes) for group in shown)
    lines = [Mark("line", "")] if any(mark.kind == "line" for mark in marks) else []
    if hidden:
        marks += [*(lines or [Mark("plain", ", ")]), Mark("note", _hidden_text(hidden, row.delta))]
    return [Mark("plain", brackets[0]), *marks, *lines, Mark("plain", brackets[1])]


def _whole_marks(row: Row) -> list[Mark]:
    """The old value and the new one, which took its place as a whole."""
    before, after = row.before, row.after
    if before is UNSET:
        return [Mark("new", value_text(after, _WHOLE))]
    made = row.delta.instances if row.delta else None
    pair = pair_marks(before, after, old_room=_OLD, new_room=_WHOLE)
    if made is None or not isinstance(after, list) or len(after) != len(made.slots) or not after:
        return pair
    return [*pair[:2], Mark("plain", "["), *_by_instance(row, after, "new"), Mark("line", ""), Mark("plain", "]")]


def _part_marks(row: Row) -> list[Mark] | None:
    """What each instance of the row's fan-out gave, or each of its nodes, a line for each, a few of them."""
    assert row.delta is not None
    if row.delta.contributions:
        return _by_writer(row.delta.contributions)
    if row.delta.instances is None:
        return None
    kept = row.delta.kept
    written = kept.written
    if isinstance(written, Split):  # many lists: only the first ones are made
        written = Split(written.lengths[:_MOST_INSTANCES])
    written = written_value(written, kept.before, kept.after)
    if not isinstance(written, _LISTS):  # validation has made a set of it, say
        return [Mark("plain", value_text(written, 160))]
    return _by_instance(row, written, "plain") or [Mark("plain", value_text(written, 80))]


def _by_instance(row: Row, values: Any, kind: MarkKind) -> list[Mark]:
    """The values that the instances gave, a line per instance, a few of them."""
    assert row.delta is not None and row.delta.instances is not None
    slots = row.delta.instances.slots
    marks: list[Mark] = []
    for instance, value in zip(slots, values[:_MOST_INSTANCES], strict=False):
        marks += [*tag_marks(row.step, instance), Mark(kind, value_text(value, 80))]
    more = len(slots) - _MOST_INSTANCES
    return [*marks, Mark("line", ""), Mark("note", f"… {things(more, 'more instance')}")] if more > 0 else marks


def _by_writer(parts: Sequence[Contribution]) -> list[Mark]:
    """What each of several nodes gave, a line per write; what was lost is struck out."""
    marks: list[Mark] = []
    for each in parts[:_MOST_WRITERS]:
        text = value_text(each.written, 80)
        text = f"Replace({text})" if each.is_replace else text
        marks += [*_writer_marks(each.writer), Mark("lost" if each.is_lost else "plain", text)]
    more = len(parts) - _MOST_WRITERS
    return [*marks, Mark("line", ""), Mark("note", f"… {things(more, 'more write')}")] if more > 0 else marks


def _writer_marks(name: str) -> list[Mark]:
    return [Mark("line", ""), Mark("writer", clipped(printable(name), _NAME))]


def _brackets(value: Any) -> str | None:
    if isinstance(value, (list, GrownList)):
        return "[]"
    if isinstance(value, (dict, GrownDict, set, frozenset)):
        return "{}"
    return "()" if isinstance(value, tuple) else None


def _groups(row: Row, changes: Sequence[Change]) -> list[_Group]:
    """The changes by the item of the write that they came from, where that is worth showing."""
    assert row.delta is not None
    made = row.delta.instances
    if row.delta.contributions:
        return _groups_of_writers(row, changes, row.delta.contributions)
    sizes = opened_sizes(row.delta)
    opens = row.reducer == "concat_flatten" and sizes is not None
    if made is None and not opens:
        return [_Group(None, None, changes)]
    if sizes is not None and not opens:  # the order of entries tells little, that of the dicts who overwrote whom
        changes = sorted(changes, key=_order)
    runs = itertools.groupby(changes, key=lambda change: change.part)
    groups = [_Group(part, made.slots[part] if made and part is not None else None, list(run)) for part, run in runs]
    seen = {group.part for group in groups}
    empty = [part for part, size in enumerate(sizes or ()) if not size and part not in seen]
    most = _MOST_INSTANCES + 1 if made else len(empty)  # each begins a line there, of which there are so many
    extra = [_Group(part, made.slots[part] if made else None, ()) for part in empty[:most]]
    extra += [_Group(None, i, (), error) for i, error in made.errors[:most]] if made else []
    others = [*(made.slots[part] for part in empty[most:]), *(i for i, _ in made.errors[most:])] if made else []
    rest = [_Group(None, None, (), others=others)] if others else []
    first = next((i for i, group in enumerate(groups) if group.part is not None), len(groups))
    tail = groups[first:]
    parts = [sys.maxsize if group.part is None else group.part for group in tail]
    in_order = all(one < other for one, other in itertools.pairwise(parts))
    return groups[:first] + (sorted(tail + extra, key=_place) if in_order else tail + extra) + rest


def _order(change: Change) -> int:
    """The item of the write that the change came from; before all of these what was kept, behind them many at once."""
    return (sys.maxsize if change.parts else -1) if change.part is None else change.part


def _place(group: _Group) -> int:
    """The instance, or without a fan-out the part; what has neither comes last."""
    places = (each for each in (group.instance, group.part) if each is not None)
    return next(places, sys.maxsize)


def _groups_of_writers(row: Row, changes: Sequence[Change], parts: Sequence[Contribution]) -> list[_Group]:
    """The changes by the node that gave the elements: lists in their own order, dicts and sets in that of the fold."""
    if not isinstance(row.after, _LISTS):
        changes = sorted(changes, key=_order)
    runs = itertools.groupby(changes, key=lambda change: change.part)
    groups = [_Group(part, None, list(run), writer="" if part is None else parts[part].writer) for part, run in runs]
    return [groups[0] if groups[0].writer else groups[0]._replace(writer=None), *groups[1:]]


def _within(groups: Sequence[_Group], most: int) -> tuple[list[_Group], list[_Group]]:
    """The groups that fit into `most` changed elements and a few instances, the last one cut, and what is left."""
    shown: list[_Group] = []
    lines = 0
    for i, group in enumerate(groups):
        changed = [at for at, each in enumerate(group.changes) if _is_told(each)]
        lines += group.instance is not None or group.writer is not None
        if lines > (_MOST_INSTANCES if group.writer is None else _MOST_WRITERS):
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


def _hidden_text(hidden: Sequence[_Group], delta: Delta) -> str:
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
    return f"… {things(len(instances), 'more instance')} ({changed:,} more)" if instances else f"… {changed:,} more"


def _separated(groups: Iterable[list[Mark]]) -> list[Mark]:
    """Groups of marks one after the other; a group that is not on a line of its own has a comma before it."""
    marks: list[Mark] = []
    for group in groups:
        if marks and group and group[0].kind != "line":
            marks.append(Mark("plain", ", "))
        marks += group
    return marks


def _group_marks(row: Row, group: _Group, changes: Sequence[Change]) -> list[Mark]:
    """The marks of a group; `changes` are those of the whole value."""
    assert row.delta is not None
    head = tag_marks(row.step, group.instance) if group.instance is not None else []
    head = _writer_marks(group.writer) if group.writer is not None else head
    if group.error is not None:
        return [*head, Mark("failed", "failed")]
    opens = row.reducer == "concat_flatten" and group.part is not None and not group.writer
    items = list(element_marks(group.changes, after=row.after, changes=changes))
    inner = [mark for i, item in enumerate(items) for mark in ([Mark("plain", ", ")] if i else []) + item]
    if group.part is not None and not group.changes:
        inner = [Mark("note", "empty")]
    if opens:
        inner = [Mark("opened", "["), *inner, Mark("opened", "]")]
    elif group.part is not None and not group.changes:
        inner = [Mark("plain", "{"), *inner, Mark("plain", "}")]
    return [*head, *inner]
