"""Progress: how far a run has come, for whoever looks while somebody else drives it."""

from __future__ import annotations

import weakref
from typing import Any

from graphnb.engine.run import Execution
from graphnb.notebook.run import Resumable, Run
from graphnb.state.schema import Values, state_of
from graphnb.trace.log import Commit, Log, values_at
from graphnb.trace.trace import Trace


class Progress:
    """A run since it was begun: `run` is the run so far, and once it has ended the run as it ended.

    It does not keep alive what drives the run: a run that nobody can drive any more is cancelled.
    """

    def __init__(self, execution: Execution) -> None:
        self._ids = execution.ids
        self._log = execution.log
        self._topology = execution.plan.topology
        self._work = weakref.ref(execution.work)
        self._folded = 0, execution.log.start  # how many commits, and the values after them
        self._ended: Run | None = None

    @property
    def is_ended(self) -> bool:
        """True once the run has ended, in whatever way."""
        return self._ended is not None

    @property
    def run(self) -> Run:
        """The run so far, which does not grow, or as it ended."""
        work = self._work()  # first: whoever drives tells the end before letting go
        if self._ended is not None:
            return self._ended
        log = self._log.snapshot()
        if work is None:
            return self.end(Trace(log, self._topology, "cancelled"))
        return Run(Trace(log, self._topology, "running"), self._ids, values=self._values_after(log.commits))

    @property
    def state(self) -> Any:
        """The state so far."""
        return state_of(self._log.schema, self._values_after(self._log.commits))

    def end(self, trace: Trace, resumable: Resumable | None = None) -> Run:
        """Keeps the run as it ended, and gives it; `resumable` goes on with one that waits."""
        self._ended = Run(trace, self._ids, resumable=resumable)
        return self._ended

    def _values_after(self, commits: list[Commit]) -> Values:
        """The values after these first commits of the log; each is folded once, however often it is looked at."""
        count, values = self._folded
        if count > len(commits):  # another thread has looked further meanwhile
            count, values = 0, self._log.start
        rest = Log(self._log.graph, self._log.schema, values)
        rest.commits = commits[count:]
        if rest.commits:
            values = values_at(rest)
            self._folded = count + len(rest.commits), values  # as one, for other threads
        return values
