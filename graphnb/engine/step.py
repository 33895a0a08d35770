"""The super-step: the node runs, its update is folded, its edge chooses what comes next.

Pure: what happens depends on the plan, the log so far and the results sent in, and on nothing else.
Source: graph-engine §3.
"""

from __future__ import annotations

from typing import Any

from graphnb.engine.failing import edge_ended, node_ended, steps_exceeded
from graphnb.engine.fanout import run_fan_out
from graphnb.engine.routing import target_of
from graphnb.engine.subgraph import RunInside, run_subgraph
from graphnb.engine.work import Work
from graphnb.graph.ends import END
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.graph.spec import FanOutNode
from graphnb.state.folding.fold import fold
from graphnb.state.folding.returned import is_state, update_of
from graphnb.state.schema import Schema, Values
from graphnb.state.views.view import View, check_untouched
from graphnb.trace.log import Commit, Log


def run_graph(plan: Plan, log: Log, max_steps: int, *, pauses: bool = False) -> Work[Values]:
    """Runs a graph to END and gives its last values; its log grows by a commit per node, and tells where it failed.

    `max_steps` bounds the super-steps of this graph and of those within it; `pauses` asks for a pause between its own.
    """
    schema, nodes, commits, routes = plan.schema, plan.nodes, log.commits, log.routes
    values, view_of, has_opaque = log.start, schema.view, schema.has_opaque
    target: Any = plan.entry  # a name, which compiling has resolved, or END
    while target is not END:
        node = nodes[target]
        if len(commits) >= max_steps:
            raise steps_exceeded(log, node, values=values, max_steps=max_steps)
        update = child = instances = None
        try:
            if node.function is not None:
                update = yield node.function, (view := view_of(values, node.name)), node.is_async
                if has_opaque or type(update) is not dict:
                    update = _update_of(update, view, schema=schema, values=values, place=node.place)
            else:
                update, child, instances = yield from _inside(node)(node, values, schema, log, max_steps, run_graph)
            values, folds = fold(schema, values, update, node.place)
        except BaseException as error:  # noqa: BLE001  user code: nodes, reducers, values
            raise node_ended(log, node, error, values=values, update=update, names=nodes)  # noqa: B904  see there
        commits.append(Commit(node.name, folds, child, instances))
        if node.function is None:
            log.open = None  # after the commit: what ran inside must not be seen nowhere
        if (target := node.target) is None:
            try:
                view = view_of(values, node.name)
                returned = yield node.branch.router, view, node.is_async_router  # type: ignore[union-attr]
                if has_opaque:
                    check_untouched(view)
                target = target_of(plan, node, returned)
            except BaseException as error:  # noqa: BLE001  user code: routers
                raise edge_ended(log, node, error, values=values)  # noqa: B904  see there
        routes.append((target,))
        if pauses and target is not END:
            yield None
    return values


def _update_of(returned: Any, view: View, *, schema: Schema, values: Values, place: str) -> Any:
    """The update that the node meant; what is none is left to be refused by the fold."""
    update = update_of(schema, values, returned, place) if is_state(schema, returned) else returned
    if schema.has_opaque:
        check_untouched(view, update)
    return update


def _inside(node: PlannedNode) -> RunInside:
    """What runs a node that runs graphs."""
    return run_fan_out if isinstance(node.spec, FanOutNode) else run_subgraph
