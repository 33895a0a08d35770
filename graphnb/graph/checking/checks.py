"""Everything that keeps a declared graph from running, each fault under its category. Source: graph-engine §2."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Iterator

from graphnb.errors import (
    BuildError,
    DanglingEdge,
    InvalidDeclaration,
    MissingOutgoingEdge,
    NoDeclaredEntry,
    UnreachableNode,
)
from graphnb.errors.text import choices
from graphnb.graph.checking.node_checks import (
    branch_faults,
    branches_faults,
    delegates_faults,
    fan_out_faults,
    race_faults,
    subgraph_faults,
)
from graphnb.graph.checking.reaching import as_meant, reach_of
from graphnb.graph.checking.spots import Fault, Spot, spot_within, spots_to
from graphnb.graph.edges import EdgeSpec, Links, joins_in, names_in, targets_of
from graphnb.graph.ends import START, Target
from graphnb.graph.guards.guard import Guard, references_of
from graphnb.graph.spec import (
    BranchesNode,
    DelegatesNode,
    FanOutNode,
    GraphSpec,
    HasSpec,
    NodeSpec,
    RaceNode,
    SubgraphNode,
    graphs_at,
)
from graphnb.state.schema import Schema


def faults_of(spec: GraphSpec) -> tuple[BuildError, ...]:
    """All faults, the most basic first: entry, edges, reachability, then nodes in declared order."""
    return tuple(each.error for each in placed_faults_of(spec))


def placed_faults_of(spec: GraphSpec, _within: tuple[GraphSpec | HasSpec, ...] = ()) -> tuple[Fault, ...]:
    """The faults, each with where in the drawing it is."""
    where = f"graph '{spec.name}'"
    faults: list[Fault] = [*_entry_faults(spec, where), *_edge_faults(spec, where), *_guard_faults(spec, where)]
    faults += _reach_faults(as_meant(spec), where)
    for node in spec.nodes.values():
        place = f"{where}, node '{node.name}'"
        faults += _node_faults(node, place, parent=spec.schema)
        for path, graph in graphs_at(node):
            faults += _inner_faults(graph, place, path=path, within=(*_within, spec))
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


def _entry_faults(spec: GraphSpec, where: str) -> Iterator[Fault]:
    if spec.entry is None:
        first = next(iter(spec.nodes), "name")
        yield Fault(NoDeclaredEntry(where, "has no entry node", f"Name one: gn.Graph(..., entry={first!r})."))
    elif spec.entry not in spec.nodes:
        error = DanglingEdge(where, f"entry {spec.entry!r} is no node", choices("Nodes", spec.nodes, spec.entry))
        yield Fault(error, (Spot("edge", (START, spec.entry)),))


def _edge_faults(spec: GraphSpec, where: str) -> Iterator[Fault]:
    for source, edge in spec.edges.items():
        if source not in spec.nodes:
            what = f"an edge leaves {source!r}, which is no node"
            yield Fault(DanglingEdge(where, what, choices("Nodes", spec.nodes, source)), (Spot("node", source),))
        if START in targets_of(edge):
            error = InvalidDeclaration(where, f"edge from {source!r} leads to START", "Name the node to go back to.")
            yield Fault(error, spots_to(source, edge, target=START))
        for target, leaving in _names_told_at(source, edge):
            if target not in spec.nodes:
                what = f"{leaving} names {target!r}, which is no node"
                spots = spots_to(source, edge, target=target)
                yield Fault(DanglingEdge(where, what, _mend_target(spec, target)), spots)


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


def _reach_faults(spec: GraphSpec, where: str) -> Iterator[Fault]:
    reach = reach_of(spec)
    reached = spec.nodes.keys() if reach.is_open else reach.certain
    for name in spec.nodes:
        if name not in reached:
            what = f"no path leads from entry {spec.entry!r} to node {name!r}"
            mend, spots = _mend_reach(spec, name, reached=reached)
            yield Fault(UnreachableNode(where, what, mend), (Spot("node", name), *spots))
    for name in spec.nodes:
        if name in reach.certain and name not in spec.edges:
            what = f"node {name!r} has no outgoing edge"
            error = MissingOutgoingEdge(where, what, "Declare one, or end there: to=gn.END.")
            yield Fault(error, (Spot("node", name),))


def _mend_reach(spec: GraphSpec, name: str, *, reached: Container[str]) -> tuple[str, tuple[Spot, ...]]:
    """How to mend a node that cannot be reached, and the join to it if there is one that lacks some sources alone."""
    for join in joins_in(spec.edges):
        lacking = [source for source in join.sources if source not in reached]
        if join.target == name and len(lacking) < len(join.sources):
            listed = ", ".join(map(repr, lacking))
            mend = f"The join to it also waits for {listed}, which cannot be reached: lead an edge there."
            return mend, (Spot("edge", join.id),)
    return f"Lead an edge to it, or take it out: graph.remove({name!r}).", ()


def _guard_faults(spec: GraphSpec, where: str) -> Iterator[Fault]:
    for source, edge in spec.edges.items():
        for link in edge.links if isinstance(edge, Links) else ():
            is_told = link.sources[0] != source  # of a join once, not at each of its sources
            if is_told or not isinstance(link.when, Guard):
                continue
            for name in dict.fromkeys(references_of(link.when)):
                if name not in spec.schema.fields:
                    what = f"the guard of edge '{link.id}' asks about {name!r}, which is no field"
                    error = InvalidDeclaration(where, what, choices("Fields", spec.schema.fields, name))
                    yield Fault(error, (Spot("edge", link.id),))


def _node_faults(node: NodeSpec, place: str, *, parent: Schema) -> Iterator[Fault]:
    """What is wrong with a node that runs graphs or several functions, the graphs themselves left out."""
    errors: Iterable[BuildError] = ()
    if isinstance(node, SubgraphNode):
        errors = subgraph_faults(node, place, parent=parent)
    elif isinstance(node, FanOutNode):
        errors = fan_out_faults(node, place, parent=parent)
    elif isinstance(node, BranchesNode):
        errors = branches_faults(node, place, parent=parent)
    elif isinstance(node, DelegatesNode):
        errors = delegates_faults(node, place, parent=parent)
    elif isinstance(node, RaceNode):
        errors = race_faults(node, place, parent=parent)
    yield from (Fault(each, (Spot("node", node.name),)) for each in errors)
    for name, branch in node.branches.items() if isinstance(node, BranchesNode) else ():
        for each in branch_faults(branch, f"{place}, branch '{name}'", parent=parent):
            yield Fault(each, (Spot("node", name, (node.name,)),))


def _inner_faults(
    graph: HasSpec, place: str, *, path: tuple[str, ...], within: tuple[GraphSpec | HasSpec, ...]
) -> Iterator[Fault]:
    """The faults of a graph within a node; `path` leads to it."""
    inner = graph.spec()
    if graph in within or inner in within:  # equal specifications hold the very same graphs, themselves among them
        what = "runs a graph that this node is part of"
        spot = Spot("node", path[-1], path[:-1])
        yield Fault(InvalidDeclaration(place, what, "A graph cannot hold itself."), (spot,))
        return
    if inner.starts:
        what = f"runs graph '{inner.name}', which was read from a document and runs by itself alone"
        mend = "Call its run in a function, and return what is wanted of its outputs."
        yield Fault(InvalidDeclaration(place, what, mend), (Spot("node", path[-1], path[:-1]),))
        return
    for fault in placed_faults_of(inner, (*within, graph)):
        error = type(fault.error)(f"{place}, {fault.error.where}", fault.error.what, fault.error.mend)
        # what concerns the inner graph as a whole concerns the node that runs it
        spots = tuple(spot_within(each, path) for each in fault.spots) or (Spot("node", path[-1], path[:-1]),)
        yield Fault(error, spots)
