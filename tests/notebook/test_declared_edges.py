"""The table of outgoing edges: what gives way to a new one."""

from graphnb.graph.edges import Edge, Link, Links
from graphnb.notebook.cells import Cell
from graphnb.notebook.declared import standing
from graphnb.notebook.declared_edges import DeclaredEdges

FIRST = Cell("a", 1, "cell [1]")
SECOND = Cell("b", 2, "cell [2]")
JOIN = Links("a", (Link("a+b-c", ("a", "b"), "c", is_join=True),))


def guarded(target: str) -> Links:
    """An edge from a that asks before it is taken."""
    return Links("a", (Link(f"a-{target}", ("a",), target, len),))


def test_new_edge_takes_the_place_of_its_rivals() -> None:
    """Each is given with every node that it left; its entry keeps the place, by the doing of the new cell."""
    edges = DeclaredEdges()
    edges.put(JOIN, FIRST)
    replaced = edges.put(Edge("b", "d"), SECOND)

    assert [("a", JOIN, FIRST), ("b", JOIN, FIRST)] == [(source, each.spec, each.cell) for source, each in replaced]
    assert [Edge("b", "d")] == list(standing(edges.table).values())
    assert [SECOND, SECOND] == [each.cell for each in edges.table.values()]


def test_guarded_edges_stand_side_by_side() -> None:
    """To different targets; one to the same target is a rival."""
    edges = DeclaredEdges()

    assert [] == edges.put(guarded("b"), FIRST) == edges.put(guarded("c"), FIRST)
    assert [guarded("b")] == [each.spec for each in edges.rivals(guarded("b"))]
    assert 2 == len(edges.rivals(Edge("a", "d")))


def test_keys_of_a_node_are_those_of_all_edges_that_ever_left_it() -> None:
    """A join is found from each of its sources."""
    edges = DeclaredEdges()
    edges.put(JOIN, FIRST)
    edges.put(Edge("b", "d"), SECOND)

    assert ([("a", "b")], [("a", "b"), "b"], []) == tuple(map(edges.keys_from, ("a", "b", "c")))


def test_copy_goes_its_own_way() -> None:
    """And no cell owns what stands in it."""
    edges = DeclaredEdges()
    edges.put(Edge("a", "b"), FIRST)
    copy = edges.copied()
    copy.put(Edge("b", "c"), SECOND)

    assert (["a"], ["a", "b"]) == (list(edges.table), list(copy.table))
    assert [] == edges.keys_from("b")
    assert "copied from cell [1]" == copy.table["a"].cell.key
