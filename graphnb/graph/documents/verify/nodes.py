"""Implementations of nodes, and their config."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.errors import GraphError
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.documents.effective import Registry, config_schema_of, filled_config
from graphnb.graph.documents.expect import place_of
from graphnb.graph.documents.records import Document, NodeRecord
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error
from graphnb.state.storable.schemas import problems_of
from graphnb.state.storable.values import Path


def check_nodes(document: Document, registry: Registry) -> Iterator[Diagnostic]:
    """Nodes that cannot be executed, and configs that do not fit what an implementation declares."""
    for key, node in document.nodes.items():
        yield from _check_node(node, ("nodes", key), registry=registry)


def _check_node(node: NodeRecord, path: Path, *, registry: Registry) -> Iterator[Diagnostic]:
    place = (*path, "implementation")
    module = node.module
    if node.implementation is None:
        mend = "Write {'type': 'module', 'implementation': a name in the registry}."
        yield error("missing_node_implementation", place, "there is no implementation", mend)
    elif module is None:
        what = f"is none that can be executed: {shown(node.implementation)}"
        mend = "Write {'type': 'module', 'implementation': a name in the registry}."
        yield error("unsupported_node_implementation", place, what, mend)
    elif module not in registry:
        mend = f"{choices('Registered', sorted(registry), module)} Nothing that a document names is ever imported."
        yield error("node_module_not_loaded", place, f"{shown(module)} is not in the registry", mend)
    elif not callable(registry[module]):
        what = f"the registry has {kind_of(registry[module])} {shown(registry[module])} as {shown(module)}"
        yield error("invalid_node_implementation", place, what, "Register a function of (view, context).")
    else:
        yield from _check_config(node, path, registry=registry)


def _check_config(node: NodeRecord, path: Path, *, registry: Registry) -> Iterator[Diagnostic]:
    try:
        schema = config_schema_of(registry[str(node.module)])
    except GraphError as refused:
        what = f"{shown(node.module)}: {refused.where} {refused.what}"
        yield error("invalid_node_config_schema", (*path, "implementation"), what, refused.mend)
        return
    if schema is None:
        return
    for within, what in problems_of(schema, filled_config(node.config, schema)):
        told = f"{place_of(within)}: {what}" if within else what
        yield error("invalid_node_config", (*path, "config"), told, f"{shown(node.module)} declares what it takes.")
