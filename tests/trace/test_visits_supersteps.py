"""The path that a run of forks, joins and interrupts took."""

import threading

import pytest

import graphnb as gn
from graphnb.graph.ends import END, START
from graphnb.trace.reading.visits import visits_of
from tests.documents import gives, graph, written
from tests.engine.forks import graph_of, says

SECONDS = 20  # until a test that hangs gives up


def asks(s):
    """Ask until there is an answer."""
    return {"log": ["g"]} if s.seen else gn.interrupt("seen")


def test_edges_of_a_fork_and_a_join_are_counted_in_order():
    """The join's edge is taken from the source that came last."""
    visits = visits_of(graph_of({"a": ("b", "c"), ("b", "c"): "z", "z": END}).run().trace.log)

    assert {"a": 1, "b": 1, "c": 1, "z": 1} == visits.nodes
    assert {(START, "a"): [1], ("a", "b"): [2], ("a", "c"): [2], ("c", "z"): [3], ("z", END): [4]} == visits.edges


def test_node_that_has_asked_waits_and_has_not_completed():
    """After the answer it has, once."""
    run = graph_of({"a": ("b", "g"), "b": END, "g": END}, g=asks).run()
    waiting, done = visits_of(run.trace.log), visits_of(run.resume("x").trace.log)

    assert ({"g"}, {"a": 1, "b": 1}) == (waiting.waiting, waiting.nodes)
    assert (set(), {"a": 1, "b": 1, "g": 1}) == (done.waiting, done.nodes)
    assert [[4], [2]] == [done.edges[edge] for edge in (("g", END), ("a", "g"))]


def test_nodes_of_a_step_that_failed_are_marked_each_by_itself():
    """Those at fault, and those that had finished and were dropped, with what ran inside of them."""
    inner = graph_of({"x": END}, entry="x", name="inner")
    graph = gn.Graph(inner.run().state.__class__, entry="a")
    graph.node("a", says("a"), to=("b", "c", "d"))
    graph.subgraph("b", inner, to=END)
    graph.node("c", lambda s: 1 / 0, to=END)
    graph.node("d", lambda s: {"nope": 1}, to=END)
    with pytest.raises(gn.NodeException) as caught:
        graph.run()
    visits = visits_of(caught.value.trace.log)

    assert ({"c"}, {"b", "d"}, {"a": 1}) == (visits.failed, visits.dropped, visits.nodes)
    assert {"x": 1} == visits.inner["b"].nodes
    assert {(START, "a"), ("a", "b"), ("a", "c"), ("a", "d")} == set(visits.edges)


def test_nodes_of_a_step_that_is_under_way_are_running():
    """As long as they are; and stopped once the run was."""
    held, released = threading.Semaphore(0), threading.Event()

    def waits(s):
        held.release()
        released.wait(SECONDS)
        return {}

    graph = graph_of({"a": ("b", "c"), "b": END, "c": END}, b=waits, c=waits)
    handle = graph.start()
    for _ in range(2):
        assert held.acquire(timeout=SECONDS)
    running = visits_of(handle.run.trace.log)
    handle.cancel()
    released.set()
    stopped = visits_of(handle.result(SECONDS).trace.log)

    assert ({"b", "c"}, set()) == (running.running, running.stopped)
    assert (set(), {"b", "c"}) == (stopped.running, stopped.dropped)


def test_every_edge_from_the_start_of_a_document_is_counted():
    """Together, also where the first step fails; an edge that was not taken is not."""
    never = {"s": {"from": "$start", "to": "c", "guard": {"op": "any", "args": []}}}
    document = written("a", "b", "c", edges={**written("a", "b")["edges"], **never})
    done = graph(document, a=gives({}), b=gives({}), c=gives({})).run()
    with pytest.raises(gn.NodeException) as caught:
        graph(document, a=gives({}), b=lambda view, context: 1 / 0, c=gives({})).run()
    failed = caught.value.run

    assert [{(START, "a"): [1], (START, "b"): [1]}] * 2 == [
        {edge: orders for edge, orders in visits_of(run.trace.log).edges.items() if edge[0] is START}
        for run in (done, failed)
    ]
