"""What the log tells of the attempts at instances and branches, which middleware around them has made."""

from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.trace.instances import Tries
from tests.engine.driven import DRIVERS, watch

HOW = pytest.mark.parametrize("how", DRIVERS)
RETRY = gn.retry(3, classifier=lambda error, state: True, backoff=0)
BUSY, BAD = ConnectionError("busy"), ValueError("bad")


class Batch(gn.State):
    item: int = 0
    got: int = 0
    out: Annotated[list[Any], gn.append] = []
    problems: list[dict[str, str]] = []


class Worker:
    """Fails twice for 1, always for 2."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, given: Any) -> Any:
        i = given if isinstance(given, int) else given.item
        self.calls.append(i)
        if i == 1 and self.calls.count(1) < 3:
            raise BUSY
        if i == 2:
            raise BAD
        return i if isinstance(given, int) else {"got": i}


def batch(kind: str, *middleware: Any, **options: Any) -> gn.Graph:
    """A fan-out of three instances of such a worker, a function or a graph."""
    worker: Any = Worker()
    given: dict[str, Any] = {"count": 3, "into": "out", "instance_middleware": middleware, "to": gn.END, **options}
    if kind == "graph":
        inner = gn.Graph(Batch, entry="w", name="worker")
        inner.node("w", worker, to=gn.END)
        worker = inner
        given |= {"collect": "got", "item": "item", "over": "out", "count": None}
    graph = gn.Graph(Batch, entry="each")
    graph.fan_out("each", worker, **given)
    return graph


def tries_of(run: Any) -> dict[Any, Any]:
    """What is told of the first step's instances, the errors of graphs by their causes."""
    made = run.steps[0].instances
    own = {made.label(i): tries for i, tries in made.tries}
    return {
        i: tries._replace(failures=tuple(each.__cause__ or each for each in tries.failures)) for i, tries in own.items()
    }


KINDS = pytest.mark.parametrize("kind", ["function", "graph"])


@HOW
@KINDS
def test_failures_before_the_result_or_the_error_of_an_instance_are_in_the_log(how, kind):
    """By instance; of one that failed for good without the last, which is its error."""
    run = watch(batch(kind, RETRY, error_policy="collect", errors_into="problems"), how, **given_for(kind)).run

    assert {1: Tries((BUSY, BUSY)), 2: Tries((BAD, BAD))} == tries_of(run)
    assert [2] == [i for i, _ in run.steps[0].instances.errors]


def given_for(kind: str) -> dict[str, Any]:
    """The start of such a run."""
    return {"out": [0, 1, 2]} if kind == "graph" else {}


@HOW
@KINDS
def test_instance_whose_failure_was_isolated_is_told_as_degraded(how, kind):
    """With all of its failures; it has given something, so that it is no error."""
    isolation = gn.failure_isolation(lambda s: {"got": -1}, event_name="instead")
    run = watch(batch(kind, isolation, RETRY), how, **given_for(kind)).run

    assert {1: Tries((BUSY, BUSY)), 2: Tries((BAD, BAD, BAD), is_degraded=True)} == tries_of(run)
    assert () == run.steps[0].instances.errors


@HOW
@KINDS
def test_instance_that_middleware_has_answered_for_is_told(how, kind):
    """The worker was not asked."""
    run = watch(batch(kind, lambda s, following: {"got": 7}), how, **given_for(kind)).run

    assert dict.fromkeys(range(3), Tries(is_entered=False)) == tries_of(run)


@HOW
def test_instance_that_middleware_has_failed_without_asking_is_told(how):
    """Its error is that of the middleware."""

    def refuses(s: Any, following: Any) -> Any:
        raise BAD

    run = watch(batch("function", refuses, error_policy="collect", errors_into="problems"), how).run

    assert dict.fromkeys(range(3), Tries(is_entered=False)) == tries_of(run)


@HOW
def test_node_that_failed_tells_what_its_instances_had_tried(how):
    """The log of the failure has it too."""
    driven = watch(batch("function", RETRY, concurrency=1), how)

    assert {1: Tries((BUSY, BUSY)), 2: Tries((BAD, BAD))} == dict(driven.run.trace.failures[0].instances.tries)


@HOW
@KINDS
def test_attempts_that_succeed_at_once_leave_nothing_in_the_log(how, kind):
    """Also within middleware."""
    graph = batch(kind, RETRY, over="out", item="item", count=None) if kind == "graph" else batch(kind, RETRY, count=1)
    run = watch(graph, how, **({"out": [0, 0]} if kind == "graph" else {})).run

    assert {} == tries_of(run)


@HOW
@KINDS
def test_attempts_at_branches_are_in_the_log(how, kind):
    """By the place of the branch among those that ran."""
    worker, inner = Worker(), gn.Graph(Batch, entry="w", name="worker")
    inner.node("w", worker, to=gn.END)
    outputs: dict[str, Any] = {"inputs": {"item": "item"}, "outputs": {"got": "got"}} if kind == "graph" else {}
    isolation = gn.failure_isolation({}, event_name="instead")
    branches = {
        "bare": lambda s: {},
        "again": gn.ParallelBranch(inner if kind == "graph" else worker, middleware=[RETRY], **outputs),
        "broken": gn.ParallelBranch(lambda s: worker(2), middleware=[isolation]),
        "answered": gn.ParallelBranch(worker, middleware=[lambda s, following: {}]),
    }
    graph = gn.Graph(Batch, entry="all")
    graph.branches("all", branches, to=gn.END)
    run = watch(graph, how, item=1).run

    assert {
        "again": Tries((BUSY, BUSY)),
        "broken": Tries((BAD,), is_degraded=True),
        "answered": Tries(is_entered=False),
    } == tries_of(run)


def test_attempts_are_seen_while_the_fan_out_goes_on():
    """By whoever looks at the run meanwhile."""
    seen: list[Any] = []
    worker = Worker()

    def look(i: int) -> Any:
        if i == 2:
            seen.append(dict(handle().instances.tries))
            return i
        return worker(i)

    graph = gn.Graph(Batch, entry="each", name="looked at")
    graph.fan_out("each", look, count=3, concurrency=1, into="out", instance_middleware=[RETRY], to=gn.END)

    def handle() -> Any:
        return graph.last_run.trace.log.under_way

    graph.run()

    assert [{1: Tries((BUSY, BUSY))}] == seen
