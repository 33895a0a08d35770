"""Schemas, reducers and defaults of inputs and fields; fields that nothing refers to."""

from dataclasses import replace
from typing import Any

import pytest

from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.records import FieldRecord, ReducerRecord
from graphnb.graph.documents.verify.passes import diagnostics_of
from graphnb.state.storable.schemas import TYPES, ValueSchema
from tests.graph.documents.written import STEP, found, sound

SCHEMAS: dict[str, dict[str, Any]] = {
    **{name: {"type": name} for name in TYPES},
    "enum": {"type": "enum", "values": [1]},
    "list": {"type": "list", "item": {"type": "string"}},
}
FITTING = {
    "append": ["list"],
    "union": ["list"],
    "merge": ["map", "object"],
    "sum": ["integer", "float"],
    "last_value": [*TYPES],
    "first_value": [*TYPES],
}


def codes(**parts: Any) -> list[str]:
    """The codes of a sound document whose field has these parts; all are about that field."""
    diagnostics = found(sound(fields={"n": parts}))
    assert [] == [place for _, _, place in diagnostics if not place.startswith("fields.n.")]
    return [code for _, code, _ in diagnostics]


def reduced(type_: str, reducer: str, **opts: Any) -> list[str]:
    """The codes of a field by type, reducer and options."""
    return codes(schema=SCHEMAS[type_], reducer={"type": reducer, "opts": opts})


@pytest.mark.parametrize("reducer", FITTING)
def test_reducers_are_paired_with_types(reducer):
    """A sum takes numbers, and so on."""
    expected = {name: [] if name in FITTING[reducer] else ["reducer_schema_mismatch"] for name in TYPES}

    assert expected == {name: reduced(name, reducer) for name in TYPES}


@pytest.mark.parametrize(
    ("reducer", "option", "good", "bad"),
    [
        ("append", "unique", [True, False], [None, 0, 1, "true", [], {}]),
        ("append", "max_length", [1, 10**30], [None, 0, -1, True, 1.0, "3", [1]]),
        ("union", "by", ["id", "", "a.b", ["a"], ["a", "b"]], [None, [], 3, True, ["a", 1], {"a": "b"}]),
        ("merge", "deep", [True, False], [None, 1, "deep"]),
    ],
)
def test_known_options_are_checked(reducer, option, good, bad):
    """Null included, which is not the same as leaving it out."""
    type_ = FITTING[reducer][0]

    assert [[]] * len(good) == [reduced(type_, reducer, **{option: each}) for each in good]
    assert [["invalid_reducer"]] * len(bad) == [reduced(type_, reducer, **{option: each}) for each in bad]


def test_each_bad_option_is_told():
    """Beside the wrong type."""
    assert ["reducer_schema_mismatch", "invalid_reducer", "invalid_reducer"] == reduced(
        "string", "append", unique=None, max_length=0, by=[]
    )


@pytest.mark.parametrize("reducer", FITTING)
def test_unknown_options_are_free(reducer):
    """Those of other reducers too."""
    others = {"deep": 3, "unique": "x", "max_length": -1, "by": 0, "mine": None}
    own = {"append": {"unique", "max_length"}, "union": {"by"}, "merge": {"deep"}}.get(reducer, set())

    assert [] == reduced(FITTING[reducer][0], reducer, **{key: each for key, each in others.items() if key not in own})


@pytest.mark.parametrize("reducer", [*FITTING, None])
def test_list_of_lists_is_ambiguous_for_those_that_open_lists(reducer):
    """An item that merely contains lists is not."""
    rows = {"type": "list", "item": SCHEMAS["list"]}
    boxes = {"type": "list", "item": {"type": "object", "fields": {"row": SCHEMAS["list"]}}}
    told = None if reducer is None else {"type": reducer}
    expected = {"append": ["ambiguous_list_write"], "union": ["ambiguous_list_write"]}
    mismatch = ["reducer_schema_mismatch"] if reducer in ("merge", "sum") else []

    assert expected.get(str(reducer), mismatch) == codes(schema=rows, reducer=told)
    assert mismatch == codes(schema=boxes, reducer=told)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "list"},
        {"type": "string", "item": {"type": "string"}},
        {"type": "object", "fields": {"a": {"type": "list"}}},
        {"type": "list", "item": {"type": "list"}},
        {"type": "integer", "default": 1.0},
        {"type": "string", "required": True, "default": None},
    ],
)
def test_malformed_schema_is_told_once_and_silences_the_rest(schema):
    """Neither the pairing nor the default can be judged."""
    assert ["invalid_schema"] == codes(schema=schema, reducer={"type": "merge"}, default=[[]])


def test_missing_schema_is_told_and_options_are_checked_all_the_same():
    """What does not depend on the schema."""
    assert ["missing_field_schema", "invalid_reducer"] == codes(reducer={"type": "append", "opts": {"unique": 0}})


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"schema": SCHEMAS["list"], "reducer": {"type": "append"}, "default": ["x"]}, []),
        ({"schema": SCHEMAS["list"], "reducer": {"type": "append"}, "default": "x"}, ["invalid_field_default"]),
        ({"schema": {"type": "integer", "constraints": {"max": 3}}, "default": 4}, ["invalid_field_default"]),
        ({"schema": {"type": "integer", "required": True}, "default": None}, []),
        ({"schema": {"type": "boolean"}, "default": False}, []),
        ({"schema": {"type": "boolean"}, "default": 0}, ["invalid_field_default"]),
        ({"schema": {"type": "float"}, "default": 0}, []),
        (
            {
                "schema": {"type": "object", "fields": {"a": {"type": "string", "required": True}}},
                "reducer": {"type": "merge"},
                "default": {},
            },
            ["invalid_field_default"],
        ),
    ],
)
def test_default_is_checked_as_a_whole_value(parts, expected):
    """Not as one write."""
    assert expected == codes(**parts)


def test_inputs_are_checked_alike():
    """Although their reducers never act."""
    inputs = {"i": {"schema": {"type": "list"}, "reducer": {"type": "append", "opts": {"max_length": 0}}}, "j": {}}

    assert [
        ("error", "invalid_schema", "inputs.i.schema"),
        ("error", "invalid_reducer", "inputs.i.reducer"),
        ("error", "missing_field_schema", "inputs.j.schema"),
    ] == found(sound(inputs=inputs))


def by_hand(**parts: Any) -> list[tuple[str, str, str]]:
    """The diagnostics of a sound document with a field made by hand."""
    field = FieldRecord(**{"id": "n", "schema": ValueSchema(type="integer"), **parts})
    return found(replace(read_document(sound()), fields={"n": field}))


@pytest.mark.parametrize(
    "reducer", ["sum", ReducerRecord(type="upsert"), ReducerRecord(type="sum", opts=[1])]
)  # fmt: skip
def test_reducer_made_wrongly_is_told(reducer):
    """No record, an unknown type, options that are no mapping."""
    assert [("error", "invalid_reducer", "fields.n.reducer")] == by_hand(reducer=reducer)


@pytest.mark.parametrize("schema", ["integer", ValueSchema(type="number")])
def test_schema_made_wrongly_is_told(schema):
    """No record, an unknown type."""
    assert [("error", "invalid_schema", "fields.n.schema")] == by_hand(schema=schema)


def test_messages_name_the_family_of_reducers():
    """`step.append` is not `append`."""
    field = {"schema": SCHEMAS["string"], "reducer": {"type": "append", "opts": {"unique": 0}}}
    told = diagnostics_of(read_document(sound(fields={"n": field})), {})

    assert [True, True] == ["step.append" in each.message for each in told if "reducer" in each.path]


NOTE = {"schema": {"type": "string"}}


@pytest.mark.parametrize(
    "parts",
    [
        {"outputs": {"o": {"source": "note"}}},
        {"nodes": {"a": {"implementation": STEP, "config": {"deep": [{"field": "note"}]}}}},
        *(
            {"edges": {"in": {"from": "$start", "to": "a"}, "out": {"from": "a", "to": "$finish", "guard": guard}}}
            for guard in (
                {"op": "changed", "args": ["note"]},
                {"op": "not", "args": [{"op": "version_at_least", "args": ["note", 1]}]},
                {"op": "equals", "args": ["n", {"$guard": {"op": "path", "args": ["note", []]}}]},
            )
        ),
    ],
)
def test_field_that_is_referred_to_is_no_orphan(parts):
    """By an output, a config's value, or a guard at any depth."""
    fields = {"n": sound()["fields"]["n"], "note": NOTE}
    outputs = {"n": {"source": "n"}, **parts.get("outputs", {})}

    assert [] == found(sound(**{**parts, "fields": fields, "outputs": outputs}))


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"nodes": {"a": {"implementation": STEP, "config": {"note": "notes"}, "metadata": {"f": "note"}}}},
        {
            "edges": {
                "in": {"from": "$start", "to": "a"},
                "out": {"from": "a", "to": "$finish", "guard": {"op": "equals", "args": ["n", "note"]}},
            }
        },
    ],
)
def test_field_that_nothing_refers_to_is_an_orphan(parts):
    """A key of a config, metadata, and a literal of a guard refer to nothing; an input is never one."""
    fields = {"n": sound()["fields"]["n"], "note": NOTE}

    assert [("warning", "orphaned_field", "fields.note")] == found(sound(**parts, fields=fields, inputs={"i": NOTE}))


def test_message_counts_the_problems_that_it_has_no_room_for() -> None:
    """Of a default, and of one within a schema."""
    rows: dict[str, Any] = {"type": "list", "item": {"type": "string"}}
    for field in ({"schema": rows, "default": [1] * 12}, {"schema": {**rows, "default": [1] * 12}}):
        document = read_document(sound(fields={"n": field}))
        told = next(each.message for each in diagnostics_of(document, {}) if each.path[0] == "fields")

        assert 10 == told.count("want text, not int")
        assert told.endswith("; and 2 more")
