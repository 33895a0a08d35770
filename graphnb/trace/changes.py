"""What happened inside a value in one fold: which elements it kept, and what became of those written."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphnb.state.folding.fold import Fold
from graphnb.state.folding.writes import ADDED, REPLACED, InFull, Split, Writes, written_value
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.same import is_same
from graphnb.trace.differences import (
    MOST_RECORDS,
    Change,
    Kind,
    added_items,
    common_start,
    differences,
    dropped_items,
    entries_over,
    kept_run,
    plain,
    replaced,
    whole,
)
from graphnb.trace.steps import Delta
from graphnb.trace.tokens import Tokens

__all__ = ["ALREADY", "SAME", "Change", "Kind", "changes_of"]

ALREADY = "its key was there already"
"""The note of an item that `dedupe_append` left out."""
SAME = "same value"
"""The note of an entry that `merge_all` was given and that was there with an equal value."""
_OVERWRITTEN = "a later item of the write won"
_FELL_OUT = "fell out at once"


def changes_of(delta: Delta) -> tuple[Change, ...]:
    """The changes inside the field, in list order; at least one, which may say that all was kept.

    Costs as much as was added where the reducer only adds, and one comparison of both values elsewhere.
    Never raises: values that cannot be compared are told as changed, with the note "cannot compare".
    """
    kept = delta.kept
    try:
        if delta.instances is not None:
            return tuple(_from_instances(_changes(kept, most=None), kept, delta.instances.slots))
        return tuple(_changes(kept))
    except Exception:  # noqa: BLE001  comparing runs the values' own code
        return (Change("changed", None, kept.before, kept.after, note="cannot compare"),)


def _changes(kept: Fold, *, most: int | None = MOST_RECORDS) -> list[Change]:
    """The changes, at most `most` added items told one by one."""
    before, written, after = kept.before, kept.written, kept.after
    if written is not REPLACED:
        if type(written) in (InFull, Writes):
            return differences(plain(before), plain(after))
        if isinstance(after, GrownList):
            brief = written is ADDED or isinstance(written, (Split, list))
            return _grown(before.stop, after.since(before), written if brief else [written], most)
        if isinstance(after, GrownDict):
            return _merged(before, after, written if isinstance(written, list) else ADDED)
        name = kept.reducer.partition("(")[0]
        if name in ("last_write_wins", "step.last_value"):
            return whole(plain(before), plain(after), "overwritten")
        if isinstance(before, list) and isinstance(after, list) and isinstance(written, list):
            return _of_lists(name, before, after, written, most)
        if name == "merge_all" and isinstance(before, dict) and isinstance(after, dict) and _are(Mapping, written):
            return _by_part(differences(before, after), before, after, written)
        return differences(plain(before), plain(after))
    return whole(plain(before), plain(after), "replaced")


def _grown(stop: int, added: list[Any], written: Any, most: int | None) -> list[Change]:
    """A list that kept its first `stop` items and got others behind."""
    start = kept_run(0, stop) if stop or added else [Change("kept", 0, count=0)]
    if written is ADDED:
        return [*start, *added_items(stop, added, parts=itertools.count(), most=most)]
    if isinstance(written, Split):
        return [*start, *added_items(stop, added, parts=_parts(written), most=most)]
    return [*start, *_deduplicated(stop, added, written)]


def _parts(split: Split) -> Iterator[int]:
    """For each item of the opened lists the number of its list."""
    return (part for part, length in enumerate(split.lengths) for _ in range(length))


def _deduplicated(stop: int, added: list[Any], written: Sequence[Any]) -> list[Change]:
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


def _merged(before: GrownDict, after: GrownDict, written: Any) -> list[Change]:
    """A dict over which entries were laid."""
    is_new = after is not before
    changes = entries_over(after.last_replaced(), after.last_update()) if is_new else []
    kept = len(after) - sum(each.count for each in changes)
    if kept or not changes:
        changes.insert(0, Change("kept", count=kept))
    return changes if written is ADDED else _by_part(changes, before, after, written)


def _by_part(changes: list[Change], before: Any, after: Any, written: Sequence[Mapping[Any, Any]]) -> list[Change]:
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
    changes = [dataclasses.replace(each, part=last.get(each.key)) if _is_one(each) else each for each in changes]
    return [*changes, *same, *_overwritten(written, last)]


def _overwritten(written: Sequence[Mapping[Any, Any]], last: Mapping[Any, int]) -> list[Change]:
    """The entries of written mappings that a later mapping of the same write has overwritten."""
    return [
        Change("deduplicated", key, None, value, part=part, note=_OVERWRITTEN)
        for part, entries in enumerate(written)
        for key, value in entries.items()
        if last[key] != part
    ]


def _of_lists(name: str, before: list[Any], after: list[Any], written: list[Any], most: int | None) -> list[Change]:
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
            return _grown(len(before), added, ADDED, most)
        if name == "dedupe_append" and len(written) >= len(added):
            return _grown(len(before), added, written, most)
        if name == "concat_flatten" and _are(list, written) and sum(map(len, written)) == len(added):
            return _grown(len(before), added, Split(tuple(map(len, written))), most)
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


def _from_instances(changes: list[Change], kept: Fold, slots: Sequence[int]) -> Iterable[Change]:
    """The changes, each with the instance that gave the element."""
    if all(each.part is None for each in changes):
        changes = _traced_back(changes, written_value(kept.written, kept.before, kept.after), kept.after)
    return (each if each.part is None else dataclasses.replace(each, instance=slots[each.part]) for each in changes)


def _traced_back(changes: list[Change], written: Any, after: Any) -> list[Change]:
    """The changes with the item of the write that became the element: the only equal one, if there is just one."""
    if not isinstance(written, (list, GrownList)):
        return changes
    tokens = Tokens()
    found: dict[int, list[int]] = {}
    for part, item in enumerate(written):
        found.setdefault(tokens.of(item), []).append(part)
    is_write = isinstance(after, (list, GrownList)) and len(after) == len(written) == common_start(after, written)

    def traced(change: Change) -> Change:
        if is_write:
            return dataclasses.replace(change, part=change.key)
        parts = found.get(tokens.of(change.after), [])
        return dataclasses.replace(change, part=parts[0]) if len(parts) == 1 else change

    return [traced(change) if _is_one(change) else change for change in changes]


def _is_one(change: Change) -> bool:
    """True for the record of one new element."""
    return change.kind in ("added", "replaced") and change.count == 1


def _are(kind: type, items: object) -> bool:
    return isinstance(items, list) and all(isinstance(item, kind) for item in items)
