"""What every drawing of a graph shows: its nodes, missing ones included, and the lines between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphnb.graph.ends import END, Target
from graphnb.graph.topology import Mark, Topology, TopologyEdge, TopologyNode
from graphnb.show.drawing.joins import Wait, joins_of, orders_of_join, waits_of
from graphnb.trace.reading.visits import Visits

Key = Target | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Route:
    """One drawn line. A branch is a stem from its node to its router, and one line on to each target.

    A join is an "arrival" from each of its sources to a bar, and a line on to the target, which may have to `wait`.
    `marks` are those of its edges; what concerns all that a router may choose stands at the stem.
    """

    source: Key
    target: Key
    kind: str
    tip: str
    label: str = ""
    orders: Sequence[int] | None = None  # None: not taken, or no run is shown
    wait: Wait | None = None
    marks: tuple[Mark, ...] = ()


def nodes_of(topology: Topology) -> tuple[TopologyNode, ...]:
    """The nodes, with a missing one for every name that only edges mention."""
    known = {node.name for node in topology.nodes}
    ends = [end for edge in topology.edges for end in (edge.source, edge.target)]
    unknown = dict.fromkeys(end for end in ends if isinstance(end, str) and end not in known)
    return (*topology.nodes, *(TopologyNode(name, "missing") for name in unknown))


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
        merged.setdefault(edge._replace(label=None, id=None, marks=()), []).append(edge)
    stems: dict[Target, frozenset[Mark]] = {}
    for edge, several in merged.items():
        if edge.kind == "join":
            continue
        labels = [each.label for each in several]
        is_routed = edge.router is not None
        source: Key = (str(edge.source), "router") if is_routed else edge.source
        if is_routed and edge.source not in stems:
            leaving = [each for each in topology.edges if each.source == edge.source]
            shared = _shared_marks(leaving)
            stems[edge.source] = frozenset(shared)
            asked = any(each == edge.source for each, _ in taken)
            yield Route(edge.source, source, "stem", edge.router or "", orders=() if asked else None, marks=shared)
        if edge.target is not None:
            said = [str(edge.target) if each is None else each for each in labels]
            label = "" if labels == [None] else " / ".join(said)
            tip = f"{edge.source} → {edge.target}"
            tip += f", if {label}" if edge.kind == "guard" else ""
            orders = taken.get((edge.source, edge.target))
            marks = tuple(each for each in _marks(several) if each not in stems.get(edge.source, ()))
            yield Route(source, edge.target, edge.kind, tip, label, orders, None, marks)
            continue
        yield Route(source, (str(edge.source), "open"), "open", "targets not declared", marks=_marks(several))
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
        yield Route(bar, join.target, "join", tip, join.label or "", orders, waits.get(join.id), marks)


def _marks(edges: Sequence[TopologyEdge]) -> tuple[Mark, ...]:
    """The marks of edges that make one line, each once."""
    return tuple(dict.fromkeys(mark for edge in edges for mark in edge.marks))


def _shared_marks(edges: Sequence[TopologyEdge]) -> tuple[Mark, ...]:
    """The marks that several edges all have."""
    return tuple(mark for mark in edges[0].marks if len(edges) > 1 and all(mark in edge.marks for edge in edges))


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
