"""A node that runs another graph on that graph's own state. Source: graph-engine §2, projection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphnb.engine.work import Work
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.graph.spec import SubgraphNode
from graphnb.state.projection import project_in, project_out
from graphnb.state.schema import Schema, Values, start_values
from graphnb.trace.log import Log

RunGraph = Callable[[Plan, Log, int], Work[Values]]


def run_subgraph(
    node: PlannedNode, values: Values, schema: Schema, log: Log, max_steps: int, run_graph: RunGraph
) -> Work[tuple[Mapping[str, Any], Log]]:
    """The update that the child's last values make, and the child's log. Raises what the child raised."""
    spec, plan = node.spec, node.child
    assert isinstance(spec, SubgraphNode) and plan is not None
    start = start_values(plan.schema, project_in(spec.projection, values), f"{node.place}, graph '{plan.name}'")
    child = Log(plan.name, plan.schema, start)
    log.open = (node.name, child)
    final = yield from run_graph(plan, child, max_steps)
    return project_out(spec.projection, final, schema), child
