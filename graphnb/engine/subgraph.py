"""A node that runs another graph on that graph's own state. Source: graph-engine §2, projection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphnb.engine.work import Work
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.graph.spec import SubgraphNode
from graphnb.state.projection import project_in, project_out
from graphnb.state.schema import Schema, Values, start_values
from graphnb.trace.instances import Instances
from graphnb.trace.log import Log, Open

RunGraph = Callable[[Plan, Log, int], Work[Values]]
Made = tuple[Mapping[str, Any], Log | None, Instances | None]
"""What a node gives that runs graphs: its update, the log of its child, what its instances did."""
RunInside = Callable[[PlannedNode, Values, Schema, Log, int, RunGraph], Work[Made]]


def run_subgraph(
    node: PlannedNode, values: Values, schema: Schema, log: Log, max_steps: int, run_graph: RunGraph
) -> Work[Made]:
    """The update that the child's last values make. Until it is committed the log has the child's log open.

    Raises what the child raised.
    """
    spec, plan = node.spec, node.child
    assert isinstance(spec, SubgraphNode) and plan is not None
    start = start_values(plan.schema, project_in(spec.projection, values), f"{node.place}, graph '{plan.name}'")
    child = Log(plan.name, plan.schema, start)
    log.open = Open(len(log.commits), node.name, child)
    final = yield from run_graph(plan, child, max_steps)
    return project_out(spec.projection, final, schema), child, None
