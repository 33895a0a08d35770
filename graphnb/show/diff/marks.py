"""The value after a fold as marked text: which parts were kept, added, replaced, dropped, and who gave them.

Marks know neither HTML nor terminals; `html` and `text` beside them write them down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from graphnb.show.diff.change_text import change_text
from graphnb.show.diff.element_marks import Mark, MarkKind, element_marks, pair_marks
from graphnb.show.diff.groups import MOST_INSTANCES, MOST_WRITERS, Group, first_of, groups_of, rest_text
from graphnb.show.diff.instances import tag_marks
from graphnb.show.diff.rows import Row
from graphnb.show.diff.text_marks import are_alike, text_marks
from graphnb.show.writing.values import value_text
from graphnb.show.writing.words import clipped, printable, things, units
from graphnb.state.folding.writes import Contribution, Split, written_value
from graphnb.state.marks import UNSET
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.trace.comparing.differences import Change

_NAME: Final = 40
_OLD: Final = 30  # the value before has a column of its own
_WHOLE: Final = 160
_MOST_CHANGES: Final = 12
_LISTS: Final = (list, tuple, GrownList)


class FoldView(NamedTuple):
    """One fold to be shown: the parts of the write, the value after, and both in words.

    The parts are what each instance or delegate gave, or each of several nodes; None for any other write.
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
    shown, hidden = first_of(groups_of(row, changes), _MOST_CHANGES)
    marks = _separated(_group_marks(row, group, changes=changes) for group in shown)
    lines = [Mark("line", "")] if any(mark.kind == "line" for mark in marks) else []
    if hidden:
        marks += [*(lines or [Mark("plain", ", ")]), Mark("note", rest_text(hidden, row.delta))]
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
    return [*pair[:2], Mark("plain", "["), *_by_instance(row, after, kind="new"), Mark("line", ""), Mark("plain", "]")]


def _part_marks(row: Row) -> list[Mark] | None:
    """What each instance or delegate of the row's node gave, or each of its nodes, a line for each, a few of them."""
    assert row.delta is not None
    if row.delta.contributions:
        return _by_writer(row.delta.contributions)
    if row.delta.instances is None:
        return None
    kept = row.delta.kept
    written = kept.written
    if isinstance(written, Split):  # many lists: only the first ones are made
        written = Split(written.lengths[:MOST_INSTANCES])
    written = written_value(written, kept.before, kept.after)
    if not isinstance(written, _LISTS):  # validation has made a set of it, say
        return [Mark("plain", value_text(written, 160))]
    return _by_instance(row, written, kind="plain") or [Mark("plain", value_text(written, 80))]


def _by_instance(row: Row, values: Any, *, kind: MarkKind) -> list[Mark]:
    """The values that the instances or delegates gave, a line for each, a few of them."""
    assert row.delta is not None and row.delta.instances is not None
    made = row.delta.instances
    failed = {i for i, _ in made.errors}
    marks: list[Mark] = []
    for instance, value in zip(made.slots, values[:MOST_INSTANCES], strict=False):
        marks += [*tag_marks(row.step, instance), Mark(kind, value_text(value, 80))]
        marks += [Mark("plain", " "), Mark("failed", "failed")] if instance in failed else []
    more = len(made.slots) - MOST_INSTANCES
    return [*marks, Mark("line", ""), Mark("note", f"… {units(more, made.unit, more=True)}")] if more > 0 else marks


def _by_writer(parts: Sequence[Contribution]) -> list[Mark]:
    """What each of several nodes gave, a line per write; what was lost is struck out."""
    marks: list[Mark] = []
    for each in parts[:MOST_WRITERS]:
        text = value_text(each.written, 80)
        text = f"Replace({text})" if each.is_replace else text
        marks += [*_writer_marks(each.writer), Mark("lost" if each.is_lost else "plain", text)]
    more = len(parts) - MOST_WRITERS
    return [*marks, Mark("line", ""), Mark("note", f"… {things(more, 'more write')}")] if more > 0 else marks


def _writer_marks(name: str) -> list[Mark]:
    return [Mark("line", ""), Mark("writer", clipped(printable(name), _NAME))]


def _brackets(value: Any) -> str | None:
    if isinstance(value, (list, GrownList)):
        return "[]"
    if isinstance(value, (dict, GrownDict, set, frozenset)):
        return "{}"
    return "()" if isinstance(value, tuple) else None


def _separated(groups: Iterable[list[Mark]]) -> list[Mark]:
    """Groups of marks one after the other; a group that is not on a line of its own has a comma before it."""
    marks: list[Mark] = []
    for group in groups:
        if marks and group and group[0].kind != "line":
            marks.append(Mark("plain", ", "))
        marks += group
    return marks


def _group_marks(row: Row, group: Group, *, changes: Sequence[Change]) -> list[Mark]:
    """The marks of a group; `changes` are those of the whole value."""
    assert row.delta is not None
    head = tag_marks(row.step, group.instance) if group.instance is not None else []
    head = _writer_marks(group.writer) if group.writer is not None else head
    failed = [Mark("failed", "failed")] if group.error is not None else []
    if failed and group.part is None:
        return [*head, *failed]
    opens = row.reducer == "concat_flatten" and group.part is not None and not group.writer
    items = list(element_marks(group.changes, after=row.after, changes=changes))
    inner = [mark for i, item in enumerate(items) for mark in ([Mark("plain", ", ")] if i else []) + item]
    if group.part is not None and not group.changes:
        inner = [Mark("note", "empty")]
    if opens:
        inner = [Mark("opened", "["), *inner, Mark("opened", "]")]
    elif group.part is not None and not group.changes:
        inner = [Mark("plain", "{"), *inner, Mark("plain", "}")]
    return [*head, *inner, *([Mark("plain", " "), *failed] if failed else [])]
