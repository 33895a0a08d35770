"""The value after a fold as marked text: which parts were kept, added, replaced, dropped, and who gave them.

Marks know neither HTML nor terminals; `diff_html` and `diff_text` write them down.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from graphnb.show.change_text import opened_sizes
from graphnb.show.rows import Row, item_of
from graphnb.show.text_marks import are_alike, text_marks
from graphnb.show.values import things, value_text
from graphnb.state.grown import GrownDict, GrownList
from graphnb.trace.changes import Change
from graphnb.trace.steps import Step

MarkKind = Literal["plain", "kept", "added", "dropped", "lost", "note", "tag", "line", "opened", "failed", "item"]

_ELEMENT: Final = 60
_ITEM: Final = 28
_MOST_KEPT: Final = 3
_MOST_INSTANCES: Final = 6
_NEW: Final = ("added", "replaced")
_LISTS: Final = (list, tuple, GrownList)


class Mark(NamedTuple):
    """A stretch of text.

    `kept` was there before; `added` is new; `dropped` was there and is gone; `lost` was written and never got
    in; `opened` is a bracket of the write that the reducer took away; `tag` names an instance, `item` is what it
    was given, and `line` begins a line of its own; `failed` tells of a failed instance; a `note` is ours.
    """

    kind: MarkKind
    text: str


class _Group(NamedTuple):
    """Changes that came from one item of the write. `instance` is that of the fan-out, None without one."""

    part: int | None
    instance: int | None
    changes: Sequence[Change]
    error: BaseException | None = None


def marks_of(row: Row, changes: Sequence[Change], most: int = 12) -> list[Mark]:
    """The value after the row's fold, marked by its changes, at most `most` of them told one by one."""
    assert row.delta is not None
    before, after = row.before, row.after
    if changes[0].kind == "changed":
        if isinstance(before, str) and isinstance(after, str) and are_alike(before, after):
            return [Mark(kind, text) for kind, text in text_marks(before, after)]
        return [Mark("added", value_text(after, 160))]
    brackets = _brackets(after)
    if brackets is None:
        return [Mark("kept", value_text(after, 120))]
    shown, hidden = _within(_groups(row, changes), most)
    marks = _separated(_group_marks(row, group, changes) for group in shown)
    lines = [Mark("line", "")] if any(mark.kind == "line" for mark in marks) else []
    if hidden:
        marks += [*(lines or [Mark("plain", ", ")]), Mark("note", _hidden_text(hidden))]
    return [Mark("plain", brackets[0]), *marks, *lines, Mark("plain", brackets[1])]


def part_marks(row: Row, most: int = _MOST_INSTANCES) -> list[Mark]:
    """What each instance of the row's fan-out gave, a line per instance, at most `most` of them."""
    assert row.delta is not None and row.delta.instances is not None
    made = row.delta.instances
    written = row.written
    if not isinstance(written, _LISTS):  # validation has made a set of it, say
        return [Mark("plain", value_text(written, 160))]
    lines = [(instance, value_text(value, 80)) for instance, value in zip(made.slots, written[:most], strict=False)]
    marks: list[Mark] = []
    for instance, text in lines:
        marks += [*_tag(row, instance), Mark("plain", text)]
    if len(made.slots) > len(lines):
        marks += [Mark("line", ""), Mark("note", f"… {things(len(made.slots) - len(lines), 'more instance')}")]
    return marks or [Mark("plain", value_text(written, 80))]


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
    sizes = opened_sizes(row.delta)
    opens = row.reducer == "concat_flatten" and sizes is not None
    if made is None and not opens:
        return [_Group(None, None, changes)]
    if sizes is not None and not opens:  # the order of entries tells little, that of the dicts who overwrote whom
        changes = sorted(changes, key=lambda change: -1 if change.part is None else change.part)
    runs = itertools.groupby(changes, key=lambda change: change.part)
    groups = [_Group(part, made.slots[part] if made and part is not None else None, list(run)) for part, run in runs]
    seen = {group.part for group in groups}
    empty = [part for part, size in enumerate(sizes or ()) if not size and part not in seen]
    extra = [_Group(part, made.slots[part] if made else None, ()) for part in empty]
    extra += [_Group(None, i, (), error) for i, error in made.errors] if made else []
    first = next((i for i, group in enumerate(groups) if group.part is not None), len(groups))
    tail = groups[first:]
    parts = [sys.maxsize if group.part is None else group.part for group in tail]
    in_order = all(one < other for one, other in itertools.pairwise(parts))
    return groups[:first] + (sorted(tail + extra, key=_place) if in_order else tail + extra)


def _place(group: _Group) -> int:
    """The instance, or without a fan-out the part; what has neither comes last."""
    places = (each for each in (group.instance, group.part) if each is not None)
    return next(places, sys.maxsize)


def _within(groups: Sequence[_Group], most: int) -> tuple[list[_Group], list[_Group]]:
    """The groups that fit into `most` changed elements and a few instances, the last one cut, and what is left."""
    shown: list[_Group] = []
    lines = 0
    for i, group in enumerate(groups):
        changed = [at for at, each in enumerate(group.changes) if each.kind != "kept"]
        lines += group.instance is not None
        if lines > _MOST_INSTANCES:
            return shown, list(groups[i:])
        if len(changed) > most:
            cut = changed[most]
            rest = group._replace(changes=[each for each in group.changes[cut:] if each.kind != "kept"])
            return [*shown, group._replace(changes=group.changes[:cut])] if most else shown, [rest, *groups[i + 1 :]]
        shown.append(group)
        most -= len(changed)
    return shown, []


def _hidden_text(hidden: Sequence[_Group]) -> str:
    changed = sum(each.count for group in hidden for each in group.changes if each.kind != "kept")
    instances = {group.instance for group in hidden} - {None}
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
    head = _tag(row, group.instance) if group.instance is not None else []
    if group.error is not None:
        return [*head, Mark("failed", "failed")]
    opens = row.reducer == "concat_flatten" and group.part is not None
    items = list(_item_marks(group.changes, row.after, changes))
    inner = [mark for i, item in enumerate(items) for mark in ([Mark("plain", ", ")] if i else []) + item]
    if group.part is not None and not group.changes:
        inner = [Mark("note", "empty")]
    if opens:
        inner = [Mark("opened", "["), *inner, Mark("opened", "]")]
    elif group.part is not None and not group.changes:
        inner = [Mark("opened", "{"), *inner, Mark("opened", "}")]
    return [*head, *inner]


def _tag(row: Row, instance: int) -> list[Mark]:
    """A new line that begins with the instance and its item."""
    assert isinstance(row.step, Step)
    try:
        item = value_text(item_of(row.step, instance), _ITEM)
    except LookupError:
        return [Mark("line", ""), Mark("tag", f"[{instance}]")]
    return [Mark("line", ""), Mark("tag", f"[{instance}]"), Mark("item", item)]


def _item_marks(some: Iterable[Change], after: Any, changes: Sequence[Change]) -> Iterator[list[Mark]]:
    """The marks of each element, kept ones abbreviated."""
    is_dict = isinstance(after, (dict, GrownDict))
    for change in some:
        if change.kind == "kept":
            yield from _kept_marks(change, after, changes)
            continue
        name = f"{value_text(change.key, 40)}: " if is_dict else ""
        if change.kind == "added":
            yield [Mark("added", name + value_text(change.after, _ELEMENT))]
        elif change.kind == "replaced":
            yield _replaced_marks(name, change)
        elif change.kind == "dropped":
            note = [Mark("note", f" {change.note}")] if change.note else []
            yield [Mark("dropped", name + value_text(change.before, _ELEMENT)), *note]
        else:
            short = "already there" if change.note.endswith("already") else "overwritten"
            yield [Mark("lost", name + value_text(change.after, _ELEMENT)), Mark("note", f" {short}")]


def _replaced_marks(name: str, change: Change) -> list[Mark]:
    if isinstance(change.before, str) and isinstance(change.after, str) and are_alike(change.before, change.after):
        return [Mark("plain", name), *(Mark(kind, text) for kind, text in text_marks(change.before, change.after))]
    old, new = value_text(change.before, _ELEMENT), value_text(change.after, _ELEMENT)
    note = change.note or ("differs where this is cut short" if old == new else "")
    marks = [Mark("plain", name), Mark("dropped", old), Mark("plain", " → "), Mark("added", new)]
    return [*marks, *([Mark("note", f" {note}")] if note else [])]


def _kept_marks(change: Change, after: Any, changes: Sequence[Change]) -> Iterator[list[Mark]]:
    """A run of kept elements: all of a few, else the first, how many, and of a list the last."""
    count = change.count
    texts = _kept_texts(change, after, changes)
    if count > _MOST_KEPT:
        last = texts[1:]
        yield [Mark("kept", texts[0])]
        yield [Mark("note", f"… {count - len(texts):,} kept")]
        yield from ([Mark("kept", text)] for text in last)
    else:
        yield from ([Mark("kept", text)] for text in texts)


def _kept_texts(change: Change, after: Any, changes: Sequence[Change]) -> list[str]:
    """The texts of a few kept elements. Of dicts and sets those that no change tells of."""
    count = change.count
    if isinstance(after, _LISTS):
        start = change.key
        places = range(start, start + count) if count <= _MOST_KEPT else (start, start + count - 1)
        return [value_text(after[i], _ELEMENT) for i in places]
    most = count if count <= _MOST_KEPT else 1
    changed = {key for each in changes if each.kind in _NEW for key in (each.after if each.count > 1 else [each.key])}
    if isinstance(after, (set, frozenset)):
        members = sorted(value_text(each, _ELEMENT) for each in after if each not in changed)
        return members[:most]
    entries = after.first_items(len(changed) + most) if isinstance(after, GrownDict) else after.items()
    kept = ((key, value) for key, value in entries if key not in changed)
    return [f"{value_text(key, 40)}: {value_text(value, _ELEMENT)}" for key, value in itertools.islice(kept, most)]
