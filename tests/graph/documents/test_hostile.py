"""Documents made to do harm end in an error with a category, soon, and with nothing looked for or run."""

import json
import sys
from typing import Any

import pytest
import yaml

import graphnb as gn
from graphnb.errors import DocumentError, InvalidDocument
from graphnb.graph.documents.reading import read_document
from tests.graph.documents.written import wire

DEEP = 5000


def nested(levels: int, leaf: Any, wrap: Any) -> Any:
    """The leaf within so many wrappings."""
    for _ in range(levels):
        leaf = wrap(leaf)
    return leaf


def ring() -> Any:
    """A list that holds itself by way of a mapping."""
    inside: dict[str, Any] = {}
    outside = [inside]
    inside["back"] = outside
    return outside


def laughs(levels: int) -> Any:
    """A value that is small and stands for ten to the power of `levels`."""
    return nested(levels, "ha", lambda part: [part] * 10)


HOSTILE = {
    "deep metadata": wire(metadata=nested(DEEP, {}, lambda part: {"a": part})),
    "deep list": wire(metadata={"a": nested(DEEP, [], lambda part: [part])}),
    "deep schema": wire(
        fields={"a": {"schema": nested(DEEP, {"type": "string"}, lambda part: {"type": "list", "item": part})}}
    ),
    "deep guard": wire(
        edges={
            "e": {"guard": nested(DEEP, {"op": "exists", "args": ["a"]}, lambda part: {"op": "not", "args": [part]})}
        }
    ),
    "ring": wire(metadata={"a": ring()}),
    "ring of yaml": wire(metadata=yaml.safe_load("a: &a {b: [*a]}")),
    "ring of schemas": wire(fields={"f": {"schema": yaml.safe_load("&a {type: list, item: *a}")}}),
    "shared parts": wire(policies={"a": laughs(30)}),
    "huge integer": wire(metadata={"a": 10**5000}),
    "nan": wire(metadata={"a": [float("nan")]}),
    "infinity": wire(fields={"a": {"default": float("-inf")}}),
    "tuple": wire(metadata={"a": (1,)}),
    "bytes": wire(metadata={"a": b"x"}),
    "object": wire(metadata={"a": object()}),
    "class": wire(nodes={"a": {"implementation": {"type": "module", "implementation": json}}}),
    "surrogate": wire(name="\ud800"),
    "surrogate in a key": wire(metadata={"\udfff": 1}),
    "number as a key": wire(metadata={1: 2}),
    "null as a key": wire(metadata={None: 2}),
    "number as an id": wire(nodes={1: {}}),
    "dollar key": wire(metadata={"a": [{"$b": 1}]}),
    "dollar key in a default": wire(fields={"a": {"default": {"$guard": {"op": "all"}}}}),
    "dollar key in an argument": wire(edges={"e": {"guard": {"op": "equals", "args": ["a", {"b": {"$guard": {}}}]}}}),
    "dollar key in a schema": wire(fields={"a": {"schema": {"type": "object", "fields": {"$a": {"type": "string"}}}}}),
    "list": [],
    "null": None,
    "bytes of JSON": b'{"schema_version": 1, "id": "g"}',
}


@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE)
def test_hostile_values_are_an_invalid_document(document):
    """No recursion error, no hang, and a message that says where."""
    with pytest.raises(InvalidDocument) as caught:
        read_document(document)

    assert caught.value.where
    assert len(str(caught.value)) < 2000


TEXTS = {
    "empty": "",
    "no JSON": '{"schema_version": 1,',
    "deep": '{"schema_version": 1, "id": "g", "metadata": ' + "[" * 100_000,
    "deep and closed": '{"schema_version": 1, "id": "g", "metadata": {"a": ' + "[" * 900 + "]" * 900 + "}}",
    "huge integer": '{"schema_version": 1, "id": "g", "metadata": {"a": -' + "9" * 10_000 + "}}",
    "huge float": '{"schema_version": 1, "id": "g", "metadata": {"a": 1e999}}',
    "NaN": '{"schema_version": 1, "id": "g", "metadata": {"a": NaN}}',
    "infinity": '{"schema_version": 1, "id": "g", "metadata": {"a": -Infinity}}',
    "surrogate": '{"schema_version": 1, "id": "g", "name": "\\ud800"}',
    "twice": '{"schema_version": 1, "id": "g", "id": "h"}',
    "null": "null",
    "no object": "[1]",
    "mark": '\ufeff{"schema_version": 1, "id": "g"}',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_hostile_text_is_an_invalid_document(text):
    """The same for JSON."""
    with pytest.raises(InvalidDocument):
        read_document(text)


@pytest.mark.parametrize("registry", [{}, {"other": print}])
def test_names_of_modules_are_looked_up_and_never_imported(registry):
    """A document that names a module which could be imported is refused, and the module stays unknown."""
    name = "this"  # printing is all that importing it does, and nobody imports it by accident
    document = wire(nodes={"a": {"implementation": {"type": "module", "implementation": name}}})

    with pytest.raises(gn.UnknownImplementation, match="'this'") as caught:
        read_document(document, registry=registry)
    assert ("nodes", "a", "implementation", "implementation") == caught.value.place
    assert gn.document_hash(document)
    assert name not in sys.modules


def test_limits_leave_room():
    """What lies just within the bounds is read, written and hashed."""
    document = wire(
        metadata={"deep": nested(198, 1, lambda part: [part]), "long": 10**4300 - 1, "wide": [0] * 10_000},
        edges={"e": {"guard": nested(97, {"op": "all", "args": []}, lambda part: {"op": "not", "args": [part]})}},
        fields={"f": {"schema": nested(190, {"type": "string"}, lambda part: {"type": "list", "item": part})}},
    )

    assert gn.document_hash(document) == gn.document_hash(json.dumps(document))


@pytest.mark.parametrize(
    ("metadata", "what"),
    [
        ({"a": nested(199, 1, lambda part: [part])}, "deeper than 200"),
        ({"a": 10**4300}, "more than 4300 digits"),
        ({"a": [0] * 1_000_000}, "more than 1,000,000 values"),
        ({"a": ring()}, "holds itself"),
    ],
)
def test_bounds_are_told(metadata, what):
    """One more is too much."""
    with pytest.raises(InvalidDocument, match=what):
        read_document(wire(metadata=metadata))


def test_same_part_twice_is_no_ring():
    """What two places share is read twice, and nothing of it is shared afterwards."""
    part = {"a": [1]}
    document = read_document(wire(metadata={"one": part, "two": part}))
    part["a"].append(2)

    assert {"one": {"a": [1]}, "two": {"a": [1]}} == document.metadata
    assert document.metadata["one"]["a"] is not document.metadata["two"]["a"]


def test_every_refusal_is_a_document_error():
    """One except clause is enough."""
    assert issubclass(InvalidDocument, DocumentError)
    assert issubclass(DocumentError, gn.BuildError)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|aa)*b", "^([a-z]+)*[0-9]$", "[[:alpha:]]*$|^(a?){50}!$"])
def test_pattern_that_would_be_tried_in_too_many_ways_is_looked_for_once(pattern):
    """And nothing is said about it but what does not fit."""
    schema = {"type": "string", "constraints": {"pattern": pattern}}
    found = gn.check_document(wire(fields={"f": {"schema": schema, "default": f"{'a' * 60}!"}}))

    assert {"invalid_field_default"} >= {each.code for each in found.errors} - {"no_entrypoint"}
