"""Fields of state classes as inputs and fields of a document."""

import dataclasses
import enum
import operator
from typing import Annotated, Any, NotRequired

import pytest
from pydantic import Field
from typing_extensions import TypedDict

import graphnb as gn
from graphnb import step
from graphnb.graph.documents.of_fields import field_record, has_null_default
from graphnb.graph.documents.records import Document
from graphnb.graph.documents.writing import to_wire
from graphnb.state.schema import schema_of


class Mood(enum.StrEnum):
    GOOD = "g"


class Named(gn.State):
    topic: str
    bare: int = gn.UNSET
    null: str | None = None
    count: int = 3
    mood: Mood = Mood.GOOD
    rows: list[str] = ["a"]
    made: list[str] = Field(default_factory=list)
    notes: Annotated[list[str], step.append]
    same: Annotated[list[str], step.append] = []
    begun: Annotated[list[str], step.append(unique=True)] = ["start"]
    total: Annotated[float, step.sum]
    zero: Annotated[float, step.sum] = 0.0
    seen: Annotated[list[dict[str, int]], step.union(by=("a", "b"))]
    table: Annotated[dict[str, int], step.merge(deep=True)]
    first: Annotated[str, step.first_value]
    last: Annotated[str, step.last_value] = ""


class Strict(gn.State):
    a: Annotated[list[int], gn.append] = []
    b: Annotated[list[int], gn.concat_flatten] = []
    c: Annotated[dict[str, int], gn.merge] = {}
    d: Annotated[dict[str, int], gn.merge_all] = {}
    e: Annotated[list[int], gn.bounded_append(3)] = []
    f: Annotated[list[int], gn.dedupe_append()] = []
    g: Annotated[list[int], gn.merge_by_key(abs)] = []
    h: Annotated[int, gn.last_write_wins] = 0
    i: Annotated[int, operator.add] = 0


class Odd(gn.State):
    made: list[str] = Field(default_factory=lambda: ["a"])
    unfit: int = "x"  # type: ignore[assignment]
    deep: list[str] = ["a", 1]  # type: ignore[list-item]
    unstorable: dict[str, Any] = {"a": {1}}
    bare: dict[str, Any] = Field(default=(1,))  # type: ignore[assignment]
    set_: set[int] = {1}


@dataclasses.dataclass
class Record:
    topic: str
    rows: list[str] = dataclasses.field(default_factory=list)


class Row(TypedDict):
    topic: str
    later: NotRequired[str]
    ünder: NotRequired[str]


def wire_of(cls: type) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """The written form of all fields, and what has no name."""
    faults: list[tuple[str, str, str]] = []
    records = {}
    for name, field in schema_of(cls).fields.items():
        records[name] = field_record(field, lambda what, mend, name=name: faults.append((name, what, mend)))
    return to_wire(Document(id="g", fields=records))["fields"], faults


def test_required_fields_are_inputs_and_others_fields() -> None:
    """One without a default, UNSET included as a default, has to be given."""
    fields, faults = wire_of(Named)

    assert [] == faults
    assert ["topic"] == [name for name, each in fields.items() if each["kind"] == "input"]
    assert fields["topic"] == {"kind": "input", "schema": {"type": "string", "required": True}, "required": True}
    assert not any("required" in each for name, each in fields.items() if name != "topic")


def test_reducers_bear_their_names_and_options() -> None:
    """No reducer is none, a path is a list."""
    fields, _ = wire_of(Named)

    assert {
        "notes": {"type": "append"},
        "same": {"type": "append"},
        "begun": {"type": "append", "opts": {"unique": True}},
        "total": {"type": "sum"},
        "zero": {"type": "sum"},
        "seen": {"type": "union", "opts": {"by": ["a", "b"]}},
        "table": {"type": "merge", "opts": {"deep": True}},
        "first": {"type": "first_value"},
        "last": {"type": "last_value"},
    } == {name: each["reducer"] for name, each in fields.items() if "reducer" in each}


def test_defaults_are_values_and_what_says_nothing_is_left_out() -> None:
    """None is no default there, and the zero of a reducer goes without saying; 0.0 is not the zero of a sum."""
    fields, _ = wire_of(Named)

    assert {"count": 3, "mood": "g", "rows": ["a"], "made": [], "begun": ["start"], "zero": 0.0, "last": ""} == {
        name: each["default"] for name, each in fields.items() if "default" in each
    }
    assert float is type(fields["zero"]["default"])


def test_strict_and_custom_reducers_are_told_with_what_comes_nearest() -> None:
    """Each with the step reducer and how it differs."""
    _, faults = wire_of(Strict)
    told = {name: (what, mend) for name, what, mend in faults}

    assert [*"abcdefghi"] == [name for name, _, _ in faults]
    assert "the strict reducer append has no name in a document" == told["a"][0]
    assert "the custom reducer add has no name in a document" == told["i"][0]
    nearest = ("append", "append", "merge", "merge", "append(max_length=...)", "append(unique=True)")
    wanted = (*nearest, "union(by='key')", "last_value")
    assert [f"step.{each} comes nearest; it " for each in wanted] == [
        told[name][1].partition("; it ")[0] + "; it " for name in "abcdefgh"
    ]
    assert "step.last_value comes nearest." in told["i"][1]


def test_defaults_that_no_document_holds_are_told() -> None:
    """Made by a function, unfit, or not to be stored; a type without a name is told alone."""
    _, faults = wire_of(Odd)

    assert [
        ("made", "its default is made by a function, Odd.lambda"),
        ("unfit", "its default does not fit its type: want an integer, not str: 'x'"),
        ("deep", "its default at [1] does not fit its type: want text, not int: 1"),
        ("unstorable", "its default at a: set cannot be stored: {1}"),
        ("bare", "its default: tuple cannot be stored: (1,)"),
        ("set_", "set[int] has no name in a document"),
    ] == [(name, what) for name, what, _ in faults]


def test_dataclasses_and_typeddicts_have_fields_too() -> None:
    """A key that need not be there is a field; a name outside of the pattern is told."""
    record, row = wire_of(Record), wire_of(Row)

    assert {"topic": "input", "rows": "state"} == {name: each["kind"] for name, each in record[0].items()}
    assert ["input", "state", "state"] == [each["kind"] for each in row[0].values()]
    assert [("ünder", "'ünder' is no id")] == [(name, what) for name, what, _ in row[1]]


@pytest.mark.parametrize(("name", "expected"), [("null", True), ("bare", False), ("made", False), ("topic", False)])
def test_null_default_is_known(name: str, expected: bool) -> None:
    """None alone is one."""
    assert expected == has_null_default(schema_of(Named).fields[name])


class Place(TypedDict):
    street: str


class Placed(gn.State):
    where: Annotated[Place, step.merge]
    there: Annotated[Place, step.merge] = {}


def test_natural_zero_is_left_out_even_if_it_does_not_fit() -> None:
    """A default that says the same has to fit."""
    told: list[str] = []
    records = {
        name: field_record(each, lambda what, mend: told.append(what))
        for name, each in schema_of(Placed).fields.items()
    }

    assert None is records["where"].default
    assert ["its default at street does not fit its type: is required and missing"] == told
