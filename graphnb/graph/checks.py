"""Everything that keeps a declared graph from running, each fault under its category. Source: graph-engine §2."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.errors import (
    BuildError,
    DanglingEdge,
    InvalidDeclaration,
    MissingOutgoingEdge,
    NoDeclaredEntry,
    UnreachableNode,
)
from graphnb.errors.text import choices
from graphnb.graph.ends import START
from graphnb.graph.node_checks import branches_faults, fan_out_faults, subgraph_faults
from graphnb.graph.spec import (
    BranchesNode,
    FanOutNode,
    GraphSpec,
    HasSpec,
    SubgraphNode,
    graphs_in,
    is_open,
    names_in,
    targets_of,
)


def faults_of(spec: GraphSpec, _within: tuple[GraphSpec | HasSpec, ...] = ()) -> tuple[BuildError, ...]:
    """All faults, the most basic first: entry, edges, reachability, then nodes in declared order."""
    where = f"graph '{spec.name}'"
    faults: list[BuildError] = [*_entry_faults(spec, where), *_edge_faults(spec, where)]
    if not faults:  # what can be reached is known only when all names are
        faults += _reach_faults(spec, where)
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
        for target in names_in(targets_of(edge)):
            if target not in spec.nodes:
                what = f"edge from {source!r} names {target!r}, which is no node"
                yield DanglingEdge(where, what, _mend_target(spec, target))


def _mend_target(spec: GraphSpec, target: str) -> str:
    return "To end there write gn.END without quotes." if target == "END" else choices("Nodes", spec.nodes, target)


def _reach_faults(spec: GraphSpec, where: str) -> Iterator[BuildError]:
    certain, is_open_ended = _reachable(spec)
    reached = set(spec.nodes) if is_open_ended else certain
    for name in spec.nodes:
        if name not in reached:
            mend = f"Lead an edge to it, or take it out: graph.remove({name!r})."
            yield UnreachableNode(where, f"no path leads from entry {spec.entry!r} to node {name!r}", mend)
    for name in spec.nodes:
        if name in certain and name not in spec.edges:
            yield MissingOutgoingEdge(
                where, f"node {name!r} has no outgoing edge", "Declare one, or end there: to=gn.END."
            )


def _reachable(spec: GraphSpec) -> tuple[set[str], bool]:
    """Names of nodes that routes as declared lead to, and whether a branch among them may lead anywhere else.

    Such a branch hides where it leads: a node that it alone may choose need not have an edge, as long as it is not
    chosen (graph-engine fixture 020).
    """
    reached: set[str] = set()
    ahead = [spec.entry] if spec.entry is not None else []
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += names_in(targets_of(spec.edges.get(name)))
    return reached, any(is_open(spec.edges.get(name)) for name in reached)


def _inner_faults(graph: HasSpec, place: str, *, within: tuple[GraphSpec | HasSpec, ...]) -> Iterator[BuildError]:
    inner = graph.spec()
    if graph in within or inner in within:  # equal specifications hold the very same graphs, themselves among them
        yield InvalidDeclaration(place, "runs a graph that this node is part of", "A graph cannot hold itself.")
        return
    for fault in faults_of(inner, (*within, graph)):
        yield type(fault)(f"{place}, {fault.where}", fault.what, fault.mend)
