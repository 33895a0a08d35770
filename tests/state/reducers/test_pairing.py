"""Which types a reducer of the step family folds, and what a state class is told about the others."""

from typing import Annotated, Any, TypedDict

import pytest
from pydantic import BaseModel, Field

import graphnb as gn
from graphnb import step
from graphnb.state.reducers.pairing import fits_type, numbers_in
from graphnb.state.reducers.step import STEP_REDUCERS


class Part(BaseModel):
    x: int = 0


class Entry(TypedDict):
    x: int


LISTS = [list, list[int], Annotated[list[str], Field(max_length=3)]]
NUMBERS = [int, float, int | float, Annotated[int, Field(le=3)], Annotated[int, Field(le=3)] | float]
DICTS = [dict, dict[str, int], Entry, Part]
NONE = [str, bool, Any, int | None, list[int] | None, tuple[int, ...], set[int], None]
EVERY = [*LISTS, *NUMBERS, *DICTS, *NONE]


@pytest.mark.parametrize(
    ("name", "fitting"),
    [
        ("append", LISTS),
        ("union", LISTS),
        ("sum", NUMBERS),
        ("merge", DICTS),
        ("first_value", EVERY),
        ("last_value", EVERY),
    ],
)
def test_each_reducer_folds_its_own_types_alone(name, fitting):
    """True is no number, and None is nothing that could be folded."""
    assert fitting == [each for each in EVERY if fits_type(STEP_REDUCERS[name], each)]


def test_numbers_of_a_type():
    """An int may stand for a float, and not the other way round."""
    assert [(int,), (int, float), (int, float), None] == [numbers_in(each) for each in (int, float, int | float, bool)]


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (
            Annotated[str, step.append],
            "state S, field 'f': step.append cannot fold a str\n"
            "Declare a list: Annotated[list[...], step.append]. "
            "To write whole values, declare the field without a reducer.",
        ),
        (Annotated[set[int], step.union(by="id")], "step.union(by='id') cannot fold a set[int]\nDeclare a list"),
        (Annotated[int | None, step.sum], "step.sum cannot fold a int | None\nDeclare a number"),
        (Annotated[list[int], step.merge(deep=True)], "step.merge(deep=True) cannot fold a list[int]\nDeclare a dict"),
    ],
)
def test_mismatch_is_refused_when_the_graph_is_made(annotation, message):
    """With the field, the type, and what to write instead."""
    state = type("S", (gn.State,), {"__annotations__": {"f": annotation}, "f": gn.UNSET})
    with pytest.raises(gn.ReducerSchemaMismatch) as caught:
        gn.Graph(state)

    assert message in str(caught.value)
    assert "reducer_schema_mismatch" == caught.value.category
    assert isinstance(caught.value, gn.ReducerConfigurationInvalid)


def test_two_families_on_one_field_are_two_reducers():
    """Which of them should fold?"""

    class S(gn.State):
        f: Annotated[list[int], gn.append, step.append] = []

    with pytest.raises(gn.ConflictingReducers, match=r"has 2 reducers: append, step\.append"):
        gn.Graph(S)


def test_reducer_within_the_type_or_as_text_is_refused():
    """As for the strict family."""

    class Within(gn.State):
        f: list[Annotated[int, step.sum]] = []

    class Text(gn.State):
        f: Annotated[list[int], "step.append"] = []

    with pytest.raises(gn.ReducerConfigurationInvalid, match=r"reducer step\.sum stands inside the type"):
        gn.Graph(Within)
    with pytest.raises(gn.ReducerConfigurationInvalid, match=r"Write step\.append without quotes"):
        gn.Graph(Text)
