"""RunHandle: a run that goes on in the background, to be watched, awaited or stopped."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import threading
import time
from collections.abc import Generator
from typing import Any

from graphnb.engine.deadlines import deadline_of
from graphnb.engine.run import Execution
from graphnb.notebook.run import Run
from graphnb.notebook.running import Driven
from graphnb.notebook.runs import Runs


class RunHandle:
    """A run on a thread of its own.

    `await handle` and `handle.result()` give the run at its end and raise what `run` would raise; after
    `cancel()` they give the run, cancelled if it had not ended before. To stop waiting leaves the run alone.
    `handle.run` is the run so far.
    """

    def __init__(self, execution: Execution, runs: Runs) -> None:
        self._driven = Driven(execution, runs)
        self._future: concurrent.futures.Future[Run] = concurrent.futures.Future()
        self._future.set_running_or_notify_cancel()  # so that whoever gives up waiting does not cancel it
        self._is_told = False
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(self._drive,), name="graphnb-run", daemon=True)
        thread.start()

    @property
    def is_finished(self) -> bool:
        """True once the run has ended, in whatever way."""
        return self._future.done()

    @property
    def run(self) -> Run:
        """The run so far, which does not grow, or as it ended."""
        return self._driven.progress.run

    def cancel(self) -> None:
        """Tells the run to stop before its next call, and does not wait for that; a run with no call left is done.

        An asynchronous node is cancelled where it awaits, within a tenth of a second, and has five seconds to
        clean up. A plain node runs to its end; plain instances of a fan-out that are on threads of their own
        are left behind.
        """
        self._is_told = True
        self._driven.execution.host.cancel()

    def result(self, timeout: float | None = None) -> Run:
        """The run at its end; waits for it, at most `timeout` seconds. Raises TimeoutError, or what the run raised.

        Raises TypeError or ValueError for a timeout that is none.
        """
        left = deadline_of(timeout) - time.monotonic()
        concurrent.futures.wait([self._future], min(left, threading.TIMEOUT_MAX))
        if not self._future.done():
            raise TimeoutError(f"{self!r} has not ended within {timeout} seconds; it goes on")
        return self._future.result()

    def __await__(self) -> Generator[Any, None, Run]:
        return asyncio.wrap_future(self._future).__await__()

    def _drive(self) -> None:
        try:
            run = self._driven.finish()
        except BaseException as error:  # noqa: BLE001  raised again where the result is asked for
            if self._is_told and isinstance(error, asyncio.CancelledError):
                self._future.set_result(error.run)  # type: ignore[attr-defined]  # the caller asked for it
            else:
                self._future.set_exception(error)
        else:
            self._future.set_result(run)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.run._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        return f"<RunHandle of {self._driven.execution.plan.name!r}: {self.run.status}>"
