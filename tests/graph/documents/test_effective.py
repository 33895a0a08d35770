"""Effective defaults of fields, and the config of a published document."""

from typing import Any

import pytest

import graphnb as gn
from graphnb.errors import InvalidDocument
from graphnb.graph.documents.canonical import hash_of
from graphnb.graph.documents.effective import config_schema_of, effective_default, with_config_defaults
from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.records import FieldRecord, ReducerRecord
from graphnb.state.storable.schemas import ValueSchema
from tests.graph.documents.written import STEP, wire

CONFIG = {
    "type": "object",
    "fields": {
        "model": {"type": "string", "default": "small"},
        "limits": {"type": "map", "default": {"tokens": 9}},
        "seed": {"type": "integer", "default": None},
        "topic": {"type": "string"},
    },
}


def with_schema(schema: Any) -> Any:
    """An implementation that declares this config schema."""

    def implementation(view: Any, context: Any) -> dict[str, Any]:
        return {}

    implementation.config_schema = schema  # type: ignore[attr-defined]
    return implementation


def field(default: Any = None, reducer: str | None = None, **opts: Any) -> FieldRecord:
    """A field with a default and a reducer."""
    return FieldRecord(id="f", default=default, reducer=ReducerRecord(type=reducer, opts=opts) if reducer else None)


@pytest.mark.parametrize(("reducer", "zero"), [("append", []), ("union", []), ("merge", {}), ("sum", 0)])
def test_zero_of_an_accumulating_reducer_is_the_default(reducer, zero):
    """Of its own type: a sum begins with an integer."""
    got = effective_default(field(reducer=reducer))

    assert (type(zero), zero) == (type(got), got)


@pytest.mark.parametrize("reducer", [None, "last_value", "first_value"])
def test_others_have_none(reducer):
    """Absence is no null."""
    assert effective_default(field(reducer=reducer)) is gn.UNSET


@pytest.mark.parametrize("default", [False, 0, "", [], [1]])
def test_declared_default_comes_first(default):
    """Whatever it is, unless it is null."""
    assert default == effective_default(field(default, "append"))


def test_default_is_handed_out_as_a_copy():
    """Nobody can change what the document says, or what the next one gets."""
    declared = field([[1]])
    effective_default(declared)[0].append(2)
    effective_default(field(reducer="append")).append(3)

    assert [[1]] == effective_default(declared)
    assert [] == effective_default(field(reducer="append"))


def published(config: dict[str, Any], schema: Any = CONFIG) -> dict[str, Any]:
    """The config of a node after publishing."""
    document = read_document(wire(nodes={"a": {"implementation": STEP, "config": config}}))
    return dict(with_config_defaults(document, {"step": with_schema(schema)}).nodes["a"].config)


def test_missing_top_level_keys_are_filled_in():
    """A null default too; a key without default stays away, and what is there stays as it is."""
    assert {"model": "small", "limits": {"tokens": 9}, "seed": None} == published({})
    assert {"model": None, "limits": {}, "seed": 3, "more": 1} == published(
        {"model": None, "limits": {}, "seed": 3, "more": 1}
    )


@pytest.mark.parametrize(
    "schema", [None, {"type": "map"}, {"type": "list"}, {"type": "string"}, "object", {"type": "object", "a": 1}, 3]
)
def test_config_stays_where_no_sound_schema_declares_more(schema):
    """Checking tells of a schema that is at fault."""
    assert {"a": 1} == published({"a": 1}, schema)


def test_config_stays_where_nothing_can_be_executed():
    """No implementation, one of another kind, one that is not registered."""
    nodes = {"none": {}, "other": {"implementation": {"type": "prompt"}}, "unknown": {"implementation": STEP}}
    document = read_document(wire(nodes=nodes))

    assert [{}, {}, {}] == [node.config for node in with_config_defaults(document, {}).nodes.values()]


def test_published_hash_follows_the_defaults():
    """The document is another one, and the first is as it was."""
    document = read_document(wire(nodes={"a": {"implementation": STEP}}))
    before = hash_of(document)
    small = with_config_defaults(document, {"step": with_schema(CONFIG)})
    spelled = wire(nodes={"a": {"implementation": STEP, "config": published({})}})

    assert gn.document_hash(spelled) == hash_of(small) != before
    assert before == hash_of(document)


def test_declared_schema_takes_three_forms():
    """A record, its document form, or a function that gives one of the two."""
    schema = ValueSchema(type="map")

    assert config_schema_of(with_schema(None)) is None
    assert config_schema_of(print) is None
    assert schema is config_schema_of(with_schema(schema))
    assert schema == config_schema_of(with_schema({"type": "map"}))
    assert schema is config_schema_of(with_schema(lambda: schema))
    assert config_schema_of(with_schema(lambda: None)) is None


def _fail() -> None:
    raise KeyError("settings")


class Secretive:
    @property
    def config_schema(self) -> None:
        raise KeyError("settings")


def test_property_that_fails_is_told_as_a_function_is():
    """Whoever checks a document need not expect anything else."""
    with pytest.raises(InvalidDocument, match="config_schema: raised KeyError: 'settings'"):
        config_schema_of(Secretive())


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        (_fail, "raised KeyError: 'settings'"),
        ({"type": "object", "fields": {"a": {"type": "list"}}}, "malformed"),
        ({"type": "list", "item": {"type": "string"}}, "a config is an object"),
        ({"type": {1}}, "cannot be stored"),
        ({"type": "shape"}, "unknown type"),
    ],
)
def test_schema_at_fault_is_refused(schema, what):
    """In words, whatever the implementation does."""
    with pytest.raises(InvalidDocument, match=what):
        config_schema_of(with_schema(schema))
