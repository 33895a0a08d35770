"""What happened inside a value in one fold: which elements it kept, and what became of those written."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphnb.state.folding.fold import Fold
from graphnb.state.folding.writes import ADDED, REPLACED, InFull, Split, Writes, written_value
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.trace.comparing.differences import (
    Change,
    common_start,
    differences,
    entries_over,
    plain,
    whole,
)
from graphnb.trace.comparing.placing import are, by_part, grown, is_one, list_changes
from graphnb.trace.comparing.tokens import Tokens
from graphnb.trace.comparing.writer_changes import writer_changes
from graphnb.trace.reading.steps import Delta


def changes_of(delta: Delta) -> tuple[Change, ...]:
    """The changes inside the field, in list order; at least one, which may say that all was kept.

    Costs as much as was added where the reducer only adds, and one comparison of both values elsewhere.
    Never raises: values that cannot be compared are told as changed, with the note "cannot compare".
    """
    kept = delta.kept
    try:
        if delta.instances is not None:
            return tuple(_from_instances(_changes(kept, is_spread=True), kept, slots=delta.instances.slots))
        return tuple(_changes(kept))
    except Exception:  # noqa: BLE001  comparing runs the values' own code
        return (Change("changed", None, kept.before, kept.after, note="cannot compare"),)


def _changes(kept: Fold, *, is_spread: bool = False) -> list[Change]:
    """The changes; with `is_spread` a record of many elements knows the items of the write that they came from."""
    before, written, after = kept.before, kept.written, kept.after
    if written is not REPLACED:
        if type(written) is Writes:
            return writer_changes(kept, written.parts)
        if type(written) is InFull:
            return differences(plain(before), plain(after))
        if isinstance(after, GrownList):
            brief = written is ADDED or isinstance(written, (Split, list))
            return grown(before.stop, after.since(before), written=written if brief else [written], is_spread=is_spread)
        if isinstance(after, GrownDict):
            return _merged(before, after, written=written if isinstance(written, list) else ADDED)
        name = kept.reducer.partition("(")[0]
        if name in ("last_write_wins", "step.last_value"):
            return whole(plain(before), plain(after), verb="overwritten")
        if isinstance(before, list) and isinstance(after, list) and isinstance(written, list):
            return list_changes(before, after, name=name, written=written, is_spread=is_spread)
        if name == "merge_all" and isinstance(before, dict) and isinstance(after, dict) and are(Mapping, written):
            return by_part(differences(before, after), written, before=before, after=after)
        return differences(plain(before), plain(after))
    return whole(plain(before), plain(after), verb="replaced")


def _merged(before: GrownDict, after: GrownDict, *, written: Any) -> list[Change]:
    """A dict over which entries were laid."""
    is_new = after is not before
    changes = entries_over(after.last_replaced(), after.last_update()) if is_new else []
    kept = len(after) - sum(each.count for each in changes)
    if kept or not changes:
        changes.insert(0, Change("kept", count=kept))
    return changes if written is ADDED else by_part(changes, written, before=before, after=after)


def _from_instances(changes: list[Change], kept: Fold, *, slots: Sequence[int]) -> Iterable[Change]:
    """The changes, each with the instance that gave the element."""
    if all(each.part is None for each in changes) and any(map(is_one, changes)):
        changes = _traced_back(changes, written_value(kept.written, kept.before, kept.after), after=kept.after)
    return (each if each.part is None else dataclasses.replace(each, instance=slots[each.part]) for each in changes)


def _traced_back(changes: list[Change], written: Any, *, after: Any) -> list[Change]:
    """The changes with the item of the write that became the element: the only equal one, if there is just one."""
    if not isinstance(written, (list, GrownList)):
        return changes
    tokens = Tokens()
    found: dict[int, list[int]] = {}
    is_write = isinstance(after, (list, GrownList)) and len(after) == len(written) == common_start(after, written)
    for part, item in enumerate(() if is_write else written):
        found.setdefault(tokens.of(item), []).append(part)

    def traced(change: Change) -> Change:
        if is_write:
            return dataclasses.replace(change, part=change.key)
        parts = found.get(tokens.of(change.after), [])
        return dataclasses.replace(change, part=parts[0]) if len(parts) == 1 else change

    return [traced(change) if is_one(change) else change for change in changes]
