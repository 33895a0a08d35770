"""Nodes that run graphs, subgraphs and fan-outs, declared from a case's words. Source: fixture language §4.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import graphnb as gn
from graphnb.conformance.edges import concurrency_shape, count_shape, function_of
from graphnb.conformance.mocks import noting_items
from graphnb.conformance.nodes import Site
from graphnb.conformance.parts import Part
from graphnb.conformance.shapes import Shape, each, keyed, one_of, text


@dataclass(frozen=True, slots=True)
class Role:
    """What a graph is for: the field in which a fan-out gives it an item, and whether it runs within a fan-out."""

    item_field: str | None = None
    in_fan_out: bool = False


class Graphs(Protocol):
    """Where the graphs of a case come from by name."""

    def graph(self, name: Part, role: Role) -> gn.Graph:
        """The graph that the part names, for a role. Raises CaseFault if there is none."""

    def needs_index(self, name: Part) -> bool:
        """True if a body of that graph asks which instance it runs in."""


@dataclass(frozen=True, slots=True)
class Composite:
    """One directive whose node runs graphs: its shape, how the node is declared, and what may stand beside it."""

    shape: Shape
    declare: Callable[[gn.Graph, str, Part, Site, Graphs, Role], None]
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


def _declare_subgraph(graph: gn.Graph, name: str, node: Part, site: Site, graphs: Graphs, role: Role) -> None:
    inner = graphs.graph(node.at("subgraph"), Role(None, role.in_fan_out))
    graph.subgraph(name, inner, inputs=node.value.get("inputs"), outputs=node.value.get("outputs"))


def _declare_fan_out(graph: gn.Graph, name: str, node: Part, site: Site, graphs: Graphs, role: Role) -> None:
    directive = node.at("fan_out")
    told = directive.value
    options: dict[str, Any] = {option: told[word] for word, option in _OPTIONS.items() if word in told}
    if "count" in told:
        options["count"] = function_of(directive.at("count"), site)
    if "concurrency" in told:
        options["concurrency"] = function_of(directive.at("concurrency"), site)
    if told.get("concurrent_mode") == "serial":
        options["concurrency"] = 1
    worker = directive.at("subgraph")
    if graphs.needs_index(worker) and told.get("items_field") in site.fields:
        options["concurrency"] = noting_items(told["items_field"], options.get("concurrency", 10))
    item_field = told.get("item_field") if "items_field" in told else None
    graph.fan_out(name, graphs.graph(worker, Role(item_field, in_fan_out=True)), **options)


_MAP: Final = each(text)

COMPOSITES: Final[Mapping[str, Composite]] = {
    "subgraph": Composite(text, _declare_subgraph, {"inputs": _MAP, "outputs": _MAP}),
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
            },
        ),
        _declare_fan_out,
        {},
    ),
}
"""What a node runs by its directive."""
