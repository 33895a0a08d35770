"""What runs a node, and what it gives: the one interface between the step and all kinds of nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.work import Work
from graphnb.graph.plan import PlannedNode
from graphnb.state.schema import Schema, Values
from graphnb.trace.instances import Instances
from graphnb.trace.log import Log

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit


class Made(NamedTuple):
    """The node's update, the log of its child, and what its instances or branches did."""

    update: Mapping[str, Any]
    child: Log | None = None
    instances: Instances | None = None


class Attempt(NamedTuple):
    """One attempt at a node of a graph: the values that it is given, and what observers are told of it.

    `visit` tells them; it is None if nobody watches. `attempt_index` is that of the innermost retry around the node.
    """

    graph: RunningGraph
    node: PlannedNode
    values: Values
    visit: Visit | None = None
    attempt_index: int = 0

    @property
    def schema(self) -> Schema:
        """That of the values."""
        return self.graph.plan.schema


RunNode = Callable[[Attempt], Work[Made]]
"""From an attempt to what the node makes of it. Tells `visit` when it starts.

Until it is committed, the log has open what runs inside.
"""
