"""Content that cannot be stored, in records that were made by hand."""

from typing import Any

import pytest

from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.records import Document, EdgeRecord, FieldRecord, NodeRecord, OutputRecord, ReducerRecord
from graphnb.graph.guards.guard import Guard
from graphnb.state.storable.schemas import ValueSchema
from tests.graph.documents.written import found, sound


def field(**parts: Any) -> Document:
    """A document with one field."""
    return Document(id="g", fields={"f": FieldRecord(id="f", **parts)})


def guarded(guard: Any) -> Document:
    """A document with one guard."""
    return Document(id="g", edges={"e": EdgeRecord(id="e", guard=guard)})


def ring() -> list[Any]:
    """A list that holds itself."""
    found: list[Any] = []
    found.append(found)
    return found


def deep_schema() -> ValueSchema:
    """A schema within a schema within a schema."""
    schema = ValueSchema(type="string")
    for _ in range(3000):
        schema = ValueSchema(type="list", item=schema)
    return schema


UNSTORABLE = {
    "set": (Document(id="g", metadata={"a": {1}}), "metadata.a"),
    "tuple": (field(default=[(1,)]), "fields.f.default.0"),
    "ring": (field(default=ring()), "fields.f.default.0"),
    "object as a label": (field(label=object()), "fields.f.label"),
    "nan among values": (field(schema=ValueSchema(type="enum", values=(1, float("nan")))), "fields.f.schema.values.1"),
    "default of a schema": (
        field(schema=ValueSchema(type="string", has_default=True, default=b"x")),
        "fields.f.schema.default",
    ),
    "deep schema": (field(schema=deep_schema()), ""),
    "dollar in opts": (field(reducer=ReducerRecord(type="append", opts={"$x": 1})), "fields.f.reducer.opts"),
    "dollar in a policy": (Document(id="g", policies={"a": {"$b": 1}}), "policies.a"),
    "dollar in config": (
        Document(id="g", nodes={"n": NodeRecord(id="n", config={"a": [{"$b": 1}]})}),
        "nodes.n.config.a.0",
    ),
    "dollar in metadata of an output": (
        Document(id="g", outputs={"o": OutputRecord(id="o", metadata={"$b": 1})}),
        "outputs.o.metadata",
    ),
    "surrogate": (Document(id="g", name="\ud800"), "name"),
    "number as an id": (Document(id="g", nodes={1: NodeRecord(id="n")}), "nodes"),  # type: ignore[dict-item]
    "date compared": (guarded(Guard("equals", ("a", {"b": {3}}))), "edges.e.guard.args.1.b"),
    "dollar compared": (guarded(Guard("equals", ("a", {"$b": 1}))), "edges.e.guard.args.1"),
    "dollar deep in guards": (
        guarded(~Guard("equals", (Guard("path", ("a", [{"$c": 1}])), 1))),
        "edges.e.guard.args.0.args.0.$guard.args.1.0",
    ),
    "no guard": (guarded({"$b": 1}), "edges.e.guard"),
}


@pytest.mark.parametrize(("document", "place"), UNSTORABLE.values(), ids=UNSTORABLE)
def test_unstorable_content_is_told_alone(document, place):
    """Nothing else is checked, because nothing else can be relied on."""
    assert [("error", "non_durable_graph_value", place)] == found(document)


def test_guards_within_guards_are_no_reserved_keys():
    """Their tag is not content."""
    guard = ~Guard("equals", (Guard("path", ("n", [])), Guard("path", ("n", ["x"]))))
    document = sound()
    document["edges"]["out"]["guard"] = {"op": "not", "args": [{"op": "equals", "args": [
        {"$guard": {"op": "path", "args": ["n", []]}}, {"$guard": {"op": "path", "args": ["n", ["x"]]}}]}]}  # fmt: skip

    assert guard == read_document(document).edges["out"].guard
    assert [] == found(document)
