"""Which nodes the routes of a graph lead to, though some of the names in them may be no nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graphnb.errors.text import nearest_of
from graphnb.graph.edges import Branch, Edge, EdgeSpec, Link, Links, is_open, names_in, targets_of
from graphnb.graph.ends import Target
from graphnb.graph.spec import GraphSpec


class Reach(NamedTuple):
    """What routes as declared lead to: the names in `certain`; with `is_open` a branch may lead to any other as well.

    Such a branch hides where it leads: a node that it alone may choose need not have an edge, as long as it is not
    chosen (graph-engine fixture 020).
    """

    certain: frozenset[str]
    is_open: bool


def as_meant(spec: GraphSpec) -> GraphSpec:
    """The graph in which a name that is no node stands for the one that its fault offers: one slip is one fault.

    Of the sources of a join those are left out for which nothing is offered, and so is the entry.
    """
    missing = dict.fromkeys(name for name in _mentioned(spec) if name not in spec.nodes)
    if not missing:
        return spec
    offered = {name: nearest_of(name, spec.nodes) for name in missing}
    meant = {name: other for name, other in offered.items() if other is not None}
    edges: dict[str, EdgeSpec] = {}
    for source, edge in sorted(spec.edges.items(), key=lambda each: each[0] in missing):  # a node's own edge first
        edges.setdefault(meant.get(source, source), _meant_edge(edge, spec, meant=meant))
    entry = spec.entry if spec.entry in spec.nodes else meant.get(spec.entry or "")
    return spec._replace(entry=entry, edges=edges)


def reach_of(spec: GraphSpec) -> Reach:
    """Where the routes lead from the entry. If there is none, nothing is known but that each node may be reached."""
    if spec.entry is None:
        opens = any(map(is_open, spec.edges.values()))
        return Reach(frozenset() if opens else frozenset(spec.nodes), opens)
    reached: set[str] = set()
    ahead = [spec.entry]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += _led_to(spec.edges.get(name), reached)
    return Reach(frozenset(reached), any(is_open(spec.edges.get(name)) for name in reached))


def loose_ends_of(spec: GraphSpec) -> tuple[str, ...]:
    """The nodes without an outgoing edge to which nothing leads but a branch that may lead to any node."""
    loose = [name for name in spec.nodes if name not in spec.edges]
    if not loose:
        return ()
    meant = as_meant(spec)
    reach = reach_of(meant)
    return tuple(name for name in loose if reach.is_open and name not in reach.certain and name not in meant.edges)


def _mentioned(spec: GraphSpec) -> Iterator[str]:
    yield from () if spec.entry is None else (spec.entry,)
    for source, edge in spec.edges.items():
        yield from (source, *names_in(targets_of(edge)))


def _meant_edge(edge: EdgeSpec, spec: GraphSpec, *, meant: Mapping[str, str]) -> EdgeSpec:
    def target(name: Target) -> Target:
        return meant.get(name, name) if isinstance(name, str) else name

    def sources(link: Link) -> tuple[str, ...]:
        told = tuple(meant.get(name, name) for name in link.sources)
        return tuple(name for name in told if name in spec.nodes) or told

    if isinstance(edge, Edge):
        return edge._replace(target=target(edge.target))
    if isinstance(edge, Branch):
        targets = edge.targets and {label: target(each) for label, each in edge.targets.items()}
        return edge._replace(targets=targets)
    return edge._replace(
        links=tuple(link._replace(sources=sources(link), target=target(link.target)) for link in edge.links)
    )


def _led_to(edge: EdgeSpec | None, reached: set[str]) -> tuple[str, ...]:
    """The names to which an edge leads; a join leads on once all its sources can be reached."""
    if not isinstance(edge, Links):
        return names_in(targets_of(edge))
    return names_in(tuple(link.target for link in edge.links if reached.issuperset(link.sources)))
