"""Super-steps of which several nodes may be part: all see the same state, their writes are folded together.

Pure like the step of a single node, and writing the same log. Source: the super-step contract, running.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphnb.engine.asking import asking, ids_in
from graphnb.engine.attempt import run_node
from graphnb.engine.failing import node_ended, steps_exceeded
from graphnb.engine.nodes.function import update_of_node
from graphnb.engine.nodes.made import RunGraph
from graphnb.engine.observers.scope import Scope
from graphnb.engine.position import Position, position_of
from graphnb.engine.supersteps.links import choose_routes
from graphnb.engine.supersteps.together import run_together
from graphnb.engine.work import Work
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.state.folding.fold import fold
from graphnb.state.schema import Values
from graphnb.trace.log import Commit, Log

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit


def run_supersteps(plan: Plan, log: Log, scope: Scope, run_graph: RunGraph, *, pauses: bool = False) -> Work[Values]:
    """Goes on from where the log ends until nothing is left to do, and gives the last values.

    Then the run is done, or `log.waits`: nodes have asked, and nobody has answered yet. Otherwise like `run_graph`.
    """
    position, rules = position_of(plan, log), plan.rules
    most = scope.max_steps if rules is None or rules.max_supersteps is None else rules.max_supersteps
    while names := position.active:
        if position.step >= most:
            raise steps_exceeded(log, plan.nodes[names[0]], values=position.values, max_steps=most)
        first = len(log.commits)
        if rules is None:
            visits = yield from _run(plan, names, position, log, scope, run_graph)
            routes = yield from choose_routes(plan, log, log.commits[first:], position, visits)
        else:  # what a guard does wrong drops the step
            from graphnb.engine.supersteps.document_step import run_document_step

            commits, visits = yield from run_document_step(plan, position, log, scope, run_graph, pauses=pauses)
            routes = yield from choose_routes(plan, log, commits, position, visits)
            log.joined += len(commits) - 1
            log.commits += commits
            log.open = None
        log.routes += routes
        position.take_in(log.commits[first:], routes)
        for visit in visits:
            if visit is not None:
                yield from visit.completed(position.values)
        if pauses and position.active:
            yield None
    log.waits = bool(position.open)
    return position.values


def _run(
    plan: Plan, names: Sequence[str], position: Position, log: Log, scope: Scope, run_graph: RunGraph
) -> Work[list[Visit | None]]:
    """Runs and commits the nodes of one super-step, and gives what has still to tell observers how edges went."""
    if len(names) > 1:
        return (yield from run_together(plan, names, position.values, log, scope, run_graph))
    node = plan.nodes[names[0]]
    if node.function is not None and not node.layers and scope.watch is None:
        yield from _run_bare(plan, node, position.values, log)
        return [None]
    _, visit = yield from run_node(plan, node, position.values, log, scope, run_graph)
    return [visit]


def _run_bare(plan: Plan, node: PlannedNode, values: Values, log: Log) -> Work[None]:
    """Runs and commits a function that nothing is around, by the shortest way, as most nodes are."""
    schema, update = plan.schema, None
    try:
        view = schema.view(values, node.name)
        returned = yield node.function, view, node.is_async  # type: ignore[misc]  # it has one
        update = update_of_node(returned, view, schema=schema, values=values, place=node.place)
        if type(update) is Interrupt:
            log.commits.append(asking(log, node, update, ids=ids_in(log)))
        else:
            log.commits.append(Commit(node.name, fold(schema, values, update, node.place)[1]))
    except BaseException as error:  # noqa: BLE001  user code: nodes, reducers, values
        raise node_ended(log, node, error, values=values, update=update, names=plan.nodes)  # noqa: B904  see there
