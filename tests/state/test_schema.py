"""Where a run starts from, and what a user gets back."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from typing import Annotated, Any, TypedDict

import pytest
from pydantic import Field, model_validator

from graphnb.errors import InvalidDeclaration, StateValidationError
from graphnb.state.marks import UNSET
from graphnb.state.model import State
from graphnb.state.reducers.strict import append
from graphnb.state.schema import schema_of, start_values, state_of
from graphnb.state.values.grown import GrownList


class Trip(State):
    """A state with every kind of default."""

    train: str
    stops: Annotated[list[str], append] = ["home"]
    delays: dict[str, int] = Field(default_factory=dict)
    seat: str = UNSET


class Checked(State):
    """A state that checks itself as a whole."""

    low: int = 0
    high: int = 9

    @model_validator(mode="after")
    def in_order(self) -> Checked:
        """Low stays below high."""
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Plain(TypedDict):
    """A state as a dict."""

    train: str


@dataclasses.dataclass
class Record:
    """A state as a dataclass."""

    train: str


@dataclasses.dataclass
class Twin:
    """Another class with the fields of `Record`, as a cell that was run again makes one."""

    train: str


@dataclasses.dataclass
class Seat:
    """A record that may be changed."""

    numbers: list[int]


def start(cls: Any, given: Any) -> dict[str, Any]:
    """The values a run of the class starts from."""
    return start_values(schema_of(cls), given, "graph 'trip', start")


def test_schema_is_made_once_per_class():
    """Two calls give the same record, named after the class."""
    schema = schema_of(Trip)

    assert schema is schema_of(Trip)
    assert "Trip" == schema.name


@pytest.mark.parametrize("no_class", [3, "Trip", None, Trip(train="T1")])
def test_what_is_no_class_is_refused(no_class):
    """The message shows what was given."""
    with pytest.raises(InvalidDeclaration, match="takes a state class, not"):
        schema_of(no_class)


def test_class_that_is_no_state_is_refused():
    """A plain class has no declared fields."""
    with pytest.raises(InvalidDeclaration, match=r"no gn\.State, pydantic model, dataclass or TypedDict"):
        schema_of(int)


def test_start_makes_defaults_anew():
    """Growing what one run starts from leaves the next one alone."""
    first, second = start(Trip, {"train": "T1"}), start(Trip, {"train": "T1"})

    assert isinstance(first["stops"], GrownList)
    assert ["home", "x"] == first["stops"].extended(["x"]).to_list()
    assert ["home"] == second["stops"].to_list()
    assert UNSET is first["seat"]


def test_start_keeps_nothing_of_the_caller():
    """Changing the caller's list afterwards changes no value."""
    mine = ["a"]
    values = start(Trip, {"train": "T1", "stops": mine})
    mine.append("b")

    assert ["a"] == values["stops"].to_list()


@pytest.mark.parametrize("given", [Trip(train="T1", stops=["a"]), {"train": "T1", "stops": ["a"]}])
def test_start_takes_an_instance_or_fields(given):
    """Both start from the same values."""
    values = start(Trip, given)

    assert ("T1", ["a"]) == (values["train"], values["stops"].to_list())


@pytest.mark.parametrize("cls", [Trip, Record])
def test_start_takes_the_view_that_a_node_was_given(cls):
    """A node may hand its state on to another graph, also while a field of it is unset."""
    values = start(cls, {"train": "T1"})

    assert values == start(cls, schema_of(cls).view(values, "a"))


def test_start_takes_an_instance_of_a_class_with_the_same_fields():
    """As after the class's cell was run again."""
    assert {"train": "T1"} == start(Record, Twin("T1"))


@pytest.mark.parametrize("given", [3, "T1", Record("T1")])
def test_start_from_something_else_is_refused(given):
    """The message names the state and its fields."""
    with pytest.raises(InvalidDeclaration, match=r"starts from a Trip or from fields by name, not from .*\n.*'train'"):
        start(Trip, given)


def test_unknown_field_is_refused_with_the_nearest_name():
    """A misspelt name is an error, not a silent default."""
    with pytest.raises(StateValidationError, match="'trian' is no field of the state") as caught:
        start(Trip, {"trian": "T1"})

    assert ("trian",) == caught.value.fields
    assert "Did you mean 'train'?" in str(caught.value)


def test_missing_fields_are_told_with_what_else_is_wrong():
    """All at once, and with an offer that can be copied."""
    with pytest.raises(StateValidationError) as caught:
        start(Trip, {"stops": [3]})

    assert {"train", "stops"} == set(caught.value.fields)
    assert 'train: str = ""' in caught.value.mend


def test_wrong_values_are_told_together():
    """Every offending field with its path, and what the state declares."""
    with pytest.raises(StateValidationError) as caught:
        start(Trip, {"train": 3, "stops": ["a", 4]})

    assert ("train", "stops") == caught.value.fields
    assert caught.value.details["stops"][0].startswith("stops[1]: ")
    assert "The state declares train: str; stops: list[str]" in str(caught.value)


def test_wrong_default_is_found_at_the_start():
    """Defaults enter the state like any value."""

    class Wrong(State):
        count: int = "many"  # type: ignore[assignment]

    with pytest.raises(StateValidationError, match="count: Input should be a valid integer"):
        start(Wrong, {})


def test_class_validator_speaks_for_the_whole_state():
    """Its complaint belongs to no single field, so no declaration is quoted."""
    with pytest.raises(StateValidationError, match="low is above high") as caught:
        start(Checked, {"low": 10})

    assert "The state declares" not in str(caught.value)


def test_state_of_is_the_users_class_with_values_of_the_callers_own():
    """Changing the instance's list leaves the kept value alone."""
    values = start(Trip, {"train": "T1"})
    state = state_of(schema_of(Trip), values)
    state.stops.append("x")

    assert Trip is type(state)
    assert ["home"] == values["stops"].to_list()
    assert {"train": "T1"} == state_of(schema_of(Plain), start(Plain, {"train": "T1"}))


def test_default_is_never_shared_between_runs():
    """Neither a nested list, nor a record, nor what a factory makes from other fields."""

    class Plans(State):
        days: list[list[int]] = [[1]]
        seat: Seat = Seat([1])
        made: Any = Field(default_factory=lambda given: [given["days"]])

    one, other = start(Plans, {}), start(Plans, {})
    one["days"][0].append(2)
    one["seat"].numbers.append(2)
    one["made"][0].append(2)

    assert ([[1]], Seat([1]), [[[1]]]) == (other["days"], other["seat"], other["made"])
    assert [[1]] == Plans().days


def test_factory_that_was_not_called_is_not_blamed():
    """Pydantic leaves it out because of another field, and that one is told."""

    class Derived(State):
        low: int
        high: list[int] = Field(default_factory=lambda given: [given["low"]])

    with pytest.raises(StateValidationError) as caught:
        start(Derived, {"low": "x"})

    assert ("low",) == caught.value.fields
    assert [3] == start(Derived, {"low": "3"})["high"]


def test_missing_fields_are_offered_a_default_of_their_type():
    """Each of them, and how to declare a field that a node writes later."""

    class Needs(State):
        question: str
        items: list[int]
        ratio: float
        seat: Seat

    with pytest.raises(StateValidationError) as caught:
        start(Needs, {})

    assert caught.value.mend == (
        'Pass it when the run starts, or declare a default: question: str = ""; items: list[int] = []; '
        "ratio: float = 0.0; seat: Seat = gn.UNSET. For one that a node writes later: = gn.UNSET."
    )


def test_class_that_nobody_uses_is_forgotten_with_its_schema():
    """A state class whose cell is run again does not stay behind."""

    class Gone(State):
        n: int = 0

    schema_of(Gone)
    known = weakref.ref(Gone)
    del Gone
    gc.collect()

    assert known() is None


def test_missing_field_of_a_typeddict_is_not_offered_a_default():
    """A TypedDict ignores one."""

    class T(TypedDict):
        items: list[int]

    with pytest.raises(StateValidationError) as caught:
        start_values(schema_of(T), {}, "start")

    assert caught.value.mend.startswith("Pass it when the run starts: a TypedDict has no defaults")


def test_missing_list_of_a_dataclass_is_offered_a_factory():
    """A dataclass takes no list as a default."""

    @dataclasses.dataclass
    class D:
        items: list[int]
        n: int

    with pytest.raises(StateValidationError) as caught:
        start_values(schema_of(D), {}, "start")

    assert "items: list[int] = dataclasses.field(default_factory=list); n: int = 0." in caught.value.mend
