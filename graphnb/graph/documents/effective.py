"""What holds where a document says nothing: effective defaults of fields, config of nodes. Source: §3.3, §4."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from graphnb.errors import GraphError, InvalidDocument
from graphnb.errors.text import kind_of, shown
from graphnb.graph.documents.expect import detached
from graphnb.graph.documents.reading_parts import read_schema
from graphnb.graph.documents.records import Document, FieldRecord, NodeRecord
from graphnb.graph.documents.survey import find_fault
from graphnb.state.checking.reasons import raised
from graphnb.state.marks import UNSET
from graphnb.state.reducers.step import step_reducer_of
from graphnb.state.storable.schemas import ValueSchema, malformed_of

Implementation = Callable[..., Any]
"""A function of (view, context). An attribute `config_schema` may tell what config its nodes take: a schema as a
document has it, a ValueSchema, or a function without parameters that gives one."""
Registry = Mapping[str, Implementation]
"""Implementations by the names under which documents name them."""


def effective_default(field: FieldRecord) -> Any:
    """A copy of the declared default, else the natural zero of the reducer, else UNSET.

    >>> from graphnb.graph.documents.records import ReducerRecord
    >>> effective_default(FieldRecord(id="n", reducer=ReducerRecord(type="sum")))
    0
    >>> effective_default(FieldRecord(id="n", default=False)), effective_default(FieldRecord(id="n"))
    (False, UNSET)
    """
    if field.default is not None:
        return detached(field.default)
    return UNSET if field.reducer is None else step_reducer_of(field.reducer.type, field.reducer.opts).zero


def config_schema_of(implementation: object) -> ValueSchema | None:
    """The schema of a node's config; None if the implementation declares none.

    Raises InvalidDocument if what it declares is no well-formed schema of an object, or if asking it fails.
    """
    try:
        declared = getattr(implementation, "config_schema", None)
        if callable(declared):
            declared = declared()
    except Exception as error:  # the implementation is user code, a property of it too
        raise InvalidDocument("config_schema", f"raised {raised(error)}") from error
    if declared is None or isinstance(declared, ValueSchema):
        schema = declared
    else:
        fault = find_fault(declared)
        if fault is not None:
            raise InvalidDocument("config_schema", fault[1])
        schema = read_schema(declared, ("config_schema",))
    if schema is not None:
        _check(schema)
    return schema


def with_config_defaults(document: Document, registry: Registry) -> Document:
    """The document as it is published: what a node's config leaves out at its top, its schema fills in.

    The hash of this document is what a run pins: a later change of a default in code cannot alter it. A node whose
    implementation or schema is at fault stays as it is; checking the document tells of that.
    """
    nodes = {key: replace(node, config=_filled(node, registry)) for key, node in document.nodes.items()}
    return replace(document, nodes=nodes)


def filled_config(config: Mapping[str, Any], schema: ValueSchema | None) -> dict[str, Any]:
    """The config with the defaults of those top-level keys that it lacks."""
    fields = {} if schema is None else schema.fields
    missing = {key: detached(each.default) for key, each in fields.items() if each.has_default and key not in config}
    return {**config, **missing}


def _filled(node: NodeRecord, registry: Registry) -> Mapping[str, Any]:
    try:
        schema = config_schema_of(registry.get(node.module)) if node.module is not None else None
    except GraphError:
        return node.config
    return filled_config(node.config, schema)


def _check(schema: ValueSchema) -> None:
    malformed = malformed_of(schema)
    if malformed:
        raise InvalidDocument("config_schema", f"is malformed: {malformed[0][1]}")
    if schema.type not in ("object", "map"):
        what = f"describes {shown(schema.type)}, and a config is an object"
        raise InvalidDocument("config_schema", what, f"Give it the type 'object', not {kind_of(schema)}.")
