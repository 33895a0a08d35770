"""What every drawing of a graph shows: its nodes, missing ones included, and the lines between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graphnb.graph.ends import END, Target
from graphnb.graph.topology import Topology, TopologyEdge, TopologyNode
from graphnb.show.palette import shortened
from graphnb.trace.visits import Visits

Key = Target | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Route:
    """One drawn line. A branch is a stem from its node to its router, and one line on to each target."""

    source: Key
    target: Key
    kind: str
    tip: str
    label: str = ""
    orders: Sequence[int] | None = None  # None: not taken, or no run is shown


def nodes_of(topology: Topology) -> tuple[TopologyNode, ...]:
    """The nodes, with a missing one for every name that only edges mention."""
    known = {node.name for node in topology.nodes}
    ends = [end for edge in topology.edges for end in (edge.source, edge.target)]
    unknown = dict.fromkeys(end for end in ends if isinstance(end, str) and end not in known)
    return (*topology.nodes, *(TopologyNode(name, "missing") for name in unknown))


def count_of(topology: Topology) -> int:
    """How many nodes a graph has, those inside its nodes included."""
    count, ahead = 0, [topology]
    while ahead:  # no recursion: graphs may be nested deep
        nodes = ahead.pop().nodes
        count += len(nodes)
        ahead += [node.inner for node in nodes if node.inner]
    return count


def ends_of(visits: Visits, name: str) -> dict[str, str]:
    """How the run came to an end in a node, or is there now: each fate that the legend explains, with its words.

    >>> ends_of(Visits(stopped_at_edge={"judge"}), "judge")
    {'stopped': 'stopped at its edge'}
    """
    told = {"failed": "failed"} if name in visits.failed else {}
    if name in visits.stopped or name in visits.stopped_at_edge:
        told["stopped"] = "stopped" if name in visits.stopped else "stopped at its edge"
    return told | ({"running": "running"} if name in visits.running else {})


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
    merged: dict[TopologyEdge, list[str | None]] = {}
    for edge in topology.edges:
        merged.setdefault(replace(edge, label=None), []).append(edge.label)
    stems: set[Target] = set()
    for edge, labels in merged.items():
        source: Key = edge.source if edge.kind == "edge" else (str(edge.source), "router")
        if edge.kind != "edge" and edge.source not in stems:
            stems.add(edge.source)
            asked = any(each == edge.source for each, _ in taken)
            yield Route(edge.source, source, "stem", edge.router or "", orders=() if asked else None)
        if edge.target is not None:
            said = [str(edge.target) if each is None else each for each in labels]
            label = "" if labels == [None] else " / ".join(said)
            tip = f"{edge.source} → {edge.target}"
            yield Route(source, edge.target, edge.kind, tip, label, taken.get((edge.source, edge.target)))
            continue
        yield Route(source, (str(edge.source), "open"), "open", "targets not declared")
        known = {END, *(node.name for node in nodes_of(topology))}
        for (start, target), orders in taken.items():
            if start == edge.source and target in known:  # not declared, yet taken: a fact of this run
                yield Route(source, target, "branch", f"{start} → {target}", orders=orders)


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
