"""A topology, and the path a run took through it, as DOT text for Graphviz.

Ids come from positions: the third node is `n2`, the first node inside it `n2_0`. Names stand in labels and
tooltips alone. Every drawn thing bears its id as a class, so that a finished picture can be marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show.drawing.boxes import Drawn, Level, boxed, draw_node, is_opened
from graphnb.show.drawing.captions import captions_of
from graphnb.show.drawing.delegates import draw_delegates
from graphnb.show.drawing.inside import is_asking
from graphnb.show.drawing.labels import Line, quoted, small, tooltip, width_of
from graphnb.show.drawing.labels import label as label_of
from graphnb.show.drawing.lanes import draw_lanes
from graphnb.show.drawing.lines import draw_route
from graphnb.show.drawing.notes import notes_of
from graphnb.show.drawing.routes import Key, Route, back_routes, nodes_of, routes_of
from graphnb.show.writing import palette
from graphnb.show.writing.palette import look_of
from graphnb.show.writing.words import clipped
from graphnb.trace.reading.visits import Visits

if TYPE_CHECKING:
    from graphviz import Digraph

_GRAPH: Final = {
    "bgcolor": "transparent",
    "compound": "true",
    "fontname": palette.FONT,
    "labeljust": "l",
    "labelloc": "b",
    "nodesep": "0.45",
    "outputorder": "nodesfirst",
    "pad": "0.2",
    "ranksep": "0.4",
}
_NODE: Final = {
    "fontcolor": palette.INK,
    "fontname": palette.FONT,
    "fontsize": str(palette.NAME_SIZE),
    "height": "0.42",
    "margin": "0.14,0.06",
    "penwidth": "1.2",
}
_EDGE: Final = {"arrowsize": "0.7", "color": palette.LINE, "fontname": palette.FONT, "penwidth": "1.1"}
_MOST_BESIDE: Final = 6


def dot_of(topology: Topology, visits: Visits | None = None, *, depth: int = 2) -> str:
    """DOT text of the graph, its fields, its faults and a legend; with `visits`, of the path a run took as well.

    Graphs within nodes are drawn as clusters down to `depth`; deeper ones are boxes that say how many nodes they hide.
    """
    from graphviz import Digraph

    drawing = Digraph(graph_attr=_GRAPH, node_attr=_NODE, edge_attr=_EDGE)
    title = [Line(line, 13, bold=True) for line in palette.name_lines(topology.name)]
    title += [small(line) for line in palette.joined(captions_of(topology), 60)]
    frame = {"class": "whole", "label": label_of(title, align="LEFT"), "labelloc": "t", "margin": "8"}
    kinds: set[str] = set()
    with drawing.subgraph(name="cluster_whole", graph_attr=frame | {"pencolor": "transparent"}) as canvas:
        if not _draw_level(canvas, Level(topology, visits, "n", depth, kinds)):
            canvas.node("empty", "no nodes yet", shape="plain", fontcolor=palette.FAINT)
    # as the graph's label: as nodes they would share ranks with the graph and tear it apart
    drawing.graph_attr["label"] = notes_of(topology, kinds)
    return str(drawing.source)


def _draw_level(canvas: Digraph, level: Level) -> dict[Key, Drawn]:
    """Draws the nodes, routers and routes of one graph; returns where each of them can be met."""
    routes = tuple(routes_of(level.topology, level.visits))
    places: dict[Key, Drawn] = {}
    if any(route.source is START for route in routes):
        places[START] = _draw_mark(
            canvas, level, kind="start", routes=[each for each in routes if each.source is START]
        )
    for i, node in enumerate(nodes_of(level.topology)):
        name = f"{level.prefix}{i}"
        draw = _draw_graph if is_opened(node, level) else draw_node
        places[node.name] = draw(canvas, level, node=node, name=name)
        for route in routes:
            if route.kind == "stem" and route.source == node.name:
                places[route.target] = _draw_router(canvas, level, route=route, name=f"{name}_router")
            elif route.kind == "open" and route.source == (node.name, "router"):
                places[route.target] = _draw_stub(canvas, level, name=f"{name}_open")
    for i, bar in enumerate(dict.fromkeys(route.source for route in routes if route.kind == "join")):
        places[bar] = _draw_bar(canvas, level, routes=routes, bar=bar, name=f"{level.prefix}j{i}")
    if any(route.target is END for route in routes):
        places[END] = _draw_mark(canvas, level, kind="end", routes=[each for each in routes if each.target is END])
    back = back_routes(routes, tuple(places))
    crowds = Counter(map(_crowd_of, routes))
    for i, route in enumerate(routes):
        ends = places[route.source], places[route.target]
        wide = crowds[_crowd_of(route)] > _MOST_BESIDE
        draw_route(canvas, level, route=route, ends=ends, back=i in back, wide=wide)
    met = {key for route in routes for key in (route.source, route.target)}
    alone = [place for key, place in places.items() if key not in met]
    for above, below in zip(alone, alone[4:], strict=False):  # rows of four
        canvas.edge(above.leave, below.enter, style="invis")
    return places


def _crowd_of(route: Route) -> object:
    """What the prongs of one fork have in common, and what meets at one bar; for other lines their kind and ends."""
    ends = (route.target,) if route.kind == "arrival" else (route.source,)
    return (route.kind, *(ends if route.kind in ("arrival", "fork") else (route.source, route.target)))


def _draw_mark(canvas: Digraph, level: Level, *, kind: str, routes: Sequence[Route]) -> Drawn:
    """The circle of START or END."""
    inner = level.prefix != "n"
    name = f"{level.prefix}{kind}" if inner else kind
    reached = level.visits is None or any(route.orders is not None for route in routes)
    size = "0.13" if inner else "0.17"
    colours = {} if reached else {"color": palette.PASSED_BY, "fillcolor": palette.PASSED_BY}
    fixed = {"class": f"{name} {kind}", "fixedsize": "true", "width": size, "height": size, "tooltip": kind.upper()}
    canvas.node(name, "", **(look_of(kind) | colours | fixed))
    level.kinds.add(kind)
    return Drawn(name, name)


def _draw_graph(canvas: Digraph, level: Level, *, node: TopologyNode, name: str) -> Drawn:
    """A node with what is inside it: a graph, branches, or delegates."""
    with boxed(canvas, level, node=node, name=name) as box:
        if node.branches:
            draw = draw_delegates if is_asking(node) else draw_lanes
            return replace(draw(box, level, node=node, name=name, draw_graph=_draw_graph), cluster=f"cluster_{name}")
        assert node.inner is not None
        places = _draw_level(box, level.within(node.inner, name=node.name, prefix=name))
        if not places:
            box.node(f"{name}_empty", "", style="invis")
            places[""] = Drawn(f"{name}_empty", f"{name}_empty")
    inside = [place for key, place in places.items() if isinstance(key, str)] or [*places.values()]
    return Drawn(places.get(START, inside[0]).enter, places.get(END, inside[-1]).leave, f"cluster_{name}")


def _draw_router(canvas: Digraph, level: Level, *, route: Route, name: str) -> Drawn:
    """The diamond between a node and what its router may choose; `route` is the stem to it."""
    fate = "unreached" if level.visits and route.orders is None else ""
    lines = palette.name_lines(route.tip)
    width = 1.5 * max(width_of(Line(line, palette.SMALL_SIZE)) for line in lines) + 12
    told = {"class": f"{name} router", "tooltip": tooltip(route.tip)}
    size = {"width": f"{width / 72:.2f}", "height": f"{0.5 * len(lines):.2f}", "margin": "0"}
    size["fontsize"] = str(palette.SMALL_SIZE)
    canvas.node(name, quoted(lines), **(look_of("router", fate) | told | size))
    level.kinds.add("router")
    return Drawn(name, name)


def _draw_bar(canvas: Digraph, level: Level, *, routes: Sequence[Route], bar: Key, name: str) -> Drawn:
    """The bar at which the sources of a join meet, and of others with the same sources."""
    arrivals = [route for route in routes if route.target == bar]
    onward = [route for route in routes if route.source == bar]
    look = look_of("join")
    if any(route.wait is not None and route.wait.is_over for route in onward):
        look |= {"color": palette.ALARM, "fillcolor": palette.ALARM}
        level.kinds.add("stalled")
    elif level.visits and any(route.orders is None for route in arrivals) and not any(each.wait for each in onward):
        look |= {"color": palette.PASSED_BY, "fillcolor": palette.PASSED_BY}
    size = {"fixedsize": "true", "width": f"{min(0.25 + 0.25 * len(arrivals), 1.5):.2f}", "height": "0.06"}
    told = {
        "class": f"{name} bar",
        "tooltip": tooltip(clipped(f"waits for {' + '.join(str(each.source) for each in arrivals)}", 160)),
    }
    canvas.node(name, "", **look, **size, **told)
    return Drawn(name, name)


def _draw_stub(canvas: Digraph, level: Level, *, name: str) -> Drawn:
    """The place where a router leads whose targets are not declared."""
    told = {"class": f"{name} stub", "tooltip": "targets not declared", "width": "0.3", "height": "0.3", "margin": "0"}
    canvas.node(name, "?", **(look_of("stub") | told))
    return Drawn(name, name)
