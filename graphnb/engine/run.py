"""One run from start to end: the log, the work that fills it, and the trace that is left."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphnb.engine.adrive import adrive
from graphnb.engine.drive import drive
from graphnb.engine.host import Host
from graphnb.engine.step import run_graph
from graphnb.engine.work import Work
from graphnb.errors import InvalidDeclaration, RunError
from graphnb.errors.text import shown
from graphnb.graph.plan import Plan
from graphnb.state.schema import Values, start_values
from graphnb.trace.log import Log
from graphnb.trace.trace import Status, Trace

MAX_STEPS = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """A run that is under way: its log grows while the work is driven.

    `run_id` names the log, from its beginning on; it is random and no part of what is shown or compared.
    """

    plan: Plan
    log: Log
    work: Work[Values]
    host: Host
    run_id: str = field(repr=False)

    def trace(self, status: Status, error: RunError | None = None) -> Trace:
        """The trace so far, which does not grow with the run."""
        log = self.log if status == "done" else self.log.snapshot()
        return Trace(log, self.plan.topology, status, error)


def begin(
    plan: Plan, given: Mapping[str, Any] | object, *, max_steps: int = MAX_STEPS, pauses: bool = False
) -> Execution:
    """A run that is ready to be driven, with `pauses` one super-step at a time.

    Raises StateValidationError for a state it cannot start from.
    """
    if isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1:
        raise InvalidDeclaration(
            f"graph '{plan.name}'", f"max_steps is {shown(max_steps)}", "Give an int of at least 1."
        )
    log = Log(plan.name, plan.schema, start_values(plan.schema, given, f"graph '{plan.name}', start"))
    return Execution(plan, log, run_graph(plan, log, max_steps, pauses=pauses), Host(), str(uuid.uuid4()))


def execute(execution: Execution) -> Trace:
    """Drives to the end in the calling thread. What ends the run early carries the trace as `.trace`."""
    while (trace := advance(execution)) is None:
        pass
    return trace


def advance(execution: Execution) -> Trace | None:
    """Drives to the next pause, then gives None; else to the end, as `execute` does."""
    try:
        values = drive(execution.work, execution.host)
        return None if values is None else execution.trace("done")
    except BaseException as error:
        _tell_trace(execution, error)
        raise


async def aexecute(execution: Execution) -> Trace:
    """Drives to the end in the running event loop, otherwise like `execute`."""
    try:
        while await adrive(execution.work, execution.host) is None:
            pass
        return execution.trace("done")
    except BaseException as error:
        _tell_trace(execution, error)
        raise


def _tell_trace(execution: Execution, error: BaseException) -> None:
    """Puts the trace so far on the error: failed for an error, cancelled for an interruption."""
    execution.host.cancel()  # threads that nobody waits for any more start nothing else
    failed = error if isinstance(error, RunError) else None
    trace = execution.trace("failed" if isinstance(error, Exception) else "cancelled", failed)
    error.trace = trace  # type: ignore[attr-defined]  # any exception may bear attributes
