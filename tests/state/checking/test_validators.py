"""Validators that are made late and whose results the caller owns."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import TypedDict

from graphnb.state.checking.validators import Validator
from graphnb.state.marks import UNSET, NoValue


class Loose(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    items: list[int] = []


class Entries(TypedDict):
    n: int


def test_validator_is_built_at_the_first_check():
    """A type that pydantic knows nothing of is found out only then, not when it is declared."""
    validator = Validator(object.__new__, None)

    with pytest.raises(Exception, match="schema"):
        validator.check(1)


def test_second_check_uses_what_the_first_one_built():
    """The stand-in is gone."""
    validator = Validator(int, None)

    assert [3, 4] == [validator.check("3"), validator.check("4")]
    assert validator.check == validator.check
    assert "_check_first" not in repr(validator.check)


@pytest.mark.parametrize("annotation", [list[int], Any, list[Any], list[Loose], Loose])
def test_result_shares_nothing_with_the_value(annotation):
    """Whether pydantic copies or we have to."""
    value = Loose(items=[1]) if annotation is Loose else [Loose(items=[1])] if annotation == list[Loose] else [1]
    checked = Validator(annotation, None).check(value)

    assert value == checked
    assert value is not checked
    if annotation == list[Loose]:
        assert value[0] is not checked[0]
        assert value[0].items is not checked[0].items


def test_type_with_a_configuration_of_its_own_takes_none():
    """A model keeps its own words; a bare type takes those of the state class."""
    config = ConfigDict(strict=True)

    assert [1] == Validator(Loose, config).check({"items": ["1"]}).items
    with pytest.raises(ValidationError):
        Validator(int, config).check("1")


def test_unset_is_no_value_even_of_any():
    """It belongs in a declaration."""
    with pytest.raises(ValidationError, match="UNSET belongs in a declaration and cannot be written"):
        Validator(Any, None).check(UNSET)


@pytest.mark.parametrize("annotation", [Any, object, list, dict, list[Any]])
def test_what_is_no_value_is_refused_with_the_way_to_it(annotation):
    """A type such as Any would let it pass; a key that is no text is told as it is shown."""
    check = Validator(annotation, None).check
    given = {(1, 2): NoValue()} if annotation is dict else [0, NoValue()] if annotation != Any else NoValue()
    with pytest.raises(ValidationError) as caught:
        check(given)

    (fault,) = caught.value.errors()
    assert ("no_value", "Input should be a value") == (fault["type"], fault["msg"])
    assert (() if annotation is Any else ("(1, 2)",) if annotation is dict else (1,)) == fault["loc"]


def test_kind_is_kept():
    """List, dict or None."""
    assert [list, None] == [Validator(list[int], None, kind=list).kind, Validator(Entries, None).kind]


def test_configuration_of_the_state_counts_for_a_typeddict():
    """As it does where pydantic validates the whole state; keys that are not declared went lost without a word."""
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Validator(Entries, {"extra": "forbid"}).check({"n": 1, "m": 2})

    assert {"n": 1} == Validator(Entries, {"extra": "forbid"}).check({"n": "1"})
    assert {"n": 1} == Validator(Entries, None).check({"n": 1, "m": 2})
