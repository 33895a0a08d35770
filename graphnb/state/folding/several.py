"""Folding the updates of all nodes that completed in one step: all of them or nothing. Source: step reducers, §9.4."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from graphnb.errors import RunError, StateValidationError
from graphnb.state.checking.reasons import Reasons, invalid_state, reasons_of
from graphnb.state.fields import Field
from graphnb.state.folding.fold import Fold, checked_whole, fold, mend_values, refused
from graphnb.state.folding.step_writers import StepWriter
from graphnb.state.folding.writes import REPLACED, Contribution, InFull, Writes, written_value
from graphnb.state.marks import UNSET, Replace
from graphnb.state.reducers.stepwise.picking import FirstValue, LastValue
from graphnb.state.reducers.stepwise.totals import ReductionFailed
from graphnb.state.schema import Schema, Values

NodeUpdate = tuple[str, str, Mapping[str, Any]]
"""The name of a node, the place that begins messages about it, and what it returned."""
_PLAIN: Final = "last_write_wins"


class _Folding:
    """What one field has been given so far, in the order of its writers."""

    __slots__ = ("folds", "given")

    def __init__(self) -> None:
        self.given: list[tuple[str, Any, bool]] = []  # writer, write, whether it was a Replace
        self.folds: list[Fold] = []  # of a reducer that folds one update at a time


def fold_step(schema: Schema, values: Values, updates: Sequence[NodeUpdate]) -> tuple[Values, tuple[Fold, ...]]:
    """The values after the step, and one `Fold` per written field; nodes count in the order of their names.

    A reducer of the step family folds all writes to its field at once, any other one after the other. Where several
    nodes wrote a field the `written` of its fold is `Writes`. Nothing is changed unless everything passed; the error
    raised is that of the first node at fault, whose `problems` are those of all; its `node` is that node, where several
    are at fault together the first of them. Raises what `fold` raises.
    """
    ordered = sorted(updates, key=lambda each: each[0])
    if len(ordered) == 1:
        _, place, update = ordered[0]
        return fold(schema, values, update, place)
    unchecked = schema.by_field()  # the class's own validators see the state after the step alone
    after = values
    foldings: dict[str, _Folding] = {}
    errors: list[RunError] = []
    for node, place, update in ordered:
        try:
            after = _take(unchecked, after, (node, place, update), foldings)
        except RunError as error:
            error.node = node
            errors.append(error)
    if errors:
        errors[0].problems = tuple(errors)
        raise errors[0]
    places = {node: place for node, place, _ in ordered}
    after, folds = _fold_all(schema, values, after, foldings, places=places)
    if not (schema.whole and folds):
        return after, folds
    try:
        return checked_whole(schema, after, folds=folds, where=_together(places))
    except RunError as error:
        error.node = next(iter(places))
        raise


def _together(places: Mapping[str, str]) -> str:
    """Where nodes are at fault together: the place of the first, and the names of the others."""
    first, *others = places
    return f"{places[first]}, together with {', '.join(map(repr, others))}" if others else places[first]


def _take(schema: Schema, values: Values, update: NodeUpdate, foldings: dict[str, _Folding]) -> Values:
    """The values after one node's writes through strict reducers; those of the step family are only checked.

    Raises the one error that tells all that is wrong with the update.
    """
    node, place, given = update
    own, rest = _parted(schema, given)
    checked: dict[str, Any] = {}
    faults: Reasons = {}
    cause: Exception | None = None
    for name, raw in own.items():
        part = schema.fields[name]
        try:
            is_replace = type(raw) is Replace
            checked[name] = part.whole.check(raw.value) if is_replace else part.writer.check(raw)  # type: ignore[attr-defined]  # a StepWriter
        except Exception as error:  # noqa: BLE001  a validator may be user code
            faults |= reasons_of(error, name)
            cause = error
    try:
        after, folds = fold(schema, values, rest, place)
    except StateValidationError as error:
        if not faults or not isinstance(rest, Mapping) or rest.keys() - schema.fields.keys():
            raise
        faults, cause = {**{name: tuple(each) for name, each in error.details.items()}, **faults}, error
    if faults:
        raise invalid_state(place, faults, mend_values(schema, given, faults)) from cause
    told = {each.field: each for each in folds}
    for name in given:
        folding = foldings.setdefault(name, _Folding())
        if name in told:
            folding.folds.append(told[name])
            write = written_value(told[name].written, told[name].before, told[name].after)
            folding.given.append((node, write, told[name].written is REPLACED))
        else:
            folding.given.append((node, checked[name], type(given[name]) is Replace))
    return after


def _parted(schema: Schema, given: Any) -> tuple[Mapping[str, Any], Any]:
    """The writes to fields of the step family, and all others; all of it among these if it is no update."""
    update = given
    if type(update) is not dict:
        try:
            update = dict(update) if isinstance(update, Mapping) else None
        except Exception:  # noqa: BLE001  a user's own mapping
            update = None
        if update is None:
            return {}, given
    own = {name: each for name, each in update.items() if _is_stepwise(schema.fields.get(name))}
    return own, {name: each for name, each in update.items() if name not in own}


def _is_stepwise(part: Field | None) -> bool:
    return part is not None and isinstance(part.writer, StepWriter)


def _fold_all(
    schema: Schema, before: Values, after: Values, foldings: Mapping[str, _Folding], *, places: Mapping[str, str]
) -> tuple[Values, tuple[Fold, ...]]:
    values = after.copy()
    folds = []
    for name, folding in foldings.items():
        part = schema.fields[name]
        if len(folding.given) == 1 and folding.folds:
            folds.append(folding.folds[0])
            continue
        if folding.folds:
            first, last = folding.folds[0], folding.folds[-1]
            takes_last = part.reducer == _PLAIN or last.reducer == "Replace"
            lost = set(range(len(folding.given) - 1)) if takes_last else _replaced(folding.given)
            folds.append(Fold(name, last.reducer, first.before, _writes(folding.given, lost), last.after))
            continue
        start, prior = _start(part, before[name], folding.given)
        writes = [write for _, write, _ in folding.given[start:]]
        try:
            values[name] = part.writer.fold(prior, writes) if writes else prior  # type: ignore[attr-defined]  # a StepWriter
        except ReductionFailed as error:
            told = {name: [write for _, write, _ in folding.given]}
            where = _together({node: places[node] for node, _, _ in folding.given})
            failed = refused(schema, before, update=told, where=where, name=name, error=error)
            failed.node = folding.given[0][0]
            raise failed from error
        lost = {*range(start - 1), *(start + i for i in _lost(part, prior, len(writes)))}
        reducer = part.reducer if writes else "Replace"
        folds.append(Fold(name, reducer, before[name], _writes(folding.given, lost), values[name]))
    return values, tuple(folds)


def _start(part: Field, before: Any, given: Sequence[tuple[str, Any, bool]]) -> tuple[int, Any]:
    """Where the writes begin that count, and the value before them: behind the last `Replace`, if there is one."""
    start = max((i for i, (_, _, is_replace) in enumerate(given) if is_replace), default=-1)
    return (0, before) if start < 0 else (start + 1, part.writer.keep(copy.copy(given[start][1])))


def _lost(part: Field, prior: Any, size: int) -> Iterable[int]:
    """Which of so many writes a `step.last_value` or `step.first_value` has dropped."""
    if isinstance(part.function, LastValue):
        return range(size - 1)
    return range(prior is UNSET, size) if isinstance(part.function, FirstValue) else ()


def _replaced(given: Sequence[tuple[str, Any, bool]]) -> set[int]:
    """The writes before the last `Replace`."""
    return set(range(max((i for i, each in enumerate(given) if each[2]), default=0)))


def _writes(given: Sequence[tuple[str, Any, bool]], lost: set[int]) -> Any:
    if len(given) == 1:
        return REPLACED if given[0][2] else InFull(given[0][1])
    return Writes(
        tuple(Contribution(node, write, is_replace, i in lost) for i, (node, write, is_replace) in enumerate(given))
    )
