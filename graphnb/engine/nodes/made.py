"""What runs a node, and what it gives: the one interface between the step and all kinds of nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from graphnb.engine.middleware.dispatch import Dispatch
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.work import Work
from graphnb.graph.plan import PlannedNode
from graphnb.state.schema import Schema, Values
from graphnb.trace.instances import Instances
from graphnb.trace.log import Log


class Made(NamedTuple):
    """The node's update, the log of its child, and what its instances or branches did."""

    update: Mapping[str, Any]
    child: Log | None = None
    instances: Instances | None = None


class Attempt(NamedTuple):
    """One attempt at a node of a graph: the values that it is given, and what is around it."""

    graph: RunningGraph
    node: PlannedNode
    values: Values
    dispatch: Dispatch

    @property
    def schema(self) -> Schema:
        """That of the values."""
        return self.graph.plan.schema


RunNode = Callable[[Attempt], Work[Made]]
"""From an attempt to what the node makes of it. Tells `dispatch.visit` when it starts.

Until it is committed, the log has open what runs inside.
"""
