"""Delegates in drawings."""

import re

import pytest

from graphnb.graph.topology import Topology, TopologyBranch, TopologyNode
from graphnb.show.drawing.dot import dot_of
from graphnb.show.drawing.mermaid import mermaid_of
from graphnb.show.drawing.outline import outline_of
from graphnb.show.drawing.picture import picture_of
from graphnb.trace.reading.visits import Visits, visits_of
from tests.show.asking import asked, asking, crew, kept, many, refused
from tests.show.drawing.test_dot import edges_in, nodes_in
from tests.show.drawings import READER
from tests.show.together import trace_of


def drawn(count, visits=None, *, inner=None, name="d{}", depth=2):
    """DOT text of a node with so many delegates."""
    delegates = tuple(TopologyBranch(name.format(i), name.format(i), inner=inner) for i in range(count))
    return dot_of(
        Topology("g", "S", (TopologyNode("ask", "delegates", branches=delegates),), (), ()), visits, depth=depth
    )


def told(graph):
    """The outline of a run of the graph."""
    trace = trace_of(graph)
    return outline_of(trace.topology, visits_of(trace.log))


def test_dot_text_is_as_stored(golden):
    """The graph as it was declared, to be read in review."""
    golden("asking.dot", dot_of(asked().topology()))
    golden("asking.mmd", mermaid_of(asked().topology()))


@pytest.mark.parametrize("graph", [kept, refused])
def test_run_is_as_stored(golden, graph):
    """Drawing and outline: who finished, who failed."""
    trace = trace_of(graph())

    golden(f"asking-{trace.topology.name}.dot", dot_of(trace.topology, visits_of(trace.log)))
    golden(f"asking-{trace.topology.name}.txt", told(graph()) + "\n")


def test_delegates_lie_between_their_briefs_and_a_bar():
    """Each of a few has a line from the sheet and one to the bar, in declared order."""
    dot = drawn(2)
    lines = [(tail, head) for tail, head in re.findall(r"^\t+(\w+) -> (\w+)", dot, re.MULTILINE)]

    assert [("n0_briefs", "n0_0"), ("n0_0", "n0_join"), ("n0_briefs", "n0_1"), ("n0_1", "n0_join")] == lines[:4]
    assert "shape=note" in nodes_in(dot)["n0_briefs"]


def test_delegate_that_stands_twice_tells_no_other_name():
    """It is numbered, and nothing else would say more."""
    nodes = nodes_in(dot_of(asked().topology()))

    assert 'label="ada (2)"' in nodes["n0_2"]


def test_delegate_that_is_a_graph_is_a_cluster():
    """With its nodes inside, unless it is folded."""
    assert "subgraph cluster_n0_0 {" in drawn(2, inner=READER)
    assert "subgraph cluster_n0_0 {" not in drawn(2, inner=READER, depth=0)


@pytest.mark.parametrize("count", [7, 12, 40, 48])
def test_many_delegates_stand_in_rows(count):
    """All by their names, of one width, graphs among them folded, with one line for all."""
    dot = drawn(count, inner=READER)
    nodes = nodes_in(dot)
    widths = {re.search(r'width=([\d.]+|"[\d.]+")', nodes[f"n0_{i}"])[1] for i in range(count)}
    seen = [(tail, head) for tail, head, told in edges_in(dot) if "invis" not in told]

    assert 1 == len(widths)
    assert 2 == len(seen)
    assert "cluster_n0_rows" in dot
    assert "cluster_n0_0 " not in dot
    assert max(len(row.split("->")) for row in dot.splitlines()) == 2


def test_long_names_make_shorter_rows():
    """So that the drawing stays as wide as a page."""
    short, long = (drawn(12, name=name).count("rank=same") for name in ("d{}", "a delegate with a long name {}"))

    assert (2, 6) == (short, long)


def test_very_many_delegates_are_counted():
    """Behind the first ones, with how many of the others failed."""
    within = Visits(nodes=dict.fromkeys((f"d{i}" for i in range(100)), 1), failed={"d3", "d98", "d99"})
    dot = drawn(100, Visits(nodes={"ask": 1}, inner={"ask": within}))

    assert "n0_46 " in dot and "n0_47 " not in dot
    assert ">… 53 more<" in dot
    assert "<B>2 failed</B>" in dot


def test_lines_to_rows_are_taken_as_soon_as_one_was_asked():
    """And passed by where nobody was."""
    none = drawn(8, Visits())
    one = drawn(8, Visits(failed={"ask"}, inner={"ask": Visits(nodes={"d0": 0}, failed={"d0"})}))

    assert "#A3ACB5" in next(told for tail, _, told in edges_in(none) if tail == "n0_briefs")
    assert "#0B5C92" in next(told for tail, _, told in edges_in(one) if tail == "n0_briefs")


def test_folded_delegates_are_named():
    """A few lines of them, then how many more."""
    few, lots = (nodes_in(drawn(count, depth=0, name="delegate {}"))["n0"] for count in (3, 40))

    assert "shape=note" in few
    assert ">3 delegates, a brief for each<" in few
    assert ">delegate 0 · delegate 1 · delegate 2<" in few
    assert "inside" not in few
    assert "… 31 more" in lots


def test_node_without_delegates_says_so():
    """It is drawn as a single shape."""
    assert ">no delegates<" in nodes_in(drawn(0))["n0"]


def test_legend_explains_delegates():
    """With a sign of their own."""
    assert ">delegates: a brief for each, results in order<" in drawn(1)


def test_outline_names_each_delegate():
    """In declared order, below the node."""
    text = outline_of(many(12).topology())

    assert [f"d{i}" for i in range(12)] == re.findall(r"^      (d\d+)$", text, re.MULTILINE)
    assert "12 delegates, a brief for each" in text


def test_folded_outline_names_delegates():
    """On the line of their node."""
    assert "ask  3 delegates, a brief for each, ada · bo · ada (2)" in outline_of(asked().topology(), depth=0)


def test_many_delegates_are_one_shape_in_mermaid():
    """They would make one endless row."""
    text = mermaid_of(many(12).topology())

    assert "subgraph" not in text
    assert "d0 #183; d1 #183;" in text and "d11" in text


def test_alternative_text_names_delegates():
    """Or says that there are none."""
    assert "; ask asks ada, bo, ada (2)" in picture_of(asked().topology()).alternative
    assert picture_of(asking([], briefs="look well", on_empty="noop").topology()).alternative.endswith(
        "; ask asks nobody"
    )


def test_delegates_that_were_stopped_are_marked():
    """Those that had begun; others were not reached."""
    within = Visits(nodes={"d0": 1, "d1": 0, "d2": 0}, stopped={"d1"})
    nodes = nodes_in(drawn(3, Visits(stopped={"ask"}, inner={"ask": within})))

    assert "<B>stopped</B>" in nodes["n0_1"]
    assert "dashed" in nodes["n0_2"]


def test_delegates_in_a_loop_tell_how_often():
    """As branches do."""
    within = Visits(nodes={"d0": 2, "d1": 1}, failed={"d1"})
    nodes = nodes_in(drawn(2, Visits(nodes={"ask": 2}, inner={"ask": within})))

    assert "<B> ×2</B>" in nodes["n0_0"]
    assert "<B> ×1</B>" in nodes["n0_1"] and "<B>failed</B>" in nodes["n0_1"]


def test_graph_inside_a_delegate_is_drawn_with_what_it_did():
    """Its visits stand under the delegate's name."""
    trace = trace_of(asking([crew()], briefs="Look well"))

    assert ["look", "write"] == list(visits_of(trace.log).inner["ask"].inner["bo"].nodes)
    assert "write  ×1" in outline_of(trace.topology, visits_of(trace.log))


def test_folded_delegates_that_failed_are_marked():
    """They come first, lest they be among those that are only counted."""
    within = Visits(nodes=dict.fromkeys((f"d{i}" for i in range(40)), 1), failed={"d39"})
    dot = drawn(40, Visits(nodes={"ask": 1}, inner={"ask": within}), depth=0)

    assert ">✗ d39 · d0 · " in nodes_in(dot)["n0"]


def test_candidates_of_a_race_are_drawn_like_delegates():
    """With one brief for all; a dashed line leads on from each, and a solid one from that which won."""
    nodes = tuple(TopologyBranch(f"c{i}", f"c{i}") for i in range(3))
    topology = Topology("g", "S", (TopologyNode("first", "race", branches=nodes),), (), ())
    within = Visits(nodes={"c0": 0, "c1": 1, "c2": 0}, failed={"c0"}, stopped={"c2"})
    dot = dot_of(topology, Visits(nodes={"first": 1}, inner={"first": within}))
    onward = {tail: "dashed" in told for tail, head, told in edges_in(dot) if head == "n0_join"}

    assert {"n0_0": True, "n0_1": False, "n0_2": True} == onward
    assert "label=brief " in nodes_in(dot)["n0_briefs"]
    assert ">3 candidates, the first acceptable result<" in dot
    assert ">race: one brief for all, the first acceptable result<" in dot
    assert "shape=cds" in nodes_in(dot_of(topology, depth=0))["n0"]
    assert "first  3 candidates, the first acceptable result" in outline_of(topology)
    assert 'subgraph n0["first 3 candidates' in mermaid_of(topology)
    assert picture_of(topology).alternative.endswith("; first asks c0, c1, c2")
