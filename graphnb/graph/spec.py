"""What was declared of a graph, checked or not: records of nodes and outgoing edges, all sequences tuples."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeGuard

from graphnb.graph.edges import EdgeSpec, Link
from graphnb.graph.guards.guard import Guard
from graphnb.graph.observer import Observer
from graphnb.state.projection import Projection
from graphnb.state.schema import Schema

NodeFunction = Callable[..., Any]
ErrorPolicy = Literal["fail_fast", "collect"]
OnEmpty = Literal["raise", "noop"]
OnError = Literal["raise", "keep"]
CONCURRENCY: Final = 10
"""How many instances of a fan-out run at once where nothing is said."""
Layer = Any
"""Middleware: a function (state, next) -> update, or something made by `retry`, `timing`, `failure_isolation`."""


class HasSpec(Protocol):
    """Whatever can serve as a subgraph or a worker: it tells its specification as of now.

    `version` is hashable and changes with the specification, that of inner graphs included.
    """

    @property
    def version(self) -> object:
        """Equal as long as nothing was declared anew."""

    def spec(self) -> GraphSpec:
        """The graph as it is declared at this moment."""


def is_graph(candidate: object) -> TypeGuard[HasSpec]:
    """True for what can serve as a subgraph or a worker; unlike isinstance this does not read its version.

    >>> is_graph(len)
    False
    """
    return all(inspect.getattr_static(candidate, name, None) is not None for name in ("spec", "version"))


class FunctionNode(NamedTuple):
    """A node that calls a function of the state."""

    name: str
    function: NodeFunction
    middleware: tuple[Layer, ...] = ()


class SubgraphNode(NamedTuple):
    """A node that runs another graph on that graph's own state."""

    name: str
    graph: HasSpec
    projection: Projection = Projection()
    middleware: tuple[Layer, ...] = ()


class FanOutNode(NamedTuple):
    """A node that runs a worker once per item of a list, or `count` times.

    The specification's names: `over` items_field, `item` item_field, `collect` collect_field, `into`
    target_field, `errors_into` errors_field, `count_into` count_field. `inputs` maps child fields (or
    parameters of a function) to parent fields, `extra_outputs` parent fields to child fields.
    `instance_middleware` is around each instance by itself. Source: pipeline-utilities §9.1. Map-reduce is a fan-out
    with `reduce`, a function of the list of results, whose own result goes to `reduced_into`.
    """

    name: str
    worker: HasSpec | NodeFunction
    over: str | None = None
    count: int | Callable[[Any], int] | None = None  # type: ignore[assignment]  # hides tuple.count, of no use here
    item: str | None = None
    collect: str | None = None
    into: str | None = None
    inputs: Mapping[str, str] = {}
    extra_outputs: Mapping[str, str] = {}
    concurrency: int | Callable[[Any], int | None] | None = CONCURRENCY
    error_policy: ErrorPolicy = "fail_fast"
    errors_into: str | None = None
    on_empty: OnEmpty = "raise"
    count_into: str | None = None
    instance_middleware: tuple[Layer, ...] = ()
    middleware: tuple[Layer, ...] = ()
    reduce: Callable[[list[Any]], Any] | None = None
    reduced_into: str | None = None


@dataclass(frozen=True, slots=True)
class ParallelBranch:
    """One of several branches that run at once: a graph on its own state, or a function of the parent's.

    `inputs` maps child fields to parent fields, `outputs` parent fields to child fields; a function has neither,
    its update is the parent's. `when` is asked about the parent's state whether the branch runs at all.
    `middleware` is around the branch as a whole. Source: pipeline-utilities §11.
    """

    worker: HasSpec | NodeFunction
    inputs: Mapping[str, str] | None = None
    outputs: Mapping[str, str] | None = None
    when: Callable[[Any], object] | None = None
    middleware: tuple[Layer, ...] = ()


class BranchesNode(NamedTuple):
    """A node that runs all its branches at once and merges what they give in declared order.

    `errors_into` is the specification's errors_field. Source: pipeline-utilities §11.
    """

    name: str
    branches: Mapping[str, ParallelBranch]
    error_policy: ErrorPolicy = "fail_fast"
    errors_into: str | None = None
    middleware: tuple[Layer, ...] = ()


class DelegatesNode(NamedTuple):
    """A node that asks delegates at once, each with one brief, and collects all that they give in their order.

    `briefs` is one brief for all, a list or tuple with one for each, or a function of the state that gives either;
    `briefs_from` names a field that holds either. A delegate is a function of its brief, or a graph. What was collected
    is one update to `into`. `on_error` "keep" leaves None for a delegate that failed and a record in `errors_into`.
    """

    name: str
    delegates: tuple[HasSpec | NodeFunction, ...]
    briefs: Any = None
    briefs_from: str | None = None
    into: str | None = None
    concurrency: int | None = None
    on_error: OnError = "raise"
    errors_into: str | None = None
    on_empty: OnEmpty = "raise"
    middleware: tuple[Layer, ...] = ()


class RaceNode(NamedTuple):
    """A node that gives candidates the same brief at once and takes the first result that is acceptable.

    `brief` is a value, or a function of the state; `brief_from` names a field instead. `accept` is asked about each
    result, None accepts all. `into` receives the result, `winner_into` the name of the candidate that gave it, both
    None if none is acceptable; `failures_into` a record of each that failed or was not accepted.
    """

    name: str
    candidates: tuple[HasSpec | NodeFunction, ...]
    brief: Any = None
    brief_from: str | None = None
    accept: Callable[[Any], object] | None = None
    into: str | None = None
    winner_into: str | None = None
    failures_into: str | None = None
    concurrency: int | None = None
    middleware: tuple[Layer, ...] = ()


NodeSpec = FunctionNode | SubgraphNode | FanOutNode | BranchesNode | DelegatesNode | RaceNode


class GraphSpec(NamedTuple):
    """A graph as it was declared. `edges` maps each source to its outgoing edge; order is that of declaration.

    `middleware` is around every node, outside of the node's own; `observers` are told of every run of the graph.
    A graph that was read from a document has no `entry` but edges from the start, `starts`.
    """

    name: str
    schema: Schema
    entry: str | None
    nodes: Mapping[str, NodeSpec]
    edges: Mapping[str, EdgeSpec]
    middleware: tuple[Layer, ...] = ()
    observers: tuple[Observer, ...] = ()
    starts: tuple[Link, ...] = ()


def graphs_in(node: NodeSpec) -> tuple[HasSpec, ...]:
    """The graphs that a node runs, in declared order."""
    return tuple(graph for _, graph in graphs_at(node))


def graphs_at(node: NodeSpec) -> tuple[tuple[tuple[str, ...], HasSpec], ...]:
    """The graphs that a node runs, each with the names that lead to it: of the node, and of its branch or delegate."""
    if isinstance(node, SubgraphNode):
        return (((node.name,), node.graph),)
    if isinstance(node, FanOutNode):
        return (((node.name,), node.worker),) if is_graph(node.worker) else ()
    if isinstance(node, BranchesNode):
        branches = node.branches.items()
        return tuple(((node.name, name), each.worker) for name, each in branches if is_graph(each.worker))
    delegates = delegates_in(node)
    names = names_of_delegates(delegates)
    return tuple(((node.name, name), each) for name, each in zip(names, delegates, strict=True) if is_graph(each))


def delegates_in(node: NodeSpec) -> tuple[HasSpec | NodeFunction, ...]:
    """The delegates of a node, or the candidates of a race; none for other nodes."""
    if isinstance(node, DelegatesNode):
        return node.delegates
    return node.candidates if isinstance(node, RaceNode) else ()


def name_of_worker(worker: object) -> str:
    """The name of a worker or router for drawings and messages: a graph's name, or a function's own.

    >>> name_of_worker(len), name_of_worker(lambda item: item), name_of_worker(functools.partial(max, 3))
    ('len', 'lambda', 'max')
    """
    if is_graph(worker):
        return worker.spec().name
    if isinstance(worker, functools.partial):
        return name_of_worker(worker.func)
    name = getattr(worker, "__name__", None) or type(worker).__name__
    return "lambda" if name == "<lambda>" else str(name)


def names_of_delegates(delegates: Sequence[HasSpec | NodeFunction]) -> tuple[str, ...]:
    """What delegates are called where they are shown, in their order: those that share a name are numbered.

    >>> names_of_delegates([len, max, len])
    ('len', 'max', 'len (2)')
    """
    names: dict[str, None] = {}
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(2))
    for own in map(name_of_worker, delegates):
        name = own
        while name in names:
            name = f"{own} ({next(numbers[own])})"
        names[name] = None
    return tuple(names)


def name_of_layer(layer: Layer) -> str:
    """Middleware for drawings and messages: how it was made, such as `retry(3)`, or a function's own name."""
    return repr(layer) if hasattr(layer, "around") else name_of_worker(layer)


def guard_label(when: Any) -> str:
    """What has to hold for an edge to be taken: a guard as it is written, a function by its name."""
    return repr(when) if isinstance(when, Guard) else f"{name_of_worker(when)}()"
