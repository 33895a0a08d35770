"""Several nodes in one super-step: they run beside each other, and all of them are committed or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from graphnb.engine.asking import asking, ids_in
from graphnb.engine.attempt import Asked, ask_node, commit_of, finished, node_failed
from graphnb.engine.failing import node_ended, step_failed
from graphnb.engine.nodes.made import RunGraph
from graphnb.engine.observers.scope import Scope
from graphnb.engine.stopping import stop_step
from graphnb.engine.work import Outcomes, Spread, Work, pending
from graphnb.errors import InvalidUpdate, RunError
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.state.folding.contributions import parts_of
from graphnb.state.folding.fold import Fold
from graphnb.state.folding.several import NodeUpdate, fold_step
from graphnb.state.schema import Values
from graphnb.trace.log import Commit, Log, Open

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit


def run_together(
    plan: Plan, names: Sequence[str], values: Values, log: Log, scope: Scope, run_graph: RunGraph
) -> Work[list[Visit | None]]:
    """Runs these nodes on the same values and commits what they wrote, in the order of their sorted names.

    Each runs in a lane, a log of its own, until all have ended. Gives what has still to tell observers how the
    edges went. Raises the RunError of the first node, by name, that failed; then nothing is committed.
    """
    nodes = [plan.nodes[name] for name in names]
    lanes = open_lanes(log, nodes, values)
    try:
        step = None if scope.watch is None else next(scope.watch.steps)
        outcomes = yield from run_lanes(nodes, lanes, plan, [scope] * len(nodes), run_graph, step=step)
        errors: list[RunError] = [outcomes.errors[i] for i in sorted(outcomes.errors)]  # type: ignore[misc]  # see there
        if not errors:
            commits, faults = commits_of(nodes, outcomes.results, log=log, values=values)
            errors = yield from tell_faults(plan, nodes, outcomes.results, faults, lanes=lanes, values=values)
    except Exception as error:  # noqa: BLE001  raised before any node had begun
        errors = [unforeseen(error, plan, nodes[0], lane=lanes[0], values=values)]
    except BaseException:
        stop_step(log, plan, lanes)
        raise
    if errors:
        raise step_failed(log, lanes, errors)
    log.joined += len(commits) - 1
    log.commits += commits
    log.open = None  # after the commits: what ran inside must not be seen nowhere
    return [asked.visit for asked in outcomes.results]


def open_lanes(log: Log, nodes: Sequence[PlannedNode], values: Values) -> tuple[Log, ...]:
    """A lane for each of these nodes, which see these values; the log has them open."""
    lanes = tuple(lane_of(log, values) for _ in nodes)
    log.open = Open(len(log.commits), ", ".join(node.name for node in nodes), lanes=lanes)
    return lanes


def lane_of(log: Log, values: Values) -> Log:
    """An empty lane for a node of the next super-step, which sees these values."""
    return Log(log.graph, log.schema, values, first=log.step, is_outermost=log.is_outermost)


def run_lanes(
    nodes: Sequence[PlannedNode],
    lanes: Sequence[Log],
    plan: Plan,
    scopes: Sequence[Scope],
    run_graph: RunGraph,
    *,
    step: int | None,
) -> Work[Outcomes]:
    """Runs each node in its lane and scope, all at once, until all have ended: what they have given, or raised.

    `step` is the number that events bear, None if nobody watches.
    """
    outcomes = pending(len(nodes))

    def one(i: int) -> Work[Asked]:
        lanes[i].open = Open(0, nodes[i].name)
        asked = yield from ask_node(plan, nodes[i], lanes[i].start, lanes[i], scopes[i], run_graph, step=step)
        lanes[i].commits.append(finished(nodes[i], asked))
        lanes[i].open = None
        return asked

    yield Spread(
        one=one,
        items=iter(range(len(nodes))),
        outcomes=outcomes,
        concurrency=None,
        fail_fast=False,
        kind="work",
        has_plain=any(node.has_plain for node in nodes),
        has_async=any(node.has_async for node in nodes),
        is_apart=True,
    )
    return outcomes


def commits_of(
    nodes: Sequence[PlannedNode], given: Sequence[Asked], *, log: Log, values: Values
) -> tuple[list[Commit], dict[int, Exception]]:
    """The commits of the step, one for each node; or what is wrong with what nodes have asked or written."""
    ids = ids_in(log) if any(type(each.update) is Interrupt for each in given) else set()
    asked: dict[int, Commit] = {}
    faults: dict[int, Exception] = {}
    updates: list[NodeUpdate] = []
    for i, (node, each) in enumerate(zip(nodes, given, strict=True)):
        if type(each.update) is not Interrupt:
            parts = parts_of(each.update, each.made.update, node.place)
            updates += [(node.name, place, part) for place, part in parts]
            continue
        try:
            asked[i] = asking(log, node, each.update, ids=ids, is_joined=i > 0)
            ids.add(asked[i].interrupt.id)  # type: ignore[union-attr]  # it has one
        except InvalidUpdate as error:
            faults[i] = error
    try:
        _, folds = fold_step(log.schema, values, updates)
    except Exception as error:  # noqa: BLE001  user code: reducers, validators
        faults |= _faults_of(error, nodes, updates)
    if faults:
        return [], faults
    own = _by_node(folds, updates)
    commits = [
        asked.get(i) or commit_of(node, each, own.get(node.name, ()), (), is_joined=i > 0)
        for i, (node, each) in enumerate(zip(nodes, given, strict=True))
    ]
    return commits, {}


def _faults_of(
    error: Exception, nodes: Sequence[PlannedNode], updates: Sequence[NodeUpdate]
) -> Mapping[int, Exception]:
    """The errors of a fold by node; one that names none belongs to the first that wrote."""
    places = {node.name: i for i, node in enumerate(nodes)}
    problems = (error.problems or (error,)) if isinstance(error, RunError) else (error,)
    return {places[getattr(each, "node", None) or updates[0][0]]: each for each in problems}


def _by_node(folds: Sequence[Fold], updates: Sequence[NodeUpdate]) -> dict[str, tuple[Fold, ...]]:
    """The folds by the node at which they stand: the last one that wrote the field."""
    writers = {field: node for node, _, update in updates for field in update}
    last = next((node for node, _, update in reversed(updates) if update), "")
    own: dict[str, tuple[Fold, ...]] = {}
    for fold in folds:
        node = writers.get(fold.field, last)  # the class's own validators may change other fields
        own[node] = (*own.get(node, ()), fold)
    return own


def tell_faults(
    plan: Plan,
    nodes: Sequence[PlannedNode],
    given: Sequence[Asked],
    faults: Mapping[int, Exception],
    *,
    lanes: Sequence[Log],
    values: Values,
) -> Work[list[RunError]]:
    """The errors of nodes that had finished, each recorded in its lane, in the order of the nodes."""
    errors: list[RunError] = []
    for i in sorted(faults):
        node, asked, lane = nodes[i], given[i], lanes[i]
        lane.open = Open(0, node.name, asked.made.child, asked.made.instances)
        lane.commits.clear()
        error = yield from node_failed(plan, node, asked, faults[i], log=lane, values=values)
        errors.append(error)  # type: ignore[arg-type]  # no interruption, as what was given is none
    return errors


def unforeseen(error: Exception, plan: Plan, node: PlannedNode, *, lane: Log, values: Values) -> RunError:
    """The error of a step whose nodes could not be run beside each other, told of the first of them."""
    failed = node_ended(lane, node, error, values=values, update=None, names=plan.nodes)
    assert isinstance(failed, RunError)
    return failed
