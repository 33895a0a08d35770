"""Steps and deltas: the commits of a log as records to look at, numbered."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from graphnb.graph.ends import Target
from graphnb.state.folding.fold import Fold
from graphnb.state.folding.writes import REPLACED, written_value
from graphnb.state.schema import state_of
from graphnb.state.values.detach import detach
from graphnb.state.values.same import is_same
from graphnb.trace.instances import Instances
from graphnb.trace.log import Commit, Failure, Log, values_at
from graphnb.trace.places import Part, path_text
from graphnb.trace.unfinished import FailedStep, OpenStep


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Delta:
    """One field changed by one step.

    `before`, `written` and `after` are own copies made when asked for; `kept` gives the fold as the log holds
    it, for readers that must not copy long lists. `instances` is set where a fan-out made the write, `branch` where
    a parallel branch did. `overwritten_by` tells who wrote the field after it within the same step and took nothing
    over: a branch, "" for the node itself, None for nobody.
    """

    kept: Fold
    instances: Instances | None = None
    branch: str | None = None
    overwritten_by: str | None = None

    @property
    def field(self) -> str:
        """The field's name."""
        return self.kept.field

    @property
    def reducer(self) -> str:
        """The reducer's name; "Replace" where the write went round it."""
        return self.kept.reducer

    @property
    def is_replace(self) -> bool:
        """True if the write bypassed the reducer."""
        return self.kept.written is REPLACED

    @property
    def before(self) -> Any:
        """The value before the fold."""
        return detach(self.kept.before)

    @property
    def written(self) -> Any:
        """What the node wrote: validated where it went into the value as it is, else as it came.

        As it came: for `merge_all` and `merge_by_key`, where items were left out, and where the value that a
        reducer gave is validated as a whole, as with custom reducers.
        """
        return detach(written_value(self.kept.written, self.kept.before, self.kept.after))

    @property
    def after(self) -> Any:
        """The value after the fold."""
        return detach(self.kept.after)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Delta):
            return NotImplemented
        if (self.field, self.reducer, self.branch) != (other.field, other.reducer, other.branch):
            return False
        return all(map(is_same, _values_of(self.kept), _values_of(other.kept)))

    def __repr__(self) -> str:
        return f"Delta({self.field!r}, {self.reducer})"


def _values_of(kept: Fold) -> tuple[Any, Any, Any]:
    return kept.before, written_value(kept.written, kept.before, kept.after), kept.after


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Step:
    """One completed node.

    `number` counts from 0 over the whole run, inner steps included; the step of a subgraph node itself bears
    the number of its last inner step, since the specification gives it none. `parents` lead from the
    outermost graph to the one that holds the node. `targets` are where the run went next.
    Source of the numbers: graph-engine §6, observer events.
    """

    number: int
    parents: tuple[Part, ...]
    log: Log
    index: int

    @property
    def _commit(self) -> Commit:
        return self.log.commits[self.index]

    @property
    def node(self) -> str:
        """The node's name in its own graph."""
        return self._commit.node

    @property
    def path(self) -> str:
        """Where the node stands: `child/a`, or `read[2]/a` in the third instance of a fan-out."""
        return path_text(self.parents, self.node)

    @property
    def namespace(self) -> tuple[str, ...]:
        """The names from the outermost graph down to the node's own."""
        return (*(part.node for part in self.parents), self.node)

    @property
    def folds(self) -> tuple[Fold, ...]:
        """The folds as the log holds them, in the order of the update: to be read, not changed."""
        return self._commit.folds

    @property
    def deltas(self) -> tuple[Delta, ...]:
        """One per written field, in the order of the update; of parallel branches one per branch that wrote it."""
        commit = self._commit
        made = commit.instances
        if made is None or not made.owners:
            return tuple(Delta(each, made if made and each.field in made.into else None) for each in commit.folds)
        writers = [made.writer(i) for i in range(len(commit.folds))]
        return tuple(
            Delta(each, None, writers[i], _overwriter(each.field, commit.folds[i + 1 :], writers[i + 1 :]))
            for i, each in enumerate(commit.folds)
        )

    @property
    def targets(self) -> tuple[Target, ...]:
        """The nodes that came next, or END; empty if the edge failed or was not asked yet."""
        return self.log.routes[self.index] if self.index < len(self.log.routes) else ()

    @property
    def instances(self) -> Instances | None:
        """What a fan-out or parallel branches did, None for other nodes."""
        return self._commit.instances

    @property
    def failures(self) -> tuple[Exception, ...]:
        """The errors of attempts before the last one, or of all of them where `is_degraded`."""
        return self._commit.failures

    @property
    def is_entered(self) -> bool:
        """False if middleware has answered without asking the node."""
        return self._commit.is_entered

    @property
    def is_degraded(self) -> bool:
        """True if every attempt has failed, and middleware has put an update in its place."""
        return self._commit.is_degraded

    @property
    def before(self) -> Any:
        """The state before the step, an instance of the graph's own state class."""
        return state_of(self.log.schema, values_at(self.log, self.index))

    @property
    def after(self) -> Any:
        """The state after the step."""
        return state_of(self.log.schema, values_at(self.log, self.index + 1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        mine = (self.number, self.parents, self.node, self.targets, self.deltas)
        return mine == (other.number, other.parents, other.node, other.targets, other.deltas)

    def __repr__(self) -> str:
        return f"Step({self.number}, {self.path!r}, writes {[each.field for each in self._commit.folds]})"


def _overwriter(field: str, folds: Sequence[Fold], writers: Sequence[str | None]) -> str | None:
    """Who of these writes the field next, if that takes nothing of the value over; None if nobody does."""
    for each, writer in zip(folds, writers, strict=True):
        if each.field == field:
            takes_over = each.written is not REPLACED and each.reducer != "last_write_wins"
            return None if takes_over else writer or ""
    return None


Entry = Step | FailedStep | OpenStep
_Walk = Generator["Entry | _Walk", None, None]
"""Steps, and walks of which the steps come next."""


def walk(log: Log) -> Iterator[Entry]:
    """All steps of a run in the order of their numbers; nodes that did not complete where they were entered."""
    return _flat(_walk(log, (), _Counter()))


def walk_commit(log: Log, index: int, *, first: int) -> Iterator[Entry]:
    """The steps of one commit of the outermost graph, inner ones included; `first` is the next free number."""
    return _flat(_walk_commit(log, index, (), _Counter(first)))


def _flat(walk: _Walk) -> Iterator[Entry]:
    """The steps of a walk and of all walks within it; without recursion, since graphs may be nested deep."""
    under_way = [walk]
    while under_way:
        for each in under_way[-1]:
            if not isinstance(each, Entry):
                under_way.append(each)
                break
            yield each
        else:
            under_way.pop()


class _Counter:
    """The next free step number."""

    __slots__ = ("next",)

    def __init__(self, first: int = 0) -> None:
        self.next = first

    def take(self) -> int:
        self.next += 1
        return self.next - 1

    def last(self) -> int:
        return max(self.next - 1, 0)


def _walk(log: Log, parents: tuple[Part, ...], counter: _Counter) -> _Walk:
    for index, commit in enumerate(log.commits):
        if commit.child is None and commit.instances is None:
            yield Step(counter.take() if commit.is_entered else counter.last(), parents, log, index)
        else:
            yield _walk_commit(log, index, parents, counter)
    if log.failure is not None:
        yield _walk_failure(log, log.failure, parents, counter)
    elif log.open is not None:
        yield _walk_open(log, parents, counter)


def _walk_commit(log: Log, index: int, parents: tuple[Part, ...], counter: _Counter) -> _Walk:
    commit = log.commits[index]
    if commit.child is not None:
        yield _walk(commit.child, (*parents, Part(commit.node, None)), counter)
        yield Step(counter.last(), parents, log, index)
        return
    yield Step(counter.take(), parents, log, index)
    if commit.instances:
        yield _walk_instances(commit.node, commit.instances, parents, counter)


def _walk_instances(node: str, made: Instances, parents: tuple[Part, ...], counter: _Counter) -> _Walk:
    for i, inner in enumerate(made.logs):
        if inner is not None:
            yield _walk(inner, (*parents, Part(node, made.label(i))), counter)
        elif made.names is not None:  # a branch that is a function: its step is within the node's
            counter.take()


def _walk_failure(log: Log, failure: Failure, parents: tuple[Part, ...], counter: _Counter) -> _Walk:
    node, error, child, instances, at_edge, failures, is_entered = failure
    if child is not None:
        yield _walk(child, (*parents, Part(node, None)), counter)
    number = counter.last() if at_edge or child is not None else counter.take()
    index = len(log.commits)
    yield FailedStep(number, parents, log, index, node, error, at_edge, instances, failures, is_entered)
    if instances:
        yield _walk_instances(node, instances, parents, counter)


def _walk_open(log: Log, parents: tuple[Part, ...], counter: _Counter) -> _Walk:
    under_way = log.under_way
    if under_way is None:
        return
    node, instances, first = under_way.node, under_way.instances, counter.next
    if under_way.child is not None:
        yield _walk(under_way.child, (*parents, Part(node, None)), counter)
    number = counter.last() if under_way.at_edge or counter.next > first else counter.take()
    yield OpenStep(number, parents, log, len(log.commits), node, under_way.stopped, under_way.at_edge, instances)
    if instances:
        yield _walk_instances(node, instances, parents, counter)
