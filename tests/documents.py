"""A small graph document that tests fill with nodes: every field has another reducer."""

from collections.abc import Callable, Mapping
from typing import Any

import graphnb as gn
from graphnb.graph.documents.lowering import plan_of_document
from graphnb.graph.documents.reading import read_document
from graphnb.graph.plan import Plan
from graphnb.notebook.compiled import CompiledGraph

Implementation = Callable[..., Any]
FIELDS: dict[str, Any] = {
    "log": {"schema": {"type": "list", "item": {"type": "string"}}, "reducer": {"type": "append"}},
    "total": {"schema": {"type": "float"}, "reducer": {"type": "sum"}},
    "card": {"schema": {"type": "map"}, "reducer": {"type": "merge", "opts": {"deep": True}}},
    "rows": {"schema": {"type": "list", "item": {"type": "map"}}, "reducer": {"type": "union", "opts": {"by": "id"}}},
    "word": {"schema": {"type": "string"}},
    "first": {"schema": {"type": "integer"}, "reducer": {"type": "first_value"}},
}


def written(
    *names: str,
    edges: Mapping[str, Any] | None = None,
    nodes: Mapping[str, Mapping[str, Any]] | None = None,
    **parts: Any,
) -> dict[str, Any]:
    """A document with these nodes, all of which run at the start unless edges are given.

    `nodes` has what a node is besides, by name; `parts` are collections of the document.
    """
    module = {name: {"implementation": {"type": "module", "implementation": name}} for name in names}
    starts = {f"start-{name}": {"from": "$start", "to": name} for name in names}
    fields = parts.get("fields", FIELDS)
    return {
        "schema_version": 1,
        "id": "tea",
        "fields": fields,
        "outputs": {name: {"source": name} for name in fields},
        "nodes": {name: {**each, **(nodes or {}).get(name, {})} for name, each in module.items()},
        "edges": starts if edges is None else dict(edges),
        **parts,
    }


def tries(most: int, backoff_ms: int = 0, **policies: Any) -> dict[str, Any]:
    """What a node is that may be tried so often."""
    return {"policies": {"retry": {"max_attempts": most, "backoff_ms": backoff_ms}, **policies}}


def graph(document: Mapping[str, Any], *, timeout: float | None = None, **nodes: Implementation) -> CompiledGraph:
    """The graph of the document with these implementations."""
    return gn.graph_of(document, nodes=nodes, timeout=timeout)


def plan(document: Mapping[str, Any], **nodes: Implementation) -> Plan:
    """Its plan alone."""
    return plan_of_document(read_document(document, registry=nodes), nodes)[1]


def gives(update: Any) -> Implementation:
    """An implementation that gives this, whatever it is."""
    return lambda view, context: update


def fails_below(attempt: int, update: Any) -> Implementation:
    """One whose attempts fail before that one."""

    def implementation(view: Any, context: gn.NodeContext) -> Any:
        if context.attempt < attempt:
            raise ValueError(f"attempt {context.attempt}")
        return update

    return implementation


def asynchronous(function: Implementation) -> Implementation:
    """The same as a coroutine function."""

    async def implementation(view: Any, context: gn.NodeContext) -> Any:
        return function(view, context)

    return implementation
