"""What a drawn node tells beside its name: what is around it, what it counts twice, how its attempts went."""

import pytest

from graphnb.graph.ends import END
from graphnb.graph.topology import Topology, TopologyEdge, TopologyNode
from graphnb.show.drawing.dot import dot_of
from graphnb.trace.reading.visits import Visits
from tests.show.drawing.test_dot import edges_in, nodes_in
from tests.show.drawings import chain
from tests.show.warned import warned

MESSAGE = "field 'log' goes in as 'log' and comes back into itself"
TALK = TopologyNode("talk", "node", warnings=(MESSAGE,), counted_twice=("log",))


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


def test_round_trip_is_told_at_the_line_that_leaves_the_node():
    """A mark and few words there; all of it in the tooltip and in a note."""
    edges = (TopologyEdge("talk", "end", "branch", "choose"), TopologyEdge("talk", END, "branch", "choose"))
    dot = dot_of(Topology("g", "S", (TALK, TopologyNode("end", "node")), edges, ()))
    stem, *others = edges_in(dot)

    assert ("n0", "n0_router") == stem[:2]
    assert ">⚠ counts log twice<" in stem[2].replace("<B>", "").replace("</B>", "")
    assert "comes back into itself" in stem[2]
    assert not any("twice" in edge[2] for edge in others)
    assert ">warnings<" in dot.replace("<B>", "").replace("</B>", "")
    assert ">warning: see above<" in dot


def test_round_trip_of_a_node_without_an_edge_is_told_in_the_node():
    """A graph that is not finished."""
    dot = dot_of(Topology("g", "S", (TALK,), (), ()))

    assert "⚠ counts log twice" in nodes_in(dot)["n0"]


def test_round_trips_of_many_fields_are_counted():
    """More names than an edge has room for."""
    node = TALK._replace(counted_twice=("a", "b", "c"))

    assert "⚠ counts 3 fields twice" in dot_of(Topology("g", "S", (node,), (), ()))


def test_other_warnings_stand_in_the_node():
    """In the words that they bring, each once; of many the first ones, without words their number."""
    node = TALK._replace(signs=("unfit for log", "no outgoing edge"))
    told = nodes_in(dot_of(Topology("g", "S", (node,), (TopologyEdge("talk", END, "edge"),), ())))["n0"]
    assert "⚠ unfit for log" in told
    assert "⚠ no outgoing edge" in told
    assert "twice" not in told

    many = TALK._replace(counted_twice=(), signs=("a", "b", "c", "d"))
    assert "⚠ 2 more" in dot_of(Topology("g", "S", (many,), (), ()))
    bare = TALK._replace(counted_twice=())
    assert "⚠ 1 warning" in dot_of(Topology("g", "S", (bare,), (), ()))


def test_odd_field_of_a_graph_within_a_node_is_marked_at_the_node():
    """Its fields are not drawn."""
    assert "⚠ field odd" in dot_of(warned().topology())


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
