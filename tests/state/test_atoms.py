"""What may be shared without a copy: values, and types whose values all may."""

import dataclasses
import datetime
import decimal
import enum
import pathlib
import re
from collections import namedtuple
from typing import Annotated, Any, Literal, Optional

import pytest
from annotated_types import Len
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr

from graphnb.state.atoms import can_refuse, is_atom, is_atomic, is_copied, levels_of
from graphnb.state.marks import UNSET


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


@pytest.mark.parametrize(
    ("annotation", "is_so"),
    [
        (int, True),
        (None, True),
        (Color, True),
        (pathlib.Path, True),
        (Literal["a", 1], True),
        (int | None, True),
        (Optional[str], True),  # noqa: UP045  users write it
        (tuple[int, ...], True),
        (tuple[int, str], True),
        (frozenset[int], True),
        (Annotated[int, Field(gt=1)], True),
        (Annotated[int, AfterValidator(lambda x: [x])], False),
        (tuple, False),
        (tuple[list[int], ...], False),
        (int | list[int], False),
        (list[int], False),
        (Frozen, False),
        (Any, False),
    ],
)
def test_type_is_atomic_if_all_its_values_are_atoms(annotation, is_so):
    """A frozen record is none: a value may be of a subclass; a validator may give anything."""
    assert is_so == is_atomic(annotation)


@pytest.mark.parametrize(
    ("annotation", "copied", "refuses"),
    [
        (int, True, True),
        (list[int], True, True),
        (dict[str, list[int]], True, True),
        (tuple[list[int], ...], True, True),
        (list[int] | None, True, True),
        (Annotated[list[int], Len(1)], True, True),
        (set[int], True, False),
        (frozenset[list[int]], True, False),
        (Annotated[list[int], AfterValidator(sorted)], False, False),
        (list, False, False),
        (list[Any], False, False),
        (list[Mutable], False, False),
        (Mutable, False, False),
    ],
)
def test_type_is_copied_by_validation_and_can_refuse_as_far_as_its_parts_do(annotation, copied, refuses):
    """Sets are copied but cannot refuse; nothing is known of bare containers and of records."""
    assert (copied, refuses) == (is_copied(annotation), can_refuse(annotation))


@pytest.mark.parametrize(
    ("annotation", "levels"),
    [
        (list[int], 1),
        (dict[str, tuple[int, ...]], 1),
        (list[dict[str, int]], 2),
        (Annotated[list[list[list[int]]], Len(1)], 3),
        (list[Annotated[list[int], AfterValidator(sorted)]], 0),
        (Annotated[list[int], AfterValidator(sorted)], 0),
        (list, 0),
        (int, 0),
        (list[int] | None, 0),
    ],
)
def test_levels_count_lists_and_dicts_above_atoms(annotation, levels):
    """0 as soon as one value might have another number of levels."""
    assert levels == levels_of(annotation)
