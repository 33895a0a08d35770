"""The path that a run took."""

from typing import Annotated

import pytest

import graphnb as gn
from graphnb.graph.ends import END, START
from graphnb.trace.instances import PENDING, Instances, Tries
from graphnb.trace.log import Commit, Failure, Log, Open
from graphnb.trace.reading.visits import Visits, visits_of
from tests.show.supersteps import Desk, asking, broken, diamond, run_of
from tests.trace.spreadings import spreading
from tests.traces import Made, fan_out


class Diary(gn.State):
    log: Annotated[list[str], gn.append] = []


def test_nodes_and_edges_are_counted_in_order():
    """A loop: every edge with the orders in which it was taken, the entry first."""
    visits = visits_of(Made(Diary).step("a", {}, "b").step("b", {}, "a").step("a", {}, "b").step("b", {}, END).log)

    assert {"a": 2, "b": 2} == visits.nodes
    assert {(START, "a"): [1], ("a", "b"): [2, 4], ("b", "a"): [3], ("b", END): [5]} == visits.edges
    assert set() == visits.failed


def test_nothing_has_run():
    """An empty log has taken no path."""
    assert Visits() == visits_of(Made(Diary).log)


def test_failed_node_was_entered_but_not_completed():
    """The edge to it was taken."""
    first = visits_of(Made(Diary).fail("a").log)
    second = visits_of(Made(Diary).step("a", {}, "b").fail("b").log)

    assert ({}, {(START, "a"): [1]}, {"a"}) == (first.nodes, first.edges, first.failed)
    assert ({"a": 1}, {(START, "a"): [1], ("a", "b"): [2]}, {"b"}) == (second.nodes, second.edges, second.failed)


def test_failed_edge_was_not_taken():
    """The node completed, and is marked."""
    visits = visits_of(Made(Diary).step("a", {}, to=None).fail("a", at_edge=True).log)

    assert ({"a": 1}, {(START, "a"): [1]}, {"a"}) == (visits.nodes, visits.edges, visits.failed)


def test_inner_visits_are_summed_over_instances():
    """A worker graph is drawn once, with what all of its instances did."""
    one, two = Made(Diary).step("x", {}), Made(Diary).step("x", {}, "y").step("y", {})
    outer = Made(Diary).step("each", {}, instances=fan_out(3, ["log"], logs=[one, None, two]))
    inner = visits_of(outer.log).inner["each"]

    assert {"x": 2, "y": 1} == inner.nodes
    assert {(START, "x"): [1, 3], ("x", END): [2], ("x", "y"): [4], ("y", END): [5]} == inner.edges


def test_subgraph_that_runs_twice_is_summed():
    """In a loop the child's visits add up."""
    visits = visits_of(
        Made(Diary)
        .step("sub", {}, "sub", child=Made(Diary).step("x", {}))
        .step("sub", {}, child=Made(Diary).step("x", {}))
        .log
    )

    assert ({"sub": 2}, {"x": 2}) == (visits.nodes, visits.inner["sub"].nodes)


def test_function_worker_has_nothing_inside():
    """There is no graph whose path could be shown."""
    assert {} == visits_of(Made(Diary).step("each", {}, instances=fan_out(2, ["log"])).log).inner


def test_failure_inside_is_marked_on_every_level():
    """The path within the failed node is kept: of a child, and of instances."""
    child, each = Made(Diary).fail("sub"), Made(Diary).fail("each")
    child.log.failure = child.log.failure._replace(child=Made(Diary).step("x", {}, "y").fail("y").log)
    each.log.failure = each.log.failure._replace(instances=fan_out(1, [], logs=[Made(Diary).fail("x")]))

    assert ({"sub"}, {"y"}) == (visits_of(child.log).failed, visits_of(child.log).inner["sub"].failed)
    assert ({"each"}, {"x"}) == (visits_of(each.log).failed, visits_of(each.log).inner["each"].failed)


def test_what_is_under_way_is_shown_too():
    """The open node was entered and is marked, and what happened in it counts."""
    child, each = Made(Diary), Made(Diary).step("a", {}, "each")
    child.log.open = Open(0, "sub", Made(Diary).step("x", {}).log)
    each.log.open = Open(1, "each", spread=spreading(1, PENDING, logs=[Made(Diary).step("x", {}).log, None]))

    assert {(START, "sub"): [1]} == visits_of(child.log).edges
    assert {"x": 1} == visits_of(child.log).inner["sub"].nodes
    assert {"x": 1} == visits_of(each.log).inner["each"].nodes
    assert ({"a": 1}, {"each"}) == (visits_of(each.log).nodes, visits_of(each.log).running)


def test_node_in_which_the_run_was_stopped_is_marked():
    """A function node, which has nothing inside; it was entered and did not complete."""
    made = Made(Diary)
    made.log.open = Open(0, "a", stopped=True)
    visits = visits_of(made.log)

    assert ({"a"}, set(), set()) == (visits.stopped, visits.stopped_at_edge, visits.running)
    assert ({}, {(START, "a"): [1]}) == (visits.nodes, visits.edges)


def test_node_whose_router_was_stopped_is_told_apart():
    """It completed; no edge was taken from it."""
    made = Made(Diary).step("a", {}, to=None)
    made.log.open = Open(1, "a", at_edge=True, stopped=True)
    visits = visits_of(made.log)

    assert (set(), {"a"}, {"a": 1}) == (visits.stopped, visits.stopped_at_edge, visits.nodes)


def test_stop_inside_is_marked_on_every_level():
    """In a child's child, and in an instance."""
    inner, child, outer = Made(Diary), Made(Diary), Made(Diary)
    inner.log.open = Open(0, "x", stopped=True)
    child.log.open = Open(0, "each", spread=fan_out(1, [], logs=[inner]), stopped=True)
    outer.log.open = Open(0, "sub", child.log, stopped=True)
    visits = visits_of(outer.log)

    assert ({"sub"}, {"each"}) == (visits.stopped, visits.inner["sub"].stopped)
    assert {"x"} == visits.inner["sub"].inner["each"].stopped


def test_graphs_nested_deeper_than_the_stack_are_visited():
    """Two thousand graphs within each other: no recursion."""
    made = Made(Diary).step("x", {})
    for _ in range(2000):
        made = Made(Diary).step("child", {}, child=made)
    visits = visits_of(made.log)
    for _ in range(2000):
        visits = visits.inner["child"]

    assert {"x": 1} == visits.nodes


NAMES = ("left", "right", "last")


def test_branches_are_visited_like_nodes_of_their_node():
    """Those that ran, with what happened inside; one that failed was to run and did not complete."""
    logs = (Made(Diary).step("x", {}).log, None, None)
    made = Instances(3, logs, (0, 2), ((1, ValueError()),), None, (), names=NAMES, unit="branch")
    within = visits_of(Made(Diary).step("both", {}, instances=made).log).inner["both"]

    assert ({"left": 1, "right": 0, "last": 1}, {"right"}) == (within.nodes, within.failed)
    assert {"x": 1} == within.inner["left"].nodes
    assert {"left"} == set(within.inner)


def test_branches_in_a_loop_add_up():
    """A branch that was skipped is not counted, and one that never ran is not there."""
    first = Instances(2, (None, None), (0, 1), (), None, (), names=("left", "right"), unit="branch")
    second = Instances(1, (None,), (0,), (), None, (), names=("left",), unit="branch")
    none = Instances(0, (), (), (), None, (), names=(), unit="branch")
    visits = visits_of(
        Made(Diary)
        .step("both", {}, "both", instances=first)
        .step("both", {}, instances=second)
        .step("none", {}, instances=none)
        .log
    )

    assert {"left": 2, "right": 1} == visits.inner["both"].nodes
    assert Visits() == visits.inner["none"]


def test_attempts_at_branches_are_counted_like_those_at_nodes():
    """Of one that failed for good only how often it was tried again."""
    bad = ValueError("bad")
    tries = Tries((bad,)), Tries((bad, bad), is_degraded=True), Tries(is_entered=False), Tries((bad,), is_entered=False)
    names = ("again", "isolated", "answered", "failed")
    made = Instances(
        4, (None,) * 4, (0, 1, 2), ((3, bad),), None, (), names=names, tries=tuple(enumerate(tries)), unit="branch"
    )
    within = visits_of(Made(Diary).step("all", {}, instances=made).log).inner["all"]

    assert {"again": 1, "isolated": 1, "failed": 1} == within.retries
    assert ({"isolated": 1}, {"answered": 1}) == (within.degraded, within.answered)


def test_branches_that_came_to_no_end_are_told_apart():
    """In a node that failed or was stopped they were stopped, else they are running; others never began."""
    made = Instances(3, (None,) * 3, (), (), None, (), 2, ((0, ({},)),), NAMES)
    failed, stopped, running = Made(Diary).fail("both"), Made(Diary), Made(Diary)
    failed.log.failure = failed.log.failure._replace(instances=made)
    stopped.log.open = Open(0, "both", spread=made, stopped=True)
    running.log.open = Open(0, "both", spread=made)
    inner = [visits_of(each.log).inner["both"] for each in (failed, stopped, running)]

    assert [{"right"}, {"right"}, set()] == [each.stopped for each in inner]
    assert [set(), set(), {"right"}] == [each.running for each in inner]
    assert [{"left": 1, "right": 0, "last": 0}] * 3 == [each.nodes for each in inner]


def test_attempts_are_counted():
    """How often a node was tried again; how often middleware has answered for it, after its failure or at once."""
    no = ValueError("no")
    made = Made(Diary)
    made.log.commits += [
        Commit("a", (), failures=(no, no)),
        Commit("a", (), failures=(no,)),
        Commit("b", (), failures=(no, no), is_degraded=True),
        Commit("c", (), is_entered=False),
        Commit("e", (), is_degraded=True),  # given up by middleware: nothing was raised
    ]
    made.log.failure = Failure("d", gn.RunError("d", "no"), failures=(no,))
    visits = visits_of(made.log)

    assert {"a": 3, "b": 1, "d": 1} == visits.retries
    assert ({"b": 1, "e": 1}, {"c": 1}) == (visits.degraded, visits.answered)


def test_edges_taken_in_one_super_step_have_one_order() -> None:
    """A fork, and what comes after it; a graph that runs again goes on counting."""
    visits = visits_of(run_of(diamond()).trace.log)
    inner = gn.Graph(Desk, entry="sub", name="outer")
    inner.subgraph("sub", diamond(), outputs={"log": "log"}, to="count")
    inner.node("count", lambda s: {"rounds": s.rounds + 1})
    inner.edge("count", "sub", when=lambda s: s.rounds < 2)
    twice = visits_of(inner.run().trace.log).inner["sub"]

    assert {
        (START, "plan"): [1],
        ("plan", "read"): [2],
        ("plan", "ask"): [2],
        ("read", "write"): [3],
        ("write", END): [4],
    } == visits.edges
    assert [2, 6] == twice.edges["plan", "read"] == twice.edges["plan", "ask"]
    assert 2 == len(twice.logs)


def test_nodes_that_wait_until_they_are_answered() -> None:
    """They have not completed, and count once they have."""
    run = run_of(asking())
    waiting, answered = visits_of(run.trace.log), visits_of(run.resume(["yes"]).trace.log)

    assert {"gate"} == waiting.waiting
    assert "gate" not in waiting.nodes
    assert (set(), 1) == (answered.waiting, answered.nodes["gate"])


def test_nodes_that_had_finished_in_a_failed_super_step_are_dropped() -> None:
    """Those that failed are told apart, with their attempts; its logs are no runs of the graph."""
    visits = visits_of(run_of(broken()).trace.log)

    assert ({"ask", "view"}, {"read"}, set()) == (visits.failed, visits.dropped, visits.stopped)
    assert {"ask": 1} == visits.retries
    assert 1 == len(visits.logs)


@pytest.mark.parametrize("stopped", [False, True])
def test_nodes_of_a_super_step_that_goes_on_or_was_stopped(stopped: bool) -> None:
    """Those that have finished, and those that have not."""
    made = Made(Diary).step("plan", {}, "quick")
    quick, slow, ahead = (Log("g", made.schema, made.values, first=1) for _ in range(3))
    quick.commits.append(Commit("quick", ()))
    slow.open = Open(0, "slow", stopped=stopped)
    made.log.open = Open(1, "ahead, quick, slow", lanes=(ahead, quick, slow), stopped=stopped)
    visits = visits_of(made.log)

    assert (visits.dropped if stopped else visits.finished) == {"quick"}
    assert (visits.stopped if stopped else visits.running) == {"slow"}
