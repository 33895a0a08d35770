"""Folding one update into the values of a state: all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from graphnb.errors import InvalidUpdate, ReducerError, StateValidationError
from graphnb.errors.text import kind_of, shown
from graphnb.state.marks import Replace
from graphnb.state.refusal import invalid_state, reasons_of, unknown_fields
from graphnb.state.same import is_same
from graphnb.state.schema import Schema, Values, check_whole
from graphnb.state.written import REPLACED


class Fold(NamedTuple):
    """One field changed by one update, in the form in which a run keeps it.

    `before` and `after` are kept values (growing lists and dicts as versions), `written` is brief: see
    `graphnb.state.written`. `reducer` is the name that tables show.
    """

    field: str
    reducer: str
    before: Any
    written: Any
    after: Any


def fold(schema: Schema, values: Values, update: Mapping[str, Any], where: str) -> tuple[Values, tuple[Fold, ...]]:
    """The values after the update, and one `Fold` per written field in the update's order.

    All fields are folded raw before any value is validated, so that a reducer's error comes first; nothing
    is changed unless everything passed. `where` begins the messages. Raises InvalidUpdate, ReducerError,
    StateValidationError. Source: graph-engine §2, merging.
    """
    fields = schema.fields
    staged = []
    try:
        for name, raw in update.items():
            writer = fields[name].writer
            if type(raw) is Replace:
                staged.append((name, writer, REPLACED, raw.value))
            else:
                staged.append((name, writer, writer.stage(values[name], raw), None))
    except Exception as error:  # a reducer is user code, and so is a mapping
        raise _refused(schema, values, update, where, error) from error
    after = values.copy()
    folds = []
    try:
        for name, writer, stage, value in staged:
            prior = values[name]
            if stage is REPLACED:
                after[name] = new = writer.keep(fields[name].whole.check(value))
                folds.append(Fold(name, "Replace", prior, REPLACED, new))
                continue
            new, written = writer.settle(prior, stage)
            after[name] = new
            folds.append(Fold(name, fields[name].reducer, prior, written, new))
    except ValidationError as error:
        raise _invalid(schema, staged, values, where, error) from error
    if schema.whole and staged:
        return _checked(schema, after, tuple(folds), where)
    return after, tuple(folds)


def _refused(
    schema: Schema, values: Values, update: Mapping[str, Any], where: str, error: Exception
) -> ReducerError | StateValidationError | InvalidUpdate:
    """The error for an update that could not be folded raw."""
    if not isinstance(update, Mapping):
        return InvalidUpdate(where, f"returned {kind_of(update)}, want a dict of fields: {shown(update)}")
    unknown = [name for name in update if name not in schema.fields]
    if unknown:
        return unknown_fields(where, unknown, list(schema.fields))
    for name, raw in update.items():
        field = schema.fields[name]
        try:
            if type(raw) is not Replace:
                field.writer.stage(values[name], raw)
        except Exception as again:
            if type(again) is type(error):
                return _reducer_error(where, name, field.reducer, raw, error)
    return InvalidUpdate(where, f"returned an update that cannot be read: {error}")  # pragma: no cover


def _reducer_error(where: str, name: str, reducer: str, raw: object, error: Exception) -> ReducerError:
    refused = ReducerError(
        where, f"field '{name}': reducer {reducer} refused the update {shown(raw)} ({type(error).__name__}: {error})"
    )
    refused.field, refused.reducer = name, reducer
    return refused


def _invalid(
    schema: Schema, staged: list[Any], values: Values, where: str, first: ValidationError
) -> StateValidationError:
    """The error that lists every field that did not pass, not only the first."""
    reasons: dict[str, tuple[str, ...]] = {}
    for name, writer, stage, value in staged:
        try:
            if stage is REPLACED:
                schema.fields[name].whole.check(value)
            else:
                writer.settle(values[name], stage)
        except ValidationError as error:
            reasons |= reasons_of(error, name)
    wants = "; ".join(f"{name}: {schema.fields[name].type}" for name in reasons)
    return invalid_state(where, reasons, f"The state declares {wants}.")


def _checked(schema: Schema, after: Values, folds: tuple[Fold, ...], where: str) -> tuple[Values, tuple[Fold, ...]]:
    """The same after the class's own validators, which may have changed fields."""
    try:
        checked = check_whole(schema, after)
    except ValidationError as error:
        raise invalid_state(where, reasons_of(error)) from error
    written = {each.field for each in folds}
    kept = {name: checked[name] if name in written or not is_same(checked[name], after[name]) else after[name] for name in after}
    own = tuple(each._replace(after=kept[each.field]) for each in folds)
    extra = tuple(
        Fold(name, "validator", after[name], kept[name], kept[name])
        for name in after
        if name not in written and kept[name] is not after[name]
    )
    return kept, own + extra
