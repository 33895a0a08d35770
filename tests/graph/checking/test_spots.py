"""Where in a drawing something is wrong."""

from graphnb.graph.checking.spots import Spot, spot_within, spots_to
from graphnb.graph.edges import Branch, Edge, Link, Links
from graphnb.graph.ends import END


def test_spot_is_told_from_further_out_step_by_step():
    """The outermost name comes first."""
    inner = spot_within(Spot("edge", "a-b", ("left",)), ("both",))

    assert Spot("edge", "a-b", ("outer", "both", "left")) == spot_within(inner, ("outer",))


def test_edges_to_a_target_are_known_by_their_ends():
    """One from a router too."""
    assert (Spot("edge", ("a", "b")),) == spots_to("a", Edge("a", "b"), target="b")
    assert (Spot("edge", ("a", END)),) == spots_to("a", Branch("a", len, {"x": END}), target=END)


def test_several_routes_to_a_target_are_known_by_their_ids():
    """All of them; those to others are left out."""
    links = Links("a", (Link("one", ("a",), "b"), Link("two", ("a", "c"), "b", is_join=True), Link("on", ("a",), "c")))

    assert (Spot("edge", "one"), Spot("edge", "two")) == spots_to("a", links, target="b")
