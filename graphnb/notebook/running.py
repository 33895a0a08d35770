"""Running a plan for a user: what `run`, `arun`, `start` and `session` of a graph have in common."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from graphnb.engine.run import Execution, aexecute, begin, execute
from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import shown
from graphnb.graph.observer import observer_of
from graphnb.graph.plan import Plan
from graphnb.notebook.progress import Progress
from graphnb.notebook.run import Run
from graphnb.notebook.runs import Runs

T = TypeVar("T")

OPTIONS = ("correlation_id", "invocation_id", "max_steps", "observers")
RESERVED = (*OPTIONS, "executor", "store")
_TICK = 0.05  # seconds: a kernel's interrupt does not wake a sleeping loop, a timer does


def start_of(
    plan: Plan, state: object, fields: Mapping[str, Any], options: Collection[str]
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


def begin_progress(execution: Execution, runs: Runs) -> Progress:
    """The progress of a run that is about to be driven; the graph remembers it among its `runs`."""
    progress = Progress(execution, runs)
    runs.keep(progress, execution)
    return progress


def run_plan(execution: Execution, progress: Progress) -> Run:
    """The finished run. What ends it early carries it as `.run`; either way `progress` is told."""
    try:
        return progress.end(execute(execution), execution)
    except BaseException as error:
        end_early(execution, progress, error)
        raise


async def arun_plan(execution: Execution, progress: Progress) -> Run:
    """The same in the running event loop."""
    try:
        return progress.end(await _woken(aexecute(execution)), execution)
    except BaseException as error:
        end_early(execution, progress, error)
        raise


def end_early(execution: Execution, progress: Progress, error: BaseException) -> None:
    """Ends the run with the trace that the engine put on the error, and puts the run there as well."""
    trace = getattr(error, "trace", None)
    # An interruption may come when the engine is not looking.
    ended = execution.trace("cancelled") if trace is None else trace
    error.run = progress.end(ended)  # type: ignore[attr-defined]  # any exception may bear attributes


def begin_run(
    plan: Plan, state: object, fields: Mapping[str, Any], options: Mapping[str, Any], *, pauses: bool = False
) -> Execution:
    """A run that is ready to be driven, with `pauses` one super-step at a time; an option of None was not given."""
    given = {name: each for name, each in options.items() if each is not None and each != ()}
    start = start_of(plan, state, fields, given)
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


async def _woken(work: Awaitable[T]) -> T:
    """Awaits the work; in a kernel a timer runs beside it, so that the stop button is seen at once."""
    if "ipykernel" not in sys.modules:
        return await work

    async def tick() -> None:
        while True:
            await asyncio.sleep(_TICK)

    ticker = asyncio.ensure_future(tick())
    try:
        return await work
    finally:
        ticker.cancel()
