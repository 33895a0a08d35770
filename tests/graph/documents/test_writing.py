"""Writing documents: what says nothing is left out, and nothing else is touched."""

import json
from typing import Any

import pytest
from hypothesis import given

from graphnb.errors import InvalidDocument
from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.records import Document, EdgeRecord, FieldRecord, NodeRecord
from graphnb.graph.documents.writing import to_wire
from graphnb.graph.guards.guard import Guard
from graphnb.state.storable.schemas import ValueSchema
from graphnb.state.storable.values import is_exact
from tests.graph.documents.strategies import documents, spelled_out
from tests.graph.documents.written import wire


def written(document: Any) -> dict[str, Any]:
    """The written form of a document that is read first."""
    return to_wire(read_document(document))


@given(documents)
def test_canonical_document_is_written_as_it_was_read(document):
    """Numbers, options and order of lists included, also by way of JSON text."""
    assert is_exact(document, written(document))
    assert is_exact(document, written(json.dumps(document)))


@given(documents)
def test_what_says_nothing_is_left_out(document):
    """Nulls, falsehoods and empty collections, wherever they may stand."""
    assert is_exact(document, written(spelled_out(document)))


def test_content_that_is_kept_keeps_its_empties():
    """Within open content, and as a default, an empty list or null is a value."""
    document = wire(
        fields={"f": {"kind": "state", "default": [], "metadata": {"a": None, "b": {}, "c": []}}},
        nodes={"n": {"implementation": {}, "policies": {"retry": None}}},
        edges={"e": {"from": [], "guard": {"op": "all", "args": []}}},
    )

    assert document == written(document)


@pytest.mark.parametrize("default", [0, False, "", [], {}])
def test_default_that_is_false_is_written(default):
    """Only null is none."""
    document = wire(inputs={"i": {"kind": "input", "default": default}})

    assert is_exact(document, written(document))


def test_schema_default_is_written_even_if_null():
    """It differs from none."""
    document = wire(fields={"f": {"kind": "state", "schema": {"type": "string", "default": None}}})

    assert document == written(document)


def test_what_is_written_is_the_callers_own():
    """Changing it changes no record."""
    document = read_document(wire(metadata={"a": [1]}))
    to_wire(document)["metadata"]["a"].append(2)

    assert {"a": [1]} == document.metadata


def test_records_made_by_hand_are_written():
    """Tuples of records become lists."""
    document = Document(
        id="g",
        fields={"f": FieldRecord(id="f", schema=ValueSchema(type="enum", values=(1, "a")))},
        edges={"e": EdgeRecord(id="e", source=("a",), guard=~Guard("exists", (Guard("path", ("f", [])),)))},
    )

    assert wire(
        fields={"f": {"kind": "state", "schema": {"type": "enum", "values": [1, "a"]}}},
        edges={
            "e": {
                "from": ["a"],
                "guard": {
                    "op": "not",
                    "args": [{"op": "exists", "args": [{"$guard": {"op": "path", "args": ["f", []]}}]}],
                },
            }
        },
    ) == to_wire(document)


def test_records_that_no_document_can_hold_are_refused():
    """With the place, as in reading."""
    with pytest.raises(InvalidDocument) as caught:
        to_wire(Document(id="g", nodes={"n": NodeRecord(id="n", config={"a": [{1}]})}))

    assert ("nodes", "n", "config", "a", 0) == caught.value.place


def test_records_nested_without_end_are_refused():
    """A schema of a schema of a schema."""
    schema = ValueSchema(type="string")
    for _ in range(5000):
        schema = ValueSchema(type="list", item=schema)

    with pytest.raises(InvalidDocument, match="nested deeper"):
        to_wire(Document(id="g", fields={"f": FieldRecord(id="f", schema=schema)}))
