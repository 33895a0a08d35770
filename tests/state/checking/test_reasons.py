"""Pydantic's complaints in our words."""

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError, model_validator

from graphnb.state.checking.reasons import Unfit, all_reasons_of, invalid_state, raised, reasons_of, unknown_fields


class Pair(BaseModel):
    a: int
    b: dict[str, int] = {}

    @model_validator(mode="after")
    def _in_order(self):
        if self.a < 0:
            raise ValueError("a is\x1b negative")
        return self


def _error(annotation, value):
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(annotation).validate_python(value)
    return caught.value


def test_reason_names_path_type_and_value():
    """With a field given, all paths lie within it; the mark of a key is no part of the path."""
    reasons = reasons_of(_error(dict[int, list[str]], {"x": [], 1: ["a", 2]}), "log")

    assert ["log"] == list(reasons)
    assert reasons["log"][0].startswith("log['x']: Input should be a valid integer")
    assert "log[1][1]: Input should be a valid string, not int: 2" == reasons["log"][1]


def test_first_part_of_the_path_is_the_field_where_none_is_given():
    """A missing field has no value to show."""
    reasons = reasons_of(_error(Pair, {"b": {"x": "y"}}))

    assert ("a: Field required",) == reasons["a"]
    assert reasons["b"][0].startswith("b['x']: Input should be a valid integer")


def test_fault_of_the_whole_state_stands_under_no_field():
    """Its value, which would be the whole state, is not repeated; control characters are made visible."""
    assert {"": ("the state: Value error, a is\\x1b negative",)} == reasons_of(_error(Pair, {"a": -1}))


@pytest.mark.parametrize(("count", "more"), [(5, []), (6, ["and 1 more"]), (1008, ["and 1,003 more"])])
def test_more_than_five_reasons_are_counted_in_messages_and_kept_in_details(count, more):
    """For each field."""
    reasons = {name: reasons_of(_error(list[int], ["x"] * count), name)[name] for name in ("log", "more")}
    error = invalid_state("node 'a'", reasons)
    lines = str(error).splitlines()[1:]

    assert [count, count] == [len(each) for each in error.details.values()]
    assert error.details["log"][-1].startswith(f"log[{count - 1}]: ")
    assert lines[4].startswith("  - log[4]: ")
    assert [f"  - {each}, see `details`" for each in more] == lines[5 : len(lines) // 2]
    assert "".join(f"\n  - {each}" for some in reasons.values() for each in some) == all_reasons_of(error)


def test_message_about_many_fields_has_an_end_too():
    """Forty lines are enough to see what is the matter."""
    error = invalid_state("node 'a'", {f"f{i}": (f"f{i}: wrong",) for i in range(50)})
    lines = str(error).splitlines()

    assert (42, "  - f39: wrong", "  - and 10 more, see `details`") == (len(lines), lines[-2], lines[-1])
    assert 50 == len(error.fields) == len(error.details) == all_reasons_of(error).count("wrong")


@pytest.mark.parametrize(("field", "place"), [("log", "log"), (None, "the state")])
def test_error_of_a_validator_of_the_user_is_told_by_type_and_text(field, place):
    """Anything may be raised there."""
    assert {field or "": (f"{place}: KeyError: 'x'",)} == reasons_of(KeyError("x"), field)


def test_text_of_an_exception_is_bounded_and_may_fail():
    """The type alone is told where there is no text, or where making it raises."""

    class Silent(Exception):
        def __str__(self):
            raise RuntimeError

    assert "Silent" == raised(Silent())
    assert "ValueError" == raised(ValueError())
    assert 400 == len(raised(ValueError("x" * 1000)))


def test_invalid_state_with_one_reason_tells_it_in_one_line():
    """Fields and details are attributes too."""
    error = invalid_state("node 'a'", {"n": ["n: wrong"]}, "Mend.")

    assert "node 'a': n: wrong\nMend." == str(error)
    assert ("n",) == error.fields
    assert {"n": ("n: wrong",)} == error.details


def test_invalid_state_with_several_reasons_lists_them():
    """What concerns the whole state names no field."""
    error = invalid_state("start", {"": ("the state: odd",), "n": ("n: wrong",)})

    assert "start: \n  - the state: odd\n  - n: wrong" == str(error).rstrip()
    assert ("n",) == error.fields


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (["notse"], "'notse' is no field of the state"),
        (["a", 3], "'a', 3 are no fields of the state"),
        (list("abcdefg"), "'a', 'b', 'c', 'd', 'e' and 2 more are no fields of the state"),
    ],
)
def test_unknown_fields_are_listed_beside_those_there_are(names, what):
    """At most five; names that are no texts are shown."""
    error = unknown_fields("node 'n'", names, fields=["notes", "files"])

    assert what in str(error)
    assert "Fields: ['notes', 'files']" in str(error)
    assert tuple(map(str, names)) == error.fields
    assert {str(name): (f"{name}: is no field of the state",) for name in names} == error.details
    assert all(str(name) in all_reasons_of(error) for name in names)


def test_unknown_field_gets_the_nearest_right_name():
    """A slip of the fingers is mended by the message."""
    assert "Did you mean 'notes'?" in str(unknown_fields("n", ["notse"], fields=["notes", "files"]))


def test_unfit_carries_its_reasons():
    """As they were given."""
    assert {"a": ("x",)} == Unfit({"a": ("x",)}).reasons
