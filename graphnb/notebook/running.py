"""Driving a run for a user, to its end, and on from where it waits: what all ways to run have in common."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from graphnb.engine.run import Execution, aexecute, execute
from graphnb.notebook.progress import Progress
from graphnb.notebook.run import Run
from graphnb.notebook.runs import Runs
from graphnb.trace.trace import Trace

if TYPE_CHECKING:
    from graphnb.notebook.resuming import Resumption

T = TypeVar("T")

_TICK = 0.05  # seconds: a kernel's interrupt does not wake a sleeping loop, a timer does


class Driven:
    """A run and how far it has come, which is told to whoever looks; the graph remembers it among its `runs`."""

    def __init__(self, execution: Execution, runs: Runs) -> None:
        self.execution = execution
        self.progress = Progress(execution)
        self._runs = runs
        runs.keep(self.progress, execution)

    def finish(self) -> Run:
        """Drives to the end, and gives the finished run. What ends it early carries it as `.run`."""
        try:
            return self.end(execute(self.execution))
        except BaseException as error:
            self.end_early(error)
            raise

    async def afinish(self) -> Run:
        """The same in the running event loop."""
        try:
            return self.end(await _woken(aexecute(self.execution)))
        except BaseException as error:
            self.end_early(error)
            raise

    def end(self, trace: Trace) -> Run:
        """The run as it ended; with one that waits it can be gone on."""
        if trace.status != "waiting":
            return self.progress.end(trace)
        from graphnb.notebook.resuming import Resumption  # few runs wait

        return self.progress.end(trace, _Resumable(Resumption(self.execution), self._runs))

    def end_early(self, error: BaseException) -> None:
        """Ends the run with the trace that the engine put on the error, and puts the run there as well."""
        trace = getattr(error, "trace", None)
        # An interruption may come when the engine is not looking.
        ended = self.execution.trace("cancelled") if trace is None else trace
        error.run = self.progress.end(ended)  # type: ignore[attr-defined]  # any exception may bear attributes


class _Resumable:
    """Goes on with a run that waits; the run that comes of it is remembered where this one is."""

    def __init__(self, resumption: Resumption, runs: Runs) -> None:
        self._resumption = resumption
        self._runs = runs

    def resume(self, trace: Trace, answer: Any, *, max_steps: int | None) -> Run:
        return self._begun(trace, answer, max_steps=max_steps).finish()

    async def aresume(self, trace: Trace, answer: Any, *, max_steps: int | None) -> Run:
        return await self._begun(trace, answer, max_steps=max_steps).afinish()

    def _begun(self, trace: Trace, answer: Any, *, max_steps: int | None) -> Driven:
        return Driven(self._resumption.begin(trace, answer, max_steps=max_steps), self._runs)


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
