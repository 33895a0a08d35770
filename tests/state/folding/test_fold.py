"""Folding one update: all of it or nothing, the reducer's word before the validator's."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Mapping
from operator import add
from typing import Annotated, Any, NotRequired, TypedDict

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, model_validator

from graphnb.errors import InvalidUpdate, ReducerError, StateValidationError
from graphnb.state.folding.fold import fold
from graphnb.state.folding.writes import REPLACED, written_value
from graphnb.state.marks import UNSET, Replace
from graphnb.state.model import State
from graphnb.state.reducers.annotated import name_of
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all
from graphnb.state.schema import schema_of, start_values
from graphnb.state.values.detach import detach
from tests.state import future_states


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


@pytest.mark.parametrize("name", [1, None, ("cook",), b"cook"], ids=repr)
def test_key_that_is_no_text_is_no_field(name):
    """It is told like any other unknown name."""
    with pytest.raises(StateValidationError, match="no field of the state"):
        folded({name: 1, "cook": "ada"})


def test_table_with_the_fields_as_columns_is_no_update():
    """It has items, but is no mapping."""
    with pytest.raises(InvalidUpdate, match="returned DataFrame, want a dict of fields"):
        folded(pd.DataFrame({"cook": ["ada"]}))


def test_mapping_that_fails_on_the_way_is_no_update():
    """The fields that it gave before are not folded."""

    class Half(Odd):
        def __getitem__(self, key: str) -> Any:
            return "ada"

        def __iter__(self) -> Iterator[str]:
            yield "cook"
            raise RuntimeError("closed")

    with pytest.raises(InvalidUpdate, match=r"entries cannot be read \(RuntimeError: closed\)"):
        folded(Half())


def test_reducer_that_raises_is_called_once():
    """Telling what went wrong does not run user code again."""
    calls: list[int] = []

    def failing(prior: int, update: int) -> int:
        calls.append(update)
        raise ValueError("no")

    class Once(State):
        n: Annotated[int, failing] = 0

    with pytest.raises(ReducerError):
        fold(schema_of(Once), start_values(schema_of(Once), {}, "start"), {"n": 1}, "node 'cook'")
    assert [1] == calls


def test_validator_is_asked_once_per_write():
    """Also when another field fails."""
    calls: list[int] = []

    def counted(n: int) -> int:
        calls.append(n)
        return n

    class Counted(State):
        n: Annotated[int, AfterValidator(counted)] = 0
        m: int = 0

    values = start_values(schema_of(Counted), {"n": 0}, "start")
    calls.clear()
    with pytest.raises(StateValidationError):
        fold(schema_of(Counted), values, {"n": 1, "m": "x"}, "node 'cook'")

    assert [1] == calls


def test_validator_that_fails_otherwise_is_told():
    """Not every mistake in a validator is a ValueError."""

    class Broken(State):
        n: Annotated[int, AfterValidator({0: 0}.__getitem__)] = 0

    with pytest.raises(StateValidationError, match=r"n: KeyError: 1\nThe state declares n: int\.") as caught:
        fold(schema_of(Broken), start_values(schema_of(Broken), {}, "start"), {"n": 1}, "node 'cook'")

    assert isinstance(caught.value.__cause__, KeyError)


def test_custom_reducer_spoils_neither_default_nor_earlier_values():
    """It gets copies: one that extends its first argument, or changes the update, harms nobody."""

    def extend(prior: list[Any], update: list[Any]) -> list[Any]:
        prior.extend(update)
        update.append("spoilt")
        return prior

    class Spoils(State):
        log: Annotated[list[Any], extend] = ["d"]

    values = start_values(schema_of(Spoils), {}, "start")
    after, (change,) = fold(schema_of(Spoils), values, {"log": ["x"]}, "node 'cook'")

    assert (["d"], ["d", "x"], ["d"]) == (values["log"], after["log"], Spoils().log)
    assert (["d"], ["x"], ["d", "x"]) == (change.before, change.written, change.after)


def test_key_of_a_reducer_sees_what_was_written():
    """Folding comes before validating, so an item has not been turned into its type yet."""
    seen: list[type] = []

    def key(item: object) -> str:
        seen.append(type(item))
        return str(item)

    class Keyed(State):
        xs: Annotated[list[int], dedupe_append(key=key)] = [1]

    values, _ = fold(schema_of(Keyed), start_values(schema_of(Keyed), {}, "start"), {"xs": ["1", "2"]}, "node 'cook'")

    assert ([1, 2], [int, str, str]) == (values["xs"], seen)


def test_dict_becomes_the_model_it_stands_for():
    """What was there before is kept as it is, not dumped and read again."""

    class Egg(BaseModel):
        size: int

    class Box(State):
        best: Egg = Egg(size=1)
        eggs: Annotated[list[Egg], append] = []

    schema = schema_of(Box)
    values, _ = fold(schema, start_values(schema, {}, "start"), {"best": {"size": "2"}, "eggs": [{"size": 3}]}, "n")
    after, _ = fold(schema, values, {"eggs": [Egg(size=4)]}, "n")

    assert (Egg(size=2), [Egg(size=3), Egg(size=4)]) == (values["best"], after["eggs"].to_list())
    assert after["eggs"][0] is values["eggs"][0]


@pytest.mark.parametrize("name", ["cook", "anything"])
def test_unset_cannot_be_written(name):
    """It declares, and is no value; also where anything may be written."""

    class Open(Kitchen):
        anything: Any = None

    with pytest.raises(StateValidationError, match=name):
        fold(schema_of(Open), start_values(schema_of(Open), {}, "start"), {name: UNSET}, "node 'cook'")


class Thing:
    """Has neither equality nor truth nor text."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no equality")

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    __hash__ = None  # type: ignore[assignment]


def test_value_whose_own_code_fails_can_be_written_and_refused():
    """Neither equality nor truth nor text is needed of a value."""

    class Open(Kitchen):
        anything: Any = None

    schema = schema_of(Open)
    values, _ = fold(schema, start_values(schema, {}, "start"), {"anything": [Thing()]}, "node 'cook'")

    assert isinstance(values["anything"][0], Thing)
    with pytest.raises(StateValidationError, match=r"cook: .*, not Thing: <Thing>"):
        fold(schema, values, {"cook": Thing()}, "node 'cook'")
    with pytest.raises(ReducerError, match="refused the update <Thing>"):
        fold(schema, values, {"orders": Thing()}, "node 'cook'")


@pytest.mark.parametrize(
    "make", [lambda huge: {"luck": Replace(huge)}, lambda huge: {"orders": huge}, dict.fromkeys, str]
)
def test_message_about_a_huge_value_is_short(make):
    """Twenty megabytes, as a value, as a name or instead of an update."""
    huge = "x" * 20_000_000
    with pytest.raises((StateValidationError, ReducerError, InvalidUpdate)) as caught:
        fold(SCHEMA, START, make([huge] if make is dict.fromkeys else huge), "node 'cook'")

    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize(
    "reducer",
    [
        append,
        concat_flatten,
        bounded_append(1),
        dedupe_append(),
        merge_by_key(str),
        last_write_wins,
        merge,
        merge_all,
        max,
    ],
    ids=name_of,
)
def test_replace_works_with_every_reducer(reducer):
    """Also for a value that the reducer would never give, such as one beyond the bound."""
    is_dict = reducer in (merge, merge_all)
    kind, value = (dict[str, int], {"a": 1, "b": 2}) if is_dict else (list[int], [1, 2, 2])
    made = type("Made", (State,), {"__annotations__": {"x": Annotated[kind, reducer]}, "__module__": __name__})
    schema = schema_of(made)
    start = start_values(schema, {"x": {} if is_dict else []}, "start")

    assert value == fold(schema, start, {"x": Replace(value)}, "node 'cook'")[0]["x"]


def test_dataclass_with_a_post_init_is_checked_as_a_whole():
    """It may derive a field, and refuse."""
    schema = schema_of(future_states.Checked)
    values, folds = fold(schema, start_values(schema, {"a": 1}, "start"), {"a": "4"}, "node 'cook'")

    assert ({"a": 4, "double": 8, "xs": []}, ["a", "double"]) == (values, [each.field for each in folds])
    with pytest.raises(StateValidationError, match="the state: ValueError: a must not be negative"):
        fold(schema, values, {"a": -1}, "node 'cook'")


updates = st.fixed_dictionaries(
    {},
    optional={
        "orders": st.lists(st.integers(0, 9), max_size=3),
        "notes": st.lists(st.lists(st.text("ab", max_size=1), max_size=2), max_size=2),
        "stock": st.dictionaries(st.sampled_from("abc"), st.integers(0, 9), max_size=2),
        "cook": st.text("ab", max_size=2),
    },
)


@given(st.lists(st.tuples(st.integers(0, 20), updates), max_size=8))
def test_no_values_ever_change_whatever_is_folded_onto_which(steps):
    """Going back to earlier values and on another way leaves the first way alone, and equals folding by hand."""
    versions, by_hand = [START], [detach(START)]
    for which, update in steps:
        at = which % len(versions)
        before = by_hand[at]
        versions.append(fold(SCHEMA, versions[at], update, "node 'cook'")[0])
        by_hand.append(
            {
                **before,
                "orders": [*before["orders"], *update.get("orders", [])],
                "notes": [*before["notes"], *(note for part in update.get("notes", []) for note in part)],
                "stock": {**before["stock"], **update.get("stock", {})},
                "cook": update.get("cook", before["cook"]),
            }
        )

    assert by_hand == [detach(each) for each in versions]


def test_key_that_knows_more_than_its_text_names_the_field():
    """A member of a text enum writes the field, and the log says the field's name."""

    class Name(enum.StrEnum):
        ORDERS = "orders"

    _, (change,) = fold(SCHEMA, START, {Name.ORDERS: [2]}, "node 'cook'")

    assert str is type(change.field)
    assert "orders" == change.field


def test_write_is_what_the_node_wrote_although_the_class_changed_the_value():
    """A `__post_init__` that sorts the list leaves the write alone, and a Replace stays marked."""

    @dataclasses.dataclass
    class Sorted:
        numbers: Annotated[list[int], append]
        stock: Annotated[dict[str, int], merge] = dataclasses.field(default_factory=dict)

        def __post_init__(self) -> None:
            self.numbers = sorted(self.numbers)

    schema = schema_of(Sorted)
    start = start_values(schema, {"numbers": [3, 2]}, "start")
    values, folds = fold(schema, start, {"numbers": [1], "stock": {"a": 1}}, "node 'a'")
    _, (replaced,) = fold(schema, start, {"numbers": Replace([5, 4])}, "node 'a'")

    assert [1, 2, 3] == values["numbers"].to_list()
    assert [[1], {"a": 1}] == [written_value(each.written, each.before, each.after) for each in folds]
    assert REPLACED is replaced.written


def test_value_of_a_reducer_that_does_not_fit_names_the_reducer() -> None:
    """The node has written something else: the message leads to the reducer."""

    def shout(prior: list[int], update: list[int]) -> Any:
        return "zz"

    class S(State):
        items: Annotated[list[int], shout] = []

    schema = schema_of(S)
    with pytest.raises(StateValidationError) as caught:
        fold(schema, start_values(schema, {}, "start"), {"items": [1]}, "node 'a'")

    assert "The state declares items: list[int]. What does not fit items is what its reducer" in caught.value.mend
    assert caught.value.mend.endswith("shout gave.")


def test_replaced_value_that_does_not_fit_names_no_reducer() -> None:
    """A Replace goes past the reducer."""

    class S(State):
        total: Annotated[int, add] = 0

    schema = schema_of(S)
    with pytest.raises(StateValidationError) as caught:
        fold(schema, start_values(schema, {}, "start"), {"total": Replace("x")}, "node 'a'")

    assert "The state declares total: int." == caught.value.mend


def test_asynchronous_reducer_is_refused_in_words() -> None:
    """Nothing would await it; the coroutine is closed, so that Python does not warn."""

    async def later(prior: int, update: int) -> int:
        return prior + update

    class S(State):
        total: Annotated[int, later] = 0

    schema = schema_of(S)
    with pytest.raises(ReducerError, match="an asynchronous function cannot be a reducer"):
        fold(schema, start_values(schema, {}, "start"), {"total": 1}, "node 'a'")


def test_append_to_an_unset_field_of_a_typeddict_is_given_a_way_that_exists() -> None:
    """A TypedDict cannot declare a default."""

    class T(TypedDict):
        items: NotRequired[Annotated[list[int], append]]

    schema = schema_of(T)
    with pytest.raises(ReducerError) as caught:
        fold(schema, start_values(schema, {}, "start"), {"items": [1]}, "node 'a'")

    assert (
        "The field has no value yet: pass one when the run starts, or write gn.Replace(value) first."
        == caught.value.mend
    )
