"""Walking through a log: its commits as numbered steps, with what ran inside of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from graphnb.graph.interrupt import Answer
from graphnb.trace.instances import Instances, Unit
from graphnb.trace.log import Failure, Log, start_of_step
from graphnb.trace.places import Part
from graphnb.trace.reading.steps import Entry, Step
from graphnb.trace.reading.unfinished import FailedStep, OpenStep

_Walk = Generator["Entry | _Walk", None, None]
"""Steps, and walks of which the steps come next."""


def walk(log: Log) -> Iterator[Entry]:
    """All steps of a run in the order of their numbers; nodes that did not complete where they were entered."""
    return _flat(_walk(log, _Way((), _Counter())))


def walk_last(log: Log, *, first: int) -> tuple[tuple[Entry, ...], int]:
    """The steps of the last super-step of the outermost graph, inner ones included, and the number that is free then.

    `first` is the one that was free before.
    """
    way, count = _Way((), _Counter(first)), len(log.commits)
    walk = _walk_commits(log, way, first=start_of_step(log.commits, count - 1))
    return tuple(_flat(walk)), way.counter.next


def next_number(log: Log) -> int:
    """The number of the step that comes after the last one of a run, be that a branch that is a function."""
    way = _Way((), _Counter())
    deque(_flat(_walk(log, way)), maxlen=0)
    return way.counter.next


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


class _Way(NamedTuple):
    """Where a walk is: the nodes around the graph whose log it walks through, and the numbers of the whole run."""

    parents: tuple[Part, ...]
    counter: _Counter

    def into(self, node: str, instance: int | str | None = None, *, unit: Unit = "instance") -> _Way:
        """The way into the graph of a node, or of one of its instances, branches or delegates."""
        return _Way((*self.parents, Part(node, instance, unit)), self.counter)


def _walk(log: Log, way: _Way) -> _Walk:
    yield _walk_commits(log, way)
    if log.failure is not None:
        yield _walk_failure(log, log.failure, way=way)
    elif log.open is not None:
        yield _walk_open(log, way)


def _walk_commits(log: Log, way: _Way, *, first: int = 0) -> _Walk:
    commits, last, shared = log.commits, len(log.commits), 0
    parents, counter = way
    for index in range(first, last):
        commit = commits[index]
        if commit.is_joined or (index + 1 < last and commits[index + 1].is_joined):
            shared = shared if commit.is_joined else counter.take()
            yield _walk_joined(log, index, way=way, number=shared)
        elif type(commit.interrupt) is Answer:
            yield Step(counter.next, parents, log, index)
        elif commit.child is None and commit.instances is None:
            yield Step(counter.take() if commit.is_entered else counter.last(), parents, log, index)
        else:
            yield _walk_commit(log, index, way=way)


def _walk_joined(log: Log, index: int, *, way: _Way, number: int) -> _Walk:
    """A node of a super-step of several, and what ran inside of it."""
    commit = log.commits[index]
    yield Step(number, way.parents, log, index)
    if commit.child is not None:
        yield _walk(commit.child, way.into(commit.node))
    elif commit.instances:
        yield _walk_instances(commit.node, commit.instances, way=way)


def _walk_commit(log: Log, index: int, *, way: _Way) -> _Walk:
    """A node by itself that has run other graphs, or instances."""
    commit = log.commits[index]
    if commit.child is not None:
        yield _walk(commit.child, way.into(commit.node))
        yield Step(way.counter.last(), way.parents, log, index)
        return
    yield Step(way.counter.take(), way.parents, log, index)
    yield _walk_instances(commit.node, commit.instances, way=way)  # type: ignore[arg-type]  # it has some


def _walk_instances(node: str, made: Instances, *, way: _Way) -> _Walk:
    for i, inner in enumerate(made.logs):
        if inner is not None:
            yield _walk(inner, way.into(node, made.label(i), unit=made.unit))
        elif made.unit == "branch":  # a branch that is a function: its step is within the node's
            way.counter.take()


def _walk_failure(log: Log, failure: Failure, *, way: _Way, shared: int | None = None) -> _Walk:
    node, error, child, instances, at_edge, failures, is_entered, lanes = failure
    if lanes:
        yield _walk_lanes(lanes, way, is_over=True)
        return
    if child is not None:
        yield _walk(child, way.into(node))
    number = shared
    if number is None:
        number = way.counter.last() if at_edge or child is not None else way.counter.take()
    index = len(log.commits)
    is_shared = shared is not None
    yield FailedStep(number, way.parents, log, index, node, error, at_edge, instances, failures, is_entered, is_shared)
    if instances:
        yield _walk_instances(node, instances, way=way)


def _walk_open(log: Log, way: _Way, *, shared: int | None = None) -> _Walk:
    under_way = log.under_way
    if under_way is None:
        return
    node, instances, first = under_way.node, under_way.instances, way.counter.next
    if under_way.lanes:
        yield _walk_lanes(under_way.lanes, way, is_over=under_way.stopped)
        return
    if under_way.child is not None:
        yield _walk(under_way.child, way.into(node))
    number = shared
    if number is None:
        number = way.counter.last() if under_way.at_edge or way.counter.next > first else way.counter.take()
    stopped, at_edge, is_shared = under_way.stopped, under_way.at_edge, shared is not None
    yield OpenStep(number, way.parents, log, len(log.commits), node, stopped, at_edge, instances, is_shared=is_shared)
    if instances:
        yield _walk_instances(node, instances, way=way)


def _walk_lanes(lanes: Sequence[Log], way: _Way, *, is_over: bool) -> _Walk:
    """The nodes of a super-step that was not committed, each in a log of its own; they share a number."""
    number = way.counter.take()
    for lane in lanes:
        if lane.failure is not None:
            yield _walk_failure(lane, lane.failure, way=way, shared=number)
        elif lane.commits:
            yield _walk_finished(lane, way, number=number, is_over=is_over)
        else:
            yield _walk_open(lane, way, shared=number)


def _walk_finished(lane: Log, way: _Way, *, number: int, is_over: bool) -> _Walk:
    """A node that has finished, while another node of its step has failed or goes on: nothing of it is committed."""
    commit = lane.commits[0]
    node, made = commit.node, commit.instances
    if commit.child is not None:
        yield _walk(commit.child, way.into(node))
    yield OpenStep(number, way.parents, lane, 0, node, is_over, False, made, is_finished=True, is_shared=True)
    if made:
        yield _walk_instances(node, made, way=way)
