"""How to mend a field into which what a fan-out, delegates or a race gave could not be folded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graphnb.errors import ReducerError, RunError, StateValidationError
from graphnb.errors.text import kind_of
from graphnb.graph.checking.value_kinds import item_type, kind_of_type
from graphnb.graph.interrupt import asks_instead
from graphnb.graph.spec import DelegatesNode, FanOutNode, RaceNode
from graphnb.state.fields import Field
from graphnb.state.schema import Schema

_TAKES: Final = "append takes a list of items, concat_flatten a list of lists, merge_all a list of dicts"
_APPENDING: Final = ("append", "bounded_append", "dedupe_append", "merge_by_key", "step.append", "step.union")
_ITEMS: Final[Mapping[str | None, tuple[str, ...]]] = {
    "list": ("concat_flatten",),
    **dict.fromkeys(("mapping", "record"), ("merge_all",)),
}
_TYPES: Final = {"append": "list[...]", "concat_flatten": "list[...]", "merge_all": "dict[...]"}
_EMPTY: Final = {"append": "[]", "concat_flatten": "[]", "merge_all": "{}"}


def mend_collected(error: RunError, spec: FanOutNode, *, update: object, schema: Schema) -> str | None:
    """What to do about values that the instances gave; None if the error is not about them."""
    if not isinstance(error, (ReducerError, StateValidationError)) or not isinstance(update, Mapping):
        return None
    named = (error.field,) if isinstance(error, ReducerError) else error.fields
    name = next((each for each in named if each == spec.into or each in spec.extra_outputs), None)
    given = update.get(name)
    if name is None or not isinstance(given, list) or not given:
        return None
    if asks := next(filter(None, map(asks_instead, given)), None):
        return asks
    kinds = sorted({kind_of(each) for each in given})
    told = f"A fan-out writes the list of what its instances gave: {len(given)} here, each of type {', '.join(kinds)}."
    fit = _fitting_reducer_of(given)
    if fit is None:
        return f"{told} {_TAKES}: let every instance give the same kind."
    reducer = schema.fields[name].reducer
    is_held = isinstance(error, StateValidationError) and fit in _fitting_items_of(schema.fields[name])
    if reducer == fit or is_held or (fit == "append" and reducer.startswith(("step.append", "step.union"))):
        return f"{told} {reducer} takes such a list; what is in it has to fit {schema.fields[name].type}."
    declared = f"{name}: Annotated[{_TYPES[fit]}, gn.{fit}] = {_EMPTY[fit]}"
    return f"{told} {_TAKES}. For this list declare {declared}."


def _fitting_reducer_of(given: list[object]) -> str | None:
    """The reducer that takes such a list, None if the items are of several kinds that none takes together."""
    for kind, name in ((list, "concat_flatten"), (Mapping, "merge_all")):
        found = [isinstance(each, kind) for each in given]
        if any(found):
            return name if all(found) else None
    return "append"


def _fitting_items_of(field: Field) -> tuple[str, ...]:
    """The kinds of items, by the reducers for lists of them, that the field holds as one item each.

    What is refused then lies within an item, and the reducer is right.
    """
    if not field.reducer.startswith(_APPENDING):
        return ()
    return _ITEMS.get(kind_of_type(item_type(field.annotation)), ())


def mend_left_none(error: RunError, spec: DelegatesNode | RaceNode, *, update: object) -> str | None:
    """What to do about the None of a delegate that failed, or of a race without a winner; None for other errors."""
    if not isinstance(error, (ReducerError, StateValidationError)) or not isinstance(update, Mapping):
        return None
    named = (error.field,) if isinstance(error, ReducerError) else error.fields
    if isinstance(spec, RaceNode):
        empty = [each for each in named if each in (spec.into, spec.winner_into) and update.get(each, each) is None]
        if not empty:
            return None
        return f"Nothing was acceptable, which leaves None: declare {empty[0]} so that it takes that, as str | None."
    given = update.get(spec.into)
    if spec.into not in named or not isinstance(given, list) or not any(each is None for each in given):
        return None
    return (
        "A delegate that failed leaves None in the list: collect it with append into a list whose items may be None, "
        "as list[str | None], and take it out in the next node."
    )
