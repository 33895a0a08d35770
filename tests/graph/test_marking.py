"""Diagnostics placed in what is drawn: each where it belongs, under the number that it has in `check()`."""

from typing import Annotated, Any

import graphnb as gn
from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology


class Desk(gn.State):
    items: list[str] = []
    log: Annotated[list[str], gn.append] = []


def work(s: Any) -> dict[str, Any]:
    """Write nothing."""
    return {}


def inner(**options: Any) -> gn.Graph:
    """A graph with a node that leads nowhere."""
    graph = gn.Graph(Desk, name="inner", **options)
    graph.node("open", work)
    return graph


def numbers(topology: Topology) -> dict[str, list[int]]:
    """The numbers that stand at nodes and edges, by what they stand at."""
    nodes: list[tuple[str, Any]] = [(each.name, each.marks) for each in topology.nodes]
    edges = [(f"{each.source} → {each.target}", each.marks) for each in topology.edges]
    return {name: [mark.number for mark in marks] for name, marks in nodes + edges if marks}


def test_errors_are_marked_where_they_are() -> None:
    """At the edge that names no node, at the node that nothing leads to, at one from which no edge leads."""
    graph = gn.Graph(Desk, entry="plan")
    graph.node("plan", work, to=("nobody", "last"))
    graph.node("last", work)
    graph.node("lonely", work, to=END)
    topology = graph.topology()

    assert {"plan → nobody": [1], "lonely": [2], "last": [3]} == numbers(topology)
    assert [each.code for each in graph.check()] == ["dangling_edge", "unreachable_node", "missing_outgoing_edge"]
    assert ["no such node", "cannot be reached", "no outgoing edge"] == [each.sign for each in topology.marks]


def test_entry_and_source_that_are_no_nodes_are_marked() -> None:
    """At the edge from the start, and at the missing node that an edge leaves."""
    graph = gn.Graph(Desk, entry="nobody")
    graph.node("plan", work, to=END)
    graph.edge("ghost", "plan")

    assert {"START → nobody": [1], "ghost": [2]} == numbers(graph.topology())


def test_join_that_cannot_come_is_marked_at_join_and_node() -> None:
    """With one number, at each line that meets there."""
    graph = gn.Graph(Desk, entry="ann")
    for name in ("ann", "bob"):
        graph.node(name, work)
    graph.edge(("ann", "bob"), "talk")
    graph.node("talk", work, to=END)

    assert {"bob": [1], "talk": [2], "ann → talk": [2], "bob → talk": [2]} == numbers(graph.topology())


def test_guard_and_chosen_edge_are_marked_themselves() -> None:
    """And not those beside them."""
    graph = gn.Graph(Desk, entry="a")
    graph.node("a", work)
    graph.node("b", work)
    graph.edge("a", "b", when=gn.field("nothing") == 1)
    graph.edge("a", END, when=gn.field("items") == [])
    graph.branch("b", lambda s: "x", to={"on": "a", "off": "nobody"})

    assert {"a → b": [2], "b → nobody": [1]} == numbers(graph.topology())


def test_faults_within_a_graph_are_marked_inside() -> None:
    """What concerns that graph as a whole is marked at the node that runs it."""
    graph = gn.Graph(Desk, entry="sub")
    graph.subgraph("sub", inner(), to="both")
    graph.branches("both", {"left": gn.ParallelBranch(inner(entry="open"), outputs={"log": "nothing"})}, to=END)
    topology = graph.topology()
    sub, both = topology.nodes
    left = both.branches[0]

    assert [1] == [each.number for each in sub.marks]
    assert sub.inner is not None and left.inner is not None
    assert {"open": [2]} == numbers(sub.inner)
    assert ([], [3]) == ([*both.marks], [each.number for each in left.marks])
    assert {"open": [4]} == numbers(left.inner)
    assert 4 == len(topology.faults)


def test_graph_without_a_place_for_it_has_the_fault_alone() -> None:
    """Nothing drawn is marked."""
    graph = gn.Graph(Desk)
    graph.node("a", work, to=END)
    topology = graph.topology()

    assert {} == numbers(topology)
    assert ["has no entry node. Name one: gn.Graph(..., entry='a')."] == [each.line for each in topology.marks]


def test_way_back_into_itself_is_marked_where_edges_leave() -> None:
    """At the first edge, at all that a router may choose, or at the node that has none yet."""

    def round_trip(**options: Any) -> gn.Graph:
        graph = gn.Graph(Desk, entry="sub")
        child = gn.Graph(Desk, entry="a", name="child")
        child.node("a", work, to=END)
        graph.subgraph("sub", child, inputs={"log": "log"}, outputs={"log": "log"}, **options)
        graph.node("x", work, to=END)
        graph.node("y", work, to=END)
        return graph

    chosen = round_trip()
    chosen.branch("sub", lambda s: "x", to=("x", "y"))

    assert {"sub → x": [1]} == numbers(round_trip(to=("x", "y")).topology())
    assert {"sub → x": [1], "sub → y": [1]} == numbers(chosen.topology())
    assert [4] == numbers(round_trip().topology())["sub"][:1]


def test_edges_are_known_by_their_ids_or_ends() -> None:
    """Several routes may lead from one node to another."""
    graph = gn.Graph(Desk, entry="a")
    graph.node("a", work, to=("b", END))
    graph.node("b", work, to=END)

    assert [(START, "a"), "a-b", "a-END", ("b", END)] == [each.key for each in graph.topology().edges]
