"""A node that runs another graph on that graph's own state. Source: graph-engine §2, projection."""

from __future__ import annotations

from graphnb.engine.nodes.made import Attempt, Made
from graphnb.engine.work import Work
from graphnb.state.projection import project
from graphnb.state.schema import start_values
from graphnb.trace.log import Log, Open


def run_subgraph(attempt: Attempt) -> Work[Made]:
    """The update that the child's last values make. Raises what the child raised."""
    graph, node, values, _, attempt_index = attempt
    plan, crossing = node.child, node.crossing
    assert plan is not None and crossing is not None
    start = start_values(plan.schema, project(crossing.ins, values), f"{node.place}, graph '{plan.name}'")
    child = Log(plan.name, plan.schema, start)
    graph.log.open = Open(len(graph.log.commits), node.name, child)
    scope = graph.scope
    if scope.watch is not None:
        parent = attempt.schema, values
        scope = scope.of_graph(node.name, parent, attempt_index=attempt_index, observers=plan.observers)
    final = yield from graph.run_graph(plan, child, scope=scope)
    return Made(project(crossing.outs, final), child)
