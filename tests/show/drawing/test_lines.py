"""The lines of a drawing: forks and guarded edges, and how conditions stand at them."""

from __future__ import annotations

import re

import graphnb as gn
from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology, TopologyEdge, TopologyNode
from graphnb.show.drawing.dot import dot_of
from graphnb.show.writing import palette
from graphnb.trace.reading.visits import Visits
from tests.show.drawing.test_dot import edges_in, nodes_in
from tests.show.drawing.test_joins import drawn, edge, told
from tests.show.drawings import DRAFT, NASTY, warning
from tests.show.supersteps import Desk, broken, diamond, guard_loop, logs, twelve
from tests.show.warned import read

BOTH = warning("Both.", "both", number=3)


def guarded(label: str) -> str:
    """The drawing of one edge with this condition."""
    nodes = (TopologyNode("a", "node"), TopologyNode("b", "node"))
    edges = (TopologyEdge(START, "a", "edge"), TopologyEdge("a", "b", "guard", label=label))
    return dot_of(Topology("g", "S", nodes, edges, ()))


def test_warning_stands_at_its_edge() -> None:
    """Where a round is closed, also by a join; all of it in the tooltip. The legend says what the sign means."""
    dot = dot_of(read())
    back, itself = (each for each in edges_in(dot) if "<B>no limit of steps</B>" in each[2])

    assert {("n0", "n1"), ("n2", "nj1")} == {back[:2], itself[:2]}
    assert re.search(r'tooltip="judge → draft, if .*⚠ 6 edge .again., .self.: the graph goes round', back[2])
    assert all("<B>⚠ 6</B>" in each[2] for each in (back, itself))
    assert "<B>no guard</B>" in dot
    assert "warning: see its number above" in dot


def test_round_without_a_guard_is_marked_where_it_closes() -> None:
    """The guarded one is not."""
    (line,) = (each for each in edges_in(dot_of(read(max_supersteps=9))) if "a round without guard" in each[2])

    assert ("n2", "nj1") == line[:2]


def test_edges_that_make_one_line_have_all_their_signs() -> None:
    """Each once, a few of them."""
    nodes = (TopologyNode("a", "node"), TopologyNode("b", "node"))
    edges = tuple(
        TopologyEdge("a", "b", "guard", label=str(i), marks=(warning("", f"look {i}", number=i), BOTH)) for i in (1, 2)
    )
    dot = dot_of(Topology("g", "S", nodes, edges, ()))

    assert 1 == len(edges_in(dot))
    for sign in ("⚠ 1", "look 1", "⚠ 3", "both", "⚠ 2", "look 2"):
        assert 1 == edges_in(dot)[0][2].count(f"<B>{sign}</B>")


def test_error_stands_at_its_edge_by_its_number() -> None:
    """The words are beside the drawing, and in the tooltip."""
    (line,) = (each for each in edges_in(dot_of(DRAFT)) if "✗" in each[2])

    assert ("n0", "n3") == line[:2]
    assert "<B>✗ 1</B>" in line[2]
    assert "no such node" not in line[2]
    assert "plan → fetch\\n✗ 1 edge from 'plan' names 'fetch'" in line[2]
    assert "error: see its number above" in dot_of(DRAFT)


def test_mark_of_all_that_a_router_may_choose_stands_at_its_stem() -> None:
    """Others stand at their line."""
    nodes = (TopologyNode("a", "node"), TopologyNode("b", "node"))
    edges = tuple(
        TopologyEdge("a", target, "branch", "r", marks=(warning("", word), BOTH))
        for word, target in (("on", "b"), ("out", END))
    )
    stem, *others = edges_in(dot_of(Topology("g", "S", nodes, edges, ())))

    assert ("n0", "n0_router") == stem[:2]
    assert [True, False, False] == ["<B>both</B>" in each[2] for each in (stem, *others)]
    assert [True, True] == [f"<B>{word}</B>" in each[2] for word, each in zip(("on", "out"), others, strict=True)]


def test_mark_at_a_router_without_declared_targets_stands_at_its_line() -> None:
    """There is one line alone."""
    edges = (TopologyEdge("a", None, "open", "r", marks=(BOTH,)),)
    _, line = edges_in(dot_of(Topology("g", "S", (TopologyNode("a", "node"),), edges, ())))

    assert "<B>both</B>" in line[2]


def test_fork_leaves_its_node_at_dots() -> None:
    """The legend says what that means; a single edge has none."""
    dot = dot_of(diamond().topology())

    for target in ("n1", "n2"):
        assert {"arrowtail=dot", "dir=both"} <= set(edge(dot, "n0", target).split())
        assert "tailport" not in edge(dot, "n0", target)
    assert "arrowtail" not in edge(dot, "n3", "end")
    assert "fork: all of them are taken" in dot


def test_dots_of_a_wide_fork_are_one() -> None:
    """Else they would crowd at the sides of the node."""
    dot = dot_of(twelve().topology())

    assert all({"arrowtail=dot", "tailport=s"} <= set(edge(dot, "n0", f"n{i}").split()) for i in range(1, 13))


def test_wide_fork_from_a_cluster_has_no_port() -> None:
    """It leaves at the border, wherever that is met."""
    inner = gn.Graph(Desk, entry="x", name="inner")
    inner.node("x", logs("x"), to=gn.END)
    graph = gn.Graph(Desk, entry="sub", name="g")
    graph.subgraph("sub", inner, outputs={"log": "log"}, to=tuple("abcdefgh"))
    for name in "abcdefgh":
        graph.node(name, logs(name), to=gn.END)
    line = edge(dot_of(graph.topology()), "n0_end", "n1")

    assert "arrowtail=dot" in line
    assert "tailport" not in line


def test_guarded_edge_is_dashed_and_begins_with_a_diamond() -> None:
    """Also one that leads back, and is laid out from its target."""
    dot = dot_of(guard_loop().topology())

    onward, back = edge(dot, "n1", "n2"), edges_in(dot)[3]

    assert {"arrowtail=odiamond", "dir=both", "style=dashed"} <= set(onward.split())
    assert ("n0", "n1") == back[:2]
    assert {"arrowhead=odiamond", "dir=both", "style=dashed"} <= set(back[2].split())
    assert "taken if the condition holds" in dot


def test_condition_has_a_line_for_each_part_and_names_fields_alone() -> None:
    """The tooltip has all of it as it is written."""
    line = edge(dot_of(guard_loop().topology()), "n1", "n2")

    assert ">(verdict == 'good')<" in line
    assert ">&amp; ~(topic == 'weather')<" in line
    assert ">&amp; log.changed()<" in line
    assert "if (field('verdict') == 'good') &amp; ~(field('topic') == 'weather')" in line


def test_long_condition_is_cut() -> None:
    """By parts, and each of them by lines."""
    parts = " & ".join(f"(field('f{i}') == 1)" for i in range(9))
    line = edge(guarded(parts), "n0", "n1")

    assert ">&amp; (f3 == 1)<" in line
    assert ">… 5 more<" in line
    assert "f4" not in line.split("tooltip")[0]


def test_what_is_no_plain_field_stands_as_it_is_written() -> None:
    """Names are data."""
    line = edge(guarded("field('a b') == 'field(1)'"), "n0", "n1")

    assert ">field('a b') == 'field(1)'<" in line


def test_conditions_of_any_text_are_drawn() -> None:
    """As data: nothing in them breaks the drawing."""
    for text in NASTY:
        assert edge(guarded(text), "n0", "n1")


def test_condition_is_told_in_the_outline() -> None:
    """With a broken arrow; a fork says that all are taken at once."""
    loop = told(guard_loop())

    assert "judge ⇢ draft  if field('verdict') == 'poor'" in loop
    assert "taken as 3" in loop
    assert "plan → read         at once" in told(diamond())


def test_dropped_node_is_marked_and_explained() -> None:
    """By its border and in words."""
    dot = drawn(broken())
    read = nodes_in(dot)["n2"]

    assert "dashed" in read
    assert "<B>finished, update dropped</B>" in read
    assert "finished, but its step failed or stopped" in dot
    assert "read  finished, update dropped" in told(broken())


def test_waiting_and_finished_nodes_are_marked() -> None:
    """In words, with an entry of the legend."""
    nodes, edges = (TopologyNode("a", "node"),), (TopologyEdge(START, "a", "edge"), TopologyEdge("a", END, "edge"))
    topology = Topology("g", "S", nodes, edges, ())
    waiting = dot_of(topology, Visits(waiting={"a"}))
    finished = dot_of(topology, Visits(finished={"a"}))

    assert "<B>‖ waits for an answer</B>" in nodes_in(waiting)["n0"]
    assert palette.WAIT in nodes_in(waiting)["n0"]
    assert ">waits for an answer</FONT>" in waiting
    assert "<B>finished, its step goes on</B>" in nodes_in(finished)["n0"]


def test_lines_to_a_bar_have_no_heads_where_they_lead_back() -> None:
    """A join may wait for a node to which it leads itself."""
    edges = (
        TopologyEdge(START, "a", "edge"),
        TopologyEdge("a", "b", "join", join="j"),
        TopologyEdge("b", "b", "join", join="j"),
    )
    nodes = (TopologyNode("a", "node"), TopologyNode("b", "node"))
    dot = dot_of(Topology("g", "S", nodes, edges, ()))

    assert "arrowhead=none" in edge(dot, "n0", "nj0")
    assert "dir=none" in edges_in(dot)[-2][2]
