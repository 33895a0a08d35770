"""A checked graph with all names resolved, ready to run: what the engine reads."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from graphnb.errors import GraphWarning
from graphnb.graph.edges import Branch, Link, Links
from graphnb.graph.ends import Target
from graphnb.graph.observer import Observer
from graphnb.graph.spec import Layer, NodeFunction, NodeSpec, ParallelBranch
from graphnb.graph.topology import Topology
from graphnb.state.projection import Crossing
from graphnb.state.schema import Schema

if TYPE_CHECKING:
    from graphnb.graph.documents.records import Document


@dataclass(frozen=True, slots=True)  # every step reads it, and a slot is read faster than an item of a tuple
class PlannedNode:
    """One node, resolved.

    `function` is set for a plain node, `child` for a subgraph and for a fan-out over a graph, `crossing` for a
    subgraph, `branches` for parallel branches, `delegates` for delegates and candidates. `target` is where the fixed
    edge leads, None if `branch` chooses or there are `links`; with none of them no run may come here. `is_async` tells
    whether the function, or a fan-out's worker function, has to be awaited. `layers` is all middleware around the node,
    that of the graph first. `place` begins error messages. `has_async` and `has_plain` as in `Plan`.
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
    crossing: Crossing | None = None
    branches: tuple[PlannedBranch, ...] = ()
    delegates: tuple[PlannedDelegate, ...] = ()
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


class PlannedDelegate(NamedTuple):
    """One delegate, or a candidate of a race, resolved: `child` is set for a graph, `function` for a function.

    Its name is unique in the node.
    """

    name: str
    place: str
    function: NodeFunction | None
    is_async: bool
    child: Plan | None

    @property
    def has_plain(self) -> bool:
        """True if a function that is not awaited runs in it."""
        return not self.is_async if self.child is None else self.child.has_plain

    @property
    def has_async(self) -> bool:
        """True if a function that is awaited runs in it."""
        return self.is_async if self.child is None else self.child.has_async


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


def is_async(function: Callable[..., Any]) -> bool:
    """True if calling the function gives something to be awaited, as far as its declaration tells.

    >>> async def fetch(s): ...
    >>> is_async(fetch), is_async(functools.partial(fetch)), is_async(len)
    (True, True, False)
    """
    bare = function.func if isinstance(function, functools.partial) else function
    return inspect.iscoroutinefunction(bare) or inspect.iscoroutinefunction(type(bare).__call__)
