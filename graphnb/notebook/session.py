"""Session: a run that stops after every commit until it is asked to go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graphnb.engine.run import Execution, abandon, advance
from graphnb.errors import GraphError
from graphnb.notebook.run import Run
from graphnb.notebook.running import Driven
from graphnb.notebook.runs import Runs
from graphnb.trace.reading.steps import Step, numbers_in
from graphnb.trace.reading.walking import walk_last


class Session:
    """A run in steps: `session.step()` runs one super-step of the outermost graph, inner graphs included.

    `for step in session` goes to the end. `session.run` shows the run so far.
    """

    def __init__(self, execution: Execution, runs: Runs) -> None:
        self._execution = execution
        self._driven = Driven(execution, runs)
        self._error: Exception | None = None
        self._next = 0  # the next free step number
        self._lock = threading.Lock()  # held while somebody drives

    @property
    def is_finished(self) -> bool:
        """True once the run has ended, in whatever way."""
        return self._driven.progress.is_ended

    @property
    def run(self) -> Run:
        """The run so far, which does not grow with the session, or as it ended."""
        return self._driven.progress.run

    @property
    def state(self) -> Any:
        """The state so far."""
        return self._driven.progress.state

    def step(self) -> Step | None:
        """Runs one super-step up to its commit and the choice of what comes next, and gives its step.

        Where several nodes ran, that of the first of them by name; `session.run.steps` has all. Attempts that are
        repeated belong to the step, and so does the wait between them.

        Raises like `run`. After a failure every further call raises the same error again: the graph did not
        come to its end. None once it did, and for a run that was cancelled: by `close`, or by an interruption,
        which is raised once. Raises GraphError, and leaves the run alone, while another step is under way: in
        another thread, or the one whose node calls this.
        """
        with self._alone("step"):
            if self._error is not None:
                raise self._error
            if self.is_finished:
                return None
            before = len(self._execution.log.routes)
            try:
                while (trace := advance(self._execution)) is None and len(self._execution.log.routes) == before:
                    pass
            except BaseException as error:
                self._driven.end_early(error)
                self._error = error if isinstance(error, Exception) else None
                raise
            if trace is not None:
                self._driven.end(trace)
            return self._last_step() if len(self._execution.log.routes) > before else None

    def finish(self) -> Run:
        """Runs to the end. Raises like `step`; gives a cancelled run as it is."""
        while self.step() is not None:
            pass
        return self.run

    def close(self) -> None:
        """Ends the run where it is; its status is then `cancelled`. Raises GraphError while a step is under way."""
        with self._alone("close"):
            if not self.is_finished:
                self._driven.end(abandon(self._execution))

    @contextmanager
    def _alone(self, verb: str) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):  # to wait would be for ever within the node of this very step
            where = f"graph '{self._execution.plan.name}', session.{verb}"
            what = "was called while a step of this session is under way"
            mend = "Let the step come to its end first, and give each thread a session of its own: graph.session(...)."
            raise GraphError(where, what, mend)
        try:
            yield
        finally:
            self._lock.release()

    def _last_step(self) -> Step:
        log = self._execution.log
        made, self._next = walk_last(log, first=self._next)
        return next(each for each in made if isinstance(each, Step) and not each.parents)

    def __iter__(self) -> Iterator[Step]:
        while (step := self.step()) is not None:
            yield step

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.run._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        run = self.run
        steps = len(numbers_in(run.steps))
        return f"<Session of {self._execution.plan.name!r}: {run.status}, {steps} step{'' if steps == 1 else 's'}>"
