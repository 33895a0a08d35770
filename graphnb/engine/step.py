"""The super-step: the node runs, its update is folded, its edge chooses what comes next.

Pure: what happens depends on the plan, the log so far and the results sent in, and on nothing else.
Source: graph-engine §3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphnb.engine.attempt import commit_bare, commit_made, run_node, runner_of
from graphnb.engine.failing import end_edge, end_node, fail_at_limit
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.observers.scope import Scope
from graphnb.engine.routing import target_of
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.work import Work
from graphnb.errors import RunError
from graphnb.graph.ends import END
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.state.folding.fold import fold
from graphnb.state.schema import Values
from graphnb.state.views.view import check_untouched
from graphnb.trace.log import Commit, Log

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit
    from graphnb.engine.position import Position


def run_graph(
    plan: Plan, log: Log, *, scope: Scope, position: Position | None = None, pauses: bool = False
) -> Work[Values]:
    """Runs a graph to END and gives its last values; its log grows by a commit per node, and tells where it failed.

    A log that has commits already is gone on with, from the `position` at its end, if that is known. `pauses` asks for
    a pause between the super-steps. Where nodes have asked and nobody has answered, `log.waits` in the end.
    """
    if plan.is_linear and not log.commits:
        return _run_in_line(plan, log, scope=scope, pauses=pauses)
    return _run_in_supersteps(RunningGraph(plan, log, scope, run_graph), position, pauses=pauses)


def _run_in_line(plan: Plan, log: Log, *, scope: Scope, pauses: bool) -> Work[Values]:
    """Runs one node at a time from the entry on, as long as one alone comes next."""
    schema, nodes, commits, routes = plan.schema, plan.nodes, log.commits, log.routes
    values, view_of, has_opaque = log.start, schema.view, schema.has_opaque
    graph, is_watched = RunningGraph(plan, log, scope, run_graph), scope.watch is not None
    target: Any = plan.entry  # a name, which compiling has resolved; in the end END, or the names of several
    for _ in range(scope.max_steps):
        node = nodes[target]
        update = visit = None
        try:
            if node.function is not None and not node.layers and not is_watched:
                update = yield node.function, (view := view_of(values, node.name)), node.is_async
                if has_opaque or type(update) is not dict:
                    values = commit_bare(log, node, returned=update, view=view, values=values)
                    if commits[-1].interrupt is not None:
                        break
                else:  # the hot path
                    values, folds = fold(schema, values, update, node.place)
                    commits.append(Commit(node.name, folds))
            elif node.layers or is_watched:
                values, visit = yield from run_node(graph, node, values=values)
                if commits[-1].interrupt is not None:
                    break
            else:
                made = yield from runner_of(node)(Attempt(graph, node, values))
                update = made.update
                values = commit_made(log, node, made, values=values)
        except BaseException as error:  # noqa: BLE001  user code: nodes, reducers, values
            raise end_node(log, node, error=error, values=values, update=update, names=nodes)  # noqa: B904  see there
        if (target := node.target) is None:
            try:
                view = view_of(values, node.name)
                returned = yield node.branch.router, view, node.is_async_router  # type: ignore[union-attr]  # it has one
                if has_opaque:
                    check_untouched(view)
                target = target_of(node, returned, plan=plan)
            except BaseException as error:  # noqa: BLE001  user code: routers
                raise (yield from _fail_edge(log, node, error=error, values=values, visit=visit))  # noqa: B904  see there
            if type(target) is tuple:
                break
        if target is END:
            break
        routes.append((target,))
        if visit is not None:
            yield from visit.tell_completed(values)
        if pauses:
            yield None
    else:
        raise fail_at_limit(log, nodes[target], values=values, max_steps=scope.max_steps)
    has_asked = commits[-1].interrupt is not None
    routes.append(() if has_asked else (END,) if target is END else target)
    log.waits = has_asked
    if visit is not None:
        yield from visit.tell_completed(values)
    if has_asked or target is END:
        return values
    if pauses:
        yield None
    return (yield from _run_in_supersteps(graph, None, pauses=pauses))


def _fail_edge(
    log: Log, node: PlannedNode, *, error: BaseException, values: Values, visit: Visit | None
) -> Work[BaseException]:
    """What is to be raised for a router; observers are told, and the log."""
    failed = end_edge(log, node, error=error, values=values)
    if visit is not None and isinstance(failed, RunError):
        yield from visit.tell_failed(failed)
    return failed


def _run_in_supersteps(graph: RunningGraph, position: Position | None, *, pauses: bool) -> Work[Values]:
    """Goes on in super-steps of which several nodes may be part; what that takes is loaded when a run comes to it."""
    from graphnb.engine.supersteps.loop import run_supersteps

    return run_supersteps(graph, position=position, pauses=pauses)
