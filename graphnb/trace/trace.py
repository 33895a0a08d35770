"""Trace: the whole record of one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from graphnb.errors import RunError
from graphnb.graph.topology import Topology
from graphnb.state.schema import state_of
from graphnb.trace.log import Log, values_at
from graphnb.trace.steps import Step, walk
from graphnb.trace.unfinished import FailedStep, OpenStep

Status = Literal["running", "waiting", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """Every step of a run, in order; the state at any of them; and the graph that was run.

    Equality compares what happened: steps, results, failures and status, never ids or times, nor in which node
    an interruption came.
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
    def execution_order(self) -> tuple[str, ...]:
        """The outermost graph's nodes in the order in which they were entered, a failed one included.

        A node in whose place middleware has answered was not entered.
        """
        order = [commit.node for commit in self.log.commits if commit.is_entered]
        failure = self.log.failure
        if failure is not None and failure.is_entered and not failure.at_edge:
            order.append(failure.node)
        return tuple(order)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        from graphnb.trace.equality import are_logs_same

        return self.status == other.status and are_logs_same(self.log, other.log)

    def __repr__(self) -> str:
        return f"Trace({self.topology.name!r}, {self.status}, {len(self.steps)} steps)"
