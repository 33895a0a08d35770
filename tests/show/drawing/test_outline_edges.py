"""Edges as lines of an outline."""

from graphnb.graph.topology import Topology, TopologyEdge, TopologyNode
from graphnb.show.drawing.outline_edges import edge_lines, edges_of
from tests.show.drawings import DRAFT, fault, warning

NODES = (TopologyNode("a", "node"), TopologyNode("b", "node"))


def lines(*edges):
    """The lines of these edges."""
    return list(edge_lines(Topology("g", "S", NODES, edges, ()), None, told=str))


def test_edges_of_a_graph_are_one_text_each():
    """The edges alone, for the text alternative of a picture."""
    assert ("START → plan", "plan → fetch", "route ⇢ ?") == edges_of(DRAFT)


def test_errors_stand_behind_their_edge_and_warnings_below_it():
    """Errors by number, since they are told in a section of their own."""
    edge = TopologyEdge("a", "b", "guard", label="n > 1", marks=(fault("Bad.", number=2), warning("Odd.")))

    assert ["a ⇢ b  if n > 1  ✗ 2", "  ⚠ 1 Odd."] == lines(edge)


def test_join_tells_what_is_marked_at_any_of_its_sources():
    """On its one line, once."""
    edges = [TopologyEdge(name, "a", "join", join="j", marks=(warning(name), warning("both"))) for name in "ab"]

    assert ["a + b → a  when all have come", "  ⚠ 1 a", "  ⚠ 1 both", "  ⚠ 1 b"] == lines(*edges)


def test_mark_of_all_that_a_router_may_choose_is_told_once():
    """At the first; two edges that are no choice both have it."""
    chosen = [TopologyEdge("a", name, "branch", "r", marks=(warning("Odd."),)) for name in "ab"]
    forked = [TopologyEdge("a", name, "fork", marks=(warning("Odd."),)) for name in "ab"]

    assert 1 == sum("Odd" in each for each in lines(*chosen))
    assert 2 == sum("Odd" in each for each in lines(*forked))
