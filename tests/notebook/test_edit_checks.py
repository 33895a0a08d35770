"""What a script may not declare twice, and what it cannot remove, in words; cells are in `test_declarations.py`."""

import pytest

from graphnb.errors import DuplicateName, InvalidDeclaration, MultipleOutgoingEdges
from graphnb.graph.edges import Branch, Edge
from graphnb.graph.ends import END
from graphnb.notebook.declarations import Declarations
from tests.notebook.declaring_nodes import node, work


def test_script_repeating_a_node_raises() -> None:
    """A script is one edit: the second node of a name is refused and the first stays."""
    declared = Declarations("graph 'review'")
    node(declared, "plan", "judge")
    first = declared.nodes["plan"]

    with pytest.raises(DuplicateName) as caught:
        node(declared, "plan", function=print)

    assert str(caught.value) == (
        "graph 'review': node 'plan' is declared twice in one script\n"
        "Outside a notebook's cells a name is declared once: give the second node a name of its own."
    )
    assert declared.nodes["plan"] is first
    assert declared.version == 1


def test_script_with_second_outgoing_edge_raises_and_shows_the_way() -> None:
    """The message names both targets and the way to lead to both; the first edge stays."""
    declared = Declarations("graph 'review'")
    node(declared, "plan", "judge")

    with pytest.raises(MultipleOutgoingEdges) as caught:
        declared.declare(edge=Edge("plan", END))

    assert str(caught.value) == (
        "graph 'review': node 'plan' gets two outgoing edges in one script: "
        "the first leads to 'judge', the second to gn.END\n"
        "A node has one outgoing edge. There are three ways to lead from it to several nodes:\n"
        "  go to all of them at once            graph.edge('plan', ('judge', gn.END))\n"
        "  let a function of the state choose   @graph.branch('plan', to=('judge', gn.END))\n"
        "  guard each of the edges              graph.edge('plan', 'judge', when=gn.field('name') == value)"
    )
    assert declared.edges == {"plan": Edge("plan", "judge")}


def test_edge_beside_a_branch_raises() -> None:
    """A branch and an edge are both outgoing edges; an open branch is said to lead to any node."""
    declared = Declarations("graph 'review'")
    declared.declare(edge=Branch("plan", work))

    with pytest.raises(MultipleOutgoingEdges, match="leads to any node, the second to 'judge'") as caught:
        declared.declare(edge=Edge("plan", "judge"))

    assert "to=('judge', ...)" in caught.value.mend


def test_same_edge_twice_raises() -> None:
    """The same edge twice is one too many, and then no way to several nodes is offered."""
    declared = Declarations("graph 'review'")
    declared.declare(edge=Edge("plan", "judge"))

    with pytest.raises(MultipleOutgoingEdges) as caught:
        declared.declare(edge=Edge("plan", "judge"))

    assert caught.value.mend == "Both lead to the same place: delete one of them."


def test_second_open_branch_raises_and_shows_the_way() -> None:
    """Two branches without declared targets need not lead to the same place."""
    declared = Declarations("graph 'review'")
    declared.declare(edge=Branch("plan", work))

    with pytest.raises(MultipleOutgoingEdges, match=r"the second to any node\nA node has one outgoing edge\."):
        declared.declare(edge=Branch("plan", work))


def test_removing_an_unknown_name_offers_the_nearest() -> None:
    """A name that is not there cannot be removed, also not a second time."""
    declared = Declarations("graph 'review'")
    node(declared, "plan")
    node(declared, "judge")

    with pytest.raises(InvalidDeclaration, match=r"no node 'judg' to remove\nNodes: .*Did you mean 'judge'\?"):
        declared.remove("judg")
    declared.remove("judge")
    with pytest.raises(InvalidDeclaration):
        declared.remove("judge")
