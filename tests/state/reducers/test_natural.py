"""What a field of the step family starts from where its class declares nothing."""

import dataclasses
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, model_validator
from typing_extensions import TypedDict

import graphnb as gn
from graphnb import END, UNSET, step
from graphnb.state.annotations.classes import MISSING
from graphnb.state.reducers.natural import natural_of
from graphnb.state.schema import schema_of, start_values


class Part(BaseModel):
    x: int
    y: int = 2


@pytest.mark.parametrize(
    ("reducer", "default", "natural"),
    [
        (step.append, MISSING, []),
        (step.union, UNSET, []),
        (step.sum, MISSING, 0),
        (step.merge, MISSING, {}),
        (step.last_value, MISSING, UNSET),
        (step.first_value, None, UNSET),
        (step.last_value, None, MISSING),
        (step.sum, 5, MISSING),
        (step.first_value, False, MISSING),
        (gn.append, MISSING, MISSING),
        (None, MISSING, MISSING),
    ],
)
def test_natural_start(reducer, default, natural):
    """The zero, or nothing; a declared default serves, also a false one."""
    assert natural == natural_of(reducer, list, default=default)


def test_model_starts_from_its_own_defaults():
    """What has none is not there yet."""

    class S(gn.State):
        part: Annotated[Part, step.merge]

    assert (2, False) == (S().part.y, hasattr(S().part, "x"))
    assert S().part is not S().part
    assert "Part(y=2)" == schema_of(S).fields["part"].default


class Address(TypedDict):
    street: str
    city: str


class Plain(gn.State):
    where: Annotated[Address, step.merge]


class Unset(gn.State):
    where: Annotated[Address, step.merge] = gn.UNSET


class Model(BaseModel):
    where: Annotated[Address, step.merge]


@dataclasses.dataclass
class Record:
    where: Annotated[Address, step.merge]


class Mapped(TypedDict):
    where: Annotated[Address, step.merge]


class Checked(gn.State):
    where: Annotated[Address, step.merge]
    total: Annotated[int, Field(ge=1), step.sum]
    tags: list[str] = Field(default_factory=lambda: ["a"])  # not taken on trust: the whole state is checked once more

    @model_validator(mode="after")
    def check(self) -> "Checked":
        return self


@pytest.mark.parametrize("cls", [Plain, Unset, Model, Record, Mapped, Checked])
def test_natural_zero_need_not_fit_the_type(cls):
    """A dict whose keys are all required begins empty, and is filled by one node after the other."""
    graph = gn.Graph(cls, entry="a")
    graph.node("a", lambda s: {"where": {"street": "Oak"}}, to="b")
    graph.node("b", lambda s: {"where": {"city": s["where"]["street"] if cls is Mapped else s.where["street"]}}, to=END)
    run = graph.run()
    found = run.state["where"] if cls is Mapped else run.state.where

    assert {"street": "Oak", "city": "Oak"} == found
    assert "{}" == schema_of(cls).fields["where"].default
    assert not graph.check()


def test_declared_default_and_given_value_have_to_fit():
    """Nobody said that they are nothing."""

    class Empty(gn.State):
        where: Annotated[Address, step.merge] = {}

    class Made(gn.State):
        where: Annotated[Address, step.merge] = Field(default_factory=dict)

    for cls, given in ((Empty, {}), (Made, {}), (Plain, {"where": {}}), (Plain, {"where": {"street": "Oak"}})):
        with pytest.raises(gn.StateValidationError, match=r"where\['city'\]: Field required"):
            start_values(schema_of(cls), given, "start")
