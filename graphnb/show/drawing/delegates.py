"""Delegates and candidates in DOT text: a sheet for the briefs, below it all in their order, and a bar at the end."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from graphnb.graph.topology import TopologyNode
from graphnb.show.drawing.boxes import Drawn, Level, draw_node
from graphnb.show.drawing.inside import branch_nodes
from graphnb.show.drawing.labels import Line, small, tooltip, width_of
from graphnb.show.drawing.labels import label as label_of
from graphnb.show.drawing.lanes import DrawGraph, draw_each, lanes_level, line_of
from graphnb.show.writing import palette

if TYPE_CHECKING:
    from graphviz import Digraph

_MOST_BESIDE: Final = 6
_MOST_ROWS: Final = 8
_WIDE: Final = 560  # points that a row of names may take
_GRID: Final = {"label": "", "margin": "10", "style": "rounded", "class": "lane"}


def draw_delegates(canvas: Digraph, level: Level, *, node: TopologyNode, name: str, draw_graph: DrawGraph) -> Drawn:
    """The delegates of a node: a few side by side with what is inside of them, many in rows as single shapes.

    Or the candidates of a race: the lines that leave them are those of what may be chosen, and one is taken.
    """
    is_race = node.kind == "race"
    word = "brief" if is_race else "briefs"
    sheet, bar = f"{name}_briefs", f"{name}_join"
    look = palette.LOOKS[node.kind]
    size = {"height": "0.3", "margin": "0.1,0.03", "fontsize": str(palette.SMALL_SIZE)}
    told = {"class": f"{sheet} briefs", "tooltip": tooltip(dict(node.details).get(word, word))}
    look_of_sheet = palette.look_of(node.kind) | {"shape": "note"}
    canvas.node(sheet, word, **(look_of_sheet | told | size), ordering="out")
    lanes = lanes_level(level, node, name=name)
    delegates = branch_nodes(node)
    if len(delegates) <= _MOST_BESIDE:
        places = draw_each(canvas, lanes, nodes=delegates, name=name, draw_graph=draw_graph)
    else:
        places = [_draw_rows(canvas, replace(lanes, depth=0), nodes=delegates, name=name)]
    width = f"{0.8 * len(delegates) if len(delegates) <= _MOST_BESIDE else 2:.2f}"
    fixed = {"label": "", "shape": "box", "style": "filled", "fixedsize": "true", "width": width, "height": "0.07"}
    colours = {"color": look.line, "fillcolor": look.line, "tooltip": tooltip(node.name)}
    canvas.node(bar, **fixed, **colours, **{"class": f"{bar} bar"})
    below = {"minlen": "2"} if any(place.cluster for place, _ in places) else {}
    for place, fate in places:
        into = {"lhead": place.cluster} if place.cluster else {}
        out = {"ltail": place.cluster} if place.cluster else {}
        canvas.edge(sheet, place.enter, weight="4", **line_of(fate), **below, **into)
        out |= {"style": "dashed"} if is_race and fate != "taken" else {}
        has_given = fate in ("", "taken") or (fate != "failed" and not is_race)
        canvas.edge(place.leave, bar, **line_of(fate if has_given else "unreached"), **below, **out)
    for (one, _), (other, _) in itertools.pairwise(places):
        canvas.edge(one.enter, other.enter, style="invis", constraint="false")
    return Drawn(sheet, bar)


def _draw_rows(canvas: Digraph, level: Level, *, nodes: Sequence[TopologyNode], name: str) -> tuple[Drawn, str]:
    """Many delegates in rows, row by row from left to right; of very many the first ones, and how many more."""
    widest = max(width_of(Line(line)) for node in nodes for line in palette.name_lines(node.name))
    across = max(2, min(_MOST_BESIDE, int(_WIDE // (widest + 40))))
    most = across * _MOST_ROWS
    shown = nodes if len(nodes) <= most else nodes[: most - 1]
    with canvas.subgraph(name=f"cluster_{name}_rows", graph_attr=_GRID | {"pencolor": palette.PASSED_BY}) as grid:
        ids = [f"{name}_{i}" for i in range(len(shown))]
        for own, each in zip(ids, shown, strict=True):  # of one width: rows are columns too
            draw_node(grid, level, node=each, name=own, least_width=widest + 22)
        if hidden := nodes[len(shown) :]:
            ids.append(f"{name}_more")
            failed = sum(level.fate(each.name) == "failed" for each in hidden)
            lines = [small(f"… {len(hidden):,} more")]
            lines += [small(f"{failed:,} failed", palette.ALARM, bold=True)] if failed else []
            grid.node(ids[-1], label_of(lines), shape="plain", tooltip="more")
        rows = [ids[i : i + across] for i in range(0, len(ids), across)]
        for row in rows:
            with grid.subgraph(graph_attr={"rank": "same"}) as same:
                for one, other in itertools.pairwise(row):
                    same.edge(one, other, style="invis")
        for above, under in itertools.pairwise(rows):
            for one, other in zip(above, under, strict=False):
                grid.edge(one, other, style="invis")
    fates = {level.fate(each.name) for each in nodes}
    fate = next((each for each in ("taken", "failed", "stopped", "running") if each in fates), max(fates))
    middle = (len(rows[0]) - 1) // 2
    last = rows[-1]
    leave = last[min(middle, len(last) - 1)]
    return Drawn(rows[0][middle], leave, f"cluster_{name}_rows"), fate
