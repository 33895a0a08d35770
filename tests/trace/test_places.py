"""Where a node stands."""

from graphnb.trace.places import Part, path_text


def test_path_of_a_node_of_the_outermost_graph_is_its_name():
    """There is nothing around it."""
    assert "a" == path_text((), "a")


def test_path_names_enclosing_nodes_and_instances():
    """From the outermost graph down, the instance of a fan-out in brackets."""
    assert "read[2]/child/a" == path_text((Part("read", 2), Part("child", None)), "a")
