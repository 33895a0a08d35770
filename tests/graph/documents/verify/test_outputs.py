"""What outputs read, and whether their schema can hold it."""

from typing import Any

import pytest

from tests.graph.documents.written import found, sound


def output(wanted: Any, given: Any = None, **parts: Any) -> list[tuple[str, str]]:
    """Codes and places of an output with a schema, on a field with one."""
    fields = {"n": {"schema": given or {"type": "integer"}}}
    document = sound(fields=fields, outputs={"o": {"source": "n", "schema": wanted, **parts}})
    return [(code, place) for _, code, place in found(document)]


def enum(*values: Any) -> dict[str, Any]:
    """A schema of these values."""
    return {"type": "enum", "values": [*values]}


def many(item: dict[str, Any]) -> dict[str, Any]:
    """A schema of lists."""
    return {"type": "list", "item": item}


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ({"type": "integer"}, {"type": "integer", "constraints": {"max": 3}}),
        (enum(1, "a", None), enum("a", 1)),
        (many(many({"type": "string"})), many(many({"type": "string"}))),
        (many(enum(1, 2)), many(enum(2))),
        (None, {"type": "map"}),
    ],
)
def test_schema_that_can_hold_the_source_passes(wanted, given):
    """The same type; all values of an enum; so do items."""
    assert [] == output(wanted, given)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ({"type": "integer"}, {"type": "float"}),
        ({"type": "map"}, {"type": "object"}),
        (enum(1, 2), enum(1, 3)),
        (enum(1), enum(1.0)),
        (many({"type": "string"}), many({"type": "integer"})),
        (many(many(enum(1))), many(many(enum(True)))),
    ],
)
def test_schema_that_cannot_hold_the_source_is_told(wanted, given):
    """Values compare exactly."""
    assert [("incompatible_output_schema", "outputs.o.schema")] == output(wanted, given)


def test_malformed_schema_is_told_and_not_compared():
    """On either side; here both are at fault, each for itself."""
    assert [("invalid_schema", "outputs.o.schema")] == output({"type": "list"})
    assert [("invalid_schema", "fields.n.schema")] == output({"type": "integer"}, {"type": "list"})


@pytest.mark.parametrize("source", ["m", "a", None, "$start"])
def test_source_has_to_be_an_input_or_a_field(source):
    """A node is none; a schema without a source is still checked for itself."""
    assert ("unknown_output_source", "outputs.o.source") in output({"type": "integer"}, source=source)
    assert ("invalid_schema", "outputs.o.schema") in output({"type": "list"}, source=source)


def test_input_is_a_source():
    """It is shown as it was given."""
    document = sound(inputs={"i": {"schema": {"type": "string"}}}, outputs={"n": {"source": "n"}, "i": {"source": "i"}})

    assert [] == found(document)
