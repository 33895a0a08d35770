"""Validation that coerces nothing and keeps what was given."""

import datetime
import decimal
import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypeVar

import numpy as np
import pytest
from pydantic import AfterValidator, BaseModel, Discriminator, Field, Tag, ValidationError
from typing_extensions import TypeAliasType, TypedDict

from graphnb.state.checking.exact import ExactValidator
from graphnb.state.checking.reasons import reasons_of
from graphnb.state.marks import UNSET
from graphnb.state.storable.values import is_exact


class Point(BaseModel):
    x: int


@dataclass
class Pair:
    x: int


class Size(enum.IntEnum):
    ONE = 1


class Colour(enum.StrEnum):
    RED = "red"


class Card(TypedDict):
    level: Literal[1, 2]
    share: NotRequired[Annotated[float, Field(le=1)]]


class Tree(TypedDict):
    weight: Literal[0]
    branches: "list[Tree]"


class Loose(TypedDict):
    __pydantic_config__ = {"extra": "forbid"}
    level: Literal[1]


class Cat(TypedDict):
    kind: Literal["cat"]
    lives: int


class Dog(TypedDict):
    kind: Literal["dog"]
    age: int


Item = TypeVar("Item")
One = TypeAliasType("One", Literal[1])
Short = TypeAliasType("Short", Annotated[int, Field(le=9)])
Many = TypeAliasType("Many", list[Item], type_params=(Item,))
Nested = TypeAliasType("Nested", "list[Nested] | int")
Pet = Annotated[Cat | Dog, Field(discriminator="kind")]
Told = Annotated[
    Annotated[int, Tag("i")] | Annotated[str, Tag("s")],
    Discriminator(lambda each: "i" if isinstance(each, int) else "s"),
]
RING: list[Any] = []
RING.append(RING)
NAN, INFINITY = math.nan, math.inf
DATE = datetime.date(2026, 1, 1)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (float, 1),
        (float, 1.5),
        (int, 10**30),
        (int | None, None),
        (float | str, 1),
        (list[float], [1, 2.0]),
        (dict[str, list[float]], {"a": [1]}),
        (tuple[float, ...], (1, 2.5)),
        (tuple[int, str], (1, "a")),
        (Annotated[float, Field(le=3)], 3),
        (list[Annotated[float, Field(le=3)] | None], [1, None]),
        (Any, {"a": [True, 1.0]}),
        (Point, Point(x=1)),
        (Pair, Pair(1)),
        (datetime.date, DATE),
        (Literal["a", 1], 1),
        (Size, Size.ONE),
        (set[int], {1}),
        (Literal[True, None], None),
        (Literal[Size.ONE, Colour.RED], Colour.RED),
        (Literal["red"] | int, "red"),
        (dict[Literal[0], str], {0: "a"}),
        (Card, {"level": 2, "share": 1}),
        (Card, {"level": 1}),
        (Tree, {"weight": 0, "branches": [{"weight": 0, "branches": []}]}),
        (Loose, {"level": 1}),
        (Pet, {"kind": "dog", "age": 3}),
        (Told, "a"),
        (One, 1),
        (Short, 9),
        (Many[float], [1]),
        (Nested, [[1]]),
        (Sequence[Annotated[int, Field(ge=1)]], [1]),
        (list, [1.5]),
        (tuple[()], ()),
    ],
)
def test_what_fits_is_kept_exactly(annotation, value):
    """An int in a float field stays an int, at any depth; lists and dicts are the caller's own copies."""
    found = ExactValidator(annotation, None).check(value)

    assert is_exact(value, found)
    assert found is not value or not isinstance(value, (list, dict))


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, True),
        (int, 1.0),
        (int, "1"),
        (int, Size.ONE),
        (float, True),
        (float, decimal.Decimal(1)),
        (float, np.float64(1)),
        (float, np.int64(1)),
        (list[float], [True]),
        (dict[str, int], {"a": 1.0}),
        (str, b"a"),
        (list[int], (1,)),
        (int, None),
        (Point, {"x": 1}),
        (datetime.date, "2026-01-01"),
        (Size, 1),
        (bool, 1),
        (Annotated[float, Field(le=3)], 4),
        (Any, UNSET),
        (Literal[1, 2], True),
        (Literal[1, 2], 1.0),
        (Literal[True], 1),
        (Literal[0] | None, False),
        (Literal[Size.ONE], 1),
        (Literal[Colour.RED], "red"),
        (list[Literal[1]], [1, True]),
        (dict[str, Literal[0]], {"a": False}),
        (dict[Literal[1], str], {True: "a"}),
        (Card, {"level": True}),
        (Card, {"level": 1, "share": True}),
        (Card, {"level": 1, "share": 2}),
        (Card, {"share": 1}),
        (Tree, {"weight": 0, "branches": [{"weight": False, "branches": []}]}),
        (Loose, {"level": 1.0}),
        (Loose, {"level": 1, "more": 1}),
        (Pet, {"kind": "dog", "age": True}),
        (Told, True),
        (One, True),
        (Short, 10),
        (list[Many[int]], [[True]]),
        (float, NAN),
        (float | None, INFINITY),
        (list[float], [1, -INFINITY]),
        (Any, [{"a": (1, {NAN})}]),
        (object, INFINITY),
        (list, [NAN]),
        (dict, {"a": [INFINITY]}),
        (tuple, (NAN,)),
        (set, {NAN}),
        (dict[str, Any], {"a": np.float64("nan")}),
    ],
)
def test_what_would_have_to_be_coerced_is_refused(annotation, value):
    """Another type is another value."""
    with pytest.raises(ValidationError):
        ExactValidator(annotation, None).check(value)


def test_what_functions_in_the_annotation_make_of_a_value_is_kept():
    """They were written in order to change it."""
    assert "ab" == ExactValidator(Annotated[str, AfterValidator(str.lower)], None).check("AB")
    assert ["ab"] == ExactValidator(list[Annotated[str, AfterValidator(str.lower)]], None).check(["AB"])


def test_list_that_holds_itself_is_looked_through_once():
    """Of any kind may be that as well."""
    found = ExactValidator(Any, None).check(RING)

    assert found[0] is found


@pytest.mark.parametrize(
    ("annotation", "value", "reasons"),
    [
        (int | str, 2.5, ("v: Input should be a valid integer, not float: 2.5", "v: Input should be a valid string, ")),
        (list[int] | None, [1, "a"], ("v[1]: Input should be a valid integer, not str: 'a'",)),
        (
            dict[str, int | bool],
            {"k": "a"},
            ("v['k']: Input should be a valid integer, ", "v['k']: Input should be a "),
        ),
        (Literal[1, 2, "a"], True, ("v: Input should be 1, 2 or 'a', not bool: True",)),
        (Card, {"level": 3}, ("v['level']: Input should be 1 or 2, not int: 3",)),
        (float, INFINITY, ("v: Input should be a finite number, not float: inf",)),
        (Told, 2.5, ("v['s']: Input should be a valid string, not float: 2.5",)),
    ],
)
def test_reasons_show_where_in_the_value_and_nothing_of_how_it_was_checked(annotation, value, reasons):
    """One for each part of a union."""
    with pytest.raises(ValidationError) as refused:
        ExactValidator(annotation, None).check(value)
    told = reasons_of(refused.value, "v")["v"]

    assert len(reasons) == len(told)
    assert all(map(str.startswith, told, reasons))


class Part(TypedDict, total=False):
    x: int


class Open(TypedDict, total=False):
    __pydantic_config__ = {"extra": "allow"}
    x: int


@pytest.mark.parametrize(("annotation", "wrap"), [(Part, lambda one: one), (list[Part], lambda one: [one])])
def test_key_that_a_typeddict_does_not_declare_is_refused(annotation, wrap):
    """At any depth, as unknown keys of an object are in a document. Source: graph document, schemas."""
    with pytest.raises(ValidationError) as refused:
        ExactValidator(annotation, None).check(wrap({"x": 1, "z": 3}))

    assert wrap({"x": 1}) == ExactValidator(annotation, None).check(wrap({"x": 1}))
    assert reasons_of(refused.value, "v")["v"][0].endswith("['z']: There is no such key.")


def test_typeddict_that_allows_other_keys_keeps_them():
    """By its own configuration, or by that of the state."""
    given = {"x": 1, "z": 3}

    assert given == ExactValidator(Open, None).check(given)
    assert given == ExactValidator(Part, {"extra": "allow"}).check(given)
