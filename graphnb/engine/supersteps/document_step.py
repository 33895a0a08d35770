"""A super-step of a document: attempts that failed are repeated, and meanwhile the step is parked.

Source: super-steps, settling, failure and retry.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from graphnb.engine.attempt import unfolded_commit_of
from graphnb.engine.documents.given import own_update_of
from graphnb.engine.failing import fail_step
from graphnb.engine.observers.visit import Visit
from graphnb.engine.position import Position
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.stopping import stop_step
from graphnb.engine.supersteps.lanes import Lane, fail_lanes, fail_unbegun, lane_of, open_lanes, run_lanes
from graphnb.engine.supersteps.parkable import ParkableStep
from graphnb.engine.supersteps.together import commits_of
from graphnb.engine.work import Outcomes, Sleep, Work
from graphnb.errors import ReducerError
from graphnb.graph.documents.lowering import seconds_of
from graphnb.trace.log import Commit

Settled = tuple[list[Commit], list[Visit | None]]


def run_document_step(graph: RunningGraph, position: Position, *, pauses: bool) -> Work[Settled]:
    """The commits of one super-step, which the caller puts into the log, and what has still to tell observers.

    Goes on with a step that was parked. Raises the RunError of the first node, by name, that failed for good.
    """
    log, watch = graph.log, graph.scope.watch
    step, number = ParkableStep(graph, position), None if watch is None else next(watch.steps)
    while step.attempts:
        yield from _try_due(step, number=number, ids=position.ids)
        if step.attempts:
            log.parkings.append(step.park())
            log.open = None
            if pauses:
                yield None
    nodes = [graph.plan.nodes[name] for name in sorted(step.given)]
    given = [step.given[node.name] for node in nodes]
    commits, faults = commits_of(log, position, nodes=nodes, given=given)
    if not faults:
        return commits, [each.visit for each in given]
    for error in faults.values():
        if isinstance(error, ReducerError):  # the step family has no other one
            error.mend = "Let the nodes write smaller numbers: what they write and what was there are added up."
    lanes = [lane_of(graph, node, values=position.values) for node in nodes]
    open_lanes(log, lanes)
    for lane, each in zip(lanes, given, strict=True):
        lane.log.commits.append(unfolded_commit_of(lane.node, each))
    errors = yield from fail_lanes(lanes, given, faults=faults)
    raise fail_step(log, lanes=tuple(lane.log for lane in lanes), errors=errors)


def _try_due(step: ParkableStep, *, number: int | None, ids: Collection[str]) -> Work[None]:
    """One attempt at each node whose time has come. Raises RunError for a failure that is not to be repeated.

    `number` is that of events, None if nobody watches; `ids` are those of interrupts before.
    """
    plan, log = step.graph.plan, step.graph.log
    pause = step.pause  # what attempts take is not counted: who runs together must not depend on it
    if pause > 0:
        yield from _wait(step, seconds_of(pause))
    lanes = [step.next_lane_of(name) for name, wait in sorted(step.waits.items()) if wait == pause]
    open_lanes(log, lanes)
    try:
        outcomes = yield from run_lanes(lanes, step=number)
    except Exception as error:  # noqa: BLE001  raised before any node had begun
        logs = tuple(lane.log for lane in lanes)
        raise fail_step(log, lanes=logs, errors=[fail_unbegun(lanes[0], error)])  # noqa: B904  its cause is set
    except BaseException:
        stop_step(log, plan, lanes=step.logs_of(lanes))
        raise
    yield from _settle(step, lanes, outcomes=outcomes, ids=ids)


def _wait(step: ParkableStep, seconds: float) -> Work[None]:
    """Waits so long. An interruption stops the step as one during its attempts does."""
    try:
        yield Sleep(seconds)
    except BaseException:
        stop_step(step.graph.log, step.graph.plan, lanes=step.logs_of(()))
        raise


def _settle(step: ParkableStep, lanes: Sequence[Lane], *, outcomes: Outcomes, ids: Collection[str]) -> Work[None]:
    """Takes what nodes have given, and lets those that failed be tried again that may."""
    raised: dict[str, Any] = {lanes[i].node.name: each for i, each in outcomes.errors.items()}  # lanes raise RunErrors
    again = {name: raised[name] for name in sorted(raised) if step.may_repeat(name, raised[name])}
    updates: dict[int, Any] = {}
    faults: dict[int, Exception] = {}
    for i, lane in enumerate(lanes):
        if i not in outcomes.errors:
            try:
                updates[i] = own_update_of(outcomes.results[i].update, lane.node, graph=step.graph, ids=ids)
            except Exception as error:  # noqa: BLE001  whatever is wrong with it; nobody is asked again
                faults[i] = error
    errors = [error for name, error in raised.items() if name not in again]
    errors += yield from fail_lanes(lanes, outcomes.results, faults=faults)
    if errors:
        logs = tuple(step.logs_of(lanes, again=again).values())
        raise fail_step(step.graph.log, lanes=logs, errors=sorted(errors, key=lambda error: error.node or ""))
    for i, update in updates.items():
        step.take(lanes[i].node.name, outcomes.results[i]._replace(update=update))
    step.schedule(again)
