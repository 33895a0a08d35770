"""The path that a run took through its graph: how often each node, and in which order each edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphnb.graph.ends import START, Target
from graphnb.trace.instances import Instances, Tries, fates_of
from graphnb.trace.log import Commit, Log


@dataclass(frozen=True, slots=True)
class Visits:
    """Counts for one graph, summed over all its runs where it ran inside a node.

    `nodes` maps a name to how often the node completed; `edges` maps (source, target) to the orders in which
    the edge was taken, counted from 1 over the graph's edges and all its runs; `inner` holds the visits within
    a node. `failed` names nodes that did not complete, or whose edge did not; `stopped` and `stopped_at_edge`
    those in which the run was stopped, and `running` those that are running graphs at this moment.

    `retries` tells how often a node or a branch was tried again, `degraded` how often middleware put an update in place
    of its failure, `answered` how often middleware answered without asking it.

    Within a node that runs parallel branches `nodes` has those that were to run, also such as did not complete,
    and no others; `inner` holds the visits within a branch.
    """

    nodes: dict[str, int] = field(default_factory=dict)
    edges: dict[tuple[Target, Target], list[int]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    inner: dict[str, Visits] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    stopped_at_edge: set[str] = field(default_factory=set)
    running: set[str] = field(default_factory=set)
    retries: dict[str, int] = field(default_factory=dict)
    degraded: dict[str, int] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)

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
        _add_attempts(visits, commit.node, commit)
        inner += _inner(visits, commit.node, commit.child, commit.instances)
    if log.failure is not None:
        visits.failed.add(log.failure.node)
        _count(visits.retries, log.failure.node, len(log.failure.failures))
        inner += _inner(visits, log.failure.node, log.failure.child, log.failure.instances)
    elif (node := log.under_way) is not None:
        at_edge = visits.stopped_at_edge if node.at_edge else visits.stopped
        (at_edge if node.stopped else visits.running).add(node.node)
        inner += _inner(visits, node.node, node.child, node.instances, is_running=not node.stopped)
    return inner


def _add_attempts(visits: Visits, name: str, tries: Commit | Tries) -> None:
    """Counts what was made of the attempts at a node or a branch by the middleware around it."""
    _count(visits.retries, name, max(len(tries.failures) - tries.is_degraded, 0))
    _count(visits.degraded, name, int(tries.is_degraded))
    _count(visits.answered, name, int(not tries.is_entered))


def _count(counts: dict[str, int], name: str, more: int) -> None:
    if more:
        counts[name] = counts.get(name, 0) + more


def _entered(log: Log) -> str | None:
    """The node at which the graph was entered, None if it was not yet."""
    if log.commits:
        return log.commits[0].node
    if log.failure is not None:
        return log.failure.node
    return log.under_way.node if log.under_way is not None else None


def _inner(
    visits: Visits, node: str, child: Log | None, instances: Instances | None, *, is_running: bool = False
) -> _Ahead:
    if child is None and instances is not None and instances.names is not None:
        return _branches(visits.inner.setdefault(node, Visits()), instances, is_running=is_running)
    logs = [child] if child is not None else [each for each in (instances.logs if instances else ()) if each]
    within = visits.inner.setdefault(node, Visits()) if logs else visits
    return [(within, each) for each in logs]


def _branches(visits: Visits, made: Instances, *, is_running: bool) -> _Ahead:
    """Adds what became of each parallel branch, as if it were a node of the node that runs it."""
    fates = fates_of(made)
    for i in range(made.count):
        name = str(made.label(i))
        visits.nodes[name] = visits.nodes.get(name, 0) + (i in fates.finished)
        if i in fates.failed:
            visits.failed.add(name)
        elif i in fates.stopped:
            (visits.running if is_running else visits.stopped).add(name)
    for i, tries in made.tries:
        if i in fates.failed:
            _count(visits.retries, str(made.label(i)), len(tries.failures))
        else:
            _add_attempts(visits, str(made.label(i)), tries)
    logs = ((str(made.label(i)), log) for i, log in enumerate(made.logs))
    return [(visits.inner.setdefault(name, Visits()), log) for name, log in logs if log is not None]
