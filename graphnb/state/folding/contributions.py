"""Updates of several contributors that are folded one after the other. Source: pipeline-utilities §11.3."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from graphnb.state.folding.fold import Fold, fold
from graphnb.state.marks import Replace
from graphnb.state.schema import Schema, Values


class Contributions(dict[str, Any]):
    """Several updates in order, seen as one: what middleware around the node gets a copy of.

    A field that one of them writes has that write; a field that several write has a `Replace` of what all of
    them make of it. `parts` are the updates themselves, each with the place that begins its error messages.
    Made by `contributions_of`.
    """

    parts: tuple[tuple[str, Mapping[str, Any]], ...] = ()


Folded = tuple[Values, tuple[Fold, ...], tuple[int | None, ...]]
"""The values after, the folds, and for each fold which of the parts made it, None for none of them."""


def contributions_of(
    schema: Schema, values: Values, parts: Sequence[tuple[str, Mapping[str, Any]]], *, is_seen: bool
) -> Contributions:
    """The contributions to these values; without `is_seen` nobody will look at what several have written.

    Raises what folding them raises.
    """
    seen = Contributions()
    shared = set()
    for _, update in parts:
        shared |= seen.keys() & update.keys()
        seen.update(update)
    seen.parts = tuple(parts)
    if shared and is_seen:
        after, _, _ = _fold_parts(schema, values, seen.parts, names=shared)
        seen.update({name: Replace(after[name]) for name in seen if name in shared})
    return seen


def fold_contributions(schema: Schema, values: Values, update: Any, made: Any, where: str) -> Folded:
    """Folds an update; where it is still what the contributors `made`, field by field as they made it.

    A field that was edited or added counts as written after all of them, one that was taken away as not
    written. Raises like `fold`; then nothing has changed.
    """
    if not isinstance(made, Contributions) or not isinstance(update, Mapping):
        after, folds = fold(schema, values, update, where)
        return after, folds, (None,) * len(folds)
    own = {name for name, each in made.items() if name in update and update[name] is each}
    after, folds, owners = _fold_parts(schema, values, made.parts, names=own)
    rest = {name: each for name, each in update.items() if name not in own}
    if rest:
        after, more = fold(schema, after, rest, where)
        folds, owners = folds + more, owners + (None,) * len(more)
    return after, folds, owners


def parts_of(update: Any, made: Any, where: str) -> list[tuple[str, Any]]:
    """What a node contributes to a fold with others, each with its place: its update, or what the contributors made.

    As in `fold_contributions` what was edited or added comes after all of them.
    """
    if not isinstance(made, Contributions) or not isinstance(update, Mapping):
        return [(where, update)]
    own = {name for name, each in made.items() if name in update and update[name] is each}
    kept = [(place, {name: each for name, each in part.items() if name in own}) for place, part in made.parts]
    rest = {name: each for name, each in update.items() if name not in own}
    return [*kept, (where, rest)] if rest else kept


def _fold_parts(
    schema: Schema, values: Values, parts: Sequence[tuple[str, Mapping[str, Any]]], *, names: Container[str]
) -> Folded:
    """Folds of each part the fields among `names`."""
    folds: list[Fold] = []
    owners: list[int | None] = []
    for i, (where, part) in enumerate(parts):
        kept = {name: each for name, each in part.items() if name in names}
        if kept:
            values, made = fold(schema, values, kept, where)
            folds += made
            owners += [i] * len(made)
    return values, tuple(folds), tuple(owners)
