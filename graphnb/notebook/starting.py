"""What a run starts from and with: its state, and the options that every way to run takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graphnb.engine.run import Execution, begin
from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import shown
from graphnb.graph.observer import observer_of
from graphnb.graph.plan import Plan

OPTIONS = ("correlation_id", "invocation_id", "max_steps", "observers")
RESERVED = (*OPTIONS, "executor", "store")


def begin_run(
    plan: Plan, state: object, *, fields: Mapping[str, Any], options: Mapping[str, Any], pauses: bool = False
) -> Execution:
    """A run that is ready to be driven, with `pauses` one super-step at a time; an option of None was not given."""
    given = {name: each for name, each in options.items() if each is not None and each != ()}
    start = _start_of(plan, state, fields=fields, options=given)
    if not given:
        return begin(plan, start, pauses=pauses)
    place = f"graph '{plan.name}', start"
    if "observers" in given:
        listed = given["observers"]
        if isinstance(listed, str) or not isinstance(listed, Sequence):
            raise InvalidDeclaration(place, f"observers are {shown(listed)}", "Give a list of functions.")
        given["observers"] = tuple(observer_of(each, place) for each in listed)
    for name in ("invocation_id", "correlation_id"):
        if name in given and not (isinstance(given[name], str) and given[name]):
            mend = "Give a text that is not empty, or leave it out to have one drawn."
            raise InvalidDeclaration(place, f"{name} is {shown(given[name])}", mend)
    return begin(plan, start, pauses=pauses, **given)


def _start_of(
    plan: Plan, state: object, *, fields: Mapping[str, Any], options: Collection[str]
) -> Mapping[str, Any] | object:
    """What a run starts from: an instance or fields by name, not both.

    Raises InvalidDeclaration for both, and for a field that bears the name of an option, which cannot be told
    apart by name. `options` are those that were given.
    """
    where = f"graph '{plan.name}', start"
    if state is not None:
        if fields:
            what = f"got a state and fields beside it: {', '.join(fields)}"
            raise InvalidDeclaration(where, what, "Give one or the other.")
        return state
    for name in RESERVED:
        if name in plan.schema.fields and (name in fields or name in options):
            mend = f"Pass the state as an instance: run({plan.schema.name}({name}=...))."
            if plan.rules is not None:
                mend = f'Pass the inputs as a dict: run({{"{name}": ...}}).'
            raise InvalidDeclaration(where, f"'{name}' is an option of run and a field of {plan.schema.name}", mend)
    return fields
