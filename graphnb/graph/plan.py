"""Compiling: a declared graph that passed every check, with all names resolved, ready to run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphnb.graph.checks import check_graph
from graphnb.graph.ends import Target
from graphnb.graph.spec import (
    Branch,
    Edge,
    FanOutNode,
    FunctionNode,
    GraphSpec,
    NodeFunction,
    NodeSpec,
    SubgraphNode,
    is_graph,
)
from graphnb.graph.topology import Topology, topology_of
from graphnb.state.schema import Schema


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """One node, resolved.

    `function` is set for a plain node, `child` for a subgraph and for a fan-out over a graph. `target` is
    where the fixed edge leads, None if `branch` chooses. `is_async` tells whether the function, or a
    fan-out's worker function, has to be awaited. `place` begins error messages.
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


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A checked graph. `has_async` and `has_plain` tell which kinds of functions run in it, at any depth."""

    name: str
    schema: Schema
    entry: str
    nodes: Mapping[str, PlannedNode]
    topology: Topology
    has_async: bool
    has_plain: bool


def compile_graph(spec: GraphSpec) -> Plan:
    """The plan of a graph as declared now. Raises the first fault found; its `problems` has all of them."""
    check_graph(spec)
    return _plan(spec)


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
    nodes = {name: _node(spec, node) for name, node in spec.nodes.items()}
    children = [node.child for node in nodes.values() if node.child is not None]
    own = [node.is_async for node in nodes.values() if node.child is None]
    return Plan(
        name=spec.name,
        schema=spec.schema,
        entry=spec.entry,
        nodes=nodes,
        topology=topology_of(spec),
        has_async=any(own) or any(child.has_async for child in children),
        has_plain=not all(own) or any(child.has_plain for child in children),
    )


def _node(spec: GraphSpec, node: NodeSpec) -> PlannedNode:
    edge = spec.edges[node.name]
    function = node.function if isinstance(node, FunctionNode) else None
    worker = node.worker if isinstance(node, FanOutNode) else function
    inner = node.graph if isinstance(node, SubgraphNode) else worker if is_graph(worker) else None
    branch = edge if isinstance(edge, Branch) else None
    return PlannedNode(
        name=node.name,
        place=f"graph '{spec.name}', node '{node.name}'",
        spec=node,
        function=function,
        is_async=callable(worker) and inner is None and is_async(worker),
        child=_plan(inner.spec()) if inner is not None else None,
        target=edge.target if isinstance(edge, Edge) else None,
        branch=branch,
        is_async_router=branch is not None and is_async(branch.router),
    )
