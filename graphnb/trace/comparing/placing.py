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
    added_items,
    common_start,
    differences,
    dropped_items,
    kept_run,
    replaced,
)
from graphnb.trace.comparing.tokens import Tokens

ALREADY = "its key was there already"
"""The note of an item that `dedupe_append` left out."""
SAME = "same value"
"""The note of an entry that `merge_all` was given and that was there with an equal value."""
_OVERWRITTEN = "a later item of the write won"
_FELL_OUT = "fell out at once"


def grown(stop: int, added: list[Any], written: Any, most: int | None) -> list[Change]:
    """A list that kept its first `stop` items and got others behind."""
    start = kept_run(0, stop) if stop or added else [Change("kept", 0, count=0)]
    if written is ADDED:
        return [*start, *added_items(stop, added, parts=itertools.count(), most=most)]
    if isinstance(written, Split):
        return [*start, *added_items(stop, added, parts=_parts(written), most=most)]
    return [*start, *deduplicated(stop, added, written)]


def _parts(split: Split) -> Iterator[int]:
    """For each item of the opened lists the number of its list."""
    return (part for part, length in enumerate(split.lengths) for _ in range(length))


def deduplicated(stop: int, added: list[Any], written: Sequence[Any]) -> list[Change]:
    """The items of the write, the added ones told from those whose key was there already.

    Of equal items the first is the one that was added, since all of them have one key.
    """
    changes: list[Change] = []
    next_one = 0
    for i, item in enumerate(written):
        all_needed = len(written) - i == len(added) - next_one
        if next_one < len(added) and (all_needed or is_same(item, added[next_one])):
            changes.append(Change("added", stop + next_one, None, added[next_one], part=i))
            next_one += 1
        else:
            changes.append(Change("deduplicated", i, None, item, part=i, note=ALREADY))
    return changes


def by_part(changes: list[Change], before: Any, after: Any, written: Sequence[Mapping[Any, Any]]) -> list[Change]:
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
    changes = [dataclasses.replace(each, part=last.get(each.key)) if is_one(each) else each for each in changes]
    return [*changes, *same, *_overwritten(written, last)]


def _overwritten(written: Sequence[Mapping[Any, Any]], last: Mapping[Any, int]) -> list[Change]:
    """The entries of written mappings that a later mapping of the same write has overwritten."""
    return [
        Change("deduplicated", key, None, value, part=part, note=_OVERWRITTEN)
        for part, entries in enumerate(written)
        for key, value in entries.items()
        if last[key] != part
    ]


def list_changes(name: str, before: list[Any], after: list[Any], written: list[Any], most: int | None) -> list[Change]:
    """Lists that are kept whole. The name of the reducer is a hint, which the values have to bear out."""
    if name == "bounded_append" and written:
        found = _bounded(before, after, written, most)
        if found:
            return found
    if name == "merge_by_key" and len(after) >= len(before):
        return _keyed(before, after, written)
    if len(after) >= len(before) and common_start(before, after) == len(before):
        added = after[len(before) :]
        if len(written) == len(added) and (name == "append" or common_start(added, written) == len(added)):
            return grown(len(before), added, ADDED, most)
        if name == "dedupe_append" and len(written) >= len(added):
            return grown(len(before), added, written, most)
        if name == "concat_flatten" and are(list, written) and sum(map(len, written)) == len(added):
            return grown(len(before), added, Split(tuple(map(len, written))), most)
    return differences(before, after)


def _bounded(before: list[Any], after: list[Any], written: list[Any], most: int | None) -> list[Change]:
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
    return changes + added_items(kept, after[kept:], parts=itertools.count(first), most=most)


def _keyed(before: list[Any], after: list[Any], written: list[Any]) -> list[Change]:
    """A list some of whose items were replaced in place, with novel ones behind."""
    tokens = Tokens()
    last = {tokens.of(item): part for part, item in enumerate(written)}
    changes: list[Change] = []
    run = 0
    for i, item in enumerate(after):
        if i < len(before) and (before[i] is item or is_same(before[i], item)):
            run += 1
            continue
        changes += kept_run(i - run, run)
        run = 0
        new = replaced(i, before[i], item) if i < len(before) else Change("added", i, None, item)
        changes.append(dataclasses.replace(new, part=last.get(tokens.of(item))))
    changes += kept_run(len(after) - run, run)
    placed = [each for each in changes if each.kind != "kept"]
    if len(placed) < len(written) and all(each.part is not None for each in placed):
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
