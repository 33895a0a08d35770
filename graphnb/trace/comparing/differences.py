"""The differences between two values, as an edit script: what was kept, added, replaced, dropped."""

from __future__ import annotations

import difflib
import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from graphnb.errors.text import shown
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.same import is_same
from graphnb.trace.comparing.tokens import PLAIN, Tokens
from graphnb.trace.comparing.whole_values import arrays_note, how_they_differ, sizes_note, types_note

ChangeKind = Literal["kept", "added", "replaced", "dropped", "deduplicated", "changed"]

_MOST_COMPARED: Final = 400  # elements on either side that are matched with each other
MOST_RECORDS: Final = 2000  # elements that are told one by one
_CHUNK: Final = 1024


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """What happened to one element, to a run of elements, or to the value as a whole.

    | kind | key | before, after |
    |---|---|---|
    | kept | start of a run of `count` list items; None for `count` entries, or for the whole value | - |
    | kept, with a note | the key of a dict's entry that was written again | its value in `after` |
    | added | list index after, or dict key | the new element in `after` |
    | replaced | list index after, or dict key | both |
    | dropped | list index before, or dict key | the lost element in `before` |
    | deduplicated | index within the write, or dict key | the element of the write that got lost, in `after` |
    | changed | None: the value as a whole | both |

    `part` is the item of a written list that the element came from, or, where several nodes wrote the field in one
    step, the place of that write among them; `instance` is the fan-out's instance that gave it. Both are None where
    that is not known. `note` says how a whole value differs, or why an element got
    lost. The changes of a list stand in list order: read from first to last they turn `before` into `after`.
    An element dropped before it ever got in has a key from `len(before)` on.

    After 2,000 elements of one kind in a row the rest is one record with a `count`: its key is that of the
    first, and `before` and `after` hold a list or dict of them all. Where it is known, `parts` has all items of the
    write that they came from, each once, and of list items `part` and `instance` are those of the first.
    """

    kind: ChangeKind
    key: Any = None
    before: Any = None
    after: Any = None
    instance: int | None = None
    part: int | None = None
    count: int = 1
    note: str = ""
    parts: Sequence[int] = ()

    def __repr__(self) -> str:
        told = {"before": self.before, "after": self.after, "instance": self.instance, "note": self.note or None}
        parts = [f"{name}={shown(value)}" for name, value in told.items() if value is not None]
        return f"Change({', '.join([self.kind, f'key={shown(self.key)}', f'count={self.count}', *parts])})"


def differences(before: Any, after: Any) -> list[Change]:
    """The changes that lead from one value to another, found by comparing them.

    Lists, tuples, dicts and sets are compared element by element as long as that stays cheap.

    >>> [change.kind for change in differences([1, 2, 3], [1, 5, 3, 4])]
    ['kept', 'replaced', 'kept', 'added']
    >>> differences(1, True)[0].note
    'type int → bool'
    """
    kind = type(before)
    if (isinstance(before, list) and isinstance(after, list)) or kind is type(after) is tuple:
        return _of_lists(before, after)
    if isinstance(before, dict) and isinstance(after, dict):
        return _of_dicts(before, after)
    if kind is type(after) and kind in (set, frozenset):
        return _of_sets(before, after)
    if is_same(before, after) and not (hasattr(before, "dtype") and arrays_note(before, after)):
        return [Change("kept")]
    return [Change("changed", None, before, after, note=how_they_differ(before, after))]


def whole(before: Any, after: Any, *, verb: str) -> list[Change]:
    """The changes of a write that takes a value's place without a look inside; `verb` says what it did."""
    sizes = sizes_note(before, after)
    if not sizes or is_same(before, after):
        return differences(before, after)
    return [Change("changed", None, before, after, note=f"{verb} ({sizes})")]


def plain(value: Any) -> Any:
    """A growing list or dict as a plain one; anything else as it is."""
    if isinstance(value, GrownList):
        return value.to_list()
    return value.to_dict() if isinstance(value, GrownDict) else value


def common_start(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many elements are the same from the start on.

    >>> common_start([1, 2, 3], [1, 2, 4, 5])
    2
    """
    stop = min(len(one), len(other))
    if all(map(operator.is_, one, other)):
        return stop
    start = 0
    while start < stop and _is_plainly_same(one[start : start + _CHUNK], other[start : start + _CHUNK]):
        start += _CHUNK
    for i in range(start, stop):
        if one[i] is not other[i] and not is_same(one[i], other[i]):
            return i
    return stop


def _is_plainly_same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """True if these are surely the same, told without looking at each element in turn."""
    kinds = list(map(type, one))
    return len(one) == len(other) and PLAIN.issuperset(kinds) and kinds == list(map(type, other)) and one == other


def told_singly(count: int) -> int:
    """How many of so many elements are told one by one: a record of the rest is one of two at least.

    >>> told_singly(2000), told_singly(2001), told_singly(2002)
    (2000, 2001, 2000)
    """
    return count if count <= MOST_RECORDS + 1 else MOST_RECORDS


def added_items(
    start: int, items: Sequence[Any], *, parts: Iterable[int | None] = itertools.repeat(None)
) -> list[Change]:
    """The records of items that came in from index `start` on, the first of them one by one, each with its part."""
    told = zip(range(start, start + told_singly(len(items))), items, parts, strict=False)
    changes = [Change("added", i, None, item, part=part) for i, item, part in told]
    rest = items[len(changes) :]
    return [*changes, Change("added", start + len(changes), None, rest, count=len(rest))] if rest else changes


def dropped_items(items: Sequence[Any], start: int) -> list[Change]:
    """The records of items that were lost from index `start` on, the first of them one by one."""
    changes = [Change("dropped", start + i, item) for i, item in enumerate(items[: told_singly(len(items))])]
    rest = items[len(changes) :]
    return [*changes, Change("dropped", start + len(changes), rest, count=len(rest))] if rest else changes


def replaced(old: Any, new: Any, *, key: Any) -> Change:
    """The record of one element in place of another; numbers that may look alike are told apart by type."""
    numbers = isinstance(old, (int, float)) and isinstance(new, (int, float))
    return Change("replaced", key, old, new, note=types_note(old, new) if numbers else "")


def kept_run(start: int, count: int) -> list[Change]:
    """The record of `count` kept list items from index `start` on; none for no items."""
    return [Change("kept", start, count=count)] if count else []


def _of_lists(before: Sequence[Any], after: Sequence[Any]) -> list[Change]:
    start = common_start(before, after)
    if start == len(before) == len(after):
        return [Change("kept", 0, count=start)]
    end = common_start(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if old and new and max(len(old), len(new)) > _MOST_COMPARED:
        return [Change("changed", None, before, after, note=sizes_note(before, after))]
    return [*kept_run(0, start), *_matched(old, new, start=start), *kept_run(len(after) - end, end)]


def _matched(old: Sequence[Any], new: Sequence[Any], *, start: int) -> list[Change]:
    """The changes between two stretches that begin at index `start` and differ at both of their ends."""
    if not old or not new:
        return [*dropped_items(old, start), *added_items(start, new)]
    tokens = Tokens()
    numbers = [[tokens.of(each) for each in stretch] for stretch in (old, new)]
    matcher = difflib.SequenceMatcher(a=numbers[0], b=numbers[1], autojunk=False)
    changes: list[Change] = []
    for tag, i, i_stop, j, j_stop in matcher.get_opcodes():
        if tag == "equal":
            changes += kept_run(start + j, j_stop - j)
            continue
        both = min(i_stop - i, j_stop - j)
        changes += (replaced(old[i + k], new[j + k], key=start + j + k) for k in range(both))
        changes += (Change("dropped", start + k, old[k]) for k in range(i + both, i_stop))
        changes += (Change("added", start + k, None, new[k]) for k in range(j + both, j_stop))
    return changes


def _of_dicts(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> list[Change]:
    former = {key: before[key] for key in after if key in before}
    changes = entries_over(former, after)
    kept = len(after) - sum(each.count for each in changes)
    if len(former) < len(before):
        changes += _entries("dropped", before={key: value for key, value in before.items() if key not in after})
    return [Change("kept", count=kept), *changes] if kept or not changes else changes


def entries_over(former: Mapping[Any, Any], update: Mapping[Any, Any]) -> list[Change]:
    """The records of entries laid over others; `former` holds what they replace. None for the same value again."""
    added = {key: value for key, value in update.items() if key not in former}
    differing = {
        key: value
        for key, value in update.items()
        if key in former and former[key] is not value and not is_same(former[key], value)
    }
    return _entries("replaced", before=former, after=differing) + _entries("added", after=added)


def _entries(
    kind: ChangeKind, *, before: Mapping[Any, Any] | None = None, after: Mapping[Any, Any] | None = None
) -> list[Change]:
    """The records of dict entries, the first of them one by one."""
    keys = list((before if after is None else after) or ())
    most = told_singly(len(keys))
    told, rest = keys[:most], keys[most:]
    if kind == "replaced":
        assert before is not None and after is not None
        changes = [replaced(before[key], after[key], key=key) for key in told]
    else:
        changes = [Change(kind, key, before and before[key], after and after[key]) for key in told]
    if rest:
        old, new = ({key: entries[key] for key in rest} if entries else None for entries in (before, after))
        changes.append(Change(kind, rest[0], old, new, count=len(rest)))
    return changes


def _of_sets(before: set[Any] | frozenset[Any], after: set[Any] | frozenset[Any]) -> list[Change]:
    added, dropped, kept = after - before, before - after, len(before & after)
    if len(added) + len(dropped) > MOST_RECORDS:
        return [Change("changed", None, before, after, note=sizes_note(before, after))]
    changes = [Change("added", each, None, each) for each in _told(added)]
    changes += (Change("dropped", each, each) for each in _told(dropped))
    return [Change("kept", count=kept), *changes] if kept or not changes else changes


def _told(members: set[Any] | frozenset[Any]) -> list[Any]:
    """Members in an order that does not hang on their hashes."""
    return sorted(members, key=lambda each: (type(each).__name__, shown(each)))
