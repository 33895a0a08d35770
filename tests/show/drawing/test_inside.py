"""What is inside a node, as nodes: those of a graph, or its parallel branches."""

from graphnb.graph.topology import Topology, TopologyBranch, TopologyNode
from graphnb.show.drawing.inside import branch_nodes, count_of, inside_of
from tests.show.drawings import chain, fault, nested

LEFT = TopologyBranch(
    "left", "inner", (("inputs", "a ← b"), ("middleware", "timed")), chain("x", "y"), (fault("Bad."),)
)
RIGHT = TopologyBranch("right", "look")
BOTH = TopologyNode("both", "branches", branches=(LEFT, RIGHT))


def test_branches_are_nodes_of_their_kind():
    """Of a graph a subgraph, of a function a node that tells its worker; middleware is no detail of a node."""
    left, right = branch_nodes(BOTH)

    assert ("left", "subgraph", LEFT.inner) == (left.name, left.kind, left.inner)
    assert ((("inputs", "a ← b"),), ("timed",)) == (left.details, left.middleware)
    assert ("right", "node", "look", None) == (right.name, right.kind, right.worker, right.inner)


def test_branches_keep_their_marks():
    """They are drawn as nodes are."""
    assert [LEFT.marks, ()] == [each.marks for each in branch_nodes(BOTH)]


def test_inside_of_a_node_is_its_graph_or_its_branches():
    """Or nothing."""
    inner = chain("x", "y")

    assert inner.nodes == inside_of(TopologyNode("sub", "subgraph", inner=inner))
    assert branch_nodes(BOTH) == inside_of(BOTH)
    assert () == inside_of(TopologyNode("a", "node"))


def test_nodes_are_counted_with_all_inside_them():
    """A parallel branch is one as well; however deep graphs are nested."""
    deep = Topology("deep", "S", (TopologyNode("a", "node"),), (), ())
    for _ in range(2000):
        deep = Topology("deep", "S", (TopologyNode("sub", "subgraph", inner=deep),), (), ())

    assert 5 == count_of((BOTH,))
    assert 2001 == count_of(deep.nodes)
    assert 10 == count_of(nested(4).nodes)
