"""Outgoing edges as records: where they lead."""

from graphnb.graph.edges import Branch, Edge, Link, Links, is_open, joins_in, names_in, targets_of
from graphnb.graph.ends import END

JOIN = Link("a+b-c", ("a", "b"), "c", is_join=True)
FORK = Link("a-c", ("a",), "c")


def test_targets_are_told_once_in_declared_order():
    """Of an edge, a branch with and without targets, links, and of none at all."""
    assert () == targets_of(None)
    assert ("b",) == targets_of(Edge("a", "b"))
    assert ("b", END) == targets_of(Branch("a", len, {1: "b", 2: END, 3: "b"}))
    assert () == targets_of(Branch("a", len))
    assert ("c", END) == targets_of(Links("a", (FORK, Link("a-END", ("a",), END), JOIN)))
    assert ("b",) == names_in(("b", END))


def test_only_a_branch_without_targets_is_open():
    """It alone may lead anywhere."""
    assert is_open(Branch("a", len))
    assert not any(map(is_open, (None, Edge("a", "b"), Branch("a", len, {}), Links("a", (FORK,)))))


def test_join_is_told_once_though_it_stands_at_each_source():
    """Forks and guarded edges are none."""
    edges = {"a": Links("a", (FORK, JOIN)), "b": Links("b", (JOIN,)), "c": Edge("c", END)}

    assert (JOIN,) == joins_in(edges)
