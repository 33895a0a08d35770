"""A topology, and the path a run took through it, as DOT text for Graphviz.

Ids come from positions: the third node is `n2`, the first node inside it `n2_0`. Names stand in labels and
tooltips alone. Every drawn thing bears its id as a class, so that a finished picture can be marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from graphnb.graph.ends import END, START
from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show import palette
from graphnb.show.labels import Line, quoted, small, tooltip, width_of
from graphnb.show.labels import label as label_of
from graphnb.show.notes import notes_of
from graphnb.show.palette import look_of, shortened
from graphnb.show.routes import Key, Route, back_routes, count_of, ends_of, nodes_of, orders_of, routes_of, times_of
from graphnb.show.words import clipped, things
from graphnb.trace.visits import Visits

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
_STYLES: Final = {"edge": "solid", "stem": "solid", "branch": "dashed", "open": "dotted"}
_WEIGHTS: Final = {"edge": "240", "stem": "300", "branch": "20", "open": "10"}  # what must follow stands below


@dataclass(frozen=True, slots=True)
class _Place:
    """Where routes meet a drawn thing: the ids at which they enter and leave, and its cluster if it has one."""

    enter: str
    leave: str
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class _Level:
    """One graph within the drawing. `kinds` collects what the legend has to explain, over all levels."""

    topology: Topology
    visits: Visits | None
    prefix: str
    depth: int
    kinds: set[str]

    def fate(self, name: str) -> str:
        """What became of a node in the run that is shown; empty if none is. A sign of the legend."""
        if self.visits is None:
            return ""
        return next(iter(ends_of(self.visits, name)), "taken" if self.visits.nodes.get(name) else "unreached")


def dot_of(topology: Topology, visits: Visits | None = None, *, depth: int = 2) -> str:
    """DOT text of the graph, its fields, its faults and a legend; with `visits`, of the path a run took as well.

    Graphs within nodes are drawn as clusters down to `depth`; deeper ones are boxes that say how many nodes they hide.
    """
    from graphviz import Digraph

    drawing = Digraph(graph_attr=_GRAPH, node_attr=_NODE, edge_attr=_EDGE)
    title = [Line(line, 13, bold=True) for line in palette.name_lines(topology.name)]
    frame = {"class": "whole", "label": label_of(title, align="LEFT"), "labelloc": "t", "margin": "8"}
    kinds: set[str] = set()
    with drawing.subgraph(name="cluster_whole", graph_attr=frame | {"pencolor": "transparent"}) as canvas:
        if not _draw_level(canvas, _Level(topology, visits, "n", depth, kinds)):
            canvas.node("empty", "no nodes yet", shape="plain", fontcolor=palette.FAINT)
    # as the graph's label: as nodes they would share ranks with the graph and tear it apart
    drawing.graph_attr["label"] = notes_of(topology, kinds)
    return str(drawing.source)


def _draw_level(canvas: Digraph, level: _Level) -> dict[Key, _Place]:
    """Draws the nodes, routers and routes of one graph; returns where each of them can be met."""
    routes = tuple(routes_of(level.topology, level.visits))
    places: dict[Key, _Place] = {}
    if any(route.source is START for route in routes):
        places[START] = _draw_mark(canvas, level, "start", [each for each in routes if each.source is START])
    for i, node in enumerate(nodes_of(level.topology)):
        name = f"{level.prefix}{i}"
        if node.inner and level.depth > 0:
            places[node.name] = _draw_cluster(canvas, level, node, node.inner, name)
        else:
            places[node.name] = _draw_node(canvas, level, node, name)
        for route in routes:
            if route.kind == "stem" and route.source == node.name:
                places[route.target] = _draw_router(canvas, level, route, f"{name}_router")
            elif route.kind == "open" and route.source == (node.name, "router"):
                places[route.target] = _draw_stub(canvas, level, f"{name}_open")
    if any(route.target is END for route in routes):
        places[END] = _draw_mark(canvas, level, "end", [each for each in routes if each.target is END])
    back = back_routes(routes, tuple(places))
    for i, route in enumerate(routes):
        _draw_route(canvas, level, route, places[route.source], places[route.target], back=i in back)
    met = {key for route in routes for key in (route.source, route.target)}
    alone = [place for key, place in places.items() if key not in met]
    for above, below in zip(alone, alone[4:], strict=False):  # rows of four
        canvas.edge(above.leave, below.enter, style="invis")
    return places


def _draw_mark(canvas: Digraph, level: _Level, kind: str, routes: Sequence[Route]) -> _Place:
    """The circle of START or END."""
    inner = level.prefix != "n"
    name = f"{level.prefix}{kind}" if inner else kind
    reached = level.visits is None or any(route.orders is not None for route in routes)
    size = "0.13" if inner else "0.17"
    colours = {} if reached else {"color": palette.PASSED_BY, "fillcolor": palette.PASSED_BY}
    fixed = {"class": f"{name} {kind}", "fixedsize": "true", "width": size, "height": size, "tooltip": kind.upper()}
    canvas.node(name, "", **(look_of(kind) | colours | fixed))
    level.kinds.add(kind)
    return _Place(name, name)


def _draw_node(canvas: Digraph, level: _Level, node: TopologyNode, name: str) -> _Place:
    """A node as a single shape: also a subgraph or a worker graph that is folded."""
    fate = level.fate(node.name)
    lines = _lines_of(node, level, folded=True)
    plain = node.kind == "node" and fate in ("", "taken", "unreached") and not lines[-1].badge
    label = quoted(line.text for line in lines) if plain else label_of(lines)
    told = {"class": f"{name} {node.kind} {fate}".rstrip(), "tooltip": tooltip(node.name)}
    width = f"{(max(map(width_of, lines)) + 22) / 72:.2f}"
    canvas.node(name, label, **(look_of(node.kind, fate) | told), width=width)
    level.kinds.update({node.kind, fate} - {""})
    return _Place(name, name)


def _lines_of(node: TopologyNode, level: _Level, *, folded: bool) -> list[Line]:
    """The label of a node: its name, how often it ran, what it does, and what became of it."""
    fate = level.fate(node.name)
    ink = palette.FAINT if fate == "unreached" else palette.INK
    lines = [Line(line, bold=not folded, colour=ink) for line in palette.name_lines(node.name)]
    count = level.visits.nodes.get(node.name, 0) if level.visits else 0
    if count > 1:
        lines[-1] = replace(lines[-1], badge=f"×{count}")
    if node.kind == "fan_out":
        lines.append(small(times_of(node)))
    elif node.kind == "subgraph":
        lines.append(small(f"subgraph {shortened(node.inner.name, 30)}" if node.inner else "nested too deep to draw"))
    lines += [small(line) for line in palette.joined(f"{label} {shortened(text, 60)}" for label, text in node.details)]
    if folded and node.inner:
        count = count_of(node.inner)
        lines.append(small(f"{things(count, 'node')} inside"))
    elif node.inner and not node.inner.nodes:
        lines.append(small("no nodes yet"))
    if node.kind == "missing":
        lines.append(small("not declared yet"))
    if level.visits is not None:
        colours = {"failed": palette.ALARM, "running": palette.TAKEN}
        ends = ends_of(level.visits, node.name)
        lines += [small(text, colours.get(each, palette.INK), bold=True) for each, text in ends.items()]
    return lines


def _draw_cluster(canvas: Digraph, level: _Level, node: TopologyNode, inner: Topology, name: str) -> _Place:
    """A node with the graph inside it. If it failed, a cluster around it gives the second border."""
    fate = level.fate(node.name)
    level.kinds.update({node.kind, fate} - {""})
    label = label_of(_lines_of(node, level, folded=False), align="LEFT")
    told = look_of(node.kind, fate, cluster=True) | {"label": label, "margin": "12", "tooltip": tooltip(node.name)}
    told["class"] = f"{name} {node.kind} {fate}".rstrip()
    visits = level.visits.inner.get(node.name, Visits()) if level.visits else None
    cluster = f"cluster_{name}"
    with ExitStack() as stack:
        box = stack.enter_context(canvas.subgraph(name=cluster, graph_attr=told))
        if fate == "failed":
            box.graph_attr.update({"label": "", "margin": "4"})
            box = stack.enter_context(box.subgraph(name=f"{cluster}_inside", graph_attr=told | {"class": name}))
        places = _draw_level(box, _Level(inner, visits, f"{name}_", level.depth - 1, level.kinds))
        if not places:
            box.node(f"{name}_empty", "", style="invis")
            places[""] = _Place(f"{name}_empty", f"{name}_empty")
    inside = [place for key, place in places.items() if isinstance(key, str)] or [*places.values()]
    return _Place(places.get(START, inside[0]).enter, places.get(END, inside[-1]).leave, cluster)


def _draw_router(canvas: Digraph, level: _Level, route: Route, name: str) -> _Place:
    """The diamond between a node and what its router may choose; `route` is the stem to it."""
    fate = "unreached" if level.visits and route.orders is None else ""
    lines = palette.name_lines(route.tip)
    width = 1.5 * max(width_of(Line(line, palette.SMALL_SIZE)) for line in lines) + 12
    told = {"class": f"{name} router", "tooltip": tooltip(route.tip)}
    size = {"width": f"{width / 72:.2f}", "height": f"{0.5 * len(lines):.2f}", "margin": "0"}
    size["fontsize"] = str(palette.SMALL_SIZE)
    canvas.node(name, quoted(lines), **(look_of("router", fate) | told | size))
    level.kinds.add("router")
    return _Place(name, name)


def _draw_stub(canvas: Digraph, level: _Level, name: str) -> _Place:
    """The place where a router leads whose targets are not declared."""
    told = {"class": f"{name} stub", "tooltip": "targets not declared", "width": "0.3", "height": "0.3", "margin": "0"}
    canvas.node(name, "?", **(look_of("stub") | told))
    return _Place(name, name)


def _draw_route(canvas: Digraph, level: _Level, route: Route, source: _Place, target: _Place, *, back: bool) -> None:
    """One line with its label and, if it was taken, its order; one that leads back is laid out from its target."""
    told = {
        "class": f"{source.leave}-to-{target.enter}",
        "tooltip": tooltip(clipped(route.tip, 160)),
        "style": _STYLES[route.kind],
    }
    lines = [small(line, palette.INK) for line in palette.name_lines(route.label)] if route.label else []
    if route.orders is not None:
        told |= {"class": f"{told['class']} taken", "color": palette.TAKEN, "penwidth": "2.2"}
        text = orders_of(route.orders, inside=level.prefix != "n")
        lines += [small(text, palette.TAKEN, bold=True)] if text else []
    elif level.visits:
        told["color"] = palette.PASSED_BY
    told |= {"label": label_of(lines, aside=True)} if lines else {}
    if route.kind == "stem":
        told["arrowhead"] = "none"
    level.kinds.update({route.kind, "taken" if route.orders else ""})
    if source.cluster == target.cluster and source.cluster:  # a line from a cluster to itself stays inside
        canvas.edge(target.enter, source.leave, dir="back", **told)
    elif back:
        canvas.edge(target.leave, source.leave, dir="back", weight="0", **_clipped(target, source), **told)
    else:
        canvas.edge(source.leave, target.enter, weight=_WEIGHTS[route.kind], **_clipped(source, target), **told)


def _clipped(tail: _Place, head: _Place) -> dict[str, str]:
    """What ends a line at the clusters that it touches; longer for each, since headings and margins take room."""
    met = {name: place.cluster for name, place in (("ltail", tail), ("lhead", head)) if place.cluster}
    return met | ({"minlen": str(1 + len(met))} if met else {})
