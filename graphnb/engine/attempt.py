"""One node through everything that may be around it: middleware, observers, whatever kind of node it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from graphnb.engine.asking import commit_of_interrupt
from graphnb.engine.failing import end_node
from graphnb.engine.middleware.dispatch import Dispatch, chain_layers
from graphnb.engine.nodes.function import run_function, update_of_node
from graphnb.engine.nodes.made import Attempt, Made, RunNode
from graphnb.engine.nodes.subgraph import run_subgraph
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.work import Work
from graphnb.errors import RunError
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import PlannedNode
from graphnb.graph.spec import DelegatesNode, FanOutNode, FunctionNode, RaceNode, SubgraphNode
from graphnb.state.folding.contributions import fold_contributions
from graphnb.state.folding.fold import Fold, fold
from graphnb.state.schema import Values, start_values
from graphnb.state.views.view import View, check_untouched
from graphnb.trace.instances import Instances
from graphnb.trace.log import Commit, Log

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit

_NOTHING = Made({})
"""What a node has made that was not asked, or that has failed."""


class Given(NamedTuple):
    """What a node has given: the update or the interrupt, what it made, and what was around it."""

    update: Any
    made: Made
    dispatch: Dispatch
    visit: Visit | None


def commit_bare(
    log: Log, node: PlannedNode, *, returned: Any, view: View, values: Values, ids: Collection[str] = ()
) -> Values:
    """Commits what a function that nothing is around has returned for the view, and gives the values after it."""
    schema = log.schema
    update = update_of_node(returned, view, schema=schema, values=values, place=node.place)
    if type(update) is Interrupt:
        log.commits.append(commit_of_interrupt(log, node, asked=update, ids=ids))
        return values
    after, folds = fold(schema, values, update, node.place)
    log.commits.append(Commit(node.name, folds))
    return after


def commit_made(log: Log, node: PlannedNode, made: Made, *, values: Values) -> Values:
    """Commits what a node of another kind, with nothing around it, has made, and gives the values after it."""
    update = made.update
    if type(update) is dict:
        instances = made.instances
        after, folds = fold(log.schema, values, update, node.place)
    else:
        after, folds, owners = fold_contributions(log.schema, values, update, update, node.place)
        instances = _kept_instances(made, update, owners=owners)
    log.commits.append(Commit(node.name, folds, made.child, instances))
    log.open = None  # after the commit: what ran inside must not be seen nowhere
    return after


def run_node(
    graph: RunningGraph, node: PlannedNode, *, values: Values, ids: Collection[str] = ()
) -> Work[tuple[Values, Visit | None]]:
    """Runs and commits a node: the values after it, and what has still to tell observers how its edge went.

    `ids` are those of interrupts before. Raises RunError, with the failure recorded in the log.
    """
    given = yield from ask_node(graph, node, values=values)
    schema, log = graph.plan.schema, graph.log
    try:
        if type(given.update) is Interrupt:
            after, commit = values, commit_of_interrupt(log, node, asked=given.update, ids=ids)
        else:
            after, folds, owners = fold_contributions(schema, values, given.update, given.made.update, node.place)
            commit = commit_of(node, given, folds=folds, owners=owners)
    except BaseException as error:  # noqa: BLE001  user code: reducers, values
        raise (yield from fail_node(graph, node, given=given, error=error, values=values))  # noqa: B904  its cause is set
    log.commits.append(commit)
    log.open = None  # after the commit: what ran inside must not be seen nowhere
    return after, given.visit


def ask_node(graph: RunningGraph, node: PlannedNode, *, values: Values, step: int | None = None) -> Work[Given]:
    """Runs a node, and folds nothing yet. `step` is its number where it shares one. Raises like `run_node`."""
    schema, scope = graph.plan.schema, graph.scope
    has_events = scope.watch is not None and not isinstance(node.spec, SubgraphNode)  # graph-engine §6
    visit = None
    if has_events:
        from graphnb.engine.observers.visit import Visit

        visit = Visit(node.name, scope, place=node.place, schema=schema, before=values, step=step)
    dispatch = Dispatch(node.name, scope, visit=visit, place=node.place)
    try:
        attempt = Attempt(graph, node, values, visit, dispatch.attempt_index)
        if node.layers:
            update, made = yield from _dispatch(attempt, dispatch)
        else:  # by the shortest way: graphs may be nested deep, and each generator within another takes of the stack
            dispatch.is_entered = True
            made = yield from runner_of(node)(attempt)
            update = made.update
    except BaseException as error:  # noqa: BLE001  user code: nodes, middleware, values
        given = Given(None, _NOTHING, dispatch, visit)
        raise (yield from fail_node(graph, node, given=given, error=error, values=values))  # noqa: B904  its cause is set
    return Given(update, made, dispatch, visit)


def fail_node(
    graph: RunningGraph, node: PlannedNode, *, given: Given, error: BaseException, values: Values
) -> Work[BaseException]:
    """What is to be raised for a node that came to no end; observers are told, and the log."""
    dispatch = given.dispatch
    failed = end_node(
        graph.log,
        node,
        error=error,
        values=values,
        update=given.update,
        names=graph.plan.nodes,
        attempts=dispatch.earlier_failures_of(error),
        is_entered=dispatch.is_entered,
    )
    stumbled, mend = dispatch.stumbled
    if stumbled is not None and failed.__cause__ is stumbled:
        failed.mend = mend  # type: ignore[attr-defined]  # only errors of a run have a cause here
        failed.args = (*failed.args[:2], mend)
    if given.visit is not None and isinstance(failed, RunError):
        yield from given.visit.tell_failed(failed)
    return failed


def commit_of(
    node: PlannedNode,
    given: Given,
    *,
    folds: tuple[Fold, ...],
    owners: tuple[int | None, ...] = (),
    is_joined: bool = False,
) -> Commit:
    """The commit of a node that has completed with these folds; `owners` as `fold_contributions` gives them."""
    instances = _kept_instances(given.made, given.update, owners=owners)
    return _commit_of(node, given, folds=folds, instances=instances, is_joined=is_joined)


def unfolded_commit_of(node: PlannedNode, given: Given) -> Commit:
    """The commit of a node that has finished, of which nothing is folded."""
    return _commit_of(node, given, folds=(), instances=given.made.instances)


def _commit_of(
    node: PlannedNode,
    given: Given,
    *,
    folds: tuple[Fold, ...],
    instances: Instances | None,
    is_joined: bool = False,
) -> Commit:
    made, dispatch = given.made, given.dispatch
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


def runner_of(node: PlannedNode) -> RunNode:
    """What runs a node of this kind; what runs many at once is loaded when a run comes to it."""
    kind = type(node.spec)
    if kind is SubgraphNode:
        return run_subgraph
    if kind is FunctionNode:
        return run_function
    if kind is FanOutNode:
        from graphnb.engine.nodes.fanout import run_fan_out

        return run_fan_out
    if kind is DelegatesNode:
        from graphnb.engine.nodes.delegates import run_delegates

        return run_delegates
    if kind is RaceNode:
        from graphnb.engine.nodes.race import run_race

        return run_race
    from graphnb.engine.nodes.branches import run_branches

    return run_branches


def _dispatch(attempt: Attempt, dispatch: Dispatch) -> Work[tuple[Any, Made]]:
    """What the chain around the node has given in the end, and what the node itself has, if it was asked."""
    node, values, schema = attempt.node, attempt.values, attempt.schema
    run, made = runner_of(node), _NOTHING
    view = schema.view(values, node.name)

    calls: list[tuple[Any, Made]] = []

    def body(state: Any) -> Work[Any]:
        nonlocal made
        made = _NOTHING  # what an earlier call has made is not what this one makes, should it fail
        given = values if state is view else start_values(schema, state, f"{node.place}, state given by middleware")
        made = yield from run(attempt._replace(values=given, attempt_index=dispatch.attempt_index))
        own = dict(made.update) if isinstance(made.update, dict) else made.update  # theirs to edit
        calls.append((own, made))
        return own

    is_quick = node.function is not None and not node.is_async
    update = yield from chain_layers(node.layers, body, dispatch=dispatch, is_quick=is_quick)(view)
    if schema.has_opaque:
        check_untouched(view)
    return update, next((each for own, each in calls if own is update), made)  # which call it is of


def _kept_instances(made: Made, update: Any, *, owners: tuple[int | None, ...]) -> Instances | None:
    """What the instances did; fields that middleware has written anew are not theirs any more."""
    instances = made.instances
    if instances is None:
        return None
    if instances.unit == "branch":
        slots = instances.slots  # of the branches that gave something; what comes after theirs is the node's own
        places = (slots[part] if part is not None and part < len(slots) else None for part in owners)
        return instances._replace(owners=tuple(places))
    if update is made.update:
        return instances
    into = [name for name in instances.into if name in update and update[name] is made.update.get(name)]
    return instances._replace(into=tuple(name for name in into if len(update[name]) == len(instances.slots)))
