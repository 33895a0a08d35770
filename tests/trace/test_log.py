"""The log of one running graph."""

import gc
import itertools
import tracemalloc
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.errors import NodeException
from graphnb.state.schema import schema_of, start_values
from graphnb.trace.instances import PENDING, Instances
from graphnb.trace.log import Commit, Failure, Log, Open, values_at
from tests.trace.spreadings import spreading
from tests.traces import Made


class Diary(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []


def test_values_are_a_fold_over_the_commits():
    """After so many commits, after all of them, and before the first one."""
    log = Made(Diary, {"n": 5}).step("a", {"log": ["a"]}, "b").step("b", {"n": 6, "log": ["b"]}).log

    assert {"n": 5, "log": []} == values_at(log, 0)
    assert {"n": 5, "log": ["a"]} == values_at(log, 1)
    assert {"n": 6, "log": ["a", "b"]} == values_at(log, 2) == values_at(log)


def test_values_before_the_first_commit_are_a_copy():
    """Whoever changes them does not change the log."""
    log = Made(Diary).log
    values_at(log)["n"] = 9

    assert 0 == log.start["n"]


def test_snapshot_does_not_grow_with_the_log():
    """Commits and routes that come later are not in it."""
    made = Made(Diary).step("a", {"n": 1}, "b")
    snapshot = made.log.snapshot()
    made.step("b", {"n": 2})

    assert (["a"], [("b",)]) == ([commit.node for commit in snapshot.commits], snapshot.routes)
    assert {"n": 1, "log": []} == values_at(snapshot)
    assert (made.log.graph, made.log.schema, made.log.start) == (snapshot.graph, snapshot.schema, snapshot.start)


def test_snapshot_keeps_how_the_log_ended():
    """The failure is part of it, and a commit whose edge was never asked."""
    log = Made(Diary).step("a", {"n": 1}, to=None).fail("a", at_edge=True).log
    snapshot = log.snapshot()

    assert log.failure is snapshot.failure
    assert ([], 1) == (snapshot.routes, len(snapshot.commits))


def test_snapshot_leaves_out_what_came_while_it_was_taken():
    """Of commits without route there is at most one, the last."""
    log = Made(Diary).step("a", {"n": 1}, "b").step("b", {"n": 2}, to=None).step("c", {"n": 3}, to=None).log

    assert ["a", "b"] == [commit.node for commit in log.snapshot().commits]


def test_snapshot_reaches_into_what_is_under_way():
    """The logs of an open child, and of open instances, are snapshots too."""
    child, first, third = Made(Diary), Made(Diary), Made(Diary)
    outer, spread = Made(Diary).log, Made(Diary).log
    outer.open = Open(0, "child", child.log)
    spread.open = Open(0, "each", spread=spreading(1, PENDING, PENDING, logs=[first.log, None, third.log]))
    kept = outer.snapshot(), spread.snapshot()
    for each in (child, first, third):
        each.step("late", {"n": 1})

    assert ("child", []) == (kept[0].open.node, kept[0].open.child.commits)
    assert [True, False, True] == [inner is not None for inner in kept[1].open.instances.logs]
    assert [[], []] == [inner.commits for inner in kept[1].open.instances.logs if inner]


def test_snapshot_of_a_stopped_node_keeps_it():
    """A function node has nothing inside that could go on."""
    log = Made(Diary).step("a", {}, "b").log
    log.open = Open(1, "b", stopped=True)

    assert log.open == log.snapshot().open


class Raced(Log):
    """A log that another thread goes on writing while somebody reads it: after every read it takes some steps."""

    moves: Iterator[Callable[[], object]] = iter(())

    def __init__(self, log: Log, pauses: Sequence[int]) -> None:
        super().__init__(log.graph, log.schema, log.start)
        self.commits, self.routes, self.open = log.commits, log.routes, log.open
        self.pauses = iter(pauses)

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name in ("open", "failure", "commits", "routes"):
            for move in itertools.islice(
                super().__getattribute__("moves"), next(super().__getattribute__("pauses"), 0)
            ):
                move()
        return value


def places_of(log: Log, child: Log) -> list[str]:
    """Where in a snapshot the child log, or a snapshot of it, is to be seen."""
    places = ["commit" for commit in log.commits if commit.child is child]
    places += ["open"] if log.under_way is not None and log.under_way.node == "child" else []
    return [*places, *(["failure"] if log.failure is not None and log.failure.child is child else [])]


PAUSES = list(itertools.product(range(5), repeat=5))


@pytest.mark.parametrize("ending", ["commit", "failure"])
def test_snapshot_taken_at_any_moment_shows_a_child_once(ending):
    """Whatever the writer does between two reads: the child is under way, or in the commit or failure it became."""
    error = NodeException("where", "what")
    seen = set()
    for pauses in PAUSES:
        made = Made(Diary).step("a", {}, "child")
        child = Made(Diary).step("x", {}).log
        made.log.open = Open(1, "child", child)

        raced = Raced(made.log, pauses)
        clear = partial(setattr, raced, "open", None)
        if ending == "commit":
            commit = partial(made.log.commits.append, Commit("child", (), child))
            go_on = partial(setattr, raced, "open", Open(2, "next", Made(Diary).log))
            raced.moves = iter([commit, clear, partial(made.log.routes.append, ("next",)), go_on])
        else:
            raced.moves = iter([partial(setattr, raced, "failure", Failure("child", error, child)), clear])
        places = places_of(raced.snapshot(), child)
        seen.update(places)

        assert 1 == len(places), pauses
    assert {"open", ending} == seen


def test_snapshot_is_taken_of_graphs_nested_deeper_than_the_stack():
    """Two thousand graphs within each other, all of them under way: no recursion."""
    log = Made(Diary).step("x", {}).log
    for _ in range(2000):
        outer = Made(Diary).log
        outer.open = Open(0, "child", log)
        log = outer
    snapshot = log.snapshot()
    for _ in range(2000):
        snapshot = snapshot.open.child

    assert ["x"] == [commit.node for commit in snapshot.commits]


def counting(steps: int, **fields: Any) -> gn.Graph:
    """A graph that changes an int so many times, beside whatever else its state holds."""
    graph = gn.Graph(Big, entry="a")
    graph.node("a", lambda s: {"n": s.n + 1})
    graph.branch("a", lambda s: "a" if s.n < steps else gn.END, to=("a", gn.END))
    return graph


class Big(gn.State):
    n: int = 0
    big: list[int] = []


def test_two_thousand_steps_beside_a_big_list_stay_small():
    """The record shares what did not change: it grows with the changes, not with the state."""
    graph = counting(2000)
    big = list(range(130_000))  # a megabyte of pointers
    graph.run(big=big, max_steps=2000)
    gc.collect()
    tracemalloc.start()
    try:
        run = graph.run(big=big, max_steps=2000)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert 2000 == len(run.steps)
    assert kept < 8_000_000
    assert peak < 20_000_000


def test_growing_list_is_kept_once():
    """A list that every step appends to costs as much as its items, not the sum of all its versions."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": s.n + 1, "log": ["x"]})
    graph.branch("a", lambda s: "a" if s.n < 2000 else gn.END, to=("a", gn.END))
    graph.run(max_steps=2000)
    gc.collect()
    tracemalloc.start()
    try:
        run = graph.run(max_steps=2000)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert 2000 == len(run.state.log)
    assert kept < 5_000_000  # two thousand versions of up to two thousand items would be 16 MB


class Thing:
    """A value that can be watched."""


class Watched(gn.State):
    thing: Any = None
    n: int = 0


def test_dropping_the_run_frees_its_values():
    """Nothing but the run, and the graph's `last_run`, holds what went through it."""
    graph = gn.Graph(Watched, entry="a")
    graph.node("a", lambda s: {"thing": Thing()}, to=gn.END)
    run = graph.run()
    thing = weakref.ref(run.trace.log.commits[0].folds[0].after)
    assert thing() is not None

    del run
    graph.run()  # the new last run takes the place of the old one
    gc.collect()

    assert thing() is None


def test_dropping_a_failed_run_frees_its_values():
    """An error holds its run, and both go together."""
    graph = gn.Graph(Watched, entry="a")
    graph.node("a", lambda s: {"thing": Thing()}, to="b")
    graph.node("b", lambda s: {"n": 1 // s.n}, to=gn.END)
    try:
        graph.run()
    except gn.NodeException as error:
        thing = weakref.ref(error.trace.log.commits[0].folds[0].after)
    assert thing() is not None

    graph.run(n=1)  # the new last run takes the place of the old one
    gc.collect()

    assert thing() is None


def test_log_of_a_finished_run_is_not_copied():
    """A run of many steps does not pay for a second list of them."""
    graph = counting(3)
    session = graph.session()
    run = session.finish()

    assert run.trace.log is session._execution.log


def test_records_are_plain_tuples():
    """Commits can be taken apart and compared."""
    schema = schema_of(Diary)
    log = Log("g", schema, start_values(schema, {}, "g"))

    assert ("a", (), None, None, (), True, False, False, None) == Commit("a", ())
    assert Commit("a", (), log) != Commit("a", (), Log("g", schema, {}))
    assert 3 == Instances(3, (), range(3), (), None, ()).count


def layered(*layers: Any, broken: int = 9) -> Commit:
    """The commit of a node within this middleware, which fails so many times."""
    left = [ValueError("no")] * broken

    def node(s: Any) -> dict[str, Any]:
        if left:
            raise left.pop()
        return {"n": 1}

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node, middleware=layers, to=gn.END)
    return graph.run().trace.log.commits[0]


AGAIN = gn.retry(2, classifier=lambda error, state: True, backoff=0)
ISOLATED = gn.failure_isolation({"n": 5}, event_name="isolated")


@pytest.mark.parametrize(
    ("commit", "told"),
    [
        (layered(broken=0), (0, True, False)),
        (layered(AGAIN, broken=1), (1, True, False)),
        (layered(ISOLATED, AGAIN), (2, True, True)),
        (layered(lambda state, following: {"n": 2}), (0, False, False)),
    ],
    ids=["plain", "tried again", "degraded", "answered"],
)
def test_commit_tells_what_became_of_attempts(commit, told):
    """How many failed, whether the node was asked, and whether middleware has put an update in its place."""
    assert told == (len(commit.failures), commit.is_entered, commit.is_degraded)


def test_owners_of_folds_are_places_among_the_branches_that_ran():
    """Also behind a branch that failed; records of errors are the node's own."""

    def broken(s: Any) -> dict[str, Any]:
        raise ValueError("no")

    class Told(Diary):
        faults: list[dict[str, str]] = []

    graph = gn.Graph(Told, entry="both")
    branches = {"a": lambda s: {"log": ["a"]}, "b": broken, "c": lambda s: {"log": ["c"]}}
    graph.branches("both", branches, error_policy="collect", errors_into="faults", to=gn.END)
    made = graph.run().trace.log.commits[0].instances

    assert (("a", "b", "c"), (0, 2, None)) == (made.names, made.owners)
