"""Warnings in drawings: a few words where they belong, and whole sentences for the notes below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show.drawing.inside import graphs_of
from graphnb.show.drawing.joins import joins_of
from graphnb.show.drawing.routes import Route
from graphnb.show.writing.palette import shortened
from graphnb.show.writing.words import things

_MOST_LINES: Final = 3


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
        told if len(told) <= _MOST_LINES else [*told[: _MOST_LINES - 1], f"⚠ {len(told) - _MOST_LINES + 1} more"]
    )


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
