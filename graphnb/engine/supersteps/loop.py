"""Super-steps of which several nodes may be part: all see the same state, their writes are folded together.

Pure like the step of a single node, and writing the same log. Source: the super-step contract, running.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphnb.engine.attempt import commit_bare, run_node
from graphnb.engine.failing import end_node, fail_at_limit
from graphnb.engine.position import Position, position_of
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.supersteps.links import choose_routes
from graphnb.engine.supersteps.together import run_together
from graphnb.engine.work import Work
from graphnb.graph.plan import PlannedNode
from graphnb.state.schema import Values

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit


def run_supersteps(graph: RunningGraph, *, position: Position | None = None, pauses: bool = False) -> Work[Values]:
    """Goes on from where the log ends until nothing is left to do, and gives the last values.

    Then the run is done, or `log.waits`: nodes have asked, and nobody has answered yet. Otherwise like `run_graph`.
    """
    plan, log, scope = graph.plan, graph.log, graph.scope
    rules, position = plan.rules, position_of(plan, log) if position is None else position
    most = scope.max_steps if rules is None or rules.max_supersteps is None else rules.max_supersteps
    while names := position.active:
        if position.step >= most:
            raise fail_at_limit(log, plan.nodes[names[0]], values=position.values, max_steps=most)
        first = len(log.commits)
        if rules is None:
            nodes = [plan.nodes[name] for name in names]
            visits = yield from _run(graph, position, nodes=nodes)
            routes = yield from choose_routes(graph, position, commits=log.commits[first:], visits=visits)
        else:  # what a guard does wrong drops the step
            from graphnb.engine.supersteps.document_step import run_document_step

            commits, visits = yield from run_document_step(graph, position, pauses=pauses)
            routes = yield from choose_routes(graph, position, commits=commits, visits=visits)
            log.joined += len(commits) - 1
            log.commits += commits
            log.open = None
        log.routes += routes
        position.take_in(log.commits[first:], routes)
        for visit in visits:
            if visit is not None:
                yield from visit.tell_completed(position.values)
        if pauses and position.active:
            yield None
    log.waits = bool(position.open)
    return position.values


def _run(graph: RunningGraph, position: Position, *, nodes: Sequence[PlannedNode]) -> Work[list[Visit | None]]:
    """Runs and commits the nodes of one super-step, and gives what has still to tell observers how edges went."""
    if len(nodes) > 1:
        return (yield from run_together(graph, position, nodes=nodes))
    node = nodes[0]
    if node.function is not None and not node.layers and graph.scope.watch is None:
        yield from _run_bare(graph, node, position=position)
        return [None]
    _, visit = yield from run_node(graph, node, values=position.values, ids=position.ids)
    return [visit]


def _run_bare(graph: RunningGraph, node: PlannedNode, *, position: Position) -> Work[None]:
    """Runs and commits a function that nothing is around, by the shortest way, as most nodes are."""
    values, returned = position.values, None
    try:
        view = graph.plan.schema.view(values, node.name)
        returned = yield node.function, view, node.is_async  # type: ignore[misc]  # it has one
        commit_bare(graph.log, node, returned=returned, view=view, values=values, ids=position.ids)
    except BaseException as error:  # noqa: BLE001  user code: nodes, reducers, values
        nodes = graph.plan.nodes
        raise end_node(graph.log, node, error=error, values=values, update=returned, names=nodes)  # noqa: B904  see there
