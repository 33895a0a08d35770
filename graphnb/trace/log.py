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


class Instances(NamedTuple):
    """What a fan-out did.

    `logs` holds one log per started instance, in item order; it is empty for a plain function as worker.
    `slots` are the instances whose value was collected, in the order of the collected list; `errors` pairs
    an instance with what it raised, by instance. `over` is the list field or None, `into` the fields that
    received a list.
    """

    count: int  # type: ignore[assignment]  # tuples have a method of that name, which nobody needs here
    logs: tuple[Log | None, ...]
    slots: tuple[int, ...] | range
    errors: tuple[tuple[int, BaseException], ...]
    over: str | None
    into: tuple[str, ...]


class Commit(NamedTuple):
    """One entry: the node that completed, its folds in the update's order, and what ran inside it."""

    node: str
    folds: tuple[Fold, ...]
    child: Log | None = None
    instances: Instances | None = None


class Failure(NamedTuple):
    """A node that did not complete, or whose edge did not: the error, and what had run inside it."""

    node: str
    error: RunError
    child: Log | None = None
    instances: Instances | None = None
    at_edge: bool = False


Open = tuple[str, "Log | list[Log | None]"]
"""A node that is running graphs now, with the log of its child or those of its instances."""


class Log:
    """The commits of one graph, in order.

    `routes[i]` are the targets that were chosen after `commits[i]`; it is shorter than `commits` while an
    edge is still to be asked, and stays so if the edge failed. `open` is set while a node runs graphs, and
    stays so if an interruption ended them; `failure` is what ended the graph early.
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

    def snapshot(self) -> Log:
        """The log as it is now: what another thread goes on writing does not reach it."""
        log = Log(self.graph, self.schema, self.start)
        log.failure = self.failure
        # In this order: a commit without its route, or a node that is still open, can be told; the reverse cannot.
        log.routes = self.routes[:]
        count = min(len(self.commits), len(log.routes) + 1)
        log.open = _snapshot_of(self.open)
        log.commits = self.commits[:count]
        return log


def _snapshot_of(under_way: Open | None) -> Open | None:
    if under_way is None:
        return None
    node, inside = under_way
    if isinstance(inside, Log):
        return node, inside.snapshot()
    return node, [None if each is None else each.snapshot() for each in inside]


def values_at(log: Log, index: int | None = None) -> Values:
    """The kept values after `index` commits, after all of them for None: a fold over the log."""
    values: dict[str, Any] = dict(log.start)
    for commit in log.commits[:index]:
        for fold in commit.folds:
            values[fold.field] = fold.after
    return values
