"""Trace: the whole record of one run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from graphnb.errors import RunError
from graphnb.graph.interrupt import Answer, Interrupt, detach_interrupt
from graphnb.graph.topology import Topology
from graphnb.state.schema import state_of
from graphnb.trace.log import Failure, Log, open_interrupts, values_at
from graphnb.trace.reading.steps import Step, numbers_in
from graphnb.trace.reading.unfinished import FailedStep, OpenStep
from graphnb.trace.reading.walking import walk

if TYPE_CHECKING:
    from graphnb.trace.reading.stalled import Stalled

Status = Literal["running", "waiting", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """Every step of a run, in order; the state at any of them; and the graph that was run.

    Equality compares what happened: steps, results, failures, those of instances too, and status; never ids or times,
    nor how often a node was tried, nor in which node an interruption came.
    """

    log: Log
    topology: Topology
    status: Status
    error: RunError | None = None

    @property
    def start(self) -> Any:
        """The state from which the run started."""
        return state_of(self.log.schema, self.log.start)

    @property
    def state(self) -> Any:
        """The state after the last step of the outermost graph."""
        return state_of(self.log.schema, values_at(self.log))

    @property
    def steps(self) -> tuple[Step, ...]:
        """All completed nodes, inner ones included, by number."""
        return tuple(each for each in walk(self.log) if isinstance(each, Step))

    @property
    def failures(self) -> tuple[FailedStep, ...]:
        """All nodes that did not complete, inner ones included: also those whose error a fan-out collected."""
        return tuple(each for each in walk(self.log) if isinstance(each, FailedStep))

    @property
    def open_steps(self) -> tuple[OpenStep, ...]:
        """All nodes that came to no end, inner ones included: the run was stopped in them, or is running in them."""
        return tuple(each for each in walk(self.log) if isinstance(each, OpenStep))

    @property
    def pending(self) -> tuple[Interrupt, ...]:
        """The interrupts that nobody has answered yet, in the order in which they were asked: own copies."""
        return tuple(map(detach_interrupt, open_interrupts(self.log)))

    @property
    def stalled(self) -> tuple[Stalled, ...]:
        """The joins that still waited when their graph had nothing left to do, the run's own first.

        Of a run that did not come so far none, but for those of graphs within it that did.
        """
        from graphnb.trace.reading.stalled import stalled_in_run

        return tuple(stalled_in_run(self.log, self.topology, is_done=self.status == "done"))

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader should know though nothing failed, in words.

        Guards that let nothing begin; by step: writes that were lost, guards that let nothing come after a node; then
        joins that still waited. Never of ids or times.
        """
        from graphnb.trace.reading.closed import unbegun_text
        from graphnb.trace.reading.notices import counted, notices_of

        unbegun = unbegun_text(self.topology) if self.status == "done" and not self.log.commits else ""
        told = (*notices_of(self.log, self.topology), *counted(map(str, self.stalled)))
        return (unbegun, *told) if unbegun else told

    @property
    def execution_order(self) -> tuple[str, ...]:
        """The outermost graph's nodes in the order in which they were entered, a failed one included.

        A node in whose place middleware has answered was not entered; one that has asked was, and is again when it has
        its answer. Of a super-step that failed all nodes count, in the order of their names.
        """
        order = [each.node for each in self.log.commits if each.is_entered and type(each.interrupt) is not Answer]
        return (*order, *_entered_last(self.log.failure))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        from graphnb.trace.comparing.equality import are_logs_same

        return self.status == other.status and are_logs_same(self.log, other.log)

    def __repr__(self) -> str:
        return f"Trace({self.topology.name!r}, {self.status}, {len(numbers_in(self.steps))} steps)"


def _entered_last(failure: Failure | None) -> Iterator[str]:
    """The nodes that were entered in the step that failed, if one did."""
    if failure is None:
        return
    if not failure.lanes and failure.is_entered and not failure.at_edge:
        yield failure.node
    for lane in failure.lanes:
        last = lane.failure or (lane.commits[0] if lane.commits else None)
        if last is not None and last.is_entered:
            yield last.node
