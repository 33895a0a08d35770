"""What stands beside a drawing: the fields of the state with what is odd about them, and all warnings in full."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

import graphnb as gn
from graphnb.graph.topology import Topology, TopologyEdge, TopologyField, TopologyNode
from graphnb.show.drawing.dot import dot_of
from graphnb.show.drawing.render import svg_of
from graphnb.show.drawing.signs import warnings_of
from tests.show.warned import document, read, warned


def notes(dot: str) -> list[str]:
    """The texts beside a drawing, one per cell."""
    label = next(line for line in dot.splitlines() if 'BGCOLOR="#FFFFFE"' in line)
    cells = re.findall(r"<TD[^>]*>(<FONT.*?</FONT>)</TD>", label)
    return [html.unescape(re.sub("<[^>]*>", "", re.sub("<BR[^>]*>", " ", each))).strip() for each in cells]


def test_field_of_which_there_is_something_to_say_is_marked() -> None:
    """By a sign behind it and a colour; others are not, and the legend says what the sign means."""
    odd = TopologyField("seen", "set[str]", "append", "set()", ("append cannot fold a set[str]. Mend it.",))
    fine = TopologyField("log", "list[str]", "append", "[]")
    told = notes(dot_of(Topology("g", "S", (), (), (odd, fine))))

    assert ["seen", "set[str]", "append", "set()", "⚠", "log", "list[str]", "append", "[]", "warnings"] == told[4:14]
    assert "• field seen: append cannot fold a set[str]. Mend it." == told[14]
    assert ["⚠", "warning: see above"] == [told[15], told[-1]][: len(told) - 15]


def test_every_warning_is_told_in_full_beside_the_drawing() -> None:
    """Of nodes, of fields of graphs within them, of fields; what checking tells, and nothing else."""
    graph = warned()
    told = list(warnings_of(graph.topology(), 2))
    checked = [each for each in graph.check() if each.severity == "warning"]

    assert sorted(f"{each.message}. {each.mend}" for each in checked) == sorted(
        re.sub(r"^(node \w+, field \w+|node \w+|field \w+): ", "", each) for each in told
    )
    assert told[0].startswith("node plan: nodes 'ann' and 'bob' both write field 'verdict'")
    assert any(each.startswith("node talk, field odd: append cannot fold a str") for each in told)
    assert told[-1].startswith("field seen: append cannot fold a set[str]")


@pytest.mark.parametrize("options", [{}, {"max_supersteps": 9}, {"ends": True}])
def test_every_warning_about_a_document_is_told_once(options: dict[str, Any]) -> None:
    """Also one that is marked at several edges, or concerns the graph as a whole."""
    topology = read(**options)
    checked = [f"{each.message}. {each.mend}" for each in gn.check_document(document(**options))]
    told = list(warnings_of(topology, 2))

    assert len(checked) == len(told)
    assert all(any(each.endswith(text) for each in told) for text in checked)
    assert list(topology.warnings) == told[: len(topology.warnings)]
    assert told[0].startswith("node lost: no way leads" if "ends" in options else "no edge leads to '$finish'")


def test_edges_with_the_same_warning_stand_together() -> None:
    """The sentence is there once."""
    told = [each for each in warnings_of(read(), 2) if "goes round" in each]

    assert 1 == len(told)
    assert told[0].startswith("edge judge → draft, print → print: the graph goes round through ['draft', 'judge'] and")


def test_join_that_closes_a_round_is_one_edge() -> None:
    """With all its sources."""
    nodes = (TopologyNode("a", "node"), TopologyNode("b", "node"))
    edges = tuple(TopologyEdge(name, "a", "join", join="j", warnings=("Look.",)) for name in "ab")

    assert ["edge a + b → a: Look."] == list(warnings_of(Topology("g", "S", nodes, edges, ()), 1))


def test_warnings_within_a_graph_are_told_as_deep_as_it_is_drawn() -> None:
    """Deeper ones are not, but for those about the fields of a graph that is drawn as one node."""
    inner = Topology("inner", "S", (TopologyNode("a", "node", warnings=("Look.",)),), (), ())
    outer = Topology("outer", "S", (TopologyNode("sub", "subgraph", inner=inner),), (), ())
    field = TopologyField("f", "str", "append", "''", ("Odd.",))
    odd = Topology("outer", "S", (TopologyNode("sub", "subgraph", inner=inner._replace(fields=(field,))),), (), ())

    assert (["node a: Look."], []) == (list(warnings_of(outer, 1)), list(warnings_of(outer, 0)))
    assert ["node sub, field f: Odd."] == list(warnings_of(odd, 0))


@pytest.mark.parametrize("topology", [warned().topology(), read(), read(max_supersteps=9)])
def test_marked_drawings_can_be_rendered(topology: Topology) -> None:
    """Long sentences are broken into lines."""
    svg = svg_of(dot_of(topology)).svg

    assert svg is not None
    assert "warnings" in svg
