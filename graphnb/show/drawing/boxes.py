"""How one node stands in DOT text: as a single shape, or as a cluster around what is inside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show.drawing.captions import (
    delegate_names,
    delegates_of,
    lanes_of,
    layers_around_all,
    layers_of,
    layers_text,
    times_of,
)
from graphnb.show.drawing.fates import ends_of, retries_of
from graphnb.show.drawing.inside import count_of, inside_of, is_asking
from graphnb.show.drawing.labels import Line, quoted, small, tooltip, width_of
from graphnb.show.drawing.labels import label as label_of
from graphnb.show.drawing.signs import error_tag, marks_of, tip_of, warning_lines
from graphnb.show.writing import palette
from graphnb.show.writing.palette import look_of, shortened
from graphnb.show.writing.words import things
from graphnb.trace.reading.visits import Visits

if TYPE_CHECKING:
    from graphviz import Digraph

_INKS = {"failed": palette.ALARM, "degraded": palette.ALARM, "running": palette.TAKEN, "waiting": palette.WAIT}


@dataclass(frozen=True, slots=True)
class Drawn:
    """Where routes meet a drawn thing: the ids at which they enter and leave, and its cluster if it has one."""

    enter: str
    leave: str
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """One graph within the drawing, or the branches of one node. `kinds` collects what the legend has to explain.

    `times` is how often the node ran whose branches these are: what then was not among those to run was skipped.
    """

    topology: Topology
    visits: Visits | None
    prefix: str
    depth: int
    kinds: set[str]
    times: int = 0

    def fate(self, name: str) -> str:
        """What became of a node in the run that is shown; empty if none is. A sign of the legend."""
        if self.visits is None:
            return ""
        told = "taken" if self.visits.nodes.get(name) else "unreached"
        if self.times and name not in self.visits.nodes:
            told = "skipped"
        return next(iter(ends_of(self.visits, name)), told)

    def within(self, topology: Topology, *, name: str, prefix: str) -> Level:
        """The graph inside of a node."""
        visits = self.visits.inner.get(name, Visits()) if self.visits else None
        return Level(topology, visits, f"{prefix}_", self.depth - 1, self.kinds)


def is_opened(node: TopologyNode, level: Level) -> bool:
    """True if what is inside the node is to be drawn."""
    return level.depth > 0 and bool(node.inner or node.branches)


def draw_node(canvas: Digraph, level: Level, *, node: TopologyNode, name: str, least_width: float = 0) -> Drawn:
    """A node as a single shape, `least_width` points wide: also one that has something inside which is folded."""
    fate = level.fate(node.name)
    lines = lines_of(node, level, folded=True)
    plain = node.kind == "node" and fate in ("", "taken", "unreached") and len(lines) == len(_names(node))
    plain = plain and not (lines[0].tag or lines[-1].badge)
    label = quoted(line.text for line in lines) if plain else label_of(lines)
    tip = tooltip(tip_of(node.name, marks_of(node, folded=True)))
    told = {"class": f"{name} {node.kind} {fate}".rstrip(), "tooltip": tip}
    width = max(least_width, max(map(width_of, lines)) + (34 if node.kind == "branches" else 22))
    canvas.node(name, label, **(look_of(node.kind, fate) | told), width=f"{width / 72:.2f}")
    level.kinds.update({node.kind, fate} - {""})
    return Drawn(name, name)


@contextmanager
def boxed(canvas: Digraph, level: Level, *, node: TopologyNode, name: str) -> Iterator[Digraph]:
    """The cluster around what is inside a node. If it failed, a cluster around it gives the second border."""
    fate = level.fate(node.name)
    level.kinds.update({node.kind, fate} - {""})
    label = label_of(lines_of(node, level, folded=False), align="LEFT")
    told = look_of(node.kind, fate, cluster=True) | {"label": label, "margin": "12"}
    told["tooltip"] = tooltip(tip_of(node.name, node.marks))
    told["class"] = f"{name} {node.kind} {fate}".rstrip()
    cluster = f"cluster_{name}"
    with ExitStack() as stack:
        box = stack.enter_context(canvas.subgraph(name=cluster, graph_attr=told))
        if fate == "failed":
            box.graph_attr.update({"label": "", "margin": "4"})
            box = stack.enter_context(box.subgraph(name=f"{cluster}_inside", graph_attr=told | {"class": name}))
        yield box


def lines_of(node: TopologyNode, level: Level, *, folded: bool) -> list[Line]:
    """The label of a node: its name, how often it ran, what it does, what is around it, and what became of it."""
    fate = level.fate(node.name)
    ink = palette.FAINT if fate in ("unreached", "skipped") else palette.INK
    lines = [Line(line, bold=not folded, colour=ink) for line in _names(node)]
    count = level.visits.nodes.get(node.name, 0) if level.visits else 0
    if count > 1 or (count and level.times > 1):
        lines[-1] = replace(lines[-1], badge=f"×{count}")
    lines += map(small, _kind_texts(node))
    lines += [small(line) for line in palette.joined(f"{label} {shortened(text, 60)}" for label, text in node.details)]
    if folded and is_asking(node):
        within = level.visits.inner.get(node.name) if level.visits else None
        lines += map(small, delegate_names(node, failed=within.failed if within else ()))
    elif folded and (node.inner or node.branches):
        lines.append(small(f"{things(count_of(inside_of(node)), 'node')} inside"))
    elif node.inner and not node.inner.nodes:
        lines.append(small("no nodes yet"))
    if layers := layers_of(node, level.topology):
        lines += [small(line, palette.LAYER) for line in layers_text(layers)]
        level.kinds.add("layers")
    if node.inner and not folded and (layers := layers_around_all(node.inner)):
        lines += [small(line, palette.LAYER) for line in layers_text(layers, "each node within")]
        level.kinds.add("layers")
    marks = marks_of(node, folded=folded)
    lines[0] = replace(lines[0], tag=error_tag(marks))
    lines += warning_lines(marks)
    level.kinds.update(each.severity for each in marks)
    if level.visits is not None:
        lines += _fate_lines(node, level, visits=level.visits)
    return lines


def _names(node: TopologyNode) -> tuple[str, ...]:
    return palette.name_lines(node.name)


def _kind_texts(node: TopologyNode) -> Iterator[str]:
    """What kind of node it is, where its shape alone does not say all of it."""
    if node.kind == "fan_out":
        yield times_of(node)
    elif node.kind == "subgraph":
        yield f"subgraph {shortened(node.inner.name, 30)}" if node.inner else "nested too deep to draw"
    elif node.kind == "branches":
        yield lanes_of(node)
    elif is_asking(node):
        yield delegates_of(node)
    elif node.kind == "missing":
        yield "not declared yet"
    elif node.worker is not None and node.worker != node.name:
        yield shortened(node.worker, 30)


def _fate_lines(node: TopologyNode, level: Level, *, visits: Visits) -> Iterator[Line]:
    if retries := retries_of(visits, node.name):
        yield small(f"↻ {retries}", palette.TAKEN, bold=True)
        level.kinds.add("retried")
    for fate, text in ends_of(visits, node.name).items():
        yield small(f"‖ {text}" if fate == "waiting" else text, _INKS.get(fate, palette.INK), bold=True)
        level.kinds.add(fate)
    if level.fate(node.name) == "skipped":
        yield small("skipped", palette.FAINT, bold=True)
