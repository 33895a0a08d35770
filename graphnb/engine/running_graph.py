"""One graph while it runs: what all that works on it has to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphnb.engine.observers.scope import Scope
from graphnb.graph.plan import Plan
from graphnb.trace.log import Log

if TYPE_CHECKING:
    from typing import Protocol

    from graphnb.engine.work import Work
    from graphnb.state.schema import Values

    class RunGraph(Protocol):
        """What runs a graph; its log grows meanwhile."""

        def __call__(self, plan: Plan, log: Log, *, scope: Scope) -> Work[Values]:
            """The last values."""


class RunningGraph(NamedTuple):
    """A graph that runs: its plan, its log, where in the run it stands, and what runs graphs within its nodes."""

    plan: Plan
    log: Log
    scope: Scope
    run_graph: RunGraph
