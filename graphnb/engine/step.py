"""The super-step: the node runs, its update is folded, its edge chooses what comes next.

Pure: what happens depends on the plan, the log so far and the results sent in, and on nothing else.
Source: graph-engine §3.
"""

from __future__ import annotations

from typing import Any

from graphnb.engine.failing import edge_failed, node_failed, steps_exceeded
from graphnb.engine.fanout import run_fan_out
from graphnb.engine.routing import target_of
from graphnb.engine.subgraph import run_subgraph
from graphnb.engine.work import Work
from graphnb.graph.ends import END
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.graph.spec import FanOutNode
from graphnb.state.folding.fold import fold
from graphnb.state.folding.returned import is_state, update_of
from graphnb.state.schema import Schema, Values
from graphnb.state.views.view import check_untouched
from graphnb.trace.log import Commit, Log


def run_graph(plan: Plan, log: Log, max_steps: int, *, pauses: bool = False) -> Work[Values]:
    """Runs a graph to END and gives its last values; the log grows by one commit per node.

    `max_steps` bounds the super-steps of this graph and of every graph within it; with `pauses` the work
    pauses after each of this graph's own. Raises RunError, with the failure recorded in the log.
    """
    schema = plan.schema
    view_of, has_opaque = schema.view, schema.has_opaque
    commits, routes = log.commits, log.routes
    values = log.start
    node = plan.nodes[plan.entry]
    while True:
        if len(commits) >= max_steps:
            raise steps_exceeded(log, node, values=values, max_steps=max_steps)
        update = child = instances = None
        try:
            if node.function is not None:
                view = view_of(values, node.name)
                update = yield node.function, view, node.is_async
                if type(update) is not dict and is_state(schema, update):
                    update = update_of(schema, values, update, node.place)
                if has_opaque:
                    check_untouched(view, update)
            else:
                update, child, instances = yield from _run_inside(node, values, schema, log, max_steps)
            values, folds = fold(schema, values, update, node.place)
        except Exception as error:  # noqa: BLE001  user code: nodes, reducers, values
            raise node_failed(  # noqa: B904  its cause is set
                log, node, error, values=values, update=update, instances=instances, names=plan.nodes
            )
        if child is not None:
            log.open = None  # before the commit: a snapshot must not show the child twice
        commits.append(Commit(node.name, folds, child, instances))
        try:
            target = node.target
            if target is None:
                view = view_of(values, node.name)
                returned = yield node.branch.router, view, node.is_async_router  # type: ignore[union-attr]
                if has_opaque:
                    check_untouched(view)
                target = target_of(plan, node, returned)
        except Exception as error:  # noqa: BLE001  user code: routers
            raise edge_failed(log, node, error, values=values)  # noqa: B904  its cause is set
        routes.append((target,))
        if target is END:
            return values
        node = plan.nodes[target]  # type: ignore[index]  # names were resolved by compiling
        if pauses:
            yield None


def _run_inside(node: PlannedNode, values: Values, schema: Schema, log: Log, max_steps: int) -> Work[Any]:
    """The attempt of a node that runs graphs: its update, its child log, its instances."""
    if isinstance(node.spec, FanOutNode):
        update, instances = yield from run_fan_out(node, values, schema, log, max_steps, run_graph)
        return update, None, instances
    update, child = yield from run_subgraph(node, values, schema, log, max_steps, run_graph)
    return update, child, None
