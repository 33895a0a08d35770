"""What stands beside a drawing: the fields of the state with what is odd about them, and all warnings in full."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

import graphnb as gn
from graphnb.graph.topology import Topology, TopologyField
from graphnb.show.drawing.dot import dot_of
from graphnb.show.drawing.render import svg_of
from tests.show.drawings import fault, warning
from tests.show.warned import document, read, warned


def notes(dot: str) -> list[str]:
    """The texts beside a drawing, one per cell."""
    label = next(line for line in dot.splitlines() if 'BGCOLOR="#FFFFFE"' in line)
    cells = re.findall(r"<TD[^>]*>(<FONT.*?</FONT>)</TD>", label)
    return [html.unescape(re.sub("<[^>]*>", "", re.sub("<BR[^>]*>", " ", each))).strip() for each in cells]


def test_field_of_which_there_is_something_to_say_is_marked() -> None:
    """By a numbered sign behind it; others are not, and the legend says what the sign means."""
    mark = warning("append cannot fold a set[str]. Mend it.", "field seen", place="field 'seen'")
    odd = TopologyField("seen", "set[str]", "append", "set()", (mark,))
    fine = TopologyField("log", "list[str]", "append", "[]")
    told = notes(dot_of(Topology("g", "S", (), (), (odd, fine), marks=(mark,))))

    assert ["seen", "set[str]", "append", "set()", "⚠ 1", "log", "list[str]", "append", "[]", "warnings"] == told[4:14]
    assert ["⚠ 1", "field 'seen': append cannot fold a set[str]. Mend it."] == told[14:16]
    assert ["⚠", "warning: see its number above"] == told[16:]


def test_error_of_a_field_comes_before_its_warnings() -> None:
    """They share one sign, which is that of the error."""
    field = TopologyField("f", "str", "append", "''", (warning("Odd.", number=2), fault("Wrong.")))

    assert "✗ 1, 2" in notes(dot_of(Topology("g", "S", (), (), (field,))))


@pytest.mark.parametrize("name", ["warned", "loop", "limited", "ends"])
def test_every_diagnostic_is_told_in_full_beside_the_drawing(name: str) -> None:
    """Once, numbered as checking tells them: of nodes, edges, fields, and the graph as a whole."""
    options: dict[str, Any] = {"limited": {"max_supersteps": 9}, "ends": {"ends": True}}.get(name, {})
    topology = warned().topology() if name == "warned" else read(**options)
    checked = warned().check() if name == "warned" else gn.check_document(document(**options))

    assert [(i, f"{each.message}. {each.mend}") for i, each in enumerate(checked, start=1)] == [
        (each.number, each.text) for each in topology.marks
    ]
    texts = notes(dot_of(topology))
    for each in topology.marks[:6]:
        assert texts[texts.index("warnings") :].count(f"⚠ {each.number}") == 1
        assert any(text.startswith(each.line[:60]) for text in texts)


def test_place_of_a_warning_is_told_before_it() -> None:
    """In a graph within a node as well; of edges by their ids, with all that the warning is about."""
    places = [each.place for each in warned().topology().marks]

    assert "node 'talk', graph 'inner', field 'odd'" in places
    assert "edge 'again', 'self'" in [each.place for each in read().marks]


def test_many_diagnostics_are_told_by_their_number() -> None:
    """Checking lists all of them."""
    marks = tuple(warning(f"Look at {i}.", number=i) for i in range(1, 10))

    assert "and 3 more: .check() has all" in notes(dot_of(Topology("g", "S", (), (), (), marks=marks)))


@pytest.mark.parametrize("topology", [warned().topology(), read(), read(max_supersteps=9)])
def test_marked_drawings_can_be_rendered(topology: Topology) -> None:
    """Long sentences are broken into lines."""
    svg = svg_of(dot_of(topology)).svg

    assert svg is not None
    assert "warnings" in svg
