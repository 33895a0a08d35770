"""A topology as plain text: what a person reads where no picture can be, and what a stored notebook compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show.drawing.captions import (
    captions_of,
    delegate_names,
    delegates_of,
    lanes_of,
    layers_around_all,
    layers_of,
    layers_text,
)
from graphnb.show.drawing.fates import ends_of, retries_of
from graphnb.show.drawing.inside import branch_nodes, count_of, inside_of, is_asking
from graphnb.show.drawing.outline_edges import edge_lines
from graphnb.show.drawing.outline_words import LONGEST, aligned, error_words, flat, name_text, warning_lines
from graphnb.show.drawing.remarks import remarks_of
from graphnb.show.drawing.routes import nodes_of
from graphnb.show.drawing.signs import marks_of, tag_of
from graphnb.show.writing.palette import shortened
from graphnb.show.writing.words import things
from graphnb.trace.reading.visits import Visits

_MOST_LINES: Final = 300  # of a section
_MOST_FIELDS: Final = 60


def outline_of(topology: Topology, visits: Visits | None = None, *, depth: int = 2) -> str:
    """The graph as text: nodes, edges, fields, and what keeps it from running; with `visits`, the path taken.

    Graphs within nodes are told down to `depth`; deeper ones by the number of their nodes. A name that could be
    misread stands in quotes; long names and very many lines are cut, and it is told.
    """
    lines = [f"graph {name_text(topology.name)}, state {name_text(topology.state)}"]
    lines += captions_of(topology)
    lines += (f"⚠ {each.number} {flat(each.text)}" for each in topology.warnings if not each.place)
    lines += _section("nodes", _node_lines(topology, visits, depth=depth)) or ["no nodes yet"]
    lines += _section("edges", edge_lines(topology, visits, told=_numbers))
    lines += _section("fields", _field_lines(topology), most=_MOST_FIELDS)
    lines += _section("not ready to run", _fault_lines(topology))
    return "\n".join(lines)


def _section(title: str, lines: Iterable[str], *, most: int = _MOST_LINES) -> list[str]:
    told = [f"  {line}" for line in lines]
    more = [f"  … {things(len(told) - most, 'more line')}"] if len(told) > most else []
    return [title, *told[:most], *more] if told else []


def _node_lines(topology: Topology, visits: Visits | None, *, depth: int) -> Iterator[str]:
    nodes = nodes_of(topology)
    facts = [
        [*_facts(node, depth, layers=layers_of(node, topology)), *_fate(node, visits), *_errors(node, depth)]
        for node in nodes
    ]
    yield from _told(nodes, facts, visits=visits, depth=depth)


def _branch_lines(node: TopologyNode, visits: Visits | None, *, depth: int) -> Iterator[str]:
    """The parallel branches or delegates of a node in declared order; `visits` are those of its graph."""
    nodes = branch_nodes(node)
    inner = visits.inner.get(node.name) if visits else None
    fates = [_lane_fate(each, visits, inner=inner) for each in nodes]
    facts = [
        [*_facts(each, depth, layers=each.middleware), *fate, *_errors(each, depth)]
        for each, fate in zip(nodes, fates, strict=True)
    ]
    yield from _told(nodes, facts, visits=(inner or Visits()) if visits else None, depth=depth)


def _lane_fate(branch: TopologyNode, visits: Visits | None, *, inner: Visits | None) -> Iterable[str]:
    if visits is not None and inner is not None and branch.name not in inner.nodes:
        return ("skipped",)
    return _fate(branch, (inner or Visits()) if visits else None)


def _told(
    nodes: Sequence[TopologyNode], facts: Iterable[Sequence[str]], *, visits: Visits | None, depth: int
) -> Iterator[str]:
    rows = [(name_text(node.name), ", ".join(each)) for node, each in zip(nodes, facts, strict=True)]
    for node, line in zip(nodes, aligned(rows), strict=True):
        yield line
        yield from warning_lines(node.marks, f"node '{node.name}'")
        if node.details:
            yield f"  {', '.join(f'{label} {flat(text)}' for label, text in node.details)}"
        if depth > 0:
            yield from (f"    {each}" for each in _branch_lines(node, visits, depth=depth))
        if node.inner and depth > 0:
            inner = visits.inner.get(node.name, Visits()) if visits else None
            yield from (f"    {each}" for each in _around(node.inner))
            yield from (f"    {each}" for each in _node_lines(node.inner, inner, depth=depth - 1))
            yield from (f"    {each}" for each in edge_lines(node.inner, inner, told=_times))


def _around(topology: Topology) -> Iterable[str]:
    layers = layers_around_all(topology)
    return layers_text(layers, "each node within") if layers else ()


def _facts(node: TopologyNode, depth: int, *, layers: Sequence[str]) -> Iterator[str]:
    if node.kind == "fan_out":
        times = dict(node.details).get("count")
        often = "for each item" if times is None else f"{flat(times)} times"
        yield f"fan-out: {name_text(node.worker or 'a worker')} {often}"
    elif node.kind == "subgraph":
        yield f"subgraph {name_text(node.inner.name)}" if node.inner else "subgraph"
    elif node.kind == "branches":
        yield lanes_of(node)
    elif is_asking(node):
        yield delegates_of(node)
    elif node.kind == "missing":
        yield "not declared yet"
    elif node.worker is not None and node.worker != node.name:
        yield name_text(node.worker)
    if is_asking(node) and depth <= 0:
        yield from (" · ".join(delegate_names(node)),) if node.branches else ()
    elif (node.inner or node.branches) and depth <= 0:
        yield f"{things(count_of(inside_of(node)), 'node')} inside"
    yield from (" ".join(layers_text(layers)),) if layers else ()


def _errors(node: TopologyNode, depth: int) -> tuple[str, ...]:
    return error_words(marks_of(node, folded=depth <= 0))


def _fate(node: TopologyNode, visits: Visits | None) -> Iterator[str]:
    if visits is None:
        return
    count = visits.nodes.get(node.name, 0)
    ends = ends_of(visits, node.name)
    if count or not ends:
        yield f"×{count}" if count else "not reached"
    if retries := retries_of(visits, node.name):
        yield retries
    yield from ends.values()


def _numbers(orders: Sequence[int]) -> str:
    shown = ", ".join(map(str, orders if len(orders) <= 8 else orders[:6]))
    more = f", … {orders[-1]} ({len(orders)} times)" if len(orders) > 8 else ""
    return f"taken as {shown}{more}" if orders else "taken"


def _times(orders: Sequence[int]) -> str:
    return f"taken {len(orders)} times" if len(orders) > 1 else "taken"


def _field_lines(topology: Topology) -> Iterator[str]:
    lines = aligned(
        (
            name_text(each.name),
            flat(each.type),
            flat(each.reducer) if each.reducer is not None else "-",
            "required" if each.default is None else f"= {flat(each.default)}",
            ", ".join(error_words(each.marks)),
        )
        for each in topology.fields
    )
    for each, line in zip(topology.fields, lines, strict=True):
        yield line
        yield from warning_lines(each.marks)


def _fault_lines(topology: Topology) -> Iterator[str]:
    """What keeps the graph from running, each with the numbers that stand where it belongs."""
    yield from aligned(
        (tag_of("error", each.numbers).text, shortened(each.text, 2 * LONGEST + 200))
        for each in remarks_of(topology.faults)
    )
