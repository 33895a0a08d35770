"""What every drawing of a graph shows: its nodes, missing ones included, and the lines between them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphnb.graph.ends import END, Target
from graphnb.graph.topology import NodeKind, Topology, TopologyBranch, TopologyEdge, TopologyNode
from graphnb.show.drawing.joins import Wait, joins_of, orders_of_join, waits_of
from graphnb.show.writing.palette import shortened
from graphnb.show.writing.words import things
from graphnb.trace.reading.visits import Visits

Key = Target | tuple[str, str]

_LAYERS_LENGTH = 48
_MOST_SIGNS = 3


@dataclass(frozen=True, slots=True)
class Route:
    """One drawn line. A branch is a stem from its node to its router, and one line on to each target.

    A join is an "arrival" from each of its sources to a bar, and a line on to the target, which may have to `wait`.
    `warnings` and `signs` are those of its edges.
    """

    source: Key
    target: Key
    kind: str
    tip: str
    label: str = ""
    orders: Sequence[int] | None = None  # None: not taken, or no run is shown
    wait: Wait | None = None
    warnings: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()


def nodes_of(topology: Topology) -> tuple[TopologyNode, ...]:
    """The nodes, with a missing one for every name that only edges mention."""
    known = {node.name for node in topology.nodes}
    ends = [end for edge in topology.edges for end in (edge.source, edge.target)]
    unknown = dict.fromkeys(end for end in ends if isinstance(end, str) and end not in known)
    return (*topology.nodes, *(TopologyNode(name, "missing") for name in unknown))


def count_of(nodes: Sequence[TopologyNode]) -> int:
    """How many nodes these are, with those inside of them; a parallel branch is one as well."""
    count, ahead = 0, [nodes]
    while ahead:  # no recursion: graphs may be nested deep
        some = ahead.pop()
        count += len(some)
        ahead += [inside for each in some if (inside := inside_of(each))]
    return count


def inside_of(node: TopologyNode) -> tuple[TopologyNode, ...]:
    """The nodes of the graph inside a node, or its parallel branches."""
    return node.inner.nodes if node.inner else branch_nodes(node)


def branch_nodes(node: TopologyNode) -> tuple[TopologyNode, ...]:
    """The parallel branches of a node, as if they were nodes: of a graph a subgraph, else one that tells its worker."""
    return tuple(map(_branch_node, node.branches))


def _branch_node(branch: TopologyBranch) -> TopologyNode:
    details = tuple((label, text) for label, text in branch.details if label != "middleware")
    layers = tuple(text for label, text in branch.details if label == "middleware")
    kind: NodeKind = "subgraph" if branch.inner else "node"
    return TopologyNode(branch.name, kind, details, branch.worker, branch.inner, middleware=layers)


def layers_around_all(topology: Topology) -> tuple[str, ...]:
    """The middleware that is outermost around each node of a graph which has several."""
    stacks = [node.middleware for node in topology.nodes if node.kind != "missing"]
    if len(stacks) < 2:
        return ()
    alike = itertools.takewhile(lambda layers: len(set(layers)) == 1, zip(*stacks, strict=False))
    return tuple(layers[0] for layers in alike)


def layers_of(node: TopologyNode, topology: Topology) -> tuple[str, ...]:
    """The middleware around a node, without what is around each node of its graph."""
    return node.middleware[len(layers_around_all(topology)) :]


def layers_text(layers: Sequence[str], word: str = "within") -> tuple[str, ...]:
    """Middleware as lines of a label, outermost first.

    >>> layers_text(("timed", "retry(max_attempts=3)"))
    ('within timed, retry(max_attempts=3)',)
    """
    told = [f"{shortened(each, 60)}{',' if i < len(layers) else ''}" for i, each in enumerate(layers, start=1)]
    lines = [f"{word} {told[0]}"]
    for each in told[1:]:
        if len(lines[-1]) + len(each) < _LAYERS_LENGTH:
            lines[-1] += f" {each}"
        else:
            lines.append(each)
    return tuple(lines)


def captions_of(topology: Topology) -> Iterator[str]:
    """What is true of the graph as a whole: who observes it, and the middleware around each of its nodes."""
    observers = topology.observers
    if observers:
        more = f" and {len(observers) - 4} more" if len(observers) > 4 else ""
        yield f"observed by {', '.join(shortened(each, 30) for each in observers[:4])}{more}"
    yield from layers_text(layers, "each node within") if (layers := layers_around_all(topology)) else ()


def lanes_of(node: TopologyNode) -> str:
    """How many branches a node runs, in words."""
    return f"{things(len(node.branches), 'branch', 'branches')} at once"


def twice_of(node: TopologyNode) -> str:
    """Which fields of a node are counted twice, in a few words; empty if none is.

    >>> twice_of(TopologyNode("talk", "subgraph", counted_twice=("log",)))
    '⚠ counts log twice'
    """
    names = node.counted_twice
    told = ", ".join(shortened(each, 28) for each in names) if len(names) < 3 else f"{len(names)} fields"
    return f"⚠ counts {told} twice" if names else ""


def signs_of(node: TopologyNode) -> tuple[str, ...]:
    """The other warnings about a node and about the fields of graphs within it, in a few words.

    >>> signs_of(TopologyNode("each", "fan_out", signs=("unfit for log",)))
    ('⚠ unfit for log',)
    """
    odd = [f"field {each.name}" for inner in graphs_of(node) for each in inner.fields if each.warnings]
    rest = len(node.warnings) if not (node.signs or node.counted_twice) else 0
    return _few_signs([*node.signs, *odd, *([things(rest, "warning")] if rest else [])])


def signs_of_route(route: Route) -> tuple[str, ...]:
    """The warnings about the edges that make a line, in a few words."""
    return _few_signs(route.signs)


def _few_signs(signs: Sequence[str]) -> tuple[str, ...]:
    """At most three lines."""
    told = [f"⚠ {shortened(each, 40)}" for each in dict.fromkeys(signs)]
    return tuple(
        told if len(told) <= _MOST_SIGNS else [*told[: _MOST_SIGNS - 1], f"⚠ {len(told) - _MOST_SIGNS + 1} more"]
    )


def graphs_of(node: TopologyNode) -> tuple[Topology, ...]:
    """The graphs inside of a node."""
    return tuple(each for each in (node.inner, *(branch.inner for branch in node.branches)) if each is not None)


def warnings_of(topology: Topology, depth: int) -> Iterator[str]:
    """The warnings about a graph and about those drawn within it, each with what it is about."""
    yield from topology.warnings
    for node in topology.nodes:
        yield from (f"node {shortened(node.name, 40)}: {each}" for each in node.warnings)
        for inner in graphs_of(node):
            odd = ((each.name, text) for each in inner.fields for text in each.warnings)
            yield from (f"node {shortened(node.name, 40)}, field {shortened(name, 28)}: {text}" for name, text in odd)
            if depth > 0:
                yield from warnings_of(inner._replace(fields=()), depth - 1)
    for text, edges in _edge_warnings(topology).items():
        yield f"edge {', '.join(edges)}: {text}"
    for each in topology.fields:
        yield from (f"field {shortened(each.name, 28)}: {text}" for text in each.warnings)


def _edge_warnings(topology: Topology) -> dict[str, list[str]]:
    """The warnings about edges, each once, with the edges in words; a join is one edge."""
    told: dict[str, list[str]] = {}
    joins = {each.id: each.sources for each in joins_of(topology)}
    for edge in topology.edges:
        sources = joins.get(edge.join or "", (edge.source,))
        name = f"{' + '.join(shortened(str(each), 28) for each in sources)} → {shortened(str(edge.target), 28)}"
        for text in edge.warnings:
            told.setdefault(text, []).append(name)
    return {text: list(dict.fromkeys(names)) for text, names in told.items()}


def times_of(node: TopologyNode) -> str:
    """Which worker a fan-out runs, and how often, in words.

    >>> times_of(TopologyNode("read_each", "fan_out", (("over", "files"),), "reader"))
    'reader, once per item'
    """
    count = dict(node.details).get("count")
    often = "once per item" if count is None else f"{shortened(count, 20)} times"
    return f"{shortened(node.worker or 'a worker', 30)}, {often}"


def orders_of(orders: Sequence[int], *, inside: bool) -> str:
    """The order numbers of a taken edge; inside a node, where they start over at every run, how many; or nothing."""
    if inside or not orders:
        return f"×{len(orders)}" if len(orders) > 1 else ""
    if len(orders) > 4:
        return f"{orders[0]}, {orders[1]}, … {orders[-1]} (×{len(orders)})"
    return ", ".join(map(str, orders))


def routes_of(topology: Topology, visits: Visits | None = None) -> Iterator[Route]:
    """Every line to draw, in declared order; all that one router may return for one target is one line."""
    taken = visits.edges if visits else {}
    merged: dict[TopologyEdge, list[TopologyEdge]] = {}
    for edge in topology.edges:
        merged.setdefault(edge._replace(label=None, warnings=(), signs=()), []).append(edge)
    stems: set[Target] = set()
    for edge, several in merged.items():
        if edge.kind == "join":
            continue
        labels = [each.label for each in several]
        is_routed = edge.router is not None
        source: Key = (str(edge.source), "router") if is_routed else edge.source
        if is_routed and edge.source not in stems:
            stems.add(edge.source)
            asked = any(each == edge.source for each, _ in taken)
            yield Route(edge.source, source, "stem", edge.router or "", orders=() if asked else None)
        if edge.target is not None:
            said = [str(edge.target) if each is None else each for each in labels]
            label = "" if labels == [None] else " / ".join(said)
            tip = f"{edge.source} → {edge.target}"
            tip += f", if {label}" if edge.kind == "guard" else ""
            orders = taken.get((edge.source, edge.target))
            yield Route(source, edge.target, edge.kind, tip, label, orders, None, *_marks(several))
            continue
        yield Route(source, (str(edge.source), "open"), "open", "targets not declared")
        known = {END, *(node.name for node in nodes_of(topology))}
        for (start, target), places in taken.items():
            if start == edge.source and target in known:  # not declared, yet taken: a fact of this run
                yield Route(source, target, "branch", f"{start} → {target}", orders=places)
    yield from _arrivals(topology, visits)


def _arrivals(topology: Topology, visits: Visits | None) -> Iterator[Route]:
    """The lines that meet at the bars of joins, and those that lead on from there."""
    waits = waits_of(topology, visits) if visits else {}
    bars: dict[tuple[Target, ...], Key] = {}  # joins of the same sources share one
    for join in joins_of(topology):
        is_first = join.sources not in bars
        bar = bars.setdefault(join.sources, (join.id, "join"))
        for source in join.sources if is_first else ():
            has_come = visits is not None and visits.nodes.get(str(source))
            yield Route(source, bar, "arrival", f"{source} → {join.target}", orders=() if has_come else None)
        tip = f"{' + '.join(map(str, join.sources))} → {join.target}{f', if {join.label}' if join.label else ''}"
        orders = orders_of_join(join, visits) if visits else None
        marks = _marks([edge for edge in topology.edges if edge.join == join.id])
        yield Route(bar, join.target, "join", tip, join.label or "", orders, waits.get(join.id), *marks)


def _marks(edges: Sequence[TopologyEdge]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The warnings and the signs of edges that make one line, each once."""
    warnings = dict.fromkeys(text for edge in edges for text in edge.warnings)
    return tuple(warnings), tuple(dict.fromkeys(sign for edge in edges for sign in edge.signs))


def back_routes(routes: Sequence[Route], keys: Sequence[Key]) -> set[int]:
    """The routes that lead back onto the path they came by, depth first from the start; they are drawn upwards."""
    leaving: dict[Key, list[int]] = {}
    for i, route in enumerate(routes):
        leaving.setdefault(route.source, []).append(i)
    back: set[int] = set()
    seen: set[Key] = set()
    for root in keys:
        path = {} if root in seen else {root: iter(leaving.get(root, ()))}  # no recursion: chains may be long
        seen.update(path)
        while path:
            key, ahead = next(reversed(path.items()))
            i = next(ahead, -1)
            if i < 0:
                del path[key]
            elif routes[i].target in path:
                back.add(i)
            elif routes[i].target not in seen:
                seen.add(routes[i].target)
                path[routes[i].target] = iter(leaving.get(routes[i].target, ()))
    return back
