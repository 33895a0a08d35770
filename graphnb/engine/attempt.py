"""One node through everything that may be around it: middleware, observers, whatever kind of node it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from graphnb.engine.failing import node_ended
from graphnb.engine.middleware.dispatch import Dispatch, chained
from graphnb.engine.nodes.function import run_function
from graphnb.engine.nodes.made import Attempt, Made, RunGraph, RunNode
from graphnb.engine.nodes.subgraph import run_subgraph
from graphnb.engine.observers.scope import Scope
from graphnb.engine.work import Work
from graphnb.errors import RunError
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.graph.spec import FanOutNode, FunctionNode, NodeSpec, SubgraphNode
from graphnb.state.folding.contributions import fold_contributions
from graphnb.state.folding.fold import Fold
from graphnb.state.schema import Values, start_values
from graphnb.state.views.view import check_untouched
from graphnb.trace.instances import Instances
from graphnb.trace.log import Commit, Log

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit

_NOTHING = Made({})
"""What a node has made that was not asked, or that has failed."""


class Asked(NamedTuple):
    """What a node has given: the update or the interrupt, what it made, and what was around it."""

    update: Any
    made: Made
    dispatch: Dispatch
    visit: Visit | None


def run_node(
    plan: Plan, node: PlannedNode, values: Values, log: Log, scope: Scope, run_graph: RunGraph
) -> Work[tuple[Values, Visit | None]]:
    """Runs and commits a node: the values after it, and what has still to tell observers how its edge went.

    Raises RunError, with the failure recorded in the log.
    """
    asked = yield from ask_node(plan, node, values, log, scope, run_graph)
    try:
        if type(asked.update) is Interrupt:
            from graphnb.engine.asking import asking, ids_in

            after, commit = values, asking(log, node, asked.update, ids=ids_in(log))
        else:
            after, folds, owners = fold_contributions(plan.schema, values, asked.update, asked.made.update, node.place)
            commit = commit_of(node, asked, folds, owners)
    except BaseException as error:  # noqa: BLE001  user code: reducers, values
        raise (yield from node_failed(plan, node, asked, error, log=log, values=values))  # noqa: B904  its cause is set
    log.commits.append(commit)
    log.open = None  # after the commit: what ran inside must not be seen nowhere
    return after, asked.visit


def ask_node(
    plan: Plan,
    node: PlannedNode,
    values: Values,
    log: Log,
    scope: Scope,
    run_graph: RunGraph,
    *,
    step: int | None = None,
) -> Work[Asked]:
    """Runs a node, and folds nothing yet. `step` is its number where it shares one. Raises like `run_node`."""
    schema = plan.schema
    has_events = scope.watch is not None and not isinstance(node.spec, SubgraphNode)  # graph-engine §6
    visit = None
    if has_events:
        from graphnb.engine.observers.visit import Visit

        visit = Visit(node.name, scope, place=node.place, schema=schema, before=values, step=step)
    dispatch = Dispatch(node.name, scope, visit, place=node.place)
    try:
        attempt = Attempt(node, values, schema, log, dispatch, run_graph)
        if node.layers:
            update, made = yield from _dispatched(attempt)
        else:  # by the shortest way: graphs may be nested deep, and each generator within another takes of the stack
            dispatch.is_entered = True
            made = yield from _runner_of(node.spec)(attempt)
            update = made.update
    except BaseException as error:  # noqa: BLE001  user code: nodes, middleware, values
        asked = Asked(None, _NOTHING, dispatch, visit)
        raise (yield from node_failed(plan, node, asked, error, log=log, values=values))  # noqa: B904  its cause is set
    return Asked(update, made, dispatch, visit)


def node_failed(
    plan: Plan, node: PlannedNode, asked: Asked, error: BaseException, *, log: Log, values: Values
) -> Work[BaseException]:
    """What is to be raised for a node that came to no end; observers are told, and the log."""
    dispatch = asked.dispatch
    failed = node_ended(
        log,
        node,
        error,
        values=values,
        update=asked.update,
        names=plan.nodes,
        attempts=dispatch.failed_before(error),
        is_entered=dispatch.is_entered,
    )
    stumbled, mend = dispatch.stumbled
    if stumbled is not None and failed.__cause__ is stumbled:
        failed.mend = mend  # type: ignore[attr-defined]  # only errors of a run have a cause here
        failed.args = (*failed.args[:2], mend)
    if asked.visit is not None and isinstance(failed, RunError):
        yield from asked.visit.failed(failed)
    return failed


def commit_of(
    node: PlannedNode, asked: Asked, folds: tuple[Fold, ...], owners: tuple[int | None, ...], *, is_joined: bool = False
) -> Commit:
    """The commit of a node that has completed with these folds; `owners` as `fold_contributions` gives them."""
    return _commit(node, asked, folds, _kept_instances(asked.made, asked.update, owners=owners), is_joined=is_joined)


def finished(node: PlannedNode, asked: Asked) -> Commit:
    """The commit of a node that has finished, of which nothing is folded."""
    return _commit(node, asked, (), asked.made.instances, is_joined=False)


def _commit(
    node: PlannedNode, asked: Asked, folds: tuple[Fold, ...], instances: Instances | None, *, is_joined: bool
) -> Commit:
    made, dispatch = asked.made, asked.dispatch
    return Commit(
        node=node.name,
        folds=folds,
        child=made.child,
        instances=instances,
        failures=tuple(dispatch.failures),
        is_entered=dispatch.is_entered,
        is_degraded=dispatch.is_entered and made is _NOTHING,
        is_joined=is_joined,
    )


def _runner_of(spec: NodeSpec) -> RunNode:
    """What runs a node of this kind; what runs many at once is loaded when a run comes to it."""
    if isinstance(spec, FunctionNode):
        return run_function
    if isinstance(spec, SubgraphNode):
        return run_subgraph
    if isinstance(spec, FanOutNode):
        from graphnb.engine.nodes.fanout import run_fan_out

        return run_fan_out
    from graphnb.engine.nodes.branches import run_branches

    return run_branches


def _dispatched(attempt: Attempt) -> Work[tuple[Any, Made]]:
    """What the chain around the node has given in the end, and what the node itself has, if it was asked."""
    node, values, schema, _, dispatch, _ = attempt
    run, made = _runner_of(node.spec), _NOTHING
    view = schema.view(values, node.name)

    def body(state: Any) -> Work[Any]:
        nonlocal made
        made = _NOTHING  # what an earlier call has made is not what this one makes, should it fail
        given = values if state is view else start_values(schema, state, f"{node.place}, state given by middleware")
        made = yield from run(attempt._replace(values=given))
        return dict(made.update) if isinstance(made.update, dict) else made.update  # theirs to edit

    is_quick = node.function is not None and not node.is_async
    update = yield from chained(node.layers, body, dispatch, is_quick=is_quick)(view)
    if schema.has_opaque:
        check_untouched(view)
    return update, made


def _kept_instances(made: Made, update: Any, *, owners: tuple[int | None, ...]) -> Instances | None:
    """What the instances did; fields that middleware has written anew are not theirs any more."""
    instances = made.instances
    if instances is None:
        return None
    if instances.names is not None:
        slots = instances.slots  # of the branches that gave something; what comes after theirs is the node's own
        places = (slots[part] if part is not None and part < len(slots) else None for part in owners)
        return instances._replace(owners=tuple(places))
    if update is made.update:
        return instances
    into = [name for name in instances.into if name in update and update[name] is made.update.get(name)]
    return instances._replace(into=tuple(name for name in into if len(update[name]) == len(instances.slots)))
