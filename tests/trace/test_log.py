"""The log of one running graph."""

import gc
import tracemalloc
import weakref
from typing import Annotated, Any

import graphnb as gn
from graphnb.state.schema import schema_of, start_values
from graphnb.trace.log import Commit, Instances, Log, values_at
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
    outer.open = ("child", child.log)
    spread.open = ("each", [first.log, None, third.log])
    kept = outer.snapshot(), spread.snapshot()
    for each in (child, first, third):
        each.step("late", {"n": 1})

    assert ("child", []) == (kept[0].open[0], kept[0].open[1].commits)
    assert [True, False, True] == [inner is not None for inner in kept[1].open[1]]
    assert [[], []] == [inner.commits for inner in kept[1].open[1] if inner]


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
    graph.node("b", lambda s: 1 / s.n, to=gn.END)
    try:
        graph.run()
    except gn.NodeException as error:
        thing = weakref.ref(error.trace.log.commits[0].folds[0].after)
    assert thing() is not None

    graph.last_run = None
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

    assert ("a", (), None, None) == Commit("a", ())
    assert Commit("a", (), log) != Commit("a", (), Log("g", schema, {}))
    assert 3 == Instances(3, (), range(3), (), None, ()).count
