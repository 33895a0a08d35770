"""Nodes that do several things at once are declared by plain methods of a graph, each with its outgoing edge."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.notebook.at_once import AtOnce


class Wave(gn.State):
    words: list[str] = ["a"]
    sizes: Annotated[list[Any], gn.append] = []
    total: Any = None


DECLARE = {
    "fan_out": lambda graph, to: graph.fan_out("do", len, over="words", into="sizes", to=to),
    "branches": lambda graph, to: graph.branches("do", {"one": lambda s: {"total": 1}}, to=to),
    "delegates": lambda graph, to: graph.delegates("do", [len], briefs="words", into="sizes", to=to),
    "race": lambda graph, to: graph.race("do", [len], brief="words", into="total", to=to),
    "map_reduce": lambda graph, to: graph.map_reduce("do", len, sum, over="words", into="total", to=to),
}


def test_all_kinds_of_nodes_that_do_several_things_at_once_are_declared_here():
    """What the class offers is what the tests below try."""
    offered = {name for name in vars(AtOnce) if not name.startswith("_")}

    assert set(DECLARE) == offered


@pytest.mark.parametrize("kind", DECLARE)
def test_node_is_declared_with_its_outgoing_edge(kind):
    """With `to=` the graph is whole, and runs through the node to its end."""
    graph = gn.Graph(Wave, entry="do")

    DECLARE[kind](graph, gn.END)

    assert ["do"] == [step.node for step in graph.run().steps if not step.parents]


@pytest.mark.parametrize("kind", DECLARE)
def test_node_without_to_has_no_outgoing_edge(kind):
    """Then the edge is declared elsewhere, and until it is the graph cannot be compiled."""
    graph = gn.Graph(Wave, entry="do")

    DECLARE[kind](graph, None)

    with pytest.raises(gn.MissingOutgoingEdge):
        graph.compile()


@pytest.mark.parametrize("kind", DECLARE)
def test_options_are_given_by_name_alone(kind):
    """What does the work stands by its place, and every option after it has to be named."""
    parameters = inspect.signature(getattr(AtOnce, kind)).parameters.values()
    placed = [each for each in parameters if each.kind is not inspect.Parameter.KEYWORD_ONLY]

    assert all(each.kind is inspect.Parameter.POSITIONAL_ONLY for each in placed[1:])
    assert len(placed) == (4 if kind == "map_reduce" else 3)
