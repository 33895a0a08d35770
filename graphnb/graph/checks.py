"""Everything that keeps a declared graph from running, each fault under its category. Source: graph-engine §2."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.errors import (
    BuildError,
    DanglingEdge,
    FanOutCountModeAmbiguous,
    FanOutFieldNotList,
    InvalidDeclaration,
    MappingReferencesUndeclaredField,
    MissingOutgoingEdge,
    NoDeclaredEntry,
    UnreachableNode,
)
from graphnb.errors.text import choices
from graphnb.graph.ends import START
from graphnb.graph.spec import FanOutNode, GraphSpec, HasSpec, SubgraphNode, is_graph, is_open, names_in, targets_of
from graphnb.state.schema import Schema


def faults_of(spec: GraphSpec, _within: tuple[GraphSpec | HasSpec, ...] = ()) -> tuple[BuildError, ...]:
    """All faults, the most basic first: entry, edges, reachability, then nodes in declared order."""
    where = f"graph '{spec.name}'"
    faults: list[BuildError] = [*_entry_faults(spec, where), *_edge_faults(spec, where)]
    if not faults:  # what can be reached is known only when all names are
        faults += _reach_faults(spec, where)
    for node in spec.nodes.values():
        place = f"{where}, node '{node.name}'"
        if isinstance(node, SubgraphNode):
            faults += _subgraph_faults(node, place, parent=spec.schema)
            faults += _inner_faults(node.graph, place, within=(*_within, spec))
        elif isinstance(node, FanOutNode):
            faults += _fan_out_faults(node, place, parent=spec.schema)
            if is_graph(node.worker):
                faults += _inner_faults(node.worker, place, within=(*_within, spec))
            faults += _lost_outputs(node, place)
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
    reached = _reachable(spec)
    for name in spec.nodes:
        if name not in reached:
            mend = f"Lead an edge to it, or take it out: graph.remove({name!r})."
            yield UnreachableNode(where, f"no path leads from entry {spec.entry!r} to node {name!r}", mend)
    for name in spec.nodes:
        if name in reached and name not in spec.edges:
            yield MissingOutgoingEdge(
                where, f"node {name!r} has no outgoing edge", "Declare one, or end there: to=gn.END."
            )


def _reachable(spec: GraphSpec) -> set[str]:
    """Names of nodes that a run may come to; a branch without declared targets may lead anywhere."""
    reached: set[str] = set()
    ahead = [spec.entry] if spec.entry is not None else []
    while ahead:
        name = ahead.pop()
        if name in reached:
            continue
        reached.add(name)
        edge = spec.edges.get(name)
        if is_open(edge):
            return set(spec.nodes)
        ahead += names_in(targets_of(edge))
    return reached


def _inner_faults(graph: HasSpec, place: str, *, within: tuple[GraphSpec | HasSpec, ...]) -> Iterator[BuildError]:
    inner = graph.spec()
    if graph in within or inner in within:  # equal specifications hold the very same graphs, themselves among them
        yield InvalidDeclaration(place, "runs a graph that this node is part of", "A graph cannot hold itself.")
        return
    for fault in faults_of(inner, (*within, graph)):
        yield type(fault)(f"{place}, {fault.where}", fault.what, fault.mend)


def _subgraph_faults(node: SubgraphNode, place: str, *, parent: Schema) -> Iterator[BuildError]:
    child = node.graph.spec().schema
    for child_name, parent_name in (node.projection.inputs or {}).items():
        yield from _undeclared(place, "inputs", name=child_name, schema=child)
        yield from _undeclared(place, "inputs", name=parent_name, schema=parent)
    for parent_name, child_name in (node.projection.outputs or {}).items():
        yield from _undeclared(place, "outputs", name=parent_name, schema=parent)
        yield from _undeclared(place, "outputs", name=child_name, schema=child)


def _fan_out_faults(node: FanOutNode, place: str, *, parent: Schema) -> Iterator[BuildError]:
    if (node.over is None) == (node.count is None):
        given = "both" if node.over is not None else "neither"
        yield FanOutCountModeAmbiguous(place, f"has {given} of over and count", "Give one: over='field' or count=3.")
    for option in ("over", "into", "errors_into", "count_into"):
        yield from _undeclared(place, option, name=getattr(node, option), schema=parent)
    yield from _shared_targets(node, place)
    over = parent.fields.get(node.over or "")
    if over is not None and not over.is_list:
        yield FanOutFieldNotList(place, f"goes over field {node.over!r}, which is {over.type}", "It must be a list.")
    for parent_name in node.inputs.values():
        yield from _undeclared(place, "inputs", name=parent_name, schema=parent)
    for parent_name in node.extra_outputs:
        yield from _undeclared(place, "extra_outputs", name=parent_name, schema=parent)
    if is_graph(node.worker):
        yield from _worker_graph_faults(node, place, child=node.worker.spec().schema)


def _shared_targets(node: FanOutNode, place: str) -> Iterator[BuildError]:
    """One update holds one value per field, so two outputs of a fan-out cannot fill the same one."""
    given = {"into": node.into, "errors_into": node.errors_into, "count_into": node.count_into}
    outputs = [(name, option) for option, name in given.items() if name is not None]
    outputs += [(name, "extra_outputs") for name in node.extra_outputs]
    for name in dict.fromkeys(name for name, _ in outputs):
        options = [option for each, option in outputs if each == name]
        if len(options) > 1:
            what = f"fills field {name!r} twice: by {' and '.join(options)}"
            yield InvalidDeclaration(place, what, "Give each a field of its own.")


def _lost_outputs(node: FanOutNode, place: str) -> Iterator[BuildError]:
    """What the instances give, or how they fail, must not vanish because an option was forgotten."""
    keeps_errors = node.error_policy == "collect"
    if node.into is None and node.collect is not None:
        what = f"collects {node.collect!r}, but no field receives it"
        yield InvalidDeclaration(place, what, "Name the field that receives the list: into='field'.")
    elif node.into is None and not (node.extra_outputs or node.count_into or (node.errors_into and keeps_errors)):
        mend = (
            "Name the field that receives the list: into='field'. For a worker with effects alone: count_into='field'."
        )
        yield InvalidDeclaration(place, "writes no field: what its instances give is lost", mend)
    elif node.into is not None and node.collect is None and node.extra_outputs and not is_graph(node.worker):
        what = f"into {node.into!r} receives nothing: with extra_outputs the worker gives a dict"
        yield InvalidDeclaration(place, what, "Name the entry of that dict: collect='key'.")
    if node.errors_into is not None and not keeps_errors:
        what = f"errors_into {node.errors_into!r} receives nothing: error_policy {node.error_policy!r} raises"
        yield InvalidDeclaration(place, what, "Declare error_policy='collect', or leave errors_into out.")


def _worker_graph_faults(node: FanOutNode, place: str, *, child: Schema) -> Iterator[BuildError]:
    # an `item` that the child lacks is tolerated and ignored: pipeline-utilities fixture 023
    if node.over is not None and node.item is None:
        yield InvalidDeclaration(place, "does not say which field of the worker gets the item", "Give item='field'.")
    if node.count is not None and node.item is not None:
        yield InvalidDeclaration(place, "has an item field, but count makes no items", "Leave item out.")
    yield from _undeclared(place, "collect", name=node.collect, schema=child)
    for child_name in node.inputs:
        yield from _undeclared(place, "inputs", name=child_name, schema=child)
    for child_name in node.extra_outputs.values():
        yield from _undeclared(place, "extra_outputs", name=child_name, schema=child)


def _undeclared(place: str, option: str, *, name: str | None, schema: Schema) -> Iterator[BuildError]:
    if name is not None and name not in schema.fields:
        what = f"{option} names {name!r}, which is no field of {schema.name}"
        yield MappingReferencesUndeclaredField(place, what, choices("Fields", schema.fields, name))
