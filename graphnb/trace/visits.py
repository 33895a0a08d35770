"""The path that a run took through its graph: how often each node, and in which order each edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphnb.graph.ends import START, Target
from graphnb.trace.log import Instances, Log


@dataclass(frozen=True, slots=True)
class Visits:
    """Counts for one graph, summed over all its runs where it ran inside a node.

    `nodes` maps a name to how often the node completed; `edges` maps (source, target) to the orders in which
    the edge was taken, counted from 1 over the graph's edges and all its runs; `failed` names nodes that did
    not complete, or whose edge did not; `inner` holds the visits within a node.
    """

    nodes: dict[str, int] = field(default_factory=dict)
    edges: dict[tuple[Target, Target], list[int]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    inner: dict[str, Visits] = field(default_factory=dict)

    def edge_counts(self) -> Mapping[tuple[Target, Target], int]:
        """How often each edge was taken."""
        return {edge: len(orders) for edge, orders in self.edges.items()}


def visits_of(log: Log) -> Visits:
    """The path taken in a log and in everything inside it."""
    visits = Visits()
    _add(visits, log)
    return visits


def _add(visits: Visits, log: Log) -> None:
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
        _add_inner(visits, commit.node, commit.child, commit.instances)
    if log.failure is not None:
        visits.failed.add(log.failure.node)
        _add_inner(visits, log.failure.node, log.failure.child, log.failure.instances)
    elif log.open is not None:
        node, inside = log.open
        for each in [inside] if isinstance(inside, Log) else inside:
            _add_inner(visits, node, each, None)


def _entered(log: Log) -> str | None:
    """The node at which the graph was entered, None if it was not yet."""
    if log.commits:
        return log.commits[0].node
    if log.failure is not None:
        return log.failure.node
    return log.open[0] if log.open is not None else None


def _add_inner(visits: Visits, node: str, child: Log | None, instances: Instances | None) -> None:
    logs = [child] if child is not None else [each for each in (instances.logs if instances else ()) if each]
    if logs:
        inner = visits.inner.setdefault(node, Visits())
        for each in logs:
            _add(inner, each)
