"""One run from start to end: the log, the work that fills it, and the trace that is left."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.invocation import Ids, Inside
from graphnb.engine.observers.scope import Scope, Watch
from graphnb.engine.step import run_graph
from graphnb.engine.work import Work
from graphnb.errors import GraphMismatch, InvalidDeclaration, RunError
from graphnb.errors.text import shown
from graphnb.graph.observer import Observer
from graphnb.graph.plan import Plan
from graphnb.state.schema import Values, start_values
from graphnb.trace.log import Log, Pinned
from graphnb.trace.reading.walking import next_number
from graphnb.trace.trace import Status, Trace

if TYPE_CHECKING:
    from graphnb.engine.observers.delivery import Delivery
    from graphnb.engine.position import Position

MAX_STEPS = 10_000


class Execution(NamedTuple):
    """A run that is under way: its log grows while the work is driven.

    `ids` name the log and this drive of it. `delivery` takes events to observers, None if there are none. `max_steps`
    and `observers` are as they were given.
    """

    plan: Plan
    log: Log
    work: Work[Values]
    host: Host
    ids: Ids
    delivery: Delivery | None = None
    max_steps: int = MAX_STEPS
    observers: tuple[Observer, ...] = ()

    @property
    def run_id(self) -> str:
        """The name of the log."""
        return self.ids.run_id

    def trace(self, status: Status, error: RunError | None = None) -> Trace:
        """The trace so far, which does not grow with the run."""
        log = self.log if status == "done" else self.log.snapshot()
        return Trace(log, self.plan.topology, status, error)


def begin(
    plan: Plan,
    given: Mapping[str, Any] | object,
    *,
    max_steps: int = MAX_STEPS,
    pauses: bool = False,
    observers: Sequence[Observer] = (),
    invocation_id: str | None = None,
    correlation_id: str | None = None,
) -> Execution:
    """A run that is ready to be driven, with `pauses` one super-step at a time.

    `observers` are those of this run alone; ids that are not given are drawn. Raises StateValidationError for a
    state it cannot start from.
    """
    log = begin_log(plan, given)
    ids = Ids(invocation_id, correlation_id)
    return go_on(plan, log, ids=ids, max_steps=max_steps, pauses=pauses, observers=observers)


def begin_log(plan: Plan, given: Mapping[str, Any] | object) -> Log:
    """The log of a run that has not made a step yet.

    Raises StateValidationError; for a document InvalidInput, and GuardError for an edge from its start.
    """
    where = f"graph '{plan.name}', start"
    if plan.rules is None:
        return Log(plan.name, plan.schema, start_values(plan.schema, given, where), is_outermost=True)
    from graphnb.engine.supersteps.links import first_targets_of
    from graphnb.graph.documents.values import start_of

    log = Log(plan.name, plan.schema, start_of(plan.schema, given, where), is_outermost=True)
    log.given = frozenset(given)  # type: ignore[arg-type]  # a mapping, as was checked
    log.pinned = Pinned(plan.rules.hash, plan.rules.outputs)
    log.starts = first_targets_of(plan, log)
    return log


def go_on(
    plan: Plan,
    log: Log,
    *,
    ids: Ids,
    position: Position | None = None,
    max_steps: int = MAX_STEPS,
    pauses: bool = False,
    observers: Sequence[Observer] = (),
) -> Execution:
    """A run that is ready to be driven from where its log ends, which is the `position`, if that is known.

    Otherwise like `begin`.
    """
    if isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1:
        raise InvalidDeclaration(
            f"graph '{plan.name}'", f"max_steps is {shown(max_steps)}", "Give an int of at least 1."
        )
    if plan.rules is not None:
        _check_document(plan, log)
    scope, delivery = Scope(max_steps, ids=ids), None
    if observers or plan.is_observed:
        from graphnb.engine.observers.delivery import Delivery

        delivery = Delivery(ids.invocation_id, is_paused=pauses)
        steps = itertools.count(next_number(log))
        watch = Watch(ids.invocation_id, ids.correlation_id, steps, tuple(observers))
        scope = Scope(max_steps, watch, observers=plan.observers, ids=ids)
    return Execution(
        plan=plan,
        log=log,
        work=run_graph(plan, log, scope=scope, position=position, pauses=pauses),
        host=Host(put=None if delivery is None else delivery.put),
        ids=ids,
        delivery=delivery,
        max_steps=max_steps,
        observers=tuple(observers),
    )


def _check_document(plan: Plan, log: Log) -> None:
    """Raises GraphMismatch for another document than that of the run, and IncompatibleExecutionPolicy."""
    assert plan.rules is not None  # it was read from one
    if log.pinned is None or plan.rules.hash != log.pinned.hash:
        what = "the run was begun with another document"
        raise GraphMismatch(f"graph '{plan.name}'", what, "Go on with the document whose hash the run has pinned.")
    from graphnb.engine.documents.time_limits import check_timeouts

    check_timeouts(plan)


def execute(execution: Execution) -> Trace:
    """Drives to the end in the calling thread. What ends the run early carries the trace as `.trace`."""
    while (trace := advance(execution)) is None:
        pass
    return trace


def advance(execution: Execution) -> Trace | None:
    """Drives to the next pause, then gives None; else to the end, as `execute` does."""
    delivery = execution.delivery
    try:
        if delivery is not None:
            delivery.pause(is_paused=False)
        with Inside(execution.ids):
            values = drive(execution.work, execution.host)
        if values is None:
            if delivery is not None:
                delivery.pause(is_paused=True)
            return None
    except BaseException as error:
        _tell_trace(execution, error)
        raise
    return _finish(execution)


async def aexecute(execution: Execution) -> Trace:
    """Drives to the end in the running event loop, otherwise like `execute`; observers are called there as well."""
    from graphnb.engine.drivers.adrive import adrive

    if execution.delivery is not None:
        execution.delivery.attach(asyncio.get_running_loop())
    try:
        with Inside(execution.ids):
            while await adrive(execution.work, execution.host) is None:
                pass
    except BaseException as error:
        _tell_trace(execution, error)
        raise
    return _finish(execution)


def abandon(execution: Execution) -> Trace:
    """Ends the run where it is, between two super-steps."""
    execution.work.close()
    _end_delivery(execution)
    return execution.trace("cancelled")


def _finish(execution: Execution) -> Trace:
    _end_delivery(execution)
    return execution.trace("waiting" if execution.log.waits else "done")


def _end_delivery(execution: Execution) -> None:
    if execution.delivery is not None:
        execution.delivery.end()


def _tell_trace(execution: Execution, error: BaseException) -> None:
    """Puts the trace so far on the error: failed for an error, cancelled for an interruption."""
    execution.host.cancel()  # threads that nobody waits for any more start nothing else
    _end_delivery(execution)
    failed = error if isinstance(error, RunError) else None
    trace = execution.trace("failed" if isinstance(error, Exception) else "cancelled", failed)
    error.trace = trace  # type: ignore[attr-defined]  # any exception may bear attributes
