"""A node that runs another graph on that graph's own state. Source: graph-engine §2, projection."""

from __future__ import annotations

from graphnb.engine.nodes.made import Attempt, Made
from graphnb.engine.work import Work
from graphnb.graph.spec import SubgraphNode
from graphnb.state.projection import project_in, project_out
from graphnb.state.schema import start_values
from graphnb.trace.log import Log, Open


def run_subgraph(attempt: Attempt) -> Work[Made]:
    """The update that the child's last values make. Raises what the child raised."""
    graph, node, values, dispatch = attempt
    spec, plan = node.spec, node.child
    assert isinstance(spec, SubgraphNode) and plan is not None
    start = start_values(plan.schema, project_in(spec.projection, values), f"{node.place}, graph '{plan.name}'")
    child = Log(plan.name, plan.schema, start)
    graph.log.open = Open(len(graph.log.commits), node.name, child)
    scope = dispatch.scope.of_graph(
        node.name, (attempt.schema, values), attempt_index=dispatch.attempt_index, observers=plan.observers
    )
    final = yield from graph.run_graph(plan, child, scope=scope)
    return Made(project_out(spec.projection, final, attempt.schema), child)
