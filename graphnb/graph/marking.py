"""From what checking finds to the marks of a drawing: each diagnostic has a number and stands where it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from graphnb.graph.checking.findings import Finding
from graphnb.graph.checking.spots import Spot
from graphnb.graph.topology import EdgeKey, Mark, Topology, TopologyBranch, TopologyEdge, TopologyNode


class _Told(NamedTuple):
    """One part of one graph: the path to the graph, what it is, and its name or key."""

    within: tuple[str, ...]
    part: str
    key: EdgeKey


_Marks = Mapping[_Told, Mapping[Mark, None]]


def with_marks(topology: Topology, findings: Iterable[Finding]) -> Topology:
    """The topology with the findings: all of them at the graph, and each at its spots as far as they are drawn."""
    told: dict[_Told, dict[Mark, None]] = {}
    marks = []
    for number, finding in enumerate(findings, start=1):
        marks.append(_mark(finding, number, graph=topology.name))
        for spot in finding.spots:
            told.setdefault(_place(spot), {})[marks[-1]] = None
    return _marked(topology, told, path=())._replace(marks=tuple(marks)) if marks else topology


def _mark(finding: Finding, number: int, *, graph: str) -> Mark:
    place = finding.where.removeprefix(f"graph '{graph}'").removeprefix(", ")
    text = f"{finding.what}. {finding.mend}".rstrip()
    names = [str(spot.key) for spot in finding.spots if spot.part == "node"]
    return Mark(number, finding.severity, place, text, finding.sign, next(iter(names), ""))


def _place(spot: Spot) -> _Told:
    """Where the spot is drawn: the fields of a graph within a node are not, so that the node tells of them."""
    if spot.part == "field" and spot.within:
        return _Told(spot.within[:-1], "node", spot.within[-1])
    return _Told(spot.within, spot.part, spot.key)


def _marked(topology: Topology, told: _Marks, *, path: tuple[str, ...]) -> Topology:
    edges = _edges(topology, told, path=path)
    left = {str(each.source) for each in edges}
    fields = topology.fields
    if not path:
        fields = tuple(each._replace(marks=tuple(told.get(_Told(path, "field", each.name), ()))) for each in fields)
    nodes = tuple(_node(each, told, path=path, has_exit=each.name in left) for each in topology.nodes)
    return topology._replace(nodes=nodes, edges=edges, fields=fields)


def _node(node: TopologyNode, told: _Marks, *, path: tuple[str, ...], has_exit: bool) -> TopologyNode:
    exits = () if has_exit else told.get(_Told(path, "exit", node.name), ())
    within = (*path, node.name)
    return node._replace(
        marks=(*exits, *told.get(_Told(path, "node", node.name), ())),
        inner=node.inner and _marked(node.inner, told, path=within),
        branches=tuple(_branch(each, told, path=within) for each in node.branches),
    )


def _branch(branch: TopologyBranch, told: _Marks, *, path: tuple[str, ...]) -> TopologyBranch:
    return branch._replace(
        marks=tuple(told.get(_Told(path, "node", branch.name), ())),
        inner=branch.inner and _marked(branch.inner, told, path=(*path, branch.name)),
    )


def _edges(topology: Topology, told: _Marks, *, path: tuple[str, ...]) -> tuple[TopologyEdge, ...]:
    """The edges with their marks. What concerns the exit of a node stands at its first edge, or at all of a router."""
    first: dict[EdgeKey | None, TopologyEdge] = {}
    marked = []
    for edge in topology.edges:
        leading = first.setdefault(edge.source, edge)
        is_exit = edge is leading or (edge.router is not None and edge.router == leading.router)
        exits = told.get(_Told(path, "exit", edge.source), ()) if is_exit else ()
        marked.append(edge._replace(marks=(*exits, *told.get(_Told(path, "edge", edge.key), ()))))
    return tuple(marked)
