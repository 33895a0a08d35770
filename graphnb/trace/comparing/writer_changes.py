"""What happened inside a value that several nodes of one step wrote: each change with the write that it came from."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphnb.state.folding.fold import Fold
from graphnb.state.folding.writes import Contribution
from graphnb.trace.comparing.differences import Change, differences, plain, whole
from graphnb.trace.comparing.placing import are, by_part, is_one, list_changes
from graphnb.trace.comparing.tokens import Tokens

_UNIONS: Final = ("dedupe_append", "step.union")


def writer_changes(kept: Fold, parts: Sequence[Contribution]) -> list[Change]:
    """The changes inside the value; `part` is the place of the write that gave an element, None where unknown."""
    before, after = plain(kept.before), plain(kept.after)
    name = kept.reducer.partition("(")[0]
    if any(each.is_lost or each.is_replace for each in parts):
        return whole(before, after, verb="replaced" if any(each.is_replace for each in parts) else "overwritten")
    written = [plain(each.written) for each in parts]
    if isinstance(before, list) and isinstance(after, list):
        items = [(part, item) for part, each in enumerate(written) for item in _items(name, each)]
        owners, flat = [part for part, _ in items], [item for _, item in items]
        changes = list_changes(before, after, name=_like(kept.reducer), written=flat, is_spread=True)
    elif isinstance(before, dict) and isinstance(after, dict) and name in ("merge", "merge_all", "step.merge"):
        laid = [(part, one) for part, each in enumerate(written) for one in (each if name == "merge_all" else [each])]
        owners, dicts = [part for part, _ in laid], [one for _, one in laid]
        changes = differences(before, after)
        changes = (
            by_part(changes, dicts, before=before, after=after)
            if are(Mapping, dicts) and "deep" not in kept.reducer
            else changes
        )
    else:
        owners, changes = [], differences(before, after)
    if all(each.part is None for each in changes):
        return _traced(changes, written, first="unique=True" in kept.reducer)
    return [_owned(each, owners) if each.part is not None or each.parts else each for each in changes]


def _owned(change: Change, owners: Sequence[int]) -> Change:
    """The change with the place of its writer instead of that of its item."""
    parts = tuple(dict.fromkeys(owners[part] for part in change.parts))
    return dataclasses.replace(change, part=None if change.part is None else owners[change.part], parts=parts)


def _items(name: str, written: Any) -> list[Any]:
    """The items that one write brings to a list."""
    if not isinstance(written, list):
        return [written]
    return [item for each in written for item in each] if name == "concat_flatten" and are(list, written) else written


def _like(reducer: str) -> str:
    """The reducer of one update at a time that places the same items as this one does with those of all writes."""
    name, _, options = reducer.partition("(")
    if name == "step.append" and options:
        unique, bounded = "unique=True" in options, "max_length" in options
        return "" if unique and bounded else "dedupe_append" if unique else "bounded_append" if bounded else "append"
    if name in _UNIONS:
        return "dedupe_append"
    return "append" if name in ("step.append", "concat_flatten") else name


def _traced(changes: list[Change], written: Sequence[Any], *, first: bool) -> list[Change]:
    """The changes with the write that each new element came from: the only one that has it, or the `first`."""
    found: list[set[Any]] = []
    tokens = Tokens()
    for each in written:
        if isinstance(each, Mapping):
            found.append({tokens.of(key) for key in each})
        elif isinstance(each, (list, tuple, set, frozenset)):
            found.append({tokens.of(item) for item in each})
        else:
            found.append({tokens.of(each)})

    def traced(change: Change) -> Change:
        if not is_one(change):
            return change
        parts = [
            part
            for part, (each, has) in enumerate(zip(written, found, strict=True))
            if (tokens.of(change.key) if isinstance(each, Mapping) else tokens.of(change.after)) in has
        ]
        return dataclasses.replace(change, part=parts[0]) if len(parts) == 1 or (first and parts) else change

    return [traced(change) for change in changes]
