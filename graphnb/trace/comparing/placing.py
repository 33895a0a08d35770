"""Which item of a write became which element of a value: lists that grew or moved on, and dicts laid over others."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphnb.state.folding.writes import ADDED, Split
from graphnb.state.values.same import is_same
from graphnb.trace.comparing.differences import (
    MOST_RECORDS,
    Change,
    ChangeKind,
    added_items,
    common_start,
    differences,
    dropped_items,
    kept_run,
    replaced,
    told_singly,
)
from graphnb.trace.comparing.tokens import Tokens

ALREADY = "its key was there already"
"""The note of an item that `dedupe_append` left out."""
SAME = "same value"
"""The note of an entry that `merge_all` was given and that was there with an equal value."""
_OVERWRITTEN = "a later item of the write won"
_FELL_OUT = "fell out at once"


def grown(stop: int, added: list[Any], *, written: Any, is_spread: bool) -> list[Change]:
    """A list that kept its first `stop` items and got others behind.

    With `is_spread` a record of many items knows the items of the write that they came from.
    """
    start = kept_run(0, stop) if stop or added else [Change("kept", 0, count=0)]
    if written is ADDED:
        rest: Sequence[int] = range(told_singly(len(added)), len(added))
        changes = added_items(stop, added, parts=itertools.count())
    elif isinstance(written, Split):
        rest = _parts_beyond(written, told_singly(len(added))) if is_spread else ()
        changes = added_items(stop, added, parts=_parts(written))
    else:
        return [*start, *_deduplicated(added, written, stop=stop)]
    return [*start, *(_spread(changes, rest) if is_spread else changes)]


def _spread(changes: list[Change], rest: Sequence[int]) -> list[Change]:
    """The changes, of which the last one, if it tells of many items, came from the rest of the write."""
    return [*changes[:-1], dataclasses.replace(changes[-1], part=rest[0], parts=rest)] if rest else changes


def _parts(split: Split) -> Iterator[int]:
    """For each item of the opened lists the number of its list."""
    return (part for part, length in enumerate(split.lengths) for _ in range(length))


def _parts_beyond(split: Split, most: int) -> Sequence[int]:
    """The numbers of the opened lists that have some of the items after so many."""
    ends = enumerate(zip(split.lengths, itertools.accumulate(split.lengths), strict=True))
    return [part for part, (length, end) in ends if length and end > most]


def _deduplicated(added: list[Any], written: Sequence[Any], *, stop: int) -> list[Change]:
    """The items of the write, the added ones told from those whose key was there already.

    Of equal items the first is the one that was added, since all of them have one key.
    """
    changes: list[Change] = []
    rest: dict[bool, list[int]] = {True: [], False: []}  # places in the write of what is not told one by one
    next_one = 0
    for i, item in enumerate(written):
        all_needed = len(written) - i == len(added) - next_one
        is_new = next_one < len(added) and (all_needed or is_same(item, added[next_one]))
        if len(changes) >= MOST_RECORDS:
            rest[is_new].append(i)
        elif is_new:
            changes.append(Change("added", stop + next_one, None, added[next_one], part=i))
        else:
            changes.append(Change("deduplicated", i, None, item, part=i, note=ALREADY))
        next_one += is_new
    new, old = rest[True], rest[False]
    first = len(added) - len(new)
    changes += _many("added", stop + first, items=added[first:], parts=new)
    lost = [written[i] for i in old]
    return [*changes, *_many("deduplicated", old[0] if old else 0, items=lost, parts=old, note=ALREADY)]


def _many(kind: ChangeKind, key: int, *, items: list[Any], parts: Sequence[int], note: str = "") -> list[Change]:
    """The one record of many items, each of another part of the write; none for no items."""
    if len(items) < 2:
        return [Change(kind, key, None, item, part=part, note=note) for item, part in zip(items, parts, strict=True)]
    return [Change(kind, key, None, items, part=parts[0], count=len(items), note=note, parts=parts)]


def by_part(changes: list[Change], written: Sequence[Mapping[Any, Any]], *, before: Any, after: Any) -> list[Change]:
    """The changes of a dict, each with the last of the written mappings that holds its key.

    Then the entries of the write that changed nothing: an equal value was there, or a later mapping overwrote them.
    """
    last = {key: part for part, entries in enumerate(written) for key in entries}
    news = [each for each in changes if each.kind != "kept"]
    told = {key for each in news for key in ((each.after or ()) if each.count > 1 else (each.key,))}
    again = [key for key in last if key not in told and key in before and key in after][:MOST_RECORDS]
    same = [Change("kept", key, None, after[key], part=last[key], note=SAME) for key in again]
    if same:
        changes = [dataclasses.replace(changes[0], count=changes[0].count - len(same)), *changes[1:]]
        changes = changes[0 if changes[0].count else 1 :]
    return [*(_placed(each, last) for each in changes), *same, *_overwritten(written, last)]


def _placed(change: Change, last: Mapping[Any, int]) -> Change:
    """The change with the mapping that its entry came from; one of many entries has all of theirs."""
    if is_one(change):
        return dataclasses.replace(change, part=last.get(change.key))
    if change.kind not in ("added", "replaced"):
        return change
    return dataclasses.replace(change, parts=tuple(dict.fromkeys(last[key] for key in change.after if key in last)))


def _overwritten(written: Sequence[Mapping[Any, Any]], last: Mapping[Any, int]) -> list[Change]:
    """The entries of written mappings that a later mapping of the same write has overwritten."""
    lost = (
        (part, key, value)
        for part, entries in enumerate(written)
        for key, value in entries.items()
        if last[key] != part
    )
    told = [
        Change("deduplicated", key, None, value, part=part, note=_OVERWRITTEN)
        for part, key, value in itertools.islice(lost, MOST_RECORDS)
    ]
    rest = list(lost)
    parts = list(dict.fromkeys(part for part, _, _ in rest))
    if len(rest) > 1:
        values = [value for _, _, value in rest]
        return [*told, Change("deduplicated", rest[0][1], None, values, None, parts[0], len(rest), _OVERWRITTEN, parts)]
    return [
        *told,
        *(Change("deduplicated", key, None, value, None, part, 1, _OVERWRITTEN) for part, key, value in rest),
    ]


def list_changes(
    before: list[Any], after: list[Any], *, name: str, written: list[Any], is_spread: bool = False
) -> list[Change]:
    """Lists that are kept whole. The name of the reducer is a hint, which the values have to bear out."""
    if name == "bounded_append" and written:
        found = _bounded(before, after, written=written, is_spread=is_spread)
        if found:
            return found
    if name == "merge_by_key" and len(after) >= len(before):
        return _keyed(before, after, written=written)
    if len(after) >= len(before) and common_start(before, after) == len(before):
        added = after[len(before) :]
        if len(written) == len(added) and (name == "append" or common_start(added, written) == len(added)):
            return grown(len(before), added, written=ADDED, is_spread=is_spread)
        if name == "dedupe_append" and len(written) >= len(added):
            return grown(len(before), added, written=written, is_spread=is_spread)
        if name == "concat_flatten" and are(list, written) and sum(map(len, written)) == len(added):
            return grown(len(before), added, written=Split(tuple(map(len, written))), is_spread=is_spread)
    return differences(before, after)


def _bounded(before: list[Any], after: list[Any], *, written: list[Any], is_spread: bool) -> list[Change]:
    """A window that moved on; empty if the values do not look like one."""
    fallen = len(before) + len(written) - len(after)
    gone = min(fallen, len(before))
    kept = len(before) - gone
    if fallen < 0 or common_start(before[gone:], after) < kept:
        return []
    changes = dropped_items(before[:gone], 0)
    changes += kept_run(0, kept)
    first = fallen - gone  # of the write, that got in
    lost = dropped_items(written[:first], len(before))
    changes += (dataclasses.replace(each, part=part, note=_FELL_OUT) for part, each in enumerate(lost))
    added = added_items(kept, after[kept:], parts=itertools.count(first))
    rest = range(first + told_singly(len(after) - kept), len(written))
    return changes + (_spread(added, rest) if is_spread else added)


def _keyed(before: list[Any], after: list[Any], *, written: list[Any]) -> list[Change]:
    """A list some of whose items were replaced in place, with novel ones behind."""
    tokens = Tokens()
    last = {tokens.of(item): part for part, item in enumerate(written)}
    changes: list[Change] = []
    run = 0
    for i, (old, item) in enumerate(zip(before, after, strict=False)):
        if old is item or is_same(old, item):
            run += 1
            continue
        changes += kept_run(i - run, run)
        run = 0
        changes.append(dataclasses.replace(replaced(old, item, key=i), part=last.get(tokens.of(item))))
    changes += kept_run(len(before) - run, run)
    novel = after[len(before) :]
    parts = [last.get(tokens.of(item)) for item in novel]
    known = [part for part in parts[told_singly(len(novel)) :] if part is not None]
    changes += _spread(added_items(len(before), novel, parts=parts), known)
    placed = [each for each in changes if each.kind != "kept"]
    is_known = None not in parts and all(each.part is not None for each in placed)
    if is_known and sum(each.count for each in placed) < len(written):
        there = {tokens.of(item) for item in after}
        lost = [(part, item) for part, item in enumerate(written) if tokens.of(item) not in there]
        changes += (Change("deduplicated", part, None, item, part=part, note=_OVERWRITTEN) for part, item in lost)
    return changes or [Change("kept", 0, count=0)]


def is_one(change: Change) -> bool:
    """True for the record of one new element."""
    return change.kind in ("added", "replaced") and change.count == 1


def are(kind: type, items: object) -> bool:
    """True for a list of nothing but that."""
    return isinstance(items, list) and all(isinstance(item, kind) for item in items)
