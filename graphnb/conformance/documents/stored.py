"""A run of a document as a store would have it: what was committed, and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from graphnb.engine.drivers.host import Host
from graphnb.engine.invocation import Ids
from graphnb.engine.position import Position, position_of
from graphnb.engine.run import Execution, advance, begin_log, go_on
from graphnb.engine.supersteps.answering import fold_answers
from graphnb.errors import RunError
from graphnb.graph.plan import Plan
from graphnb.trace.checkpoints import Checkpoint, checkpoints_of, log_at
from graphnb.trace.log import Log
from graphnb.trace.trace import Status, Trace

Call = tuple[str, str]
"""One execution of a node: its idempotency key, and the hash of what it saw."""
FINAL: Final = ("done", "failed", "cancelled")
_RUN_ID: Final = "r1"


class _Hurried(Host):
    """Waits between attempts take no time: which are due together follows from the policies, not from a clock."""

    __slots__ = ()

    def sleep(self, seconds: float) -> None:
        """Goes on at once."""
        self.check()


class Stored:
    """One run: its log and its status.

    Nodes tell `told` of each of their executions; `calls` are those that led to a commit, by its number.
    """

    def __init__(self, plan: Plan, log: Log, *, told: list[Call]) -> None:
        self.plan = plan
        self.log = log
        self.status: Status = "running"
        self.told = told
        self.calls: dict[int, list[Call]] = {}

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """All commits that were made."""
        return checkpoints_of(self.log, self.status)

    @property
    def position(self) -> Position:
        """What the log says."""
        return position_of(self.plan, self.log)

    def drive(self, plan: Plan, max_commits: int | None = None) -> None:
        """Goes on until the run waits or has ended, or so many commits were made. Raises GraphMismatch."""
        execution = go_on(plan, self.log, ids=Ids(run_id=_RUN_ID), pauses=True)._replace(host=_Hurried())
        before = number = len(checkpoints_of(self.log, "running"))
        most = max_commits or len(self.log.commits) + 10_000
        try:
            while (trace := self._advance(execution, number)) is None:
                number = len(checkpoints_of(self.log, "running"))
                if number - before >= most:
                    execution.work.close()
                    self.status = "running"
                    return
        except RunError as error:
            self.log, self.status = error.trace.log, "failed"
            return
        made = len(checkpoints_of(self.log, "running")) - before
        is_cut = trace.status == "done" and made >= most  # that it is done would be one more commit
        self.status = "running" if is_cut else trace.status

    def _advance(self, execution: Execution, number: int) -> Trace | None:
        """Drives to the next commit, which has this number, or to the end."""
        first = len(self.told)
        try:
            return advance(execution)
        finally:
            self.calls[number] = self.told[first:]

    def resume(self, plan: Plan) -> tuple[str, ...]:
        """Goes on as a process does that starts up; the kinds of the commits it makes, none if the run has ended."""
        if self.status in FINAL:
            return ()
        before = len(self.checkpoints)
        self.drive(plan)
        return ("run_initialized", *(each.kind for each in self.checkpoints[before:]))

    def resolve(self, name: str, value: Any) -> None:
        """Answers an interrupt. Raises what refuses the answer."""
        self.log = fold_answers(self.plan, self.log, status=self.status, answers={name: value}).log
        self.status = "running"

    def cancel(self) -> None:
        """Ends the run where it is."""
        if self.status not in FINAL:
            self.status = "cancelled"

    def crash(self, drop_commits: int) -> None:
        """Forgets the last commits, as if they had never been stored."""
        kept = self.checkpoints[:-drop_commits]
        self.log = log_at(self.log, kept[-1])
        self.calls = {number: calls for number, calls in self.calls.items() if number < len(kept)}
        position = self.position
        self.status = "waiting" if position.open and not position.active else "running"


def started(plan: Plan, given: Mapping[str, Any], *, told: list[Call], max_commits: int | None) -> Stored:
    """A run that was begun with these inputs. Raises InvalidInput, GuardError."""
    run = Stored(plan, begin_log(plan, given), told=told)
    run.drive(plan, max_commits)
    return run
