"""Folding one update: all of it or nothing, the reducer's word before the validator's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import pytest
from pydantic import model_validator

from graphnb.errors import InvalidUpdate, ReducerError, StateValidationError
from graphnb.state.fold import fold
from graphnb.state.marks import UNSET, Replace
from graphnb.state.model import State
from graphnb.state.schema import schema_of, start_values
from graphnb.state.strict import append, concat_flatten, merge


def picky(prior: int, update: int) -> int:
    """A reducer that refuses the number 13."""
    if update == 13:
        raise ValueError("unlucky")
    return prior + update


class Kitchen(State):
    """What the examples fold into."""

    cook: str = ""
    orders: Annotated[list[int], append] = [1]
    notes: Annotated[list[str], concat_flatten] = []
    stock: Annotated[dict[str, int], merge] = {}
    luck: Annotated[int, picky] = 0
    later: Annotated[list[int], append] = UNSET


class Rounded(State):
    """A class whose validator changes another field than the one that was written."""

    price: float = 0.0
    cents: int = 0

    @model_validator(mode="before")
    @classmethod
    def in_cents(cls, given: Any) -> Any:
        """Cents follow the price; negative prices are refused."""
        if given.get("price", 0) < 0:
            raise ValueError("a price is not negative")
        return {**given, "cents": round(given.get("price", 0) * 100)}


class Odd(Mapping[str, Any]):
    """A mapping that fails when it is read."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("closed")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("closed")

    def __len__(self) -> int:
        return 1


SCHEMA = schema_of(Kitchen)
START = start_values(SCHEMA, {}, "start")


def folded(update: Any) -> dict[str, Any]:
    """The changed fields after the update, as plain values."""
    values, folds = fold(SCHEMA, START, update, "node 'cook'")
    assert [each.field for each in folds] == list(update)
    return {name: getattr(values[name], "to_list", lambda name=name: values[name])() for name in update}


def test_every_field_is_folded_by_its_reducer():
    """In one update, in the update's order."""
    got = folded({"cook": "ada", "orders": [2], "notes": [["a"], []], "luck": 2})

    assert {"cook": "ada", "orders": [1, 2], "notes": ["a"], "luck": 2} == got


def test_prior_values_stay_as_they_were():
    """A fold makes new values and leaves those before it alone."""
    fold(SCHEMA, START, {"orders": [2], "stock": {"egg": 1}}, "node 'cook'")

    assert ([1], {}) == (START["orders"].to_list(), START["stock"].to_dict())


def test_update_may_be_any_mapping():
    """Not only a dict."""
    assert {"cook": "bo"} == folded(type("Own", (dict,), {})(cook="bo"))


def test_replace_goes_round_the_reducer():
    """The value is validated as the whole field and marked in the fold."""
    values, (change,) = fold(SCHEMA, START, {"orders": Replace(["7"])}, "node 'cook'")

    assert [7] == values["orders"].to_list()
    assert "Replace" == change.reducer


def test_replace_sets_a_field_that_has_no_value_yet():
    """A reducer has nothing to fold into there."""
    assert {"later": [1]} == folded({"later": Replace([1])})
    with pytest.raises(ReducerError, match=r"The field has no value yet: declare one \(= \[\] and the like\)"):
        folded({"later": [1]})


@pytest.mark.parametrize("update", [None, [1], "cook", 3])
def test_update_that_is_no_mapping_is_refused(update):
    """The message shows what came back and what is wanted."""
    with pytest.raises(InvalidUpdate, match=r"node 'cook': returned .*\nReturn a dict such as"):
        fold(SCHEMA, START, update, "node 'cook'")


def test_update_that_cannot_be_read_is_refused():
    """What the mapping raised is told."""
    with pytest.raises(InvalidUpdate, match=r"entries cannot be read \(RuntimeError: closed\)"):
        fold(SCHEMA, START, Odd(), "node 'cook'")


def test_unknown_fields_are_refused_all_at_once():
    """With the nearest name of the first."""
    with pytest.raises(StateValidationError, match=r"Did you mean 'cook'\?") as caught:
        folded({"cok": "x", "order": 1})

    assert ("cok", "order") == caught.value.fields


def test_reducer_error_names_field_reducer_and_update():
    """And how to set the field all the same, for a strict reducer."""
    with pytest.raises(ReducerError, match=r"field 'orders': reducer append refused the update 5") as caught:
        folded({"orders": 5})

    assert ("orders", "append") == (caught.value.field, caught.value.reducer)
    assert "gn.Replace(value)" in caught.value.mend


def test_custom_reducer_error_is_the_cause():
    """The message says how the reducer was called."""
    with pytest.raises(ReducerError, match="called as \\(prior, update\\)") as caught:
        folded({"luck": 13})

    assert isinstance(caught.value.__cause__, ValueError)


def test_reducer_error_comes_before_validation():
    """All fields are folded raw first, also those that stand behind one of a wrong type."""
    with pytest.raises(ReducerError):
        folded({"cook": 3, "orders": 5})


def test_every_wrong_field_is_told():
    """Not only the first, each with what the state declares."""
    with pytest.raises(StateValidationError) as caught:
        folded({"cook": 3, "orders": ["x"], "stock": {"egg": "many"}})

    assert ("cook", "orders", "stock") == caught.value.fields
    assert "The state declares cook: str; orders: list[int]; stock: dict[str, int]." in str(caught.value)


def test_class_validator_may_change_another_field():
    """That field gets a fold of its own, which names the validator."""
    schema = schema_of(Rounded)
    values, folds = fold(schema, start_values(schema, {}, "start"), {"price": 1.5}, "node 'till'")

    assert (1.5, 150) == (values["price"], values["cents"])
    assert [("price", "last_write_wins"), ("cents", "validator")] == [(each.field, each.reducer) for each in folds]


def test_class_validator_may_refuse_the_state():
    """Nothing is changed then."""
    schema = schema_of(Rounded)
    with pytest.raises(StateValidationError, match="a price is not negative"):
        fold(schema, start_values(schema, {}, "start"), {"price": -1.0}, "node 'till'")


def test_empty_update_changes_nothing():
    """No folds, the same values."""
    assert (START, ()) == fold(SCHEMA, START, {}, "node 'cook'")
