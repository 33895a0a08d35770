"""Nodes that run branches at once, declared from a case's words. Source: fixture language §4.2, §5."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.bodies import PLAIN_DIRECTIVES, body_of
from graphnb.conformance.building.composites import NESTED, Composite, NodeDeclaration, Role
from graphnb.conformance.building.middleware import LAYERS, layers_of
from graphnb.conformance.building.nodes import check_field
from graphnb.conformance.reading.parts import Part
from graphnb.conformance.reading.shapes import each, keyed, one_directive, text


def _declare_branches(told: NodeDeclaration) -> None:
    directive = told.node.at("parallel_branches")
    options = {"error_policy": "error_policy", "errors_field": "errors_into"}
    given = {option: directive.value[word] for word, option in options.items() if word in directive.value}
    branches = {name: _branch(part, name, told=told) for name, part in directive.at("branches").items()}
    told.graph.branches(told.name, branches, **given, middleware=told.middleware)


def _branch(part: Part, name: str, *, told: NodeDeclaration) -> gn.ParallelBranch:
    """The branch; with a graph and a function, or with neither, one that the product is to refuse."""
    site, maps = told.site, {key: part.value[key] for key in ("inputs", "outputs") if key in part.value}
    when = _when(part.at("when").at("field"), told) if "when" in part.value else None
    worker: Any = None
    if "call" in part.value:
        inside = replace(site, graph=f"{site.graph}/{told.name}")
        worker = body_of(part.at("call"), name, inside)
        if "subgraph" in part.value:
            maps.setdefault("outputs", {})
    elif "subgraph" in part.value:
        worker = told.graphs.graph(part.at("subgraph"), Role(None, told.role.in_fan_out))
        site = replace(site, fields=told.graphs.fields(part.at("subgraph")))
    layers = layers_of(part.find("middleware"), site)
    return gn.ParallelBranch(worker, **maps, when=when, middleware=tuple(layers))


def _when(field: Part, told: NodeDeclaration) -> Callable[[Any], bool]:
    name = check_field(field, told.site)
    return lambda state: bool(getattr(state, name))


_MAP: Final = each(text)
_BRANCH: Final = keyed(
    {},
    {
        "subgraph": text,
        "call": one_directive(PLAIN_DIRECTIVES),
        "inputs": _MAP,
        "outputs": _MAP,
        "middleware": LAYERS,
        "when": keyed({"field": text}),
    },
)

COMPOSITES: Final[Mapping[str, Composite]] = {
    **NESTED,
    "parallel_branches": Composite(
        keyed({"branches": each(_BRANCH)}, {"error_policy": text, "errors_field": text}), _declare_branches, {}
    ),
}
"""What a node runs by its directive."""
