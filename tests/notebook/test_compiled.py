"""A graph pinned as it was."""

from typing import Annotated, Any

import pytest

import graphnb as gn


class Diary(gn.State):
    items: list[int] = [1, 2]
    log: Annotated[list[Any], gn.append] = []


def one(word: str, name: str = "one") -> gn.Graph:
    """A graph of one node that writes the word."""
    graph = gn.Graph(Diary, entry="a", name=name)
    graph.node("a", lambda s: {"log": [word]}, to=gn.END)
    return graph


def rewrite(graph: gn.Graph, word: str) -> None:
    """Replaces the node, as a later cell would."""
    graph.remove("a")
    graph.node("a", lambda s: {"log": [word]}, to=gn.END)


def outer_of(inner: Any) -> gn.Graph:
    """A graph that runs the inner one as a subgraph, as a worker and as a branch."""
    graph = gn.Graph(Diary, entry="sub", name="outer")
    graph.subgraph("sub", inner, outputs={"log": "log"}, to="each")
    graph.fan_out("each", inner, count=1, collect="log", into="log", to="both")
    left = gn.ParallelBranch(inner, outputs={"log": "log"})
    graph.branches("both", {"left": left, "right": lambda s: {"log": ["right"]}}, to=gn.END)
    return graph


def test_snapshot_is_not_changed_by_later_declarations():
    """It runs what it was compiled from."""
    graph = one("old")
    compiled = graph.compile()
    rewrite(graph, "new")

    assert (["old"], ["new"]) == (compiled.run().state.log, graph.run().state.log)


def test_snapshot_is_drawn_by_the_verbs_of_a_graph():
    """As it was, whatever the graph has become."""
    graph = one("old")
    dot, mermaid, compiled = graph.dot, graph.mermaid, graph.compile()
    graph.node("b", lambda s: {}, to="a")
    graph.entry = "b"

    assert (dot, mermaid) == (compiled.dot, compiled.mermaid)
    assert (compiled.draw().dot, compiled.draw().mermaid) == (compiled.dot, compiled.mermaid)
    assert dot != graph.dot


def test_snapshot_knows_that_it_is_stale():
    """From the first change on, and not before."""
    graph = one("old")
    compiled = graph.compile()

    assert not compiled.is_stale

    rewrite(graph, "new")

    assert compiled.is_stale
    assert not graph.compile().is_stale


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_change_in_a_graph_within_makes_it_stale(depth):
    """At any depth; and the snapshot keeps the inner graph as it was."""
    inner = one("old")
    graph = inner
    for _ in range(depth):
        graph = outer_of(graph)
    compiled = graph.compile()
    before = compiled.run().state.log
    rewrite(inner, "new")

    assert compiled.is_stale
    assert before == compiled.run().state.log != graph.run().state.log


def test_change_of_the_entry_makes_it_stale():
    """The entry is part of the graph."""
    graph = one("a")
    graph.node("b", lambda s: {"log": ["b"]}, to="a")
    graph.entry = "b"
    compiled = graph.compile()
    graph.entry = "a"

    assert compiled.is_stale


def test_snapshot_serves_as_a_subgraph():
    """Also as a worker; what later becomes of the graphs within it does not reach it."""
    inner = one("old")
    pinned = outer_of(inner).compile()
    graph = outer_of(pinned)
    before = graph.run().state.log
    rewrite(inner, "new")
    compiled = graph.compile()
    graph.edge("nowhere", "sub")
    graph.remove("nowhere")  # the graph is compiled anew, from the snapshot

    assert compiled.is_stale
    assert before == graph.run().state.log


def test_snapshot_tells_name_version_and_topology():
    """What a drawing or a test wants to know."""
    graph = one("a")
    compiled = graph.compile()

    assert ("one", graph.version) == (compiled.name, compiled.version)
    assert graph.topology() == compiled.topology()
    assert ["a"] == list(compiled.spec().nodes) == list(compiled.plan.nodes)


def test_runs_of_a_snapshot_are_the_graphs_last_run():
    """Whoever made the snapshot finds its last run at the graph."""
    graph = one("a")
    run = graph.compile().run()

    assert run is graph.last_run


def test_text_tells_whether_it_is_stale():
    """What stands in a notebook's output."""
    graph = one("a")
    compiled = graph.compile()
    fresh = repr(compiled)
    rewrite(graph, "b")

    assert ("<CompiledGraph 'one': 1 node>", "<CompiledGraph 'one': 1 node, stale>") == (fresh, repr(compiled))


def test_snapshot_draws_itself():
    """As the graph did when it was compiled."""
    graph = one("a")
    compiled = graph.compile()
    drawn = graph._repr_mimebundle_()
    rewrite(graph, "b")
    graph.remove("a")

    assert drawn == compiled._repr_mimebundle_()
