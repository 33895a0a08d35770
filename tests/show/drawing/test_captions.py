"""What drawings and outlines say in words: middleware, observers, how often a worker runs."""

from graphnb.graph.topology import Topology, TopologyBranch, TopologyNode
from graphnb.show.drawing.captions import (
    captions_of,
    lanes_of,
    layers_around_all,
    layers_of,
    layers_text,
    times_of,
)


def layered(*stacks, kind="node", observers=()):
    """A graph whose nodes have this middleware around them."""
    nodes = [TopologyNode(f"n{i}", kind, middleware=stack) for i, stack in enumerate(stacks)]
    return Topology("g", "S", (*nodes, TopologyNode("later", "missing")), (), (), observers)


def test_what_is_around_all_is_what_their_stacks_begin_with():
    """Missing nodes have none and do not count; of a single node everything is its own."""
    assert ("a", "b") == layers_around_all(layered(("a", "b", "c"), ("a", "b"), ("a", "b", "d")))
    assert () == layers_around_all(layered(("a", "b"), ("b", "a")))
    assert () == layers_around_all(layered(("a",)))


def test_node_has_what_is_left():
    """What is around each node of its graph is told there."""
    graph = layered(("a", "c"), ("a",))

    assert [("c",), ()] == [layers_of(node, graph) for node in graph.nodes[:2]]


def test_long_list_of_middleware_is_broken_between_its_layers():
    """Each line but the last ends in a comma."""
    names = [f"layer_number_{i}" for i in range(6)]
    first, *rest = layers_text(names, "each within")

    assert first.startswith("each within layer_number_0, layer_number_1")
    assert all(line.endswith(",") for line in (first, *rest)[:-1])
    assert ", ".join(names) == " ".join((first, *rest)).removeprefix("each within ")


def test_captions_tell_observers_then_middleware():
    """A few observers by name; a graph without either has no caption."""
    graph = layered(("timed",), ("timed",), observers=("a", "b", "c", "d", "e"))

    assert ["observed by a, b, c, d and 1 more", "each node within timed"] == list(captions_of(graph))
    assert [] == list(captions_of(layered((), ())))


def test_how_often_is_told_in_words():
    """A number, a function that gives one, or once per item; branches by their number."""
    branches = (TopologyBranch("left", "f"), TopologyBranch("right", "g"))

    assert "ask, 3 times" == times_of(TopologyNode("f", "fan_out", (("count", "3"),), "ask"))
    assert "a worker, once per item" == times_of(TopologyNode("f", "fan_out", (("over", "xs"),)))
    assert "2 branches at once" == lanes_of(TopologyNode("both", "branches", branches=branches))
    assert "1 branch at once" == lanes_of(TopologyNode("both", "branches", branches=branches[:1]))
