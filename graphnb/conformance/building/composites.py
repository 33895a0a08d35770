"""Nodes that run graphs, from a case's words: subgraphs, fan-outs and delegates. Source: fixture language §4.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import graphnb as gn
from graphnb.conformance.building.edges import concurrency_shape, count_shape, function_of
from graphnb.conformance.building.middleware import LAYERS, layers_of
from graphnb.conformance.building.nodes import Site
from graphnb.conformance.reading.parts import Part
from graphnb.conformance.reading.shapes import Shape, anything, each, keyed, many, one_of, text


@dataclass(frozen=True, slots=True)
class Role:
    """What a graph is for: the field in which a fan-out gives it an item, and whether it runs within a fan-out."""

    item_field: str | None = None
    in_fan_out: bool = False


class Graphs(Protocol):
    """Where the graphs of a case come from by name. All raise CaseFault for a name that nothing bears."""

    def graph(self, name: Part, role: Role) -> gn.Graph:
        """The graph that the part names, for a role."""

    def fields(self, name: Part) -> frozenset[str]:
        """The fields of that graph's state."""


@dataclass(frozen=True, slots=True)
class NodeDeclaration:
    """One node that is to be declared on a graph: its words, the middleware around it, and where all this stands."""

    graph: gn.Graph
    name: str
    node: Part
    middleware: list[Any]
    site: Site
    graphs: Graphs
    role: Role


@dataclass(frozen=True, slots=True)
class Composite:
    """One directive whose node runs graphs: its shape, how the node is declared, and what may stand beside it."""

    shape: Shape
    declare: Callable[[NodeDeclaration], None]
    modifiers: Mapping[str, Shape]


# fixture word -> option of the product
_OPTIONS: Final[Mapping[str, str]] = {
    "items_field": "over",
    "item_field": "item",
    "collect_field": "collect",
    "target_field": "into",
    "inputs": "inputs",
    "extra_outputs": "extra_outputs",
    "error_policy": "error_policy",
    "errors_field": "errors_into",
    "on_empty": "on_empty",
    "count_field": "count_into",
}


def _declare_subgraph(told: NodeDeclaration) -> None:
    inner = told.graphs.graph(told.node.at("subgraph"), Role(None, told.role.in_fan_out))
    # What is not written is not passed on: an empty map or list is a declaration of its own.
    projection = {key: told.node.value[key] for key in _PROJECTION if key in told.node.value}
    told.graph.subgraph(told.name, inner, **projection, middleware=told.middleware)


def _declare_fan_out(told: NodeDeclaration) -> None:
    directive, site = told.node.at("fan_out"), told.site
    words = directive.value
    options: dict[str, Any] = {option: words[word] for word, option in _OPTIONS.items() if word in words}
    if "count" in words:
        options["count"] = function_of(directive.at("count"), site)
    if "concurrency" in words:
        options["concurrency"] = function_of(directive.at("concurrency"), site)
    if words.get("concurrent_mode") == "serial":
        options["concurrency"] = 1
    worker = directive.at("subgraph")
    inside = replace(site, fields=told.graphs.fields(worker))
    options["instance_middleware"] = layers_of(directive.find("instance_middleware"), inside)
    item_field = words.get("item_field") if "items_field" in words else None
    graph = told.graphs.graph(worker, Role(item_field, in_fan_out=True))
    told.graph.fan_out(told.name, graph, **options, middleware=told.middleware)


def _declare_delegates(told: NodeDeclaration) -> None:
    directive = told.node.at("delegates")
    options = {word: directive.value[word] for word in _ASKING if word in directive.value}
    role = Role(None, in_fan_out=True)
    delegates = [told.graphs.graph(name, role) for name in directive.at("subgraphs").entries()]
    told.graph.delegates(told.name, delegates, **options, middleware=told.middleware)


_ASKING: Final = ("briefs", "into", "concurrency", "on_error", "errors_into", "on_empty")
_MAP: Final = each(text)
_PROJECTION: Final[Mapping[str, Shape]] = {
    "inputs": _MAP,
    "outputs": _MAP,
    "projects_in": many(text),
    "projects_out": many(text),
}

NESTED: Final[Mapping[str, Composite]] = {
    "subgraph": Composite(text, _declare_subgraph, _PROJECTION),
    "fan_out": Composite(
        keyed(
            {"subgraph": text},
            {
                **dict.fromkeys(("items_field", "item_field", "collect_field", "target_field", "errors_field"), text),
                **dict.fromkeys(("error_policy", "on_empty", "count_field"), text),
                "inputs": _MAP,
                "extra_outputs": _MAP,
                "count": count_shape,
                "concurrency": concurrency_shape,
                "concurrent_mode": one_of("serial", "concurrent"),
                "instance_middleware": LAYERS,
            },
        ),
        _declare_fan_out,
        {},
    ),
    "delegates": Composite(
        keyed(
            {"subgraphs": many(text), "briefs": anything},
            {**dict.fromkeys(("into", "on_error", "errors_into", "on_empty"), text), "concurrency": anything},
        ),
        _declare_delegates,
        {},
    ),
}
"""What a node runs by its directive, branches apart."""
