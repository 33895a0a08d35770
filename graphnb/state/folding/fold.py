"""Folding one update into the values of a state: all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphnb.errors import InvalidUpdate, ReducerError, StateValidationError
from graphnb.errors.text import kind_of, shown
from graphnb.state.annotations.classes import is_typeddict
from graphnb.state.checking.reasons import Reasons, Unfit, invalid_state, raised, reasons_of, unknown_fields
from graphnb.state.fields import Field
from graphnb.state.folding.step_writers import StepWriter
from graphnb.state.folding.writes import REPLACED, InFull, Writes, written_value
from graphnb.state.marks import ASK_BY_ITSELF, UNSET, Replace, find_no_value
from graphnb.state.reducers.annotated import is_ours
from graphnb.state.reducers.stepwise.totals import ReductionFailed
from graphnb.state.schema import Schema, Values, check_whole
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.same import is_same

_ITEM_WISE = ("append", "bounded_append", "dedupe_append", "concat_flatten")
_NO_FIELD: Any = object()
_Staged = tuple[str, Field, Any, Any]  # field's name, field, what its writer staged or REPLACED, a Replace's value


class Fold(NamedTuple):
    """One field changed by one update, in the form in which a run keeps it.

    `before` and `after` are kept values (growing lists and dicts as versions), `written` is brief: see
    `graphnb.state.folding.writes`. `reducer` is the name that tables show.
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
    if type(update) is not dict and not isinstance(update, Mapping):
        raise _no_update(where, f"returned {kind_of(update)}, want a dict of fields: {shown(update)}")
    staged = _staged(schema, values, update=update, where=where)
    after = values.copy()
    folds = []
    faults: Reasons | None = None
    failed: tuple[str, ReductionFailed] | None = None
    for name, field, stage, value in staged:
        prior = values[name]
        try:
            if stage is REPLACED:
                new = field.writer.keep(field.whole.check(value))
                folds.append(Fold(name, "Replace", prior, REPLACED, new))
            else:
                new, written = field.writer.settle(prior, stage)
                folds.append(Fold(name, field.reducer, prior, written, new))
            after[name] = new
        except ReductionFailed as error:
            failed = failed or (name, error)
        except Exception as error:  # noqa: BLE001  a validator may be user code
            faults = {**(faults or {}), **reasons_of(error, name)}
            cause = error
    if faults:
        raise invalid_state(where, faults, mend_values(schema, update, faults)) from cause
    if failed:
        raise refused(schema, values, update=update, where=where, name=failed[0], error=failed[1]) from failed[1]
    if schema.whole and staged:
        return checked_whole(schema, after, folds=tuple(folds), where=where)
    return after, tuple(folds)


def mend_values(schema: Schema, update: Mapping[str, Any], faults: Reasons) -> str:
    """What the state declares, and which values come from a reducer: the node has written something else there."""
    fields = [schema.fields[name] for name in faults]
    wants = "; ".join(f"{each.name}: {each.type}" for each in fields)
    folded = [each for each in fields if each.writer.folds_whole and type(update[each.name]) is not Replace]
    gave = "".join(f" What does not fit {each.name} is what its reducer {each.reducer} gave." for each in folded)
    written = [each for each in fields if type(update[each.name]) is not Replace]
    hints = [each.writer.hint(update[each.name]) for each in written if isinstance(each.writer, StepWriter)]
    hints += [ASK_BY_ITSELF] if any(_asks(update[name]) for name in faults) else []
    return " ".join((f"The state declares {wants}.{gave}", *filter(None, hints)))


def _asks(raw: Any) -> bool:
    """True if an interrupt was written, or lies in what was; of lists of lists one level deeper too."""
    written = raw.value if type(raw) is Replace else raw
    return any(map(find_no_value, (written, *(written if type(written) is list else ()))))


def _staged(schema: Schema, values: Values, *, update: Mapping[str, Any], where: str) -> list[_Staged]:
    """The raw folds, not validated yet. Raises what a reducer's refusal, or an update that is none, comes to."""
    fields = schema.fields
    staged: list[_Staged] = []
    name: Any = _NO_FIELD
    try:
        for name, raw in update.items():
            field = fields[name]
            if type(raw) is Replace:
                staged.append((field.name, field, REPLACED, raw.value))
            else:
                staged.append((field.name, field, field.writer.stage(values[name], raw), None))
    except Exception as error:
        is_read = not staged or staged[-1][0] != name
        found = name if is_read else _NO_FIELD
        raise refused(schema, values, update=update, where=where, name=found, error=error) from error
    return staged


def _no_update(where: str, what: str) -> InvalidUpdate:
    return InvalidUpdate(where, what, "Return a dict such as {'field': value}, or {} to change nothing.")


def refused(
    schema: Schema, values: Values, *, update: Mapping[str, Any], where: str, name: Any, error: Exception
) -> ReducerError | StateValidationError | InvalidUpdate:
    """The error for an update that could not be folded raw; `name` is the field at which that was found."""
    if name is _NO_FIELD:
        return _no_update(where, f"returned {kind_of(update)} whose entries cannot be read ({raised(error)})")
    if name not in schema.fields:
        return unknown_fields(where, [each for each in update if each not in schema.fields], fields=list(schema.fields))
    reducer = schema.fields[name].reducer
    what = f"field '{name}': reducer {reducer} refused the update {shown(update[name])} ({raised(error)})"
    mend = "The reducer is called as (prior, update) and gives the value after."
    if is_ours(schema.fields[name].function):
        mend = f"To set the field past its reducer, return {{'{name}': gn.Replace(value)}}."
        if reducer.partition("(")[0] in _ITEM_WISE and not isinstance(update[name], list):
            mend = f"{mend} A field declared with step.append takes single items as well as lists of them."
    if values[name] is UNSET:
        mend = "The field has no value yet: declare one (= [] and the like), or write gn.Replace(value) first."
        if is_typeddict(schema.cls):
            mend = "The field has no value yet: pass one when the run starts, or write gn.Replace(value) first."
    if _asks(update[name]):
        mend = ASK_BY_ITSELF
    told = ReducerError(where, what, mend)
    told.field, told.reducer = name, reducer
    return told


def checked_whole(
    schema: Schema, after: Values, *, folds: tuple[Fold, ...], where: str
) -> tuple[Values, tuple[Fold, ...]]:
    """The same after the class's own validators, which may have changed fields."""
    try:
        checked = check_whole(schema, after)
    except Unfit as error:
        raise invalid_state(where, error.reasons) from error.__cause__
    written = {each.field for each in folds}
    kept = {
        name: checked[name] if name in written or not is_same(checked[name], after[name]) else after[name]
        for name in after
    }
    own = tuple(each._replace(after=kept[each.field], written=_in_full(each)) for each in folds)
    extra = tuple(
        Fold(name, "validator", after[name], kept[name], kept[name])
        for name in after
        if name not in written and kept[name] is not after[name]
    )
    return kept, own + extra


def _in_full(change: Fold) -> Any:
    """The write, independent of the value after, which a validator may have changed."""
    if change.written is REPLACED or type(change.written) in (InFull, Writes):
        return change.written
    written = written_value(change.written, change.before, change.after)
    return InFull(written) if isinstance(change.after, (GrownList, GrownDict)) else written
