"""Ids, kinds and texts of records that were made by hand."""

from dataclasses import replace
from typing import Any

import pytest

from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.records import Document, EdgeRecord, FieldRecord, NodeRecord, OutputRecord
from graphnb.state.storable.schemas import ValueSchema
from tests.graph.documents.written import STEP, found, sound

TEXT = ValueSchema(type="string")


def with_parts(**parts: Any) -> Document:
    """A sound document with other parts, records as they are given."""
    return replace(read_document(sound()), **parts)


def with_field(key: str = "n", **parts: Any) -> Document:
    """A sound document with another field."""
    return with_parts(fields={key: FieldRecord(**{"id": key, "schema": TEXT, **parts})})


def with_node(**parts: Any) -> Document:
    """A sound document with one node more, which is not looked at further."""
    document = with_parts()
    return replace(document, nodes={**document.nodes, "a": NodeRecord(**{"id": "a", "implementation": STEP, **parts})})


def with_edge(**parts: Any) -> Document:
    """A sound document with one edge more."""
    document = with_parts()
    return replace(document, edges={**document.edges, "e": EdgeRecord(**{"id": "e", **parts})})


RECORDS = {
    "version": (with_parts(schema_version=2), [("unsupported_schema_version", "schema_version")]),
    "version that is true": (with_parts(schema_version=True), [("unsupported_schema_version", "schema_version")]),
    "id of the graph": (with_parts(id="a b"), [("invalid_public_id", "id")]),
    "reserved id of the graph": (with_parts(id="$finish"), [("reserved_id", "id")]),
    "name": (with_parts(name=3), [("invalid_document", "name")]),
    "description": (with_parts(description=[]), [("invalid_document", "description")]),
    "collection": (with_parts(outputs=[1]), [("invalid_document", "outputs"), ("orphaned_field", "fields.n")]),
    "inputs": (with_parts(inputs=3), [("invalid_document", "inputs")]),
    "no output": (with_parts(outputs={"o": "n"}), [("invalid_record", "outputs.o"), ("orphaned_field", "fields.n")]),
    "no field": (with_parts(inputs={"i": None}), [("invalid_field", "inputs.i")]),
    "other id of a field": (with_field(id="m"), [("invalid_field", "fields.n.id")]),
    "kind": (with_field(kind="input"), [("invalid_field", "fields.n.kind")]),
    "kind of an input": (
        with_parts(inputs={"i": FieldRecord(id="i", schema=TEXT)}),
        [("invalid_field", "inputs.i.kind")],
    ),
    "label of a field": (with_field(label=1), [("invalid_field", "fields.n.label")]),
    "required": (with_field(required=1), [("invalid_field", "fields.n.required")]),
    "required that is null": (with_field(required=None), [("invalid_field", "fields.n.required")]),
    "other id of an output": (
        with_parts(outputs={"o": OutputRecord(id="p", source="n", description=0)}),
        [("invalid_record", "outputs.o.id"), ("invalid_record", "outputs.o.description")],
    ),
    "id of a node": (
        with_parts(nodes={"a": NodeRecord(id="b", label=[], implementation=STEP)}),
        [("invalid_record", "nodes.a.id"), ("invalid_record", "nodes.a.label")],
    ),
    "policies": (with_parts(policies=[1]), [("invalid_document", "policies")]),
    "metadata of a field": (with_field(metadata=3), [("invalid_field", "fields.n.metadata")]),
    "config": (with_node(config="x"), [("invalid_record", "nodes.a.config")]),
    "branches": (with_node(branches="x"), [("invalid_record", "nodes.a.branches")]),
    "implementation": (
        with_node(implementation="step"),
        [("unsupported_node_implementation", "nodes.a.implementation")],
    ),
    "list of sources": (with_edge(source=["a"], target="$finish"), [("invalid_record", "edges.e.from")]),
    "number among sources": (with_edge(source=("a", 1), target="$finish"), [("invalid_record", "edges.e.from")]),
    "tuple of targets": (with_edge(source="a", target=["$finish"]), [("invalid_record", "edges.e.to")]),
    "source of an output": (
        with_parts(outputs={"n": OutputRecord(id="n", source="n"), "o": OutputRecord(id="o", source=[1])}),
        [("invalid_record", "outputs.o.source")],
    ),
    "handle": (
        with_parts(
            edges={
                "in": EdgeRecord(id="in", source="$start", target="a", target_handle=1),
                "out": EdgeRecord(id="out", source="a", target="$finish", source_handle=[]),
            }
        ),
        [("invalid_record", "edges.in.target_handle"), ("invalid_record", "edges.out.source_handle")],
    ),
}


@pytest.mark.parametrize(("document", "expected"), RECORDS.values(), ids=RECORDS)
def test_records_at_fault_are_told(document, expected):
    """Each with its code and place; the sound rest is checked all the same."""
    assert expected == [(code, place) for _, code, place in found(document)]


def test_malformed_ids_are_told_wherever_they_stand():
    """Reading refuses them, records made by hand may have them."""
    document = with_parts(
        inputs={"$start": FieldRecord(id="$start", kind="input", schema=TEXT)},
        outputs={"n": OutputRecord(id="n", source="n"), "": OutputRecord(id="", source="n")},
    )

    assert [("error", "reserved_id", "inputs.$start"), ("error", "invalid_public_id", "outputs.")] == found(document)


def test_inputs_and_fields_share_their_ids():
    """Nodes, outputs and edges have theirs to themselves."""
    integer = {"type": "integer"}
    document = sound(
        inputs={"n": {"schema": integer}, "a": {"schema": integer}},
        outputs={"n": {"source": "n"}, "in": {"source": "n"}},
    )

    assert [("error", "duplicate_state_id", "fields.n")] == found(document)
