"""The log of one running graph: append-only, filled by the engine, read by everybody else.

A log is a tree. A node that runs other graphs has their logs under its commit; a fan-out has one per
instance, in item order. So two runs with the same results have equal logs, whatever finished first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from graphnb.errors import RunError
from graphnb.graph.ends import Target
from graphnb.state.folding.fold import Fold
from graphnb.state.schema import Schema, Values
from graphnb.trace.instances import Instances, Spreading


class Commit(NamedTuple):
    """One entry: the node that completed, its folds in the update's order, and what ran inside it.

    `failures` are the errors of attempts that were made before, or in whose place middleware has put an update;
    `is_entered` is False if middleware has answered without asking the node; `is_degraded` is True if the node was
    asked and no attempt has given anything, so that the update is one that middleware has put in its place.
    """

    node: str
    folds: tuple[Fold, ...]
    child: Log | None = None
    instances: Instances | None = None
    failures: tuple[Exception, ...] = ()
    is_entered: bool = True
    is_degraded: bool = False


class Failure(NamedTuple):
    """A node that did not complete, or whose edge did not: the error, and what had run inside it."""

    node: str
    error: RunError
    child: Log | None = None
    instances: Instances | None = None
    at_edge: bool = False
    failures: tuple[Exception, ...] = ()
    is_entered: bool = True


class Open(NamedTuple):
    """A node that was entered and has come to no end: it is running graphs, or the run was `stopped` in it.

    `commits` is how many there were when it was entered: with one more it is closed. `at_edge`: the node
    completed, and the run was stopped while its edge was asked.
    """

    commits: int
    node: str
    child: Log | None = None
    spread: Spreading | Instances | None = None
    at_edge: bool = False
    stopped: bool = False

    @property
    def instances(self) -> Instances | None:
        """What the instances of a fan-out have done so far, None for other nodes."""
        return self.spread.so_far() if isinstance(self.spread, Spreading) else self.spread


class Log:
    """The commits of one graph, in order.

    `routes[i]` are the targets that were chosen after `commits[i]`; it is shorter than `commits` while an
    edge is still to be asked, and stays so if the edge failed. `open` is set while a node runs graphs, and
    where an interruption has ended the graph; `failure` is what ended it early.

    Other threads may read while one writes. Hence `open` is cleared after the commit or failure that closes
    it, and says itself whether it is still true: see `under_way`.
    """

    __slots__ = ("commits", "failure", "graph", "open", "routes", "schema", "start")

    def __init__(self, graph: str, schema: Schema, start: Values) -> None:
        self.graph = graph
        self.schema = schema
        self.start = start
        self.commits: list[Commit] = []
        self.routes: list[tuple[Target, ...]] = []
        self.open: Open | None = None
        self.failure: Failure | None = None

    @property
    def under_way(self) -> Open | None:
        """The node that was entered and has come to no end, None if there is none."""
        node = self.open
        return node if node is not None and self.failure is None and node.commits == len(self.commits) else None

    def snapshot(self) -> Log:
        """The log as it is now: what another thread goes on writing does not reach it."""
        own = Log(self.graph, self.schema, self.start)
        ahead = [(self, own)]
        while ahead:  # no recursion: graphs may be nested deep
            ahead += _fill(*ahead.pop())
        return own


def _fill(source: Log, own: Log) -> list[tuple[Log, Log]]:
    """Fills a snapshot, and gives the logs within it that are under way, each with its snapshot to be filled."""
    # In this order: what closes an open node is seen if the node is not, and routes are those of commits.
    node, own.failure = source.open, source.failure
    own.routes = source.routes[:]
    count = min(len(source.commits), len(own.routes) + 1)
    own.commits = source.commits[:count]
    if node is None or own.failure is not None or node.commits != count:
        return []
    if node.child is not None:
        child = _begun(node.child)
        own.open = node._replace(child=child)
        return [(node.child, child)]
    made = node.instances
    if made is None:
        own.open = node
        return []
    copies = [None if each is None else _begun(each) for each in made.logs]
    own.open = node._replace(spread=made._replace(logs=tuple(copies)))
    return [(each, copy) for each, copy in zip(made.logs, copies, strict=True) if each is not None and copy is not None]


def _begun(log: Log) -> Log:
    return Log(log.graph, log.schema, log.start)


def values_at(log: Log, index: int | None = None) -> Values:
    """The kept values after `index` commits, after all of them for None: a fold over the log."""
    values: dict[str, Any] = dict(log.start)
    for commit in log.commits[:index]:
        for fold in commit.folds:
            values[fold.field] = fold.after
    return values
