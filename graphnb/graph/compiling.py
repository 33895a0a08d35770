"""Compiling: from a declared graph that passes every check to its plan, through all graphs within it."""

from __future__ import annotations

from dataclasses import replace

from graphnb.graph.checking.build_warnings import warnings_of
from graphnb.graph.checking.checks import check_graph, too_deep
from graphnb.graph.edges import Branch, Edge, Links
from graphnb.graph.making_topology import topology_of
from graphnb.graph.plan import Plan, PlannedBranch, PlannedDelegate, PlannedNode, is_async
from graphnb.graph.spec import (
    BranchesNode,
    DelegatesNode,
    FanOutNode,
    FunctionNode,
    GraphSpec,
    NodeFunction,
    NodeSpec,
    ParallelBranch,
    RaceNode,
    SubgraphNode,
    delegates_in,
    is_graph,
    names_of_delegates,
)


def compile_graph(spec: GraphSpec) -> Plan:
    """The plan of a graph as declared now. Raises the first fault found; its `problems` has all of them."""
    try:
        check_graph(spec)
        return _plan(spec)
    except RecursionError:
        raise too_deep(spec) from None


def _plan(spec: GraphSpec) -> Plan:
    assert spec.entry is not None  # checked before
    nodes = {name: _told_kinds(_node(spec, node)) for name, node in spec.nodes.items()}
    children = [child for node in nodes.values() for child in _children(node)]
    return Plan(
        name=spec.name,
        schema=spec.schema,
        entry=spec.entry,
        nodes=nodes,
        topology=topology_of(spec),
        has_async=any(node.has_async for node in nodes.values()),
        has_plain=any(node.has_plain for node in nodes.values()),
        observers=spec.observers,
        is_observed=bool(spec.observers) or any(child.is_observed for child in children),
        warnings=(*warnings_of(spec), *(warning for child in children for warning in child.warnings)),
        is_linear=not any(isinstance(edge, Links) for edge in spec.edges.values()),
    )


def _node(spec: GraphSpec, node: NodeSpec) -> PlannedNode:
    edge = spec.edges.get(node.name)
    place = f"graph '{spec.name}', node '{node.name}'"
    function = node.function if isinstance(node, FunctionNode) else None
    worker = node.worker if isinstance(node, FanOutNode) else function
    inner = node.graph if isinstance(node, SubgraphNode) else worker if is_graph(worker) else None
    branch = edge if isinstance(edge, Branch) else None
    branches = node.branches if isinstance(node, BranchesNode) else {}
    child = _plan(inner.spec()) if inner is not None else None
    return PlannedNode(
        name=node.name,
        place=place,
        spec=node,
        function=function,
        is_async=callable(worker) and inner is None and is_async(worker),
        child=child,
        target=edge.target if isinstance(edge, Edge) else None,
        branch=branch,
        is_async_router=branch is not None and is_async(branch.router),
        layers=(*spec.middleware, *node.middleware),
        crossing=node.projection.between(spec.schema, child.schema)
        if isinstance(node, SubgraphNode) and child
        else None,
        branches=tuple(_branch(name, each, place=place) for name, each in branches.items()),
        delegates=_delegates(node, place),
        links=edge if isinstance(edge, Links) else None,
    )


def _branch(name: str, spec: ParallelBranch, *, place: str) -> PlannedBranch:
    worker = spec.worker
    inner = worker if is_graph(worker) else None
    function = None if inner is not None else worker
    return PlannedBranch(
        name=name,
        place=f"{place}, branch '{name}'",
        spec=spec,
        function=function,  # type: ignore[arg-type]  # what is no graph is a function, as was checked
        is_async=function is not None and is_async(function),  # type: ignore[arg-type]  # as above
        child=_plan(inner.spec()) if inner is not None else None,
    )


def _delegates(node: NodeSpec, place: str) -> tuple[PlannedDelegate, ...]:
    planned, delegates = [], delegates_in(node)
    word = "candidate" if isinstance(node, RaceNode) else "delegate"
    for i, (name, each) in enumerate(zip(names_of_delegates(delegates), delegates, strict=True)):
        child = _plan(each.spec()) if is_graph(each) else None
        function: NodeFunction | None = each if child is None else None  # type: ignore[assignment]  # no graph
        needs_await = function is not None and is_async(function)
        planned.append(PlannedDelegate(name, f"{place}, {word} {i} '{name}'", function, needs_await, child))
    return tuple(planned)


def _told_kinds(node: PlannedNode) -> PlannedNode:
    """The node, which tells what kinds of functions run in it."""
    kinds, children = _kinds(node), _children(node)
    return replace(
        node,
        has_async=any(kinds) or any(child.has_async for child in children),
        has_plain=not all(kinds) or any(child.has_plain for child in children),
    )


def _children(node: PlannedNode) -> list[Plan]:
    children = [node.child, *(branch.child for branch in node.branches), *(each.child for each in node.delegates)]
    return [child for child in children if child is not None]


def _kinds(node: PlannedNode) -> list[bool]:
    """For each function that the node calls itself, whether it has to be awaited."""
    layers = [*node.layers, *(layer for branch in node.branches for layer in branch.spec.middleware)]
    if isinstance(node.spec, FanOutNode):
        layers += node.spec.instance_middleware
        layers += () if node.spec.reduce is None else (node.spec.reduce,)
    kinds = [is_async(layer) for layer in layers if not hasattr(layer, "around")]
    kinds += [branch.is_async for branch in node.branches if branch.child is None]
    kinds += [delegate.is_async for delegate in node.delegates if delegate.child is None]
    has_parts = node.child is not None or node.branches or isinstance(node.spec, (DelegatesNode, RaceNode))
    return kinds if has_parts else [*kinds, node.is_async]
