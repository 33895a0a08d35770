"""Compiling: a declared graph that passed every check, with all names resolved, ready to run."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from graphnb.errors import GraphWarning, InvalidDeclaration, ProjectionRoundTripWarning, UnfitWriteWarning
from graphnb.graph.checking.checks import check_graph
from graphnb.graph.checking.round_trips import round_trips_of
from graphnb.graph.checking.unfit_writes import unfit_writes_of
from graphnb.graph.edges import Branch, Edge, Link, Links
from graphnb.graph.ends import Target
from graphnb.graph.observer import Observer
from graphnb.graph.spec import (
    BranchesNode,
    FanOutNode,
    FunctionNode,
    GraphSpec,
    Layer,
    NodeFunction,
    NodeSpec,
    ParallelBranch,
    SubgraphNode,
    is_graph,
)
from graphnb.graph.topology import Topology, topology_of
from graphnb.state.schema import Schema

if TYPE_CHECKING:
    from graphnb.graph.documents.records import Document


@dataclass(frozen=True, slots=True)  # every step reads it, and a slot is read faster than an item of a tuple
class PlannedNode:
    """One node, resolved.

    `function` is set for a plain node, `child` for a subgraph and for a fan-out over a graph, `branches` for
    parallel branches. `target` is where the fixed edge leads, None if `branch` chooses or there are `links`; with
    none of them no run may come here. `is_async` tells whether the function, or a fan-out's worker function, has to be
    awaited. `layers` is all middleware around the node, that of the graph first. `place` begins error messages.
    `has_async` and `has_plain` as in `Plan`.
    """

    name: str
    place: str
    spec: NodeSpec
    function: NodeFunction | None
    is_async: bool
    child: Plan | None
    target: Target | None
    branch: Branch | None
    is_async_router: bool
    layers: tuple[Layer, ...] = ()
    branches: tuple[PlannedBranch, ...] = ()
    links: Links | None = None
    has_async: bool = False
    has_plain: bool = True
    policy: Policy | None = None

    @property
    def leads_on(self) -> bool:
        """True if a run can go on from here, or end."""
        return self.target is not None or self.branch is not None or self.links is not None


class Policy(NamedTuple):
    """How a node of a document is called: how often at most, how far apart, and how many seconds it may take.

    `config` is what the document says to the node.
    """

    max_attempts: int = 1
    backoff_ms: int = 0
    timeout: float | None = None
    config: Mapping[str, Any] = {}


class DocumentRules(NamedTuple):
    """What holds for a run of a document beside its nodes and edges.

    `starts` are the edges from the start, `outputs` maps what is put out to the field that it shows, `hash` is that of
    the document with what its nodes' config leaves out filled in. `timeout` is how many seconds any node may ask for,
    None for no limit; `document` is the document itself, as it was read.
    """

    starts: tuple[Link, ...]
    max_supersteps: int | None
    outputs: Mapping[str, str]
    inputs: frozenset[str]
    hash: str
    timeout: float | None = None
    document: Document | None = None


class PlannedBranch(NamedTuple):
    """One parallel branch, resolved: `child` is set for a graph, `function` for a function."""

    name: str
    place: str
    spec: ParallelBranch
    function: NodeFunction | None
    is_async: bool
    child: Plan | None


class Plan(NamedTuple):
    """A checked graph.

    `has_async` and `has_plain` tell which kinds of functions run in it, `is_observed` whether it has observers,
    all at any depth. `warnings` are those of this graph and of the graphs within it. `is_linear`: as far as
    declared, one node runs at a time. `rules` are those of a graph that was read from a document.
    """

    name: str
    schema: Schema
    entry: str
    nodes: Mapping[str, PlannedNode]
    topology: Topology
    has_async: bool
    has_plain: bool
    observers: tuple[Observer, ...] = ()
    is_observed: bool = False
    warnings: tuple[GraphWarning, ...] = ()
    is_linear: bool = True
    rules: DocumentRules | None = None


def compile_graph(spec: GraphSpec) -> Plan:
    """The plan of a graph as declared now. Raises the first fault found; its `problems` has all of them."""
    try:
        check_graph(spec)
        return _plan(spec)
    except RecursionError:
        raise too_deep(spec) from None


def too_deep(spec: GraphSpec) -> InvalidDeclaration:
    """The error that graphs within one another are too many to be walked through, to be raised."""
    what = f"graphs are nested too deep: Python's stack has room for {sys.getrecursionlimit()} calls"
    return InvalidDeclaration(f"graph '{spec.name}'", what, "Nest fewer graphs, or allow more calls.")


def is_async(function: Callable[..., Any]) -> bool:
    """True if calling the function gives something to be awaited, as far as its declaration tells.

    >>> async def fetch(s): ...
    >>> is_async(fetch), is_async(functools.partial(fetch)), is_async(len)
    (True, True, False)
    """
    bare = function.func if isinstance(function, functools.partial) else function
    return inspect.iscoroutinefunction(bare) or inspect.iscoroutinefunction(type(bare).__call__)


def _plan(spec: GraphSpec) -> Plan:
    assert spec.entry is not None  # checked before
    nodes = {name: _told_kinds(_node(spec, node)) for name, node in spec.nodes.items()}
    children = [child for node in nodes.values() for child in _children(node)]
    warnings: list[GraphWarning] = [
        *_round_trips(spec),
        *_unfit_writes(spec),
        *dead_ends_of(spec),
        *(warning for child in children for warning in child.warnings),
    ]
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
        warnings=tuple(warnings),
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
    return PlannedNode(
        name=node.name,
        place=place,
        spec=node,
        function=function,
        is_async=callable(worker) and inner is None and is_async(worker),
        child=_plan(inner.spec()) if inner is not None else None,
        target=edge.target if isinstance(edge, Edge) else None,
        branch=branch,
        is_async_router=branch is not None and is_async(branch.router),
        layers=(*spec.middleware, *node.middleware),
        branches=tuple(_branch(name, each, place) for name, each in branches.items()),
        links=edge if isinstance(edge, Links) else None,
    )


def _branch(name: str, spec: ParallelBranch, place: str) -> PlannedBranch:
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


def _told_kinds(node: PlannedNode) -> PlannedNode:
    """The node, which tells what kinds of functions run in it."""
    kinds, children = _kinds(node), _children(node)
    return replace(
        node,
        has_async=any(kinds) or any(child.has_async for child in children),
        has_plain=not all(kinds) or any(child.has_plain for child in children),
    )


def _children(node: PlannedNode) -> list[Plan]:
    children = [node.child, *(branch.child for branch in node.branches)]
    return [child for child in children if child is not None]


def _kinds(node: PlannedNode) -> list[bool]:
    """For each function that the node calls itself, whether it has to be awaited."""
    layers = [*node.layers, *(layer for branch in node.branches for layer in branch.spec.middleware)]
    if isinstance(node.spec, FanOutNode):
        layers += node.spec.instance_middleware
    kinds = [is_async(layer) for layer in layers if not hasattr(layer, "around")]
    kinds += [branch.is_async for branch in node.branches if branch.child is None]
    return kinds if node.child is not None or node.branches else [*kinds, node.is_async]


def _round_trips(spec: GraphSpec) -> list[ProjectionRoundTripWarning]:
    warnings = []
    for node in spec.nodes.values():
        for trip in round_trips_of(node, spec.schema):
            warning = ProjectionRoundTripWarning(f"graph '{spec.name}', node '{node.name}'", trip.what, trip.mend)
            warning.field, warning.reducer, warning.channel = trip.field, trip.reducer, trip.channel
            warnings.append(warning)
    return warnings


def _unfit_writes(spec: GraphSpec) -> list[UnfitWriteWarning]:
    warnings = []
    for node in spec.nodes.values():
        for unfit in (each for each in unfit_writes_of(node, spec) if each.is_certain):
            warning = UnfitWriteWarning(f"graph '{spec.name}', node '{node.name}'", unfit.what, unfit.mend)
            warning.field, warning.reducer = unfit.field, spec.schema.fields[unfit.field].reducer
            warnings.append(warning)
    return warnings


def dead_ends_of(spec: GraphSpec) -> list[GraphWarning]:
    """Nodes from which nothing leads on; as was checked, a run comes there only if a router chooses to."""
    what = "has no outgoing edge, and a router whose targets are not declared may choose it"
    return [
        GraphWarning(f"graph '{spec.name}', node '{name}'", what, f"Declare one: graph.edge({name!r}, gn.END).")
        for name in spec.nodes
        if name not in spec.edges
    ]
