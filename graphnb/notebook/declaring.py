"""Turning the arguments of a declaration into records, with a message for every wrong one."""

from __future__ import annotations

import typing
import warnings
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, Literal, get_args, get_origin

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.ends import END, Endpoint, Target
from graphnb.graph.spec import Branch, Edge, FanOutNode, FunctionNode, SubgraphNode, is_graph
from graphnb.state.projection import Projection


def function_node(place: str, name: str | None, function: object) -> FunctionNode:
    """A node that calls the function, named after it unless a name is given."""
    if not callable(function) or is_graph(function):
        mend = "For a graph use graph.subgraph(name, graph)." if is_graph(function) else ""
        raise InvalidDeclaration(place, f"a node is a function, not {kind_of(function)}: {shown(function)}", mend)
    own = getattr(function, "__name__", None)
    if name is None and (own is None or own == "<lambda>"):
        raise InvalidDeclaration(place, f"{shown(function)} has no name", "Give one: graph.node('name', function).")
    return FunctionNode(checked_name(place, name if name is not None else own), function)


def checked_name(place: str, name: object, *, of: str = "node") -> str:
    """The name of a node or a graph: any text that is not empty."""
    if isinstance(name, str) and name:
        return str.__str__(name)  # the bare text of one that knows more, such as a member of an Enum
    raise InvalidDeclaration(place, f"a {of}'s name is a text, not {kind_of(name)}: {shown(name)}")


def edge_of(place: str, source: str, to: object) -> Edge | None:
    """The fixed edge that `to=` declares, None if it is not given."""
    return None if to is None else Edge(source, checked_target(place, to))


def checked_target(place: str, target: object) -> Target:
    """A node's name or END."""
    if target is END:
        return END
    if isinstance(target, Endpoint):
        raise InvalidDeclaration(place, "START cannot be a target", "Name the entry: gn.Graph(..., entry='name').")
    if isinstance(target, str):
        return checked_name(place, target)
    if isinstance(target, Iterable):
        raise InvalidDeclaration(
            place,
            f"one edge leads to one node, not to {shown(target)}",
            "To choose one of them declare a router: graph.branch(source, router, to=(...)).",
        )
    raise InvalidDeclaration(place, f"an edge leads to a node's name or END, not to {kind_of(target)}: {shown(target)}")


def branch_of(place: str, source: str, router: object, to: object) -> Branch:
    """The chosen route from a node. Targets come from `to`, else from a Literal return type, else are open."""
    if not callable(router):
        raise InvalidDeclaration(place, f"a router is a function, not {kind_of(router)}: {shown(router)}")
    return Branch(checked_name(place, source), router, _targets(place, router, to=to))


def _targets(place: str, router: Callable[..., Any], *, to: object) -> Mapping[Any, Target] | None:
    if to is None:
        to = _literal_return(router)
    if to is None:
        return None
    if isinstance(to, Mapping):
        targets = {label: checked_target(place, target) for label, target in to.items()}
    else:
        listed = to if isinstance(to, Iterable) and not isinstance(to, str) else (to,)
        if isinstance(listed, Set):  # the order of a set changes from one process to the next
            listed = sorted(listed, key=str)
        targets = {target: target for target in (checked_target(place, each) for each in listed)}
    if not targets:
        raise InvalidDeclaration(place, "a branch needs at least one target", "Write to=('a', 'b').")
    return targets


def _literal_return(router: Callable[..., Any]) -> tuple[Any, ...] | None:
    try:
        returned = typing.get_type_hints(router).get("return")
    except Exception:  # noqa: BLE001  an annotation that cannot be evaluated tells nothing
        return None
    return get_args(returned) if get_origin(returned) is Literal else None


def subgraph_node(place: str, name: object, graph: object, inputs: object, outputs: object) -> SubgraphNode:
    """A node that runs a graph."""
    if not is_graph(graph):
        mend = "For a function use graph.node(name, function)." if callable(graph) else ""
        raise InvalidDeclaration(place, f"a subgraph is a graph, not {kind_of(graph)}: {shown(graph)}", mend)
    own_name = checked_name(place, name)
    place = f"{place}, node '{own_name}'"
    return SubgraphNode(
        own_name, graph, Projection(_mapping(place, "inputs", given=inputs), _mapping(place, "outputs", given=outputs))
    )


def fan_out_node(place: str, name: object, worker: object, options: Mapping[str, Any]) -> FanOutNode:
    """A node that runs a worker once per item; `options` are the fields of `FanOutNode`."""
    own_name = checked_name(place, name)
    place = f"{place}, node '{own_name}'"
    if not is_graph(worker) and not callable(worker):
        raise InvalidDeclaration(place, f"a worker is a graph or a function, not {kind_of(worker)}: {shown(worker)}")
    _one_of(place, "error_policy", given=options["error_policy"], allowed=("fail_fast", "collect"))
    _one_of(place, "on_empty", given=options["on_empty"], allowed=("raise", "noop"))
    for option in ("over", "item", "collect", "into", "errors_into", "count_into"):
        given = options[option]
        if given is not None and not isinstance(given, str):
            raise InvalidDeclaration(place, f"{option} names a field, not {kind_of(given)}: {shown(given)}")
    mappings = {option: _mapping(place, option, given=options[option]) or {} for option in ("inputs", "extra_outputs")}
    node = FanOutNode(own_name, worker, **{**options, **mappings})
    if is_graph(worker) and node.into is not None and node.collect is None:
        # the specification lets it pass (pipeline-utilities §9.1, suspension fixture 007), but it is seldom meant
        warnings.warn(
            f"{place}: into {node.into!r} receives nothing. Give collect='field of the worker'.", stacklevel=3
        )
    return node


def _mapping(place: str, option: str, *, given: object) -> dict[str, str] | None:
    if given is None:
        return None
    if isinstance(given, Mapping) and all(isinstance(each, str) for pair in given.items() for each in pair):
        return dict(given)
    sides = "{parent field: child field}" if "outputs" in option else "{child field: parent field}"
    raise InvalidDeclaration(
        place, f"{option} maps field names, it cannot be {shown(given)}", f"Write {option}={sides}."
    )


def _one_of(place: str, option: str, *, given: object, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise InvalidDeclaration(place, f"{option} is {shown(given)}", choices("It can be", allowed, given))
