"""How to mend a field into which the list that a fan-out collected could not be folded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graphnb.errors import ReducerError, RunError, StateValidationError
from graphnb.errors.text import kind_of
from graphnb.graph.interrupt import asks_instead
from graphnb.graph.spec import FanOutNode
from graphnb.state.schema import Schema

_TAKES: Final = "append takes a list of items, concat_flatten a list of lists, merge_all a list of dicts"
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
    if reducer == fit or (fit == "append" and reducer.startswith(("step.append", "step.union"))):
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
