"""What a drawn node tells beside its name: what is around it, what it counts twice, how its attempts went."""

import re

import pytest

from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show.drawing.dot import dot_of
from graphnb.trace.reading.visits import Visits
from tests.show.drawing.test_dot import nodes_in
from tests.show.drawings import chain, fault, warning
from tests.show.warned import warned


def layered(*stacks, observers=()):
    """A chain of nodes with this middleware around them."""
    plain = chain(*(f"n{i}" for i in range(len(stacks))))
    nodes = (node._replace(middleware=stack) for node, stack in zip(plain.nodes, stacks, strict=True))
    return plain._replace(nodes=tuple(nodes), observers=observers)


def test_middleware_stands_below_the_name_outermost_first():
    """And the legend says what it is, only then."""
    dot = dot_of(layered(("outer", "inner"), ()))

    assert ">within outer, inner<" in nodes_in(dot)["n0"]
    assert "within" not in nodes_in(dot)["n1"]
    assert ">middleware around it, outermost first<" in dot
    assert "middleware" not in dot_of(layered((), ()))


def test_middleware_around_every_node_stands_in_the_caption():
    """Once, and not at each node; what is around one alone stays there."""
    dot = dot_of(layered(("timed", "inner"), ("timed",)))

    assert ">each node within timed<" in dot
    assert ">within inner<" in nodes_in(dot)["n0"]
    assert "timed" not in nodes_in(dot)["n1"]


def test_middleware_around_every_inner_node_stands_in_the_heading():
    """Of the cluster."""
    sub = TopologyNode("sub", "subgraph", inner=layered(("timed",), ("timed",)))

    assert ">each node within timed<" in dot_of(Topology("g", "S", (sub,), (), ()))


def test_observers_stand_in_the_caption():
    """A few of them."""
    dot = dot_of(layered((), observers=tuple("abcdef")))

    assert ">observed by a, b, c, d and 2 more<" in dot


def test_warnings_stand_in_the_node_in_few_words():
    """Each with its number; all of it is in the tooltip."""
    node = TopologyNode("talk", "node", marks=(warning("It is unfit.", "unfit for log", number=4),))
    drawn = nodes_in(dot_of(Topology("g", "S", (node,), (), ())))["n0"]

    assert "<B>⚠ 4</B>" in drawn
    assert "<B>unfit for log</B>" in drawn
    assert r'tooltip="talk\n⚠ 4 It is unfit."' in drawn


def test_errors_stand_before_the_name_of_the_node_by_their_numbers():
    """Filled, where warnings have a border; without words, so that a graph that is half built stays quiet."""
    node = TopologyNode("talk", "node", marks=(fault("Wrong.", number=2), fault("Bad.", number=3)))
    dot = dot_of(Topology("g", "S", (node,), (), ()))
    drawn = nodes_in(dot)["n0"]

    assert re.search("BGCOLOR=.#B83A00.*<B>✗ 2, 3</B>.*>talk<", drawn)
    assert ">wrong<" not in drawn
    assert r'tooltip="talk\n✗ 2 Wrong.\n✗ 3 Bad."' in drawn
    assert ">error: see its number above<" in dot


def test_error_stands_in_the_heading_of_a_cluster():
    """What is wrong inside stands there; where the inside is not drawn, the node has all of it."""
    inner = chain("a")._replace(nodes=(TopologyNode("a", "node", marks=(fault("Bad.", number=2),)),))
    topology = Topology("g", "S", (TopologyNode("sub", "subgraph", inner=inner, marks=(fault("Wrong."),)),), (), ())
    opened = dot_of(topology)

    assert re.search("cluster_n0 .*?<B>✗ 1</B>.*?<B>sub</B>", opened, re.DOTALL)
    assert "<B>✗ 2</B>" in nodes_in(opened)["n0_0"]
    assert "<B>✗ 1, 2</B>" in nodes_in(dot_of(topology, depth=0))["n0"]


def test_odd_field_of_a_graph_within_a_node_is_marked_at_the_node():
    """Its fields are not drawn."""
    assert "<B>field odd</B>" in dot_of(warned().topology())


@pytest.mark.parametrize(
    ("visits", "word", "meaning"),
    [
        (Visits(nodes={"a": 1}, retries={"a": 2}), "↻ 3 attempts", "tried again after a failure"),
        (Visits(nodes={"a": 2}, retries={"a": 2}), "↻ tried again 2 times", "tried again after a failure"),
        (Visits(failed={"a"}, retries={"a": 1}), "↻ 2 attempts", "tried again after a failure"),
        (
            Visits(nodes={"a": 1}, degraded={"a": 1}),
            "failed, update put in its place",
            "failed, an update put in its place",
        ),
        (
            Visits(nodes={"a": 2}, answered={"a": 1}),
            "answered by middleware 1×",
            "middleware answered, node not asked",
        ),
    ],
)
def test_attempts_are_told_in_words_and_explained(visits, word, meaning):
    """In the node, and in the legend."""
    dot = dot_of(chain("a"), visits)

    assert f"<B>{word}</B>" in nodes_in(dot)["n0"]
    assert f">{meaning}<" in dot


@pytest.mark.parametrize("visits", [Visits(nodes={"a": 1}, degraded={"a": 1}), Visits({"a": 1}, answered={"a": 1})])
def test_node_for_which_middleware_answered_has_a_broken_border(visits):
    """Its inside keeps the colour, other than where nobody came."""
    drawn = nodes_in(dot_of(chain("a"), visits))["n0"]

    assert "dashed" in drawn
    assert "#E6F2FA" in drawn
