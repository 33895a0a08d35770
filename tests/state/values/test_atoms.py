"""Which values may be shared without a copy."""

import dataclasses
import datetime
import decimal
import enum
import pathlib
import re
from collections import namedtuple
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, PrivateAttr

from graphnb.state.marks import UNSET
from graphnb.state.values.atoms import is_atom


class Color(enum.Enum):
    red = 1


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    x: int = 0
    y: tuple[str, ...] = ()


class FrozenWithList(BaseModel):
    model_config = ConfigDict(frozen=True)
    x: list[int] = []


class FrozenWithMore(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")
    x: int = 0


class FrozenWithScratch(BaseModel):
    model_config = ConfigDict(frozen=True)
    _scratch: list[int] = PrivateAttr([])


class FrozenWithValidator(BaseModel):
    model_config = ConfigDict(frozen=True)
    x: Annotated[int, AfterValidator(lambda x: [x])] = 0


class Mutable(BaseModel):
    x: int = 0


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class SlottedPoint:
    x: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Listed:
    x: list[int]


@dataclasses.dataclass(frozen=True)
class Unresolved:
    x: "NoSuchName"  # noqa: F821  that is the case


@dataclasses.dataclass
class Loose:
    x: int = 0


class Loosened(Point):
    """A frozen dataclass does not keep a subclass from new attributes."""


Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    "value",
    [
        *(1, True, 1.5, 1j, "a", b"a", None, range(3), ..., UNSET, len, int, Color.red, Color),
        *(datetime.date(2020, 1, 1), decimal.Decimal(1), pathlib.Path("a"), re.compile("a")),
        *((), (1, ("a",)), frozenset({1}), Pair(1, "a")),
        *(Frozen(x=1, y=("a",)), Point(1, (2,)), SlottedPoint((1,))),
    ],
)
def test_value_that_cannot_change_is_an_atom(value):
    """Scalars, enum members, classes, and tuples and frozen records of atoms."""
    assert is_atom(value)


@pytest.mark.parametrize(
    "value",
    [
        *([], {}, set(), bytearray(), ([1],), ({},), Pair(1, [])),
        *(object(), Mutable(), Loose(), Listed([1]), Unresolved(1)),
        *(FrozenWithList(), FrozenWithMore(), FrozenWithScratch(), FrozenWithValidator()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_value_that_may_change_is_no_atom(value):
    """Containers, objects, and records that are not frozen or may hold what can change."""
    assert not is_atom(value)


@pytest.mark.parametrize(
    "value",
    [Point(1, [2]), SlottedPoint([1]), Frozen.model_construct(y=[1])],
    ids=["dataclass", "slots", "unvalidated model"],
)
def test_frozen_record_that_holds_a_list_against_its_types_is_no_atom(value):
    """Nobody checks the arguments of a dataclass: what it really holds decides."""
    assert not is_atom(value)


def test_frozen_record_with_an_attribute_of_a_subclass_is_no_atom():
    """A subclass takes new attributes although its base is frozen."""
    point = Loosened(1)
    point.more = []

    assert not is_atom(point)


def test_tuple_nested_too_deep_is_no_atom():
    """What cannot be looked through is not shared, and nothing is raised."""
    value: Any = ()
    for _ in range(5000):
        value = (value,)

    assert not is_atom(value)
