"""Parallel branches in DOT text: between two bars, a lane for each branch, from left to right as they were declared."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show.drawing.boxes import Drawn, Level, draw_node, is_opened
from graphnb.show.drawing.inside import branch_nodes
from graphnb.show.drawing.labels import tooltip
from graphnb.show.writing import palette
from graphnb.trace.reading.visits import Visits

if TYPE_CHECKING:
    from graphviz import Digraph

_LANE: Final = {"label": "", "margin": "0", "pencolor": "transparent", "style": "", "class": "lane"}
_RAN: Final = ("taken", "failed", "stopped", "running")


class DrawGraph(Protocol):
    """Draws a node with the graph that is inside it, and tells where it is met."""

    def __call__(self, canvas: Digraph, level: Level, *, node: TopologyNode, name: str) -> Drawn:
        """See above."""


def draw_lanes(canvas: Digraph, level: Level, *, node: TopologyNode, name: str, draw_graph: DrawGraph) -> Drawn:
    """The branches of a node, all of which start at one bar and end at another."""
    lanes = lanes_level(level, node, name=name)
    fork, join = f"{name}_fork", f"{name}_join"
    width = f"{min(0.8 * len(node.branches), 6):.2f}"
    bar = {"label": "", "shape": "box", "style": "filled", "fixedsize": "true", "width": width, "height": "0.07"}
    colour = palette.LOOKS["branches"].line
    bar |= {"color": colour, "fillcolor": colour, "tooltip": tooltip(node.name)}
    canvas.node(fork, **bar, **{"class": f"{fork} bar"}, ordering="out")
    places = draw_each(canvas, lanes, nodes=branch_nodes(node), name=name, draw_graph=draw_graph)
    canvas.node(join, **bar, **{"class": f"{join} bar"})
    below = {"minlen": "2"} if any(place.cluster for place, _ in places) else {}  # all lanes begin side by side
    for place, fate in places:
        look = line_of(fate) | below
        into = {"lhead": place.cluster} if place.cluster else {}
        out = {"ltail": place.cluster} if place.cluster else {}
        canvas.edge(fork, place.enter, weight="4", **look, **into)
        canvas.edge(place.leave, join, **(look if fate != "failed" else line_of("unreached") | below), **out)
    for (one, _), (other, _) in itertools.pairwise(places):  # keeps them in order, which `ordering` alone does not
        canvas.edge(one.enter, other.enter, style="invis", constraint="false")
    return Drawn(fork, join)


def draw_each(
    canvas: Digraph, lanes: Level, *, nodes: Sequence[TopologyNode], name: str, draw_graph: DrawGraph
) -> list[tuple[Drawn, str]]:
    """Branches or delegates side by side, each in a lane of its own: where it is met, and what became of it."""
    places = []
    for i, branch in enumerate(nodes):
        own = f"{name}_{i}"
        with canvas.subgraph(name=f"cluster_{own}_lane", graph_attr=_LANE) as lane:
            draw = draw_graph if is_opened(branch, lanes) else draw_node
            places.append((draw(lane, lanes, node=branch, name=own), lanes.fate(branch.name)))
    return places


def lanes_level(level: Level, node: TopologyNode, *, name: str) -> Level:
    """The branches or delegates as if they were the nodes of a graph."""
    spread = level.visits.inner.get(node.name) if level.visits else None
    visits = (spread or Visits()) if level.visits else None
    times = 0
    if level.visits and spread is not None:
        times = max(level.visits.nodes.get(node.name, 0), 1)
    topology = Topology(node.name, "", branch_nodes(node), (), ())
    return replace(level, topology=topology, visits=visits, prefix=f"{name}_", times=times)


def line_of(fate: str) -> dict[str, str]:
    """The look of a line to or from a branch or delegate of this fate."""
    if not fate:
        return {}
    return {"color": palette.TAKEN, "penwidth": "2.2"} if fate in _RAN else {"color": palette.PASSED_BY}
