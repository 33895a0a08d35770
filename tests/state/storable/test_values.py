"""What can be stored, and when two values are equal, against naive references and deep, shared and cyclic values."""

import datetime
import enum
import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from graphnb.state.storable.values import exact_key, find_unstorable, is_exact, is_loose

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
KEYS = TEXT.filter(lambda key: not key.startswith("$"))
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))
FEW = st.recursive(
    st.sampled_from([None, True, False, 1, 0, 1.0, 0.0, "1", ""]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


class Point(BaseModel):
    x: float


@dataclass
class Pair:
    one: Any
    other: Any


class Colour(enum.Enum):
    RED = 1


class Whole(enum.IntEnum):
    ONE = 1


def deep(depth: int, leaf: object) -> Any:
    """A value of so many levels, lists and dicts by turns."""
    for level in range(depth):
        leaf = [leaf] if level % 2 else {"in": leaf}
    return leaf


def equal(one: object, other: object, *, loose: bool) -> bool:
    """Equality as the contract tells it, one sentence a line."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(equal(*each, loose=loose) for each in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key], loose=loose) for key in one)
    if loose and {type(one), type(other)} == {int, float}:
        return one == other
    return type(one) is type(other) and one == other


@given(VALUES)
def test_every_storable_value_is_found_to_be_one(value):
    """Null, booleans, integers, finite floats, text, lists and dicts of them can be stored."""
    assert find_unstorable(value) is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ((1,), "tuple cannot be stored: (1,)"),
        ({1}, "set cannot be stored: {1}"),
        (math.nan, "nan cannot be stored: a number has to be finite"),
        (-math.inf, "-inf cannot be stored: a number has to be finite"),
        (datetime.date(2026, 1, 2), "date cannot be stored: datetime.date(2026, 1, 2)"),
        (Whole.ONE, "Whole cannot be stored: <Whole.ONE: 1>"),
        (b"x", "bytes cannot be stored: b'x'"),
        ("a\ud800", "text with half of a surrogate pair cannot be stored: 'a\\ud800'"),
        ({1: 2}, "the key 1 is int: only text can be a key"),
        ({"$a": 2}, "the key '$a' begins with $, which is reserved"),
        ({"\udfff": 2}, "the key '\\udfff' has half of a surrogate pair"),
    ],
)
def test_what_cannot_be_stored_is_told_with_its_path(value, why):
    """At any depth: the first such part, in the value's order, and the reason."""
    assert ((), why) == find_unstorable(value)
    assert (("a", 1, "b"), why) == find_unstorable({"x": ["é"], "a": [{"b": 1}, {"b": value}], "z": math.nan})


def test_a_value_that_holds_itself_is_found():
    """A ring would never end; the same part twice is no ring."""
    ring: list[Any] = [1]
    ring.append({"again": ring})
    part = {"x": [1]}

    assert ((1, "again"), "a value that holds itself cannot be stored") == find_unstorable(ring)
    assert find_unstorable([part, part, [part]]) is None
    assert exact_key(ring) == exact_key(ring)
    assert exact_key(ring) != exact_key([1, {"again": []}])


def test_depth_has_no_limit():
    """Values nested far deeper than the interpreter's stack are checked, keyed and compared."""
    one, other = deep(20_000, 1), deep(20_000, 1.0)

    assert find_unstorable(one) is None
    assert 20_000 == len(find_unstorable(deep(20_000, (1,)))[0])
    assert is_exact(one, deep(20_000, 1))
    assert not is_exact(one, other)
    assert is_loose(one, other)
    assert {exact_key(one): 1} == {exact_key(deep(20_000, 1)): 1}


@pytest.mark.parametrize("levels", [1, 7, 200])
def test_depth_may_have_a_limit(levels: int):
    """Of lists and dicts, an empty one and a shared one among them; the value is refused as a whole."""
    shared = [deep(levels - 1, 1)] if levels > 1 else []
    refused = (), f"is nested deeper than {levels} levels"

    assert find_unstorable(deep(levels, "x"), most_levels=levels) is None
    assert find_unstorable(shared, most_levels=levels) is None
    assert refused == find_unstorable(deep(levels + 1, "x"), most_levels=levels)
    assert refused == find_unstorable(deep(levels, []), most_levels=levels)
    assert refused == find_unstorable(deep(levels, {}), most_levels=levels)
    assert refused == find_unstorable([shared, shared], most_levels=levels)
    assert find_unstorable({"a": deep(levels - 1, 1), "b": deep(levels - 1, 1)}, most_levels=levels) is None


def test_what_is_shared_is_as_deep_as_where_it_stands():
    """It is looked at once, and counts wherever it is."""
    part = deep(3, 1)

    assert find_unstorable([part, part, [part]], most_levels=5) is None
    assert ((), "is nested deeper than 4 levels") == find_unstorable([part, part, [part]], most_levels=4)


def test_what_is_shared_is_looked_at_once():
    """A hundred levels of a list that holds the same list twice are no 2**100 parts."""
    value: Any = [1]
    for _ in range(100):
        value = [value, value]

    assert find_unstorable(value) is None


@given(FEW, FEW)
def test_equality_is_that_of_the_contract(one, other):
    """Exact: four kinds never equal one another. Loose: an integer equals a float of the same value."""
    assert equal(one, other, loose=False) == is_exact(one, other) == (exact_key(one) == exact_key(other))
    assert equal(one, other, loose=True) == is_loose(one, other)


@given(VALUES)
def test_key_order_means_nothing_and_every_value_equals_itself(value):
    """A dict written in another order has the same key."""
    turned = dict(reversed(value.items())) if isinstance(value, dict) else value

    assert is_exact(value, turned)
    assert is_loose(value, turned)
    assert hash(exact_key(value)) == hash(exact_key(turned))


def test_large_integers_are_compared_by_value():
    """Beyond 2**53 a float has neighbours that it does not equal."""
    assert is_loose(2**60, 2.0**60)
    assert not is_loose(2**53 + 1, 2.0**53)
    assert not is_loose(1, 1.5)


def test_any_python_value_has_an_exact_key():
    """Models and dataclasses by their fields, NaN equals NaN, and what has no equality equals itself alone."""
    thing = object()
    values = [
        *(Point(x=1), Point(x=2), Pair(1, [2]), Pair(True, [2]), Pair(1, (2,)), (1,), [1], {1}, frozenset({1}), {1: 2}),
        *({True: 2}, Colour.RED, Whole.ONE, 1, b"1", datetime.date(2026, 1, 1), math.nan, thing, object(), (), []),
    ]
    again = [
        *(Point(x=1), Point(x=2), Pair(1, [2]), Pair(True, [2]), Pair(1, (2,)), (1,), [1], {1}, frozenset({1}), {1: 2}),
        *({True: 2}, Colour.RED, Whole.ONE, 1, b"1", datetime.date(2026, 1, 1), float("nan"), thing, (), []),
    ]

    assert len(values) == len({exact_key(each) for each in values})
    assert {exact_key(each) for each in again} < {exact_key(each) for each in values}
