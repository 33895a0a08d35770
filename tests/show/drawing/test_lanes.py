"""Parallel branches in drawings."""

import re

import pytest

from graphnb.graph.topology import Topology, TopologyBranch, TopologyNode
from graphnb.show.drawing.dot import dot_of
from graphnb.show.drawing.render import svg_of
from graphnb.trace.reading.visits import Visits, visits_of
from tests.show.drawing.test_dot import edges_in, nodes_in
from tests.show.drawings import READER, chain
from tests.show.together import failed, round_trip, together, trace_of
from tests.show.warned import warned

BRANCHES = (TopologyBranch("left", "left"), TopologyBranch("right", "work", (("when", "is_it()"),)))
BOTH = Topology("g", "S", (TopologyNode("both", "branches", branches=BRANCHES),), (), ())


def lanes(visits):
    """The drawn branches of BOTH in a run."""
    nodes = nodes_in(dot_of(BOTH, visits))
    return nodes["n0_0"], nodes["n0_1"]


@pytest.mark.parametrize("graph", [together, failed, round_trip, warned])
def test_dot_text_is_as_stored(golden, graph):
    """The graph as it was declared, to be read in review."""
    made = graph()

    golden(f"{made.name}.dot", dot_of(made.topology()))


@pytest.mark.parametrize("graph", [together, failed])
def test_dot_text_of_a_run_is_as_stored(golden, graph):
    """The path that a run took: branches that ran, failed and were skipped; attempts; middleware that answered."""
    made = graph()
    trace = trace_of(made)

    golden(f"{made.name}-run.dot", dot_of(trace.topology, visits_of(trace.log)))


def test_lanes_lie_between_two_bars_in_declared_order():
    """Every lane starts at the first bar and ends at the second."""
    edges = re.findall(r"^\t+(\w+) -> (\w+)", dot_of(BOTH), re.MULTILINE)

    assert [("n0_fork", "n0_0"), ("n0_0", "n0_join"), ("n0_fork", "n0_1"), ("n0_1", "n0_join")] == edges[:4]
    assert "ordering=out" in nodes_in(dot_of(BOTH))["n0_fork"]


def test_branch_tells_its_function_and_when_it_runs():
    """The function's name only if it is another."""
    left, right = lanes(None)

    assert "label=left" in left
    assert ">work<" in right
    assert ">when is_it()<" in right


def test_branch_that_is_a_graph_is_a_cluster():
    """With what is inside it; its lane ends at the border."""
    graph = TopologyBranch("read", "reader", inner=READER)
    node = TopologyNode("both", "branches", branches=(graph, *BRANCHES))
    dot = dot_of(Topology("g", "S", (node,), (), ()))

    assert "subgraph cluster_n0_0 {" in dot
    assert "lhead=cluster_n0_0" in next(edge[2] for edge in edges_in(dot) if edge[0] == "n0_fork")
    assert ">subgraph reader<" in dot


def test_folded_branches_tell_how_many_nodes_they_hide():
    """A shape of their own, without lanes."""
    drawn = nodes_in(dot_of(BOTH, depth=0))

    assert ["n0"] == [name for name in drawn if name.startswith("n0")]
    assert "shape=component" in drawn["n0"]
    assert ">2 branches at once<" in drawn["n0"]
    assert ">2 nodes inside<" in drawn["n0"]


def test_branch_that_ran_failed_or_was_skipped_is_marked():
    """By its line, by its border, by a word."""
    ran, skipped = lanes(Visits(nodes={"both": 1}, inner={"both": Visits(nodes={"left": 1})}))
    failing, unreached = lanes(
        Visits(failed={"both"}, inner={"both": Visits(nodes={"left": 0, "right": 0}, failed={"left"})})
    )

    assert "skipped" not in ran
    assert "dotted" in skipped and "<B>skipped</B>" in skipped
    assert "peripheries=2" in failing and "<B>failed</B>" in failing
    assert "dashed" in unreached and "skipped" not in unreached


def test_branches_of_a_node_that_was_not_reached_were_not_skipped():
    """Nobody asked whether they should run."""
    both = BOTH._replace(nodes=(*BOTH.nodes, *chain("a").nodes))
    dot = dot_of(both, Visits(nodes={"a": 1}))

    assert "skipped" not in dot
    assert "dashed" in nodes_in(dot)["n0_0"]


def test_branch_that_ran_at_times_tells_how_often():
    """In a loop: once of two times, beside one that always ran."""
    left, right = lanes(Visits(nodes={"both": 2}, inner={"both": Visits(nodes={"left": 2, "right": 1})}))

    assert "<B> ×2</B>" in left
    assert "<B> ×1</B>" in right


@pytest.mark.parametrize("kinds", ["fgf", "ffg", "gfgfff", "fggff", "gg"])
def test_lanes_stand_from_left_to_right_as_declared(kinds):
    """Functions and graphs in any mixture: the legend says that they are folded in this order."""
    branches = [TopologyBranch(f"b{i}", "work", inner=READER if each == "g" else None) for i, each in enumerate(kinds)]
    node = TopologyNode("both", "branches", branches=tuple(branches))
    svg, reason = svg_of(dot_of(Topology("g", "S", (node,), (), ())))
    if svg is None:
        pytest.skip(reason)
    places = {name: float(x) for x, name in re.findall(r'<text [^>]*?x="([-\d.]+)"[^>]*>(b\d)</text>', svg)}

    assert [f"b{i}" for i in range(len(kinds))] == sorted(places, key=places.__getitem__)
