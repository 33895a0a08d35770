"""Writing a document as plain values: what says nothing is left out, nothing else is touched. Source: §3.3, §3.4."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphnb.graph.documents.expect import detached, refusal
from graphnb.graph.documents.reading_parts import TAG
from graphnb.graph.documents.records import (
    Document,
    EdgeRecord,
    FieldRecord,
    NodeRecord,
    OutputRecord,
    ReducerRecord,
)
from graphnb.graph.documents.survey import find_fault
from graphnb.graph.guards.guard import LOGICAL, Guard
from graphnb.state.storable.schemas import ValueSchema
from graphnb.state.storable.values import MOST_LEVELS


def to_wire(document: Document) -> dict[str, Any]:
    """The document as plain values of its own, in its written form.

    Raises InvalidDocument if the records hold what no document can.

    >>> to_wire(Document(id="g", fields={"n": FieldRecord(id="n", default=0)}))
    {'schema_version': 1, 'id': 'g', 'fields': {'n': {'kind': 'state', 'default': 0}}}
    """
    content = wire_content(document)
    fault = find_fault(content)
    if fault is not None:
        raise refusal(*fault)
    return dict(detached(content))


def wire_content(document: Document) -> dict[str, Any]:
    """The same, but sharing content with the document and without a look at it.

    What stands where another record should is passed on. Raises InvalidDocument for records nested without end.
    """
    try:
        return _wire(
            (),
            schema_version=document.schema_version,
            id=document.id,
            name=document.name,
            description=document.description,
            inputs=_each(document.inputs, FieldRecord, write=_field),
            fields=_each(document.fields, FieldRecord, write=_field),
            outputs=_each(document.outputs, OutputRecord, write=_output),
            nodes=_each(document.nodes, NodeRecord, write=_node),
            edges=_each(document.edges, EdgeRecord, write=_edge),
            policies=document.policies,
            metadata=document.metadata,
        )
    except RecursionError as error:
        raise refusal((), f"is nested deeper than {MOST_LEVELS} levels") from error


def schema_wire(schema: Any) -> Any:
    """The written form of a schema."""
    if not isinstance(schema, ValueSchema):
        return schema
    default = {"default": schema.default} if schema.has_default else {}
    return {
        **_wire(
            (),
            type=schema.type,
            fields=_each(schema.fields, ValueSchema, write=schema_wire),
            item=schema_wire(schema.item),
            values=list(schema.values) if isinstance(schema.values, tuple) else schema.values,
            required=schema.required or None,
            constraints=schema.constraints,
            metadata=schema.metadata,
        ),
        **default,
    }


def guard_wire(guard: Any) -> Any:
    """The written form of a guard."""
    if not isinstance(guard, Guard):
        return guard
    return {"op": guard.op, "args": [_argument(guard.op, each) for each in guard.args]}


def _argument(op: str, value: Any) -> Any:
    if not isinstance(value, Guard):
        return value
    return guard_wire(value) if op in LOGICAL else {TAG: guard_wire(value)}


def _each(records: Any, kind: type, *, write: Callable[[Any], Any]) -> Any:
    if not isinstance(records, Mapping):
        return records
    return {key: write(record) if isinstance(record, kind) else record for key, record in records.items()}


def _wire(kept: tuple[str, ...], **told: Any) -> dict[str, Any]:
    """What is told, but for nulls and empty collections; those in `kept` stay even if empty."""
    return {
        key: value
        for key, value in told.items()
        if value is not None and (key in kept or not (isinstance(value, (dict, list)) and not value))
    }


def _field(field: FieldRecord) -> dict[str, Any]:
    return _wire(
        ("default",),
        kind=field.kind,
        label=field.label,
        description=field.description,
        schema=schema_wire(field.schema),
        reducer=_reducer(field.reducer),
        required=None if field.required is False else field.required,
        default=field.default,
        metadata=field.metadata,
    )


def _reducer(reducer: Any) -> Any:
    return _wire((), type=reducer.type, opts=reducer.opts) if isinstance(reducer, ReducerRecord) else reducer


def _output(output: OutputRecord) -> dict[str, Any]:
    return _wire(
        (),
        source=output.source,
        label=output.label,
        description=output.description,
        schema=schema_wire(output.schema),
        metadata=output.metadata,
    )


def _node(node: NodeRecord) -> dict[str, Any]:
    return _wire(
        ("implementation",),
        label=node.label,
        description=node.description,
        implementation=node.implementation,
        branches=node.branches,
        config=node.config,
        policies=node.policies,
        metadata=node.metadata,
    )


def _edge(edge: EdgeRecord) -> dict[str, Any]:
    own = {"from": list(edge.source) if isinstance(edge.source, tuple) else edge.source, "to": edge.target}
    return {
        **{key: value for key, value in own.items() if value is not None},
        **_wire(
            (),
            label=edge.label,
            description=edge.description,
            source_handle=edge.source_handle,
            target_handle=edge.target_handle,
            guard=guard_wire(edge.guard),
            metadata=edge.metadata,
        ),
    }
