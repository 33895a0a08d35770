"""The path that a run took through its graph: how often each node, and in which order each edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphnb.graph.ends import START, Target
from graphnb.trace.instances import Instances
from graphnb.trace.log import Log


@dataclass(frozen=True, slots=True)
class Visits:
    """Counts for one graph, summed over all its runs where it ran inside a node.

    `nodes` maps a name to how often the node completed; `edges` maps (source, target) to the orders in which
    the edge was taken, counted from 1 over the graph's edges and all its runs; `inner` holds the visits within
    a node. `failed` names nodes that did not complete, or whose edge did not; `stopped` and `stopped_at_edge`
    those in which the run was stopped, and `running` those that are running graphs at this moment.
    """

    nodes: dict[str, int] = field(default_factory=dict)
    edges: dict[tuple[Target, Target], list[int]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    inner: dict[str, Visits] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    stopped_at_edge: set[str] = field(default_factory=set)
    running: set[str] = field(default_factory=set)

    def edge_counts(self) -> Mapping[tuple[Target, Target], int]:
        """How often each edge was taken."""
        return {edge: len(orders) for edge, orders in self.edges.items()}


_Ahead = list[tuple[Visits, Log]]


def visits_of(log: Log) -> Visits:
    """The path taken in a log and in everything inside it."""
    visits = Visits()
    ahead: _Ahead = [(visits, log)]
    while ahead:  # no recursion: graphs may be nested deep
        ahead += reversed(_add(*ahead.pop()))  # the first one next: orders are counted over all runs of a graph
    return visits


def _add(visits: Visits, log: Log) -> _Ahead:
    """Adds one log, and gives those within it, each with the visits that it belongs to."""
    inner: _Ahead = []
    entered = _entered(log)
    taken = sum(map(len, visits.edges.values()))
    if entered is not None:
        taken += 1
        visits.edges.setdefault((START, entered), []).append(taken)
    for i, commit in enumerate(log.commits):
        visits.nodes[commit.node] = visits.nodes.get(commit.node, 0) + 1
        for target in log.routes[i] if i < len(log.routes) else ():
            taken += 1
            visits.edges.setdefault((commit.node, target), []).append(taken)
        inner += _inner(visits, commit.node, commit.child, commit.instances)
    if log.failure is not None:
        visits.failed.add(log.failure.node)
        inner += _inner(visits, log.failure.node, log.failure.child, log.failure.instances)
    elif (node := log.under_way) is not None:
        at_edge = visits.stopped_at_edge if node.at_edge else visits.stopped
        (at_edge if node.stopped else visits.running).add(node.node)
        inner += _inner(visits, node.node, node.child, node.instances)
    return inner


def _entered(log: Log) -> str | None:
    """The node at which the graph was entered, None if it was not yet."""
    if log.commits:
        return log.commits[0].node
    if log.failure is not None:
        return log.failure.node
    return log.under_way.node if log.under_way is not None else None


def _inner(visits: Visits, node: str, child: Log | None, instances: Instances | None) -> _Ahead:
    logs = [child] if child is not None else [each for each in (instances.logs if instances else ()) if each]
    within = visits.inner.setdefault(node, Visits()) if logs else visits
    return [(within, each) for each in logs]
