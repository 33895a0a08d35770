"""The super-step: the node runs, its update is folded, its edge chooses what comes next.

Pure: what happens depends on the plan, the log so far and the results sent in, and on nothing else.
Source: graph-engine §3.
"""

from __future__ import annotations

from typing import Any

from graphnb.engine.attempt import run_node
from graphnb.engine.failing import edge_ended, node_ended, steps_exceeded
from graphnb.engine.nodes.function import update_of_node
from graphnb.engine.observers.scope import Scope
from graphnb.engine.routing import target_of
from graphnb.engine.work import Work
from graphnb.errors import RunError
from graphnb.graph.ends import END
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import Plan
from graphnb.state.folding.fold import fold
from graphnb.state.schema import Values
from graphnb.state.views.view import check_untouched
from graphnb.trace.log import Commit, Log


def run_graph(plan: Plan, log: Log, scope: Scope, *, pauses: bool = False) -> Work[Values]:
    """Runs a graph to END and gives its last values; its log grows by a commit per node, and tells where it failed.

    `pauses` asks for a pause between the super-steps. A log that has commits already is gone on with; where nodes
    have asked and nobody has answered, `log.waits` in the end.
    """
    if not plan.is_linear or log.commits:
        return (yield from _in_supersteps(plan, log, scope, pauses=pauses))
    schema, nodes, commits, routes = plan.schema, plan.nodes, log.commits, log.routes
    values, view_of, has_opaque = log.start, schema.view, schema.has_opaque
    max_steps, is_watched = scope.max_steps, scope.watch is not None
    target: Any = plan.entry  # a name, which compiling has resolved, or END
    while target is not END:
        node = nodes[target]
        if len(commits) >= max_steps:
            raise steps_exceeded(log, node, values=values, max_steps=max_steps)
        update = visit = None
        try:
            if node.function is not None and not node.layers and not is_watched:
                update = yield node.function, (view := view_of(values, node.name)), node.is_async
                if has_opaque or type(update) is not dict:
                    update = update_of_node(update, view, schema=schema, values=values, place=node.place)
                    if type(update) is Interrupt:
                        from graphnb.engine.asking import asking, ids_in

                        commits.append(asking(log, node, update, ids=ids_in(log)))
                        break
                values, folds = fold(schema, values, update, node.place)
                commits.append(Commit(node.name, folds))
            else:
                values, visit = yield from run_node(plan, node, values, log, scope, run_graph)
                if commits[-1].interrupt is not None:
                    break
        except BaseException as error:  # noqa: BLE001  user code: nodes, reducers, values
            raise node_ended(log, node, error, values=values, update=update, names=nodes)  # noqa: B904  see there
        if (target := node.target) is None:
            try:
                view = view_of(values, node.name)
                returned = yield node.branch.router, view, node.is_async_router  # type: ignore[union-attr]  # it has one
                if has_opaque:
                    check_untouched(view)
                target = target_of(plan, node, returned)
            except BaseException as error:  # noqa: BLE001  user code: routers
                failed = edge_ended(log, node, error, values=values)
                if visit is not None and isinstance(failed, RunError):
                    yield from visit.failed(failed)
                raise failed  # noqa: B904  see there
            if type(target) is tuple:
                routes.append(target)
                if visit is not None:
                    yield from visit.completed(values)
                if pauses:
                    yield None
                return (yield from _in_supersteps(plan, log, scope, pauses=pauses))
        routes.append((target,))
        if visit is not None:
            yield from visit.completed(values)
        if pauses and target is not END:
            yield None
    if target is not END:  # the node has asked
        routes.append(())
        log.waits = True
        if visit is not None:
            yield from visit.completed(values)
    return values


def _in_supersteps(plan: Plan, log: Log, scope: Scope, *, pauses: bool) -> Work[Values]:
    """Goes on in super-steps of which several nodes may be part; what that takes is loaded when a run comes to it."""
    from graphnb.engine.supersteps.loop import run_supersteps

    return run_supersteps(plan, log, scope, run_graph, pauses=pauses)
