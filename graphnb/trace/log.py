"""The log of one running graph: append-only, filled by the engine, read by everybody else.

A log is a tree. A node that runs other graphs has their logs under its commit; a fan-out has one per
instance, in item order. So two runs with the same results have equal logs, whatever finished first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from graphnb.errors import RunError
from graphnb.graph.ends import Target
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.state.folding.fold import Fold
from graphnb.state.schema import Schema, Values
from graphnb.trace.instances import Instances, Spreading
from graphnb.trace.parking import Parking

_NONE_GIVEN: Final[frozenset[str]] = frozenset()


class Commit(NamedTuple):
    """One entry: the node that completed, its folds in the update's order, and what ran inside it.

    `failures` are the errors of attempts that were made before, or in whose place middleware has put an update;
    `is_entered` is False if middleware has answered without asking the node; `is_degraded` is True if the node was
    asked and no attempt has given anything, so that the update is one that middleware has put in its place.

    `is_joined`: the node ran in the same super-step as that of the commit before. Of a field that several nodes of a
    step wrote the one fold stands at the last of them. `interrupt` is set where the node has asked instead of
    completing, and where the entry is the answer to that.
    """

    node: str
    folds: tuple[Fold, ...]
    child: Log | None = None
    instances: Instances | None = None
    failures: tuple[Exception, ...] = ()
    is_entered: bool = True
    is_degraded: bool = False
    is_joined: bool = False
    interrupt: Interrupt | Answer | None = None


class Failure(NamedTuple):
    """A node that did not complete, or whose edge did not: the error, and what had run inside it.

    If several nodes ran in the step, `lanes` has a log for each of them, and `node` is the first that failed.
    """

    node: str
    error: RunError
    child: Log | None = None
    instances: Instances | None = None
    at_edge: bool = False
    failures: tuple[Exception, ...] = ()
    is_entered: bool = True
    lanes: tuple[Log, ...] = ()


class Open(NamedTuple):
    """A node that was entered and has come to no end: it is running graphs, or the run was `stopped` in it.

    `commits` is how many there were when it was entered: with one more it is closed. `at_edge`: the node
    completed, and the run was stopped while its edge was asked. If several nodes run in the step, `lanes` has a log
    for each of them, and `node` names all.
    """

    commits: int
    node: str
    child: Log | None = None
    spread: Spreading | Instances | None = None
    at_edge: bool = False
    stopped: bool = False
    lanes: tuple[Log, ...] = ()

    @property
    def instances(self) -> Instances | None:
        """What the instances of a fan-out have done so far, None for other nodes."""
        return self.spread.so_far() if isinstance(self.spread, Spreading) else self.spread


class Pinned(NamedTuple):
    """The document that a run was begun with: its hash, and its outputs with the field that each of them shows."""

    hash: str
    outputs: Mapping[str, str]


class Log:
    """The commits of one graph, in order.

    `routes[i]` are the targets that were chosen after `commits[i]`; it is shorter than `commits` while an
    edge is still to be asked, and stays so if the edge failed. `open` is set while a node runs graphs, and
    where an interruption has ended the graph; `failure` is what ended it early. `waits`: all that is left to do is to
    answer interrupts. Only the nodes of the graph that is run may ask, whose log `is_outermost`.

    Of a graph that was read from a document `given` are the inputs that were given, `starts` the nodes with which the
    run began, `pinned` is the document itself, and `parkings` tells of attempts that were repeated.

    Other threads may read while one writes. Hence `open` is cleared after the commit or failure that closes
    it, and says itself whether it is still true: see `under_way`.
    """

    __slots__ = (
        "commits", "failure", "first", "given", "graph", "is_outermost", "joined", "open", "parkings", "pinned",
        "routes", "schema", "start", "starts", "waits",
    )  # fmt: skip

    def __init__(
        self, graph: str, schema: Schema, start: Values, *, first: int = 0, is_outermost: bool = False
    ) -> None:
        self.graph = graph
        self.schema = schema
        self.start = start
        self.first = first  # the number of the first super-step: a lane begins within a run
        self.joined = 0  # how many commits are no super-step by themselves: joined ones and answers
        self.waits = False
        self.is_outermost = is_outermost
        self.given: frozenset[str] = _NONE_GIVEN
        self.starts: tuple[str, ...] | None = None
        self.pinned: Pinned | None = None
        self.parkings: list[Parking] = []
        self.commits: list[Commit] = []
        self.routes: list[tuple[Target, ...]] = []
        self.open: Open | None = None
        self.failure: Failure | None = None

    @property
    def step(self) -> int:
        """The number of the super-step that comes next, or is under way."""
        return self.first + len(self.commits) - self.joined

    @property
    def parked(self) -> Parking | None:
        """The super-step that waits for attempts to be repeated, None if there is none."""
        last = self.parkings[-1] if self.parkings else None
        return last if last is not None and last.step == self.step else None

    @property
    def under_way(self) -> Open | None:
        """The node that was entered and has come to no end, None if there is none."""
        node = self.open
        return node if node is not None and self.failure is None and node.commits == len(self.commits) else None

    def snapshot(self) -> Log:
        """The log as it is now: what another thread goes on writing does not reach it."""
        own = begun_like(self)
        ahead = [(self, own)]
        while ahead:  # no recursion: graphs may be nested deep
            ahead += _fill(*ahead.pop())
        return own


def start_of_step(commits: Sequence[Commit], index: int) -> int:
    """The first commit of the super-step to which this one belongs."""
    while commits[index].is_joined:
        index -= 1
    return index


def end_of_step(commits: Sequence[Commit], index: int) -> int:
    """One past the last commit of the super-step to which this one belongs."""
    last = index + 1
    while last < len(commits) and commits[last].is_joined:
        last += 1
    return last


def super_steps_of(log: Log) -> Iterator[slice]:
    """Where the commits of each super-step stand whose edges have been asked; an answer stands by itself."""
    first = 0
    while first < len(log.routes):
        last = end_of_step(log.commits, first)
        yield slice(first, last)
        first = last


def completed_in(commits: Sequence[Commit]) -> tuple[str, ...]:
    """The nodes that have completed in these commits of one super-step, in their order; not those that have asked."""
    return tuple(commit.node for commit in commits if commit.interrupt is None)


def count_joined(commits: Sequence[Commit]) -> int:
    """How many of the commits are no super-step by themselves: joined ones and answers."""
    return sum(each.is_joined or type(each.interrupt) is Answer for each in commits)


def _fill(source: Log, own: Log) -> list[tuple[Log, Log]]:
    """Fills a snapshot, and gives the logs within it that are under way, each with its snapshot to be filled."""
    # In this order: what closes an open node is seen if the node is not, and routes are those of commits.
    node, own.failure, own.waits = source.open, source.failure, source.waits
    own.routes = source.routes[:]
    commits, chosen = source.commits[:], len(own.routes)
    own.commits = commits[: end_of_step(commits, chosen)]
    own.joined = count_joined(own.commits) if source.joined else 0
    if node is None or own.failure is not None or node.commits != len(own.commits):
        return []
    if node.child is not None:
        child = begun_like(node.child)
        own.open = node._replace(child=child)
        return [(node.child, child)]
    if node.lanes:
        lanes = tuple(begun_like(each) for each in node.lanes)
        own.open = node._replace(lanes=lanes)
        return list(zip(node.lanes, lanes, strict=True))
    made = node.instances
    if made is None:
        own.open = node
        return []
    copies = [None if each is None else begun_like(each) for each in made.logs]
    own.open = node._replace(spread=made._replace(logs=tuple(copies)))
    return [(each, copy) for each, copy in zip(made.logs, copies, strict=True) if each is not None and copy is not None]


def begun_like(log: Log) -> Log:
    """A log without commits that has begun as this one did; steps that were parked are in it."""
    own = Log(log.graph, log.schema, log.start, first=log.first, is_outermost=log.is_outermost)
    own.given, own.starts, own.pinned, own.parkings = log.given, log.starts, log.pinned, log.parkings[:]
    return own


def open_interrupts(log: Log) -> tuple[Interrupt, ...]:
    """The interrupts that nobody has answered yet, in the order in which they were asked."""
    asked: dict[str, Interrupt] = {}
    for commit in log.commits:
        if isinstance(commit.interrupt, Interrupt):
            asked[commit.interrupt.id] = commit.interrupt
        elif isinstance(commit.interrupt, Answer):
            del asked[commit.interrupt.id]
    return tuple(asked.values())


def values_at(log: Log, index: int | None = None) -> Values:
    """The kept values after `index` commits, after all of them for None: a fold over the log."""
    values: dict[str, Any] = dict(log.start)
    for commit in log.commits[:index]:
        for fold in commit.folds:
            values[fold.field] = fold.after
    return values
