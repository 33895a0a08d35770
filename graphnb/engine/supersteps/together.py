"""Several nodes in one super-step: what they have given is folded as one, and all of them are committed or none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from graphnb.engine.asking import commit_of_interrupt
from graphnb.engine.attempt import Given, commit_of
from graphnb.engine.failing import fail_step
from graphnb.engine.position import Position
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.stopping import stop_step
from graphnb.engine.supersteps.lanes import fail_lanes, fail_unbegun, lane_of, open_lanes, run_lanes
from graphnb.engine.work import Work
from graphnb.errors import InvalidUpdate, RunError
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import PlannedNode
from graphnb.state.folding.contributions import parts_of
from graphnb.state.folding.fold import Fold
from graphnb.state.folding.several import NodeUpdate, fold_step
from graphnb.trace.log import Commit, Log

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit


def run_together(graph: RunningGraph, position: Position, *, nodes: Sequence[PlannedNode]) -> Work[list[Visit | None]]:
    """Runs the nodes of the next super-step and commits what they wrote, in their order.

    Gives what has still to tell observers how the edges went. Raises the RunError of the first node, by name, that
    failed; then nothing is committed.
    """
    plan, log, scope = graph.plan, graph.log, graph.scope
    lanes = [lane_of(graph, node, values=position.values) for node in nodes]
    open_lanes(log, lanes)
    try:
        outcomes = yield from run_lanes(lanes, step=None if scope.watch is None else next(scope.watch.steps))
        errors: list[RunError] = [outcomes.errors[i] for i in sorted(outcomes.errors)]  # type: ignore[misc]  # see there
        if not errors:
            commits, faults = commits_of(log, position, nodes=nodes, given=outcomes.results)
            errors = yield from fail_lanes(lanes, outcomes.results, faults=faults)
    except Exception as error:  # noqa: BLE001  raised before any node had begun
        errors = [fail_unbegun(lanes[0], error)]
    except BaseException:
        stop_step(log, plan, lanes={lane.node.name: lane.log for lane in lanes})
        raise
    if errors:
        raise fail_step(log, lanes=tuple(lane.log for lane in lanes), errors=errors)
    log.joined += len(commits) - 1
    log.commits += commits
    log.open = None  # after the commits: what ran inside must not be seen nowhere
    return [given.visit for given in outcomes.results]


def commits_of(
    log: Log, position: Position, *, nodes: Sequence[PlannedNode], given: Sequence[Given]
) -> tuple[list[Commit], dict[int, Exception]]:
    """The commits of a step, one for each node; or what is wrong with what nodes have asked or written, by place."""
    asked, faults = _commit_interrupts(log, nodes, given=given, ids=position.ids)
    updates: list[NodeUpdate] = [
        (node.name, place, part)
        for node, each in zip(nodes, given, strict=True)
        if type(each.update) is not Interrupt
        for place, part in parts_of(each.update, each.made.update, node.place)
    ]
    try:
        _, folds = fold_step(log.schema, position.values, updates)
    except Exception as error:  # noqa: BLE001  user code: reducers, validators
        faults |= _faults_of(error, nodes, updates=updates)
    if faults:
        return [], faults
    own = _group_by_node(folds, updates)
    commits = [
        asked.get(i) or commit_of(node, each, folds=own.get(node.name, ()), is_joined=i > 0)
        for i, (node, each) in enumerate(zip(nodes, given, strict=True))
    ]
    return commits, {}


def _commit_interrupts(
    log: Log, nodes: Sequence[PlannedNode], *, given: Sequence[Given], ids: Collection[str]
) -> tuple[dict[int, Commit], dict[int, Exception]]:
    """The commits of the nodes that have asked, and what is wrong with what others have asked, both by place."""
    commits: dict[int, Commit] = {}
    faults: dict[int, Exception] = {}
    places = [i for i, each in enumerate(given) if type(each.update) is Interrupt]
    taken = set(ids) if places else set[str]()
    for i in places:
        try:
            commits[i] = commit_of_interrupt(log, nodes[i], asked=given[i].update, ids=taken, is_joined=i > 0)
            taken.add(commits[i].interrupt.id)  # type: ignore[union-attr]  # it has one
        except InvalidUpdate as error:
            faults[i] = error
    return commits, faults


def _faults_of(
    error: Exception, nodes: Sequence[PlannedNode], *, updates: Sequence[NodeUpdate]
) -> Mapping[int, Exception]:
    """The errors of a fold by node; one that names none belongs to the first that wrote."""
    places = {node.name: i for i, node in enumerate(nodes)}
    problems = (error.problems or (error,)) if isinstance(error, RunError) else (error,)
    return {places[getattr(each, "node", None) or updates[0][0]]: each for each in problems}


def _group_by_node(folds: Sequence[Fold], updates: Sequence[NodeUpdate]) -> dict[str, tuple[Fold, ...]]:
    """The folds by the node at which they stand: the last one that wrote the field."""
    writers = {field: node for node, _, update in updates for field in update}
    last = next((node for node, _, update in reversed(updates) if update), "")
    own: dict[str, tuple[Fold, ...]] = {}
    for fold in folds:
        node = writers.get(fold.field, last)  # the class's own validators may change other fields
        own[node] = (*own.get(node, ()), fold)
    return own
