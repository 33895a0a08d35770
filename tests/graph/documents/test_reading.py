"""Reading documents: shapes, keys, ids, versions; every refusal has a category and a place."""

from types import MappingProxyType
from typing import Any

import pytest

from graphnb import errors
from graphnb.graph.documents.reading import read_document
from graphnb.graph.guards.guard import Guard
from tests.graph.documents.written import STEP, wire


def field(**parts: Any) -> dict[str, Any]:
    """A document with one field."""
    return wire(fields={"f": parts})


def schema(**parts: Any) -> dict[str, Any]:
    """A document with one schema."""
    return field(schema={"type": "list", **parts})


def guard(op: Any, *args: Any) -> dict[str, Any]:
    """A document with one guard."""
    return wire(edges={"e": {"guard": {"op": op, "args": [*args]}}})


REFUSED = [
    ({"id": "g"}, "invalid_document", ()),
    ({"schema_version": 1}, "invalid_document", ()),
    (wire(schema_version=2, strange=1), "unsupported_schema_version", ("schema_version",)),
    *((wire(schema_version=each), "invalid_document", ("schema_version",)) for each in (0, -1, True, 1.0, "1", None)),
    (wire(id="a b"), "invalid_public_id", ("id",)),
    (wire(id="$start"), "reserved_id", ("id",)),
    (wire(id=7), "invalid_document", ("id",)),
    (wire(strange=1), "invalid_document", ()),
    (wire(name=3), "invalid_document", ("name",)),
    (wire(nodes=[]), "invalid_document", ("nodes",)),
    (wire(nodes=None), "invalid_document", ("nodes",)),
    (wire(metadata=None), "invalid_document", ("metadata",)),
    *(
        (wire(**{name: {"a\n": {}}}), "invalid_public_id", (name, "a\n"))
        for name in ("inputs", "fields", "outputs", "nodes", "edges")
    ),
    *(
        (wire(**{name: {"$finish": {}}}), "reserved_id", (name, "$finish"))
        for name in ("inputs", "fields", "outputs", "nodes", "edges")
    ),
    *(
        (wire(**{name: {"a": {"strange": 1}}}), "invalid_document", (name, "a"))
        for name in ("inputs", "fields", "outputs", "nodes", "edges")
    ),
    (wire(nodes={"a": None}), "invalid_document", ("nodes", "a")),
    (field(kind="output"), "invalid_document", ("fields", "f", "kind")),
    (field(label=1), "invalid_document", ("fields", "f", "label")),
    (field(required=1), "invalid_document", ("fields", "f", "required")),
    (field(required=None), "invalid_document", ("fields", "f", "required")),
    (field(schema="string"), "invalid_document", ("fields", "f", "schema")),
    (field(schema={}), "invalid_document", ("fields", "f", "schema")),
    (field(schema={"type": "number"}), "invalid_document", ("fields", "f", "schema", "type")),
    (field(schema={"type": ["list"]}), "invalid_document", ("fields", "f", "schema", "type")),
    (schema(items={}), "invalid_document", ("fields", "f", "schema")),
    (schema(item={"type": "text"}), "invalid_document", ("fields", "f", "schema", "item", "type")),
    (schema(fields={"a": None}), "invalid_document", ("fields", "f", "schema", "fields", "a")),
    (schema(values={}), "invalid_document", ("fields", "f", "schema", "values")),
    (schema(required="yes"), "invalid_document", ("fields", "f", "schema", "required")),
    (schema(constraints=[]), "invalid_document", ("fields", "f", "schema", "constraints")),
    (field(reducer="sum"), "invalid_document", ("fields", "f", "reducer")),
    (field(reducer=["append", {}]), "invalid_document", ("fields", "f", "reducer")),
    (field(reducer={"type": "upsert"}), "invalid_document", ("fields", "f", "reducer", "type")),
    (field(reducer={"type": None}), "invalid_document", ("fields", "f", "reducer", "type")),
    (field(reducer={"type": "sum", "options": {}}), "invalid_document", ("fields", "f", "reducer")),
    (field(reducer={"type": "sum", "opts": []}), "invalid_document", ("fields", "f", "reducer", "opts")),
    (wire(edges={"e": {"from": 1}}), "invalid_document", ("edges", "e", "from")),
    (wire(edges={"e": {"from": ["a", 1]}}), "invalid_document", ("edges", "e", "from", 1)),
    (wire(edges={"e": {"to": ["a"]}}), "invalid_document", ("edges", "e", "to")),
    (wire(edges={"e": {"source_handle": 1}}), "invalid_document", ("edges", "e", "source_handle")),
    (wire(edges={"e": {"guard": []}}), "invalid_document", ("edges", "e", "guard")),
    (guard("matches", "a"), "invalid_document", ("edges", "e", "guard", "op")),
    (wire(edges={"e": {"guard": {"op": "all", "args": {}}}}), "invalid_document", ("edges", "e", "guard", "args")),
    (guard("any", {"$guard": {"op": "all"}}), "invalid_document", ("edges", "e", "guard", "args", 0)),
    (guard("not", {}), "invalid_document", ("edges", "e", "guard", "args", 0)),
    (
        guard("exists", {"$guard": {"op": "path"}, "more": 1}),
        "invalid_document",
        ("edges", "e", "guard", "args", 0),
    ),
    (guard("exists", {"$guard": None}), "invalid_document", ("edges", "e", "guard", "args", 0, "$guard")),
    (wire(nodes={"a": {"config": []}}), "invalid_document", ("nodes", "a", "config")),
    (wire(nodes={"a": {"branches": "b"}}), "invalid_document", ("nodes", "a", "branches")),
    (wire(nodes={"a": {"implementation": "step"}}), "invalid_document", ("nodes", "a", "implementation")),
    (
        wire(nodes={"a": {"implementation": {"type": "module"}}}),
        "invalid_document",
        ("nodes", "a", "implementation", "implementation"),
    ),
    (
        wire(nodes={"a": {"implementation": {**STEP, "version": 1}}}),
        "invalid_document",
        ("nodes", "a", "implementation"),
    ),
    (
        wire(nodes={"a": {"implementation": STEP}}),
        "unknown_implementation",
        ("nodes", "a", "implementation", "implementation"),
    ),
]


@pytest.mark.parametrize(("document", "category", "place"), REFUSED)
def test_wrong_document_is_refused_at_its_place(document, category, place):
    """The category is the contract's, the place leads to the part at fault."""
    with pytest.raises(errors.DocumentError) as caught:
        read_document(document, registry={"other": print})

    assert (category, place) == (caught.value.category, caught.value.place)
    assert caught.value.where


def test_refusal_names_what_there_is():
    """The nearest right name, where one is close."""
    with pytest.raises(errors.InvalidDocument) as caught:
        read_document(field(reducer={"type": "appendd"}))

    assert "fields.f.reducer.type: unknown type: str 'appendd'" in str(caught.value)
    assert "Did you mean 'append'?" in caught.value.mend


def test_registry_is_asked_only_if_it_is_given():
    """Reading for a hash resolves nothing; a registry that has the name lets it pass."""
    document = wire(nodes={"a": {"implementation": STEP}})

    assert "step" == read_document(document).nodes["a"].module
    assert "step" == read_document(document, registry={"step"}).nodes["a"].module


def test_other_implementations_are_kept_as_they_are():
    """Only those of the type module are looked at."""
    told = {"type": "prompt", "text": "Hi", "implementation": 3}
    node = read_document(wire(nodes={"a": {"implementation": told}}), registry={}).nodes["a"]

    assert told == node.implementation
    assert node.module is None


def test_kind_follows_from_the_collection():
    """Unless it is told; what is told wrongly is left to checking."""
    document = read_document(
        wire(inputs={"i": {}, "j": {"kind": "state"}}, fields={"f": {"kind": None}, "g": {"kind": "input"}})
    )

    assert ["input", "state"] == [each.kind for each in document.inputs.values()]
    assert ["state", "input"] == [each.kind for each in document.fields.values()]


def test_sources_tell_a_join_from_a_plain_edge():
    """A list of one is a join; what is missing is left to checking."""
    edges = {"plain": {"from": "a"}, "join": {"from": ["a"]}, "none": {}, "empty": {"from": []}}
    read = read_document(wire(edges=edges)).edges

    assert ["a", ("a",), None, ()] == [read[key].source for key in edges]
    assert [("a",), ("a",), (), ()] == [read[key].sources for key in edges]


def test_guards_are_read_bare_within_logic_and_tagged_elsewhere():
    """A plain mapping stays a literal."""
    inner = {"op": "path", "args": ["r", ["s", 0]]}
    told = {"op": "all", "args": [{"op": "equals", "args": [{"$guard": inner}, {"op": "path"}]}, True]}
    edge = read_document(wire(edges={"e": {"guard": told}})).edges["e"]

    path = Guard("path", ("r", ["s", 0]))
    assert Guard("all", (Guard("equals", (path, {"op": "path"})), True)) == edge.guard


def test_any_mapping_and_any_json_object_will_do():
    """A read-only view of a document is one."""
    assert "g" == read_document(MappingProxyType(wire())).id
    assert 1.0 == read_document('{"schema_version": 1, "id": "g", "metadata": {"a": 1.0}}').metadata["a"]


def test_reading_leaves_the_source_alone_and_shares_nothing():
    """What the caller does with it afterwards changes no document."""
    content = field(default={"a": [1]}, metadata={"m": [2]}, reducer={"type": "sum", "opts": {"o": [3]}})
    document = read_document(content)
    content["fields"]["f"]["default"]["a"].append(9)
    content["fields"]["f"]["metadata"]["m"].append(9)
    content["fields"]["f"]["reducer"]["opts"]["o"].append(9)

    read = document.fields["f"]
    assert ({"a": [1]}, {"m": [2]}, {"o": [3]}) == (read.default, read.metadata, read.reducer.opts)
