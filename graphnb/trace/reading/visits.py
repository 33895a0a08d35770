"""The path that a run took through its graph: how often each node, and in which order each edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphnb.errors import NotAccepted
from graphnb.graph.ends import START, Target
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.trace.instances import Instances, Tries, fates_of
from graphnb.trace.log import Commit, Log


@dataclass(frozen=True, slots=True)
class Visits:
    """Counts for one graph, summed over all its runs where it ran inside a node.

    `nodes` maps a name to how often the node completed; `edges` maps (source, target) to the orders in which
    the edge was taken, counted from 1 over the graph's super-steps and all its runs: edges that were taken together
    have the same; `inner` holds the visits within a node. `failed` names nodes that did not complete, or whose edge
    did not; `stopped` and `stopped_at_edge` those in which the run was stopped, `running` those that are running
    graphs at this moment, `finished` those whose super-step goes on without them, `dropped` those that had finished
    when it failed or was stopped, and `waiting` those that have asked and got no answer yet. `logs` are those of the
    graph's runs.

    `retries` tells how often a node or a branch was tried again, `degraded` how often middleware put an update in place
    of its failure, `answered` how often middleware answered without asking it.

    Within a node that runs parallel branches `nodes` has those that were to run, also such as did not complete,
    and no others; `inner` holds the visits within a branch. Delegates stand within their node in the same way.
    """

    nodes: dict[str, int] = field(default_factory=dict)
    edges: dict[tuple[Target, Target], list[int]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    inner: dict[str, Visits] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    stopped_at_edge: set[str] = field(default_factory=set)
    running: set[str] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    retries: dict[str, int] = field(default_factory=dict)
    degraded: dict[str, int] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    logs: list[Log] = field(default_factory=list, compare=False, repr=False)


_Ahead = list[tuple[Visits, Log]]


def visits_of(log: Log) -> Visits:
    """The path taken in a log and in everything inside it."""
    visits = Visits()
    ahead: _Ahead = [(visits, log)]
    while ahead:  # no recursion: graphs may be nested deep
        some, each = ahead.pop()
        some.logs.append(each)
        _add_starts(some, each)
        ahead += reversed(_add(some, each))  # the first one next: orders are counted over all runs of a graph
    return visits


def _add(visits: Visits, log: Log) -> _Ahead:
    """Adds one log, and gives those within it, each with the visits that it belongs to."""
    inner: _Ahead = []
    taken = _last_order(visits)
    is_counted = False  # whether `taken` is the order of this super-step
    for i, commit in enumerate(log.commits):
        is_counted = is_counted and commit.is_joined
        if isinstance(commit.interrupt, Answer):
            visits.waiting.discard(commit.node)
            continue
        if isinstance(commit.interrupt, Interrupt):
            visits.waiting.add(commit.node)
            continue
        visits.nodes[commit.node] = visits.nodes.get(commit.node, 0) + 1
        targets = log.routes[i] if i < len(log.routes) else ()
        if targets and not is_counted:
            taken, is_counted = taken + 1, True
        for target in targets:
            visits.edges.setdefault((commit.node, target), []).append(taken)
        _add_attempts(visits, commit.node, tries=commit)
        inner += _inner(visits, commit.node, child=commit.child, instances=commit.instances)
    if log.failure is not None and log.failure.lanes:
        inner += _lanes(visits, log.failure.lanes, is_over=True)
    elif log.failure is not None:
        visits.failed.add(log.failure.node)
        _count(visits.retries, log.failure.node, more=len(log.failure.failures))
        inner += _inner(visits, log.failure.node, child=log.failure.child, instances=log.failure.instances)
    elif (node := log.under_way) is not None and node.lanes:
        inner += _lanes(visits, node.lanes, is_over=node.stopped)
    elif node is not None:
        at_edge = visits.stopped_at_edge if node.at_edge else visits.stopped
        (at_edge if node.stopped else visits.running).add(node.node)
        inner += _inner(visits, node.node, child=node.child, instances=node.instances, is_running=not node.stopped)
    return inner


def _lanes(visits: Visits, lanes: Sequence[Log], *, is_over: bool) -> _Ahead:
    """Adds the nodes of a super-step that was not committed."""
    inner: _Ahead = []
    for lane in lanes:
        if lane.commits:
            commit = lane.commits[0]
            (visits.dropped if is_over else visits.finished).add(commit.node)
            inner += _inner(visits, commit.node, child=commit.child, instances=commit.instances)
        elif lane.failure is not None or lane.under_way is not None:
            inner += _add(visits, lane)
    return inner


def _add_attempts(visits: Visits, name: str, *, tries: Commit | Tries) -> None:
    """Counts what was made of the attempts at a node or a branch by the middleware around it."""
    _count(visits.retries, name, more=max(len(tries.failures) - tries.is_degraded, 0))
    _count(visits.degraded, name, more=int(tries.is_degraded))
    _count(visits.answered, name, more=int(not tries.is_entered))


def _count(counts: dict[str, int], name: str, *, more: int) -> None:
    if more:
        counts[name] = counts.get(name, 0) + more


def _last_order(visits: Visits) -> int:
    return max((orders[-1] for orders in visits.edges.values() if orders), default=0)


def _add_starts(visits: Visits, log: Log) -> None:
    """Counts the edges from the start: one, but for a document, which may begin with several nodes."""
    entered = _entered(log)
    if entered is not None:
        taken = _last_order(visits) + 1
        for name in (entered,) if log.starts is None else log.starts:
            visits.edges.setdefault((START, name), []).append(taken)


def _entered(log: Log) -> str | None:
    """The node at which the graph was entered, None if it was not yet."""
    if log.commits:
        return log.commits[0].node
    if log.failure is not None:
        return log.failure.node
    return log.under_way.node if log.under_way is not None else None


def _inner(
    visits: Visits, node: str, *, child: Log | None, instances: Instances | None, is_running: bool = False
) -> _Ahead:
    if child is None and instances is not None and instances.names is not None:
        return _branches(visits.inner.setdefault(node, Visits()), instances, is_running=is_running)
    logs = [child] if child is not None else [each for each in (instances.logs if instances else ()) if each]
    within = visits.inner.setdefault(node, Visits()) if logs else visits
    return [(within, each) for each in logs]


def _branches(visits: Visits, made: Instances, *, is_running: bool) -> _Ahead:
    """Adds what became of each parallel branch or delegate, as if it were a node of the node that runs it."""
    fates = fates_of(made)
    lost = {i for i, error in made.errors if isinstance(error, NotAccepted)}  # it gave something, which will not do
    for i in range(made.count):
        name = str(made.label(i))
        visits.nodes[name] = visits.nodes.get(name, 0) + (i in fates.finished or i in lost)
        if i in fates.failed and i not in lost:
            visits.failed.add(name)
        elif i in fates.stopped:
            (visits.running if is_running else visits.stopped).add(name)
    for i, tries in made.tries:
        if i in fates.failed:
            _count(visits.retries, str(made.label(i)), more=len(tries.failures))
        else:
            _add_attempts(visits, str(made.label(i)), tries=tries)
    logs = ((str(made.label(i)), log) for i, log in enumerate(made.logs))
    return [(visits.inner.setdefault(name, Visits()), log) for name, log in logs if log is not None]
