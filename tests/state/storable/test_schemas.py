"""Schemas of documents: what fits, every problem with its path, and which schemas are well formed."""

from typing import Any

import pytest

from graphnb.state.storable.schemas import TYPES, ValueSchema, malformed_of, problems_of

ANY_INTEGER = ValueSchema(type="integer")
PERSON = ValueSchema(
    type="object",
    fields={"name": ValueSchema(type="string", required=True), "age": ValueSchema(type="integer")},
)


def paths(schema: ValueSchema, value: object) -> list[Any]:
    """Where the value does not fit."""
    return [path for path, _ in problems_of(schema, value)]


def constrained(type_: str, **constraints: Any) -> ValueSchema:
    """A schema with constraints; lists hold anything."""
    return ValueSchema(type=type_, constraints=constraints)


FITS = {
    "string": ["", "x"],
    "integer": [0, -(10**30)],
    "float": [1, 1.5],
    "boolean": [True, False],
    "map": [{}, {"a": [1]}],
    "object": [{}],
    "enum": [1, "a"],
    "list": [[], [1, "x"]],
}


@pytest.mark.parametrize("type_", TYPES)
def test_each_type_takes_its_own_values_alone(type_):
    """Booleans are no numbers, floats take integers, a mapping without keys is also an object; null fits all."""
    schema = ValueSchema(type=type_, values=(1, "a"))
    everything = [value for values in FITS.values() for value in values]
    known = [repr(each) for each in FITS[type_]]
    more = {"float": ["0", repr(-(10**30)), "1"], "string": ["'a'"], "object": [], "map": ["{}"], "integer": ["1"]}

    assert [[]] * len(FITS[type_]) == [problems_of(schema, value) for value in FITS[type_]]
    assert [[]] == [problems_of(schema, None)]
    assert all(paths(schema, value) for value in everything if repr(value) not in [*known, *more.get(type_, [])])


@pytest.mark.parametrize("type_", TYPES)
def test_null_fails_only_where_it_is_required(type_):
    """Whatever the type."""
    assert [((), "is required and cannot be null")] == problems_of(ValueSchema(type=type_, required=True), None)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (constrained("integer", min=0, max=10), [0, 10], [-1, 11]),
        (constrained("float", min=0.5), [0.5, 1], [0.4, 0]),
        (constrained("string", min_length=1, max_length=2), ["a", "é́"], ["", "abc"]),
        (constrained("string", pattern="b+"), ["abbc"], ["ac"]),
        (constrained("string", pattern="^b$"), ["b"], ["ab"]),
        (constrained("list", min_items=1, max_items=2), [[1], [1, 2]], [[], [1, 2, 3]]),
        (constrained("boolean", min=5), [True], []),
        (constrained("integer", min="5", max=True, weird=[1]), [0, 100], []),
        (constrained("string", min_length=True, max_length="1", pattern=5), ["", "long"], []),
        (constrained("map", max_items=0), [{"a": 1}], []),
    ],
)
def test_constraints_are_inclusive_and_unknown_ones_do_nothing(schema, good, bad):
    """Bounds of text count code points; a pattern is searched for; what belongs to another type does nothing."""
    assert not any(problems_of(schema, value) for value in good)
    assert all(problems_of(schema, value) for value in bad)


def test_a_pattern_that_cannot_be_read_lets_nothing_pass():
    """The message names the pattern."""
    [(path, told)] = problems_of(constrained("string", pattern="("), "x")

    assert path == ()
    assert told.startswith("cannot be checked: the constraint pattern '(' is no regular expression")


@pytest.mark.parametrize("pattern", ["(" * 5000, "(?:" * 3000 + ")" * 3000, "a{99999999999}"])
def test_hostile_pattern_is_told_too(pattern):
    """A document may hold one that Python cannot even read."""
    ((path, told),) = problems_of(constrained("string", pattern=pattern), "x")

    assert () == path
    assert told.startswith("cannot be checked")


@pytest.mark.parametrize(("type_", "value"), [("string", "x"), ("integer", 1), ("list", [1])])
def test_huge_bound_is_told_without_its_digits(type_, value):
    """Python refuses to write out an integer of so many."""
    name = {"string": "min_length", "integer": "min", "list": "min_items"}[type_]

    assert [()] == paths(constrained(type_, **{name: 10**5000}), value)


def test_every_problem_of_an_object_has_its_path():
    """A missing key, an unknown key, and a part that does not fit, at any depth."""
    team = ValueSchema(type="list", item=PERSON)

    assert [(0, "name"), (0, "extra"), (0, "age"), (2, "name"), (3,)] == paths(
        team, [{"age": True, "extra": 1}, {"name": "ada"}, {"name": None}, [], None]
    )
    assert [] == paths(
        ValueSchema(type="object", fields=PERSON.fields, constraints={"open": True}), {"name": "a", "z": 1}
    )
    assert [("z",)] == paths(ValueSchema(type="object", constraints={"open": 1}), {"z": 1})


def test_enum_membership_is_exact():
    """1.0 and True are not 1, whatever Python says."""
    schema = ValueSchema(type="enum", values=(1, [True]))

    assert [[], [], [()], [()], [()]] == [paths(schema, each) for each in (1, [True], 1.0, True, [1])]


def test_well_formed_schemas_and_those_that_are_not():
    """Type, item, nested schemas and the default of each."""
    good = ValueSchema(type="list", item=PERSON, has_default=True, default=[{"name": "a"}])
    bad = ValueSchema(
        type="object",
        fields={
            "a": ValueSchema(type="list"),
            "b": ValueSchema(type="text"),
            "c": ValueSchema(type="string", item=ANY_INTEGER),
            "d": ValueSchema(type="list", item=ValueSchema(type="integer", has_default=True, default="x")),
        },
        has_default=True,
        default={"z": 1},
    )

    assert [] == malformed_of(good)
    assert [
        ("default", "z"),
        ("fields", "a", "item"),
        ("fields", "b", "type"),
        ("fields", "c", "item"),
        ("fields", "d", "item", "default"),
    ] == [path for path, _ in malformed_of(bad)]
    assert [()] == paths(ValueSchema(type="text"), "x")
    assert [("default",)] == [
        path for path, _ in malformed_of(ValueSchema(type="string", required=True, has_default=True))
    ]


def test_pattern_that_is_too_large_refuses_every_text_and_says_what_to_do():
    """As what is no pattern does; `re` would take it, and never end."""
    schema = ValueSchema(type="string", constraints={"pattern": "(?:a{1,1000}){1,1000}$"})
    [(path, told)] = problems_of(schema, "a" * 40 + "b")

    assert path == ()
    assert told.startswith("cannot be checked: the constraint pattern '(?:a{1,1000}){1,1000}$' is too large")
    assert told.endswith("Repeat less in it; max_length says how long a text may be")
