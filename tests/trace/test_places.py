"""Where a node stands."""

import graphnb as gn
from graphnb.graph.making_topology import topology_of
from graphnb.trace.places import Part, graph_of, path_text, place_text
from tests.engine.forks import Log
from tests.engine.forks import graph_of as made_of


def test_path_of_a_node_of_the_outermost_graph_is_its_name():
    """There is nothing around it."""
    assert "a" == path_text((), "a")


def test_path_names_enclosing_nodes_and_instances():
    """From the outermost graph down, the instance of a fan-out in brackets."""
    assert "read[2]/child/a" == path_text((Part("read", 2), Part("child", None)), "a")


def test_place_of_a_graph_is_the_path_of_the_nodes_around_it():
    """Nothing is around the outermost one."""
    assert "read[2]/child" == place_text((Part("read", 2), Part("child", None)))
    assert "" == place_text(())


def test_graph_of_parents_is_found_within_nodes_and_branches():
    """None where the topology does not have it."""
    inner = made_of({"a": gn.END}, name="inner")
    graph = gn.Graph(Log, entry="sub")
    graph.subgraph("sub", inner, to="both")
    graph.branches("both", {"p": gn.ParallelBranch(inner, outputs={"log": "log"}), "q": lambda s: {}}, to=gn.END)
    topology = topology_of(graph.spec())

    assert topology is graph_of((), topology)
    assert "inner" == graph_of((Part("sub", None),), topology).name
    assert "inner" == graph_of((Part("both", "p"),), topology).name
    assert None is graph_of((Part("both", "q"),), topology)
    assert None is graph_of((Part("gone", None), Part("sub", None)), topology)
