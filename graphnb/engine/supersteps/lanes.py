"""Lanes: the nodes of one super-step run beside each other, each in a log of its own until all have ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from graphnb.engine.attempt import Given, ask_node, fail_node, unfolded_commit_of
from graphnb.engine.failing import end_node
from graphnb.engine.observers.scope import Scope
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.work import Outcomes, Spread, Work, begin_outcomes
from graphnb.errors import RunError
from graphnb.graph.plan import PlannedNode
from graphnb.state.schema import Values
from graphnb.trace.log import Commit, Failure, Log, Open


class Lane(NamedTuple):
    """One node of a super-step, and the graph as it runs there: its log starts from the values that the node sees."""

    node: PlannedNode
    graph: RunningGraph

    @property
    def log(self) -> Log:
        """The lane's own log."""
        return self.graph.log


def lane_of(graph: RunningGraph, node: PlannedNode, *, values: Values, scope: Scope | None = None) -> Lane:
    """An empty lane for a node of the next super-step, which sees these values; `scope` is its own if one is given."""
    log = graph.log
    own = Log(log.graph, log.schema, values, first=log.step, is_outermost=log.is_outermost)
    return Lane(node, RunningGraph(graph.plan, own, scope or graph.scope, graph.run_graph))


def open_lanes(log: Log, lanes: Sequence[Lane]) -> None:
    """Says in the log that the nodes of these lanes are running."""
    names = ", ".join(lane.node.name for lane in lanes)
    log.open = Open(len(log.commits), names, lanes=tuple(lane.log for lane in lanes))


def drop_lanes(graph: RunningGraph, commits: Sequence[Commit], *, values: Values, failure: Failure) -> tuple[Log, ...]:
    """The logs of a step all of whose nodes have finished, and which is dropped, since the edge of one of them failed.

    `values` are those that the nodes saw.
    """
    logs: list[Log] = []
    for commit in commits:
        own = lane_of(graph, graph.plan.nodes[commit.node], values=values).log
        if commit.node == failure.node:
            own.failure = failure._replace(failures=commit.failures, is_entered=commit.is_entered)
        else:
            own.commits.append(commit._replace(folds=(), is_joined=False, interrupt=None))
        logs.append(own)
    return tuple(logs)


def run_lanes(lanes: Sequence[Lane], *, step: int | None) -> Work[Outcomes]:
    """Runs the nodes all at once, until all have ended: what they have given, or raised.

    `step` is the number that events bear, None if nobody watches.
    """
    outcomes = begin_outcomes(len(lanes))

    def one(lane: Lane) -> Work[Given]:
        node, log = lane.node, lane.log
        log.open = Open(0, node.name)
        given = yield from ask_node(lane.graph, node, values=log.start, step=step)
        log.commits.append(unfolded_commit_of(node, given))
        log.open = None
        return given

    yield Spread(
        one=one,
        items=iter(lanes),
        outcomes=outcomes,
        concurrency=None,
        fail_fast=False,
        kind="work",
        has_plain=any(lane.node.has_plain for lane in lanes),
        has_async=any(lane.node.has_async for lane in lanes),
        is_apart=True,
    )
    return outcomes


def fail_lanes(
    lanes: Sequence[Lane], given: Sequence[Given], *, faults: Mapping[int, Exception]
) -> Work[list[RunError]]:
    """The errors of nodes that had finished, each recorded in its lane, in the order of the lanes."""
    errors: list[RunError] = []
    for i in sorted(faults):
        node, graph = lanes[i]
        made = given[i].made
        graph.log.open = Open(0, node.name, made.child, made.instances)
        graph.log.commits.clear()
        error = yield from fail_node(graph, node, given=given[i], error=faults[i], values=graph.log.start)
        errors.append(error)  # type: ignore[arg-type]  # no interruption, as what was given is none
    return errors


def fail_unbegun(lane: Lane, error: Exception) -> RunError:
    """The error of a step whose nodes could not be run beside each other, told of the first of them."""
    node, log = lane.node, lane.log
    failed = end_node(log, node, error=error, values=log.start, update=None, names=lane.graph.plan.nodes)
    assert isinstance(failed, RunError)
    return failed
