"""Everything that keeps a declared graph from running, each fault under its category. Source: graph-engine §2."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator

from graphnb.errors import (
    BuildError,
    DanglingEdge,
    InvalidDeclaration,
    MissingOutgoingEdge,
    NoDeclaredEntry,
    UnreachableNode,
)
from graphnb.errors.text import choices
from graphnb.graph.checking.node_checks import branches_faults, fan_out_faults, subgraph_faults
from graphnb.graph.checking.reaching import as_meant, reach_of
from graphnb.graph.edges import EdgeSpec, Links, joins_in, names_in, targets_of
from graphnb.graph.ends import START, Target
from graphnb.graph.guards.guard import Guard, references_of
from graphnb.graph.spec import BranchesNode, FanOutNode, GraphSpec, HasSpec, SubgraphNode, graphs_in


def faults_of(spec: GraphSpec, _within: tuple[GraphSpec | HasSpec, ...] = ()) -> tuple[BuildError, ...]:
    """All faults, the most basic first: entry, edges, reachability, then nodes in declared order."""
    where = f"graph '{spec.name}'"
    faults: list[BuildError] = [*_entry_faults(spec, where), *_edge_faults(spec, where), *_guard_faults(spec, where)]
    faults += _reach_faults(as_meant(spec), where)
    for node in spec.nodes.values():
        place = f"{where}, node '{node.name}'"
        if isinstance(node, SubgraphNode):
            faults += subgraph_faults(node, place, parent=spec.schema)
        elif isinstance(node, FanOutNode):
            faults += fan_out_faults(node, place, parent=spec.schema)
        elif isinstance(node, BranchesNode):
            faults += branches_faults(node, place, parent=spec.schema)
        for graph in graphs_in(node):
            faults += _inner_faults(graph, place, within=(*_within, spec))
    return tuple(faults)


def check_graph(spec: GraphSpec) -> None:
    """Raises the first fault; its `problems` lists all of them."""
    faults = faults_of(spec)
    if faults:
        faults[0].problems = faults
        raise faults[0]


def too_deep(spec: GraphSpec) -> InvalidDeclaration:
    """The error that graphs within one another are too many to be walked through, to be raised."""
    what = f"graphs are nested too deep: Python's stack has room for {sys.getrecursionlimit()} calls"
    return InvalidDeclaration(f"graph '{spec.name}'", what, "Nest fewer graphs, or allow more calls.")


def _entry_faults(spec: GraphSpec, where: str) -> Iterator[BuildError]:
    if spec.entry is None:
        first = next(iter(spec.nodes), "name")
        yield NoDeclaredEntry(where, "has no entry node", f"Name one: gn.Graph(..., entry={first!r}).")
    elif spec.entry not in spec.nodes:
        yield DanglingEdge(where, f"entry {spec.entry!r} is no node", choices("Nodes", spec.nodes, spec.entry))


def _edge_faults(spec: GraphSpec, where: str) -> Iterator[BuildError]:
    for source, edge in spec.edges.items():
        if source not in spec.nodes:
            yield DanglingEdge(
                where, f"an edge leaves {source!r}, which is no node", choices("Nodes", spec.nodes, source)
            )
        if START in targets_of(edge):
            yield InvalidDeclaration(where, f"edge from {source!r} leads to START", "Name the node to go back to.")
        for target, leaving in _names_told_at(source, edge):
            if target not in spec.nodes:
                what = f"{leaving} names {target!r}, which is no node"
                yield DanglingEdge(where, what, _mend_target(spec, target))


def _names_told_at(source: str, edge: EdgeSpec) -> Iterator[tuple[str, str]]:
    """The nodes to which an edge leads, each with what leads there; of a join once, at the first that it waits for."""
    if not isinstance(edge, Links):
        yield from ((name, f"edge from {source!r}") for name in names_in(targets_of(edge)))
        return
    told: set[Target] = set()
    for link in edge.links:
        if link.sources[0] == source and link.target not in told:
            told.add(link.target)
            leaving = f"join of {', '.join(map(repr, link.sources))}" if link.is_join else f"edge from {source!r}"
            yield from ((name, leaving) for name in names_in((link.target,)))


def _mend_target(spec: GraphSpec, target: str) -> str:
    return "To end there write gn.END without quotes." if target == "END" else choices("Nodes", spec.nodes, target)


def _reach_faults(spec: GraphSpec, where: str) -> Iterator[BuildError]:
    reach = reach_of(spec)
    reached = spec.nodes.keys() if reach.is_open else reach.certain
    for name in spec.nodes:
        if name not in reached:
            mend = (
                _mend_join(spec, name, reached=reached)
                or f"Lead an edge to it, or take it out: graph.remove({name!r})."
            )
            yield UnreachableNode(where, f"no path leads from entry {spec.entry!r} to node {name!r}", mend)
    for name in spec.nodes:
        if name in reach.certain and name not in spec.edges:
            yield MissingOutgoingEdge(
                where, f"node {name!r} has no outgoing edge", "Declare one, or end there: to=gn.END."
            )


def _mend_join(spec: GraphSpec, name: str, *, reached: Container[str]) -> str | None:
    """How to mend a join to this node of which only some sources can be reached; None if there is none."""
    for join in joins_in(spec.edges):
        lacking = [source for source in join.sources if source not in reached]
        if join.target == name and len(lacking) < len(join.sources):
            listed = ", ".join(map(repr, lacking))
            return f"The join to it also waits for {listed}, which cannot be reached: lead an edge there."
    return None


def _guard_faults(spec: GraphSpec, where: str) -> Iterator[BuildError]:
    for source, edge in spec.edges.items():
        for link in edge.links if isinstance(edge, Links) else ():
            is_told = link.sources[0] != source  # of a join once, not at each of its sources
            if is_told or not isinstance(link.when, Guard):
                continue
            for name in dict.fromkeys(references_of(link.when)):
                if name not in spec.schema.fields:
                    what = f"the guard of edge '{link.id}' asks about {name!r}, which is no field"
                    yield InvalidDeclaration(where, what, choices("Fields", spec.schema.fields, name))


def _inner_faults(graph: HasSpec, place: str, *, within: tuple[GraphSpec | HasSpec, ...]) -> Iterator[BuildError]:
    inner = graph.spec()
    if graph in within or inner in within:  # equal specifications hold the very same graphs, themselves among them
        yield InvalidDeclaration(place, "runs a graph that this node is part of", "A graph cannot hold itself.")
        return
    if inner.starts:
        what = f"runs graph '{inner.name}', which was read from a document and runs by itself alone"
        mend = "Call its run in a function, and return what is wanted of its outputs."
        yield InvalidDeclaration(place, what, mend)
        return
    for fault in faults_of(inner, (*within, graph)):
        yield type(fault)(f"{place}, {fault.where}", fault.what, fault.mend)
