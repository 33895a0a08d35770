"""A topology as plain text: what a person reads where no picture can be, and what a stored notebook compares."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from graphnb.graph.ends import Endpoint, Target
from graphnb.graph.topology import Topology, TopologyEdge, TopologyNode
from graphnb.show.drawing.captions import captions_of, lanes_of, layers_around_all, layers_of, layers_text
from graphnb.show.drawing.fates import ends_of, retries_of
from graphnb.show.drawing.inside import branch_nodes, count_of, graphs_of, inside_of
from graphnb.show.drawing.joins import Join, joins_of, orders_of_join, waits_of
from graphnb.show.drawing.routes import nodes_of
from graphnb.show.writing.columns import GAP, padded, width
from graphnb.show.writing.palette import readable, shortened
from graphnb.show.writing.words import clipped, things
from graphnb.trace.reading.visits import Visits

_UNCLEAR: Final = re.compile(r"^$|^\s|\s$|^['\"]|[\n\t→⇢]|^(START|END|\?)$")
_WHEN: Final = {"join": ("when all have come",), "fork": ("at once",)}
_WIDEST: Final = 48
_LONGEST: Final = 100  # characters of a name
_MOST_LINES: Final = 300  # of a section
_MOST_FIELDS: Final = 60


def outline_of(topology: Topology, visits: Visits | None = None, *, depth: int = 2) -> str:
    """The graph as text: nodes, edges, fields, and what keeps it from running; with `visits`, the path taken.

    Graphs within nodes are told down to `depth`; deeper ones by the number of their nodes. A name that could be
    misread stands in quotes; long names and very many lines are cut, and it is told.
    """
    lines = [f"graph {_name(topology.name)}, state {_name(topology.state)}"]
    lines += captions_of(topology)
    lines += (f"⚠ {_flat(each)}" for each in topology.warnings)
    lines += _section("nodes", _node_lines(topology, visits, depth=depth)) or ["no nodes yet"]
    lines += _section("edges", _edge_lines(topology, visits, told=_numbers))
    lines += _section("fields", _field_lines(topology), most=_MOST_FIELDS)
    lines += _section("not ready to run", (_flat(fault) for fault in topology.faults))
    return "\n".join(lines)


def edges_of(topology: Topology) -> tuple[str, ...]:
    """The edges of the graph, each as `a → b`, or `a ⇢ b` for one that is taken under a condition or if chosen.

    A join is one edge, as in `a + b → c`.

    >>> from graphnb.graph.ends import END, START
    >>> edges = (TopologyEdge(START, "plan", "edge"), TopologyEdge("plan", END, "branch", "choose"))
    >>> edges_of(Topology("g", "S", (), edges, ()))
    ('START → plan', 'plan ⇢ END')
    """
    joins = joins_of(topology)
    return tuple(_edge(each, each.target, joins=joins) for each in _each_once(topology.edges))


def _section(title: str, lines: Iterable[str], *, most: int = _MOST_LINES) -> list[str]:
    told = [f"  {line}" for line in lines]
    more = [f"  … {things(len(told) - most, 'more line')}"] if len(told) > most else []
    return [title, *told[:most], *more] if told else []


def _node_lines(topology: Topology, visits: Visits | None, *, depth: int) -> Iterator[str]:
    nodes = nodes_of(topology)
    facts = [[*_facts(node, depth, layers=layers_of(node, topology)), *_fate(node, visits)] for node in nodes]
    yield from _told(nodes, facts, visits=visits, depth=depth)


def _branch_lines(node: TopologyNode, visits: Visits | None, *, depth: int) -> Iterator[str]:
    """The parallel branches of a node in declared order; `visits` are those of its graph."""
    nodes = branch_nodes(node)
    inner = visits.inner.get(node.name) if visits else None
    fates = [_lane_fate(each, visits, inner=inner) for each in nodes]
    facts = [[*_facts(each, depth, layers=each.middleware), *fate] for each, fate in zip(nodes, fates, strict=True)]
    yield from _told(nodes, facts, visits=(inner or Visits()) if visits else None, depth=depth)


def _lane_fate(branch: TopologyNode, visits: Visits | None, *, inner: Visits | None) -> Iterable[str]:
    if visits is not None and inner is not None and branch.name not in inner.nodes:
        return ("skipped",)
    return _fate(branch, (inner or Visits()) if visits else None)


def _told(
    nodes: Sequence[TopologyNode], facts: Iterable[Sequence[str]], *, visits: Visits | None, depth: int
) -> Iterator[str]:
    rows = [(_name(node.name), ", ".join(each)) for node, each in zip(nodes, facts, strict=True)]
    for node, line in zip(nodes, _aligned(rows), strict=True):
        yield line
        yield from (f"  ⚠ {_flat(each)}" for each in node.warnings)
        if node.details:
            yield f"  {', '.join(f'{label} {_flat(text)}' for label, text in node.details)}"
        if depth > 0:
            yield from (f"    {each}" for each in _branch_lines(node, visits, depth=depth))
        if node.inner and depth > 0:
            inner = visits.inner.get(node.name, Visits()) if visits else None
            yield from (f"    {each}" for each in _around(node.inner))
            yield from (f"    {each}" for each in _node_lines(node.inner, inner, depth=depth - 1))
            yield from (f"    {each}" for each in _edge_lines(node.inner, inner, told=_times))
        for inside in graphs_of(node):
            odd = ((each.name, text) for each in inside.fields for text in each.warnings)
            yield from (f"  ⚠ field {_name(name)}: {_flat(text)}" for name, text in odd)


def _around(topology: Topology) -> Iterable[str]:
    layers = layers_around_all(topology)
    return layers_text(layers, "each node within") if layers else ()


def _facts(node: TopologyNode, depth: int, *, layers: Sequence[str]) -> Iterator[str]:
    if node.kind == "fan_out":
        times = dict(node.details).get("count")
        often = "for each item" if times is None else f"{_flat(times)} times"
        yield f"fan-out: {_name(node.worker or 'a worker')} {often}"
    elif node.kind == "subgraph":
        yield f"subgraph {_name(node.inner.name)}" if node.inner else "subgraph"
    elif node.kind == "branches":
        yield lanes_of(node)
    elif node.kind == "missing":
        yield "not declared yet"
    elif node.worker is not None and node.worker != node.name:
        yield _name(node.worker)
    if (node.inner or node.branches) and depth <= 0:
        yield f"{things(count_of(inside_of(node)), 'node')} inside"
    yield from (" ".join(layers_text(layers)),) if layers else ()


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


def _edge_lines(topology: Topology, visits: Visits | None, *, told: Callable[[Sequence[int]], str]) -> Iterator[str]:
    """The edges with what was chosen; `told` says in words in which order, or how often, one was taken."""
    taken = {ends: told(orders) for ends, orders in visits.edges.items()} if visits else {}
    joins, joined = joins_of(topology), _join_texts(topology, visits, told=told)
    rows: list[tuple[str, str, str]] = []
    warnings: dict[int, tuple[str, ...]] = {}
    for edge in _each_once(topology.edges):
        warnings[len(rows)] = edge.warnings
        if edge.join is not None:
            rows.append((_edge(edge, edge.target, joins=joins), _choice(edge), joined.get(edge.join, "")))
        elif edge.target is not None:
            rows.append((_edge(edge, edge.target), _choice(edge), taken.get((edge.source, edge.target), "")))
        else:
            rows.append((_edge(edge, None), _choice(edge), ""))
            said = [(target, words) for (source, target), words in taken.items() if source == edge.source]
            rows += [(_edge(edge, target), "not declared", words) for target, words in said]
    for i, line in enumerate(_aligned(rows)):
        yield line
        yield from (f"  ⚠ {_flat(each)}" for each in warnings.get(i, ()))


def _each_once(edges: Iterable[TopologyEdge]) -> Iterator[TopologyEdge]:
    """The edges, of a join that of its first source alone."""
    seen: set[str] = set()
    for edge in edges:
        if edge.join is None or edge.join not in seen:
            yield edge
        seen.update([edge.join] if edge.join is not None else [])


def _join_texts(
    topology: Topology, visits: Visits | None, *, told: Callable[[Sequence[int]], str]
) -> Mapping[str, str]:
    """How often each join was taken, and whether it waits, by its id."""
    texts: dict[str, str] = {}
    waits = waits_of(topology, visits) if visits else {}
    for join in joins_of(topology):
        orders = orders_of_join(join, visits) if visits else None
        taken = [told(orders)] if orders else []
        texts[join.id] = ", ".join([*taken, *([waits[join.id].text] if join.id in waits else [])])
    return texts


def _edge(edge: TopologyEdge, target: Target | None, *, joins: Sequence[Join] = ()) -> str:
    arrow = "→" if edge.label is None and edge.router is None else "⇢"
    sources = next((each.sources for each in joins if each.id == edge.join), (edge.source,))
    return f"{' + '.join(map(_name, sources))} {arrow} {'?' if target is None else _name(target)}"


def _choice(edge: TopologyEdge) -> str:
    if edge.router is None:
        when = [f"if {_flat(edge.label)}"] if edge.label is not None else []
        return ", ".join([*_WHEN.get(edge.kind, ()), *when])
    router = _name(edge.router or "")
    if edge.target is None:
        return f"wherever {router} says, targets not declared"
    said = edge.target if edge.label is None else edge.label
    return f"if {router} says {clipped(repr(said), _LONGEST)}"


def _numbers(orders: Sequence[int]) -> str:
    shown = ", ".join(map(str, orders if len(orders) <= 8 else orders[:6]))
    more = f", … {orders[-1]} ({len(orders)} times)" if len(orders) > 8 else ""
    return f"taken as {shown}{more}" if orders else "taken"


def _times(orders: Sequence[int]) -> str:
    return f"taken {len(orders)} times" if len(orders) > 1 else "taken"


def _field_lines(topology: Topology) -> Iterator[str]:
    lines = _aligned(
        (
            _name(each.name),
            _flat(each.type),
            _flat(each.reducer) if each.reducer is not None else "-",
            "required" if each.default is None else f"= {_flat(each.default)}",
        )
        for each in topology.fields
    )
    for each, line in zip(topology.fields, lines, strict=True):
        yield line
        yield from (f"  ⚠ {_flat(text)}" for text in each.warnings)


def _aligned(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The rows as lines with their cells below each other; cells that are too wide push the rest of their line."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [min(max(map(width, column)), _WIDEST) for column in columns]
    for row in zip(*columns, strict=True):
        yield GAP.join(map(padded, row, widths)).rstrip()


def _name(name: Target) -> str:
    """A name as it is written, in quotes if it could be misread; START and END."""
    if isinstance(name, Endpoint):
        return repr(name)
    short = clipped(name, _LONGEST)
    return repr(short) if _UNCLEAR.search(short) else readable(short)


def _flat(text: str) -> str:
    return shortened(text, _LONGEST * 2)
