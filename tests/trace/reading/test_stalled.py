"""Joins that still waited when a run had nothing left to do."""

from typing import Annotated

import pytest

import graphnb as gn
from graphnb import step
from graphnb.trace.places import Part
from tests.engine.forks import Log, graph_of, rounds
from tests.traces import Made

END = gn.END


class Item(gn.State):
    item: int = 0
    log: Annotated[list[str], step.append]


class Whole(gn.State):
    items: list[int] = [0, 1, 2]
    logs: list[list[str]] = []
    n: int = 0


def told(run):
    """What the run says of its joins: target, arrived, missing."""
    return [(each.target, each.arrived, each.missing) for each in run.stalled]


def child(state=Log):
    """A graph whose join waits in vain, but for item 1."""
    says = {name: (lambda s, name=name: {"log": [name]}) for name in "abcz"}
    choose = lambda s: ("b", "c") if getattr(s, "item", 0) == 1 else "b"  # noqa: E731  the router of one graph
    return graph_of({"a": choose, ("b", "c"): "z", "z": END}, state=state, name="child", **says)


def test_join_that_got_some_of_its_sources_is_told():
    """With those that had come, in declared order, and those that never came."""
    graph = graph_of(
        {"a": ("b", "c", "d"), ("d", "never", "b"): "z", "c": lambda s: END if s.n == 0 else "never", "z": END}
    )
    run = graph.run()

    assert ["a", "b+c+d"] == rounds(run)
    assert ("done", [("z", ("d", "b"), ("never",))]) == (run.status, told(run))
    assert "the join to 'z' still waited for 'never' ('d', 'b' had come)" == str(run.stalled[0])
    assert () == graph.run(n=1).stalled


def test_join_that_nobody_reached_and_one_that_has_fired_are_not_told():
    """Only what waited."""
    edges = {"a": lambda s: ("b", "c") if s.n else "d", ("b", "c"): "z", "d": END, "z": END}

    assert () == graph_of(edges).run().stalled
    assert () == graph_of(edges).run(n=1).stalled


def test_source_that_has_only_asked_has_not_come():
    """While the run waits nothing is told; after the answer the source completes."""
    ask = lambda s: {"log": ["b"]} if s.seen else gn.interrupt("seen")  # noqa: E731  one of two answers
    graph = graph_of({"a": lambda s: ("b", "d"), ("b", "c"): "z", "d": END, "z": END}, b=ask)
    run = graph.run()
    assert ("waiting", ()) == (run.status, run.stalled)

    done = run.resume("x")
    assert ["a", "b?+d", "b!", "b"] == rounds(done)
    assert [("z", ("b",), ("c",))] == told(done)


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_run_that_did_not_come_to_its_end_tells_none(status):
    """Something would still have been to do."""
    graph = graph_of({"a": ("b", "d"), ("b", "c"): "z", "d": "c", "z": END}, c=lambda s: 1 / 0)
    session = graph.session()
    session.step()
    session.step()
    if status == "cancelled":
        session.close()
    else:
        with pytest.raises(gn.NodeException):
            session.step()

    assert (status, ()) == (session.run.status, session.run.stalled)


def test_join_within_a_subgraph_is_told_with_its_place():
    """As the graph alone tells it, and in the notices in the same words."""
    graph = gn.Graph(Log, entry="sub")
    graph.subgraph("sub", child(), to=END)
    run = graph.run()

    assert told(child().run()) == told(run) == [("z", ("b",), ("c",))]
    assert ("sub", (Part("sub", None),)) == (run.stalled[0].place, run.stalled[0].parents)
    assert ("in 'sub' the join to 'z' still waited for 'c' ('b' had come)",) == run.notices
    assert "" == child().run().stalled[0].place


def test_join_within_a_subgraph_that_ends_with_several_nodes_is_told():
    """The last super-step of that graph has all of them."""
    inner = graph_of({"a": ("b", "c"), ("b", "never"): "z", "c": lambda s: END if s.n == 0 else "never", "z": END})
    graph = gn.Graph(Log, entry="sub")
    graph.subgraph("sub", inner, to=END)

    assert [("z", ("b",), ("never",))] == told(graph.run())


def test_join_within_instances_is_told_of_each_that_waited():
    """By their numbers: instance 1 was not among them."""
    graph = gn.Graph(Whole, entry="each")
    graph.fan_out("each", child(Item), over="items", item="item", collect="log", into="logs", to=END)

    assert ["each[0]", "each[2]"] == [stalled.place for stalled in graph.run().stalled]


def test_join_within_branches_is_told_by_their_names():
    """Also of a branch within a subgraph."""
    inner = gn.Graph(Log, entry="both")
    inner.branches("both", {"p": gn.ParallelBranch(child(), outputs={"log": "log"}), "q": lambda s: {}}, to=END)
    graph = gn.Graph(Log, entry="sub")
    graph.subgraph("sub", inner, to=END)

    assert ("in 'sub/both[p]' the join to 'z' still waited for 'c' ('b' had come)",) == graph.run().notices


def test_join_of_the_run_itself_comes_before_those_within():
    """And a graph that runs several times is told of with their number."""
    graph = gn.Graph(Log, entry="sub")
    graph.subgraph("sub", child(), outputs={"log": "log"})
    graph.branch("sub", lambda s: "sub" if len(s.log) < 4 else "end")
    graph.node("end", lambda s: {})
    graph.node("never", lambda s: {})
    graph.edge(("end", "never"), "z")
    graph.node("z", lambda s: {}, to=END)
    run = graph.run()

    assert ["", "sub", "sub"] == [stalled.place for stalled in run.stalled]
    assert (
        "the join to 'z' still waited for 'never' ('end' had come)",
        "in 'sub' the join to 'z' still waited for 'c' ('b' had come) (2×)",
    ) == run.notices


def test_join_within_a_run_that_failed_later_is_told():
    """Its graph had come to its end; that of the run itself had not."""
    graph = gn.Graph(Whole, entry="each")
    graph.fan_out("each", child(Item), over="items", item="item", collect="log", into="logs", to="end")
    graph.node("end", lambda s: 1 / 0, to=END)
    with pytest.raises(gn.NodeException) as raised:
        graph.run()

    assert ["each[0]", "each[2]"] == [stalled.place for stalled in raised.value.run.stalled]


def test_graph_that_the_topology_does_not_know_tells_nothing():
    """A trace by hand may have less of it than its log."""
    inner = Made(Log).step("a", {})

    assert () == Made(Log).step("sub", {}, child=inner).trace().stalled
