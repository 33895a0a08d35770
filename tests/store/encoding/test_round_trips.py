"""Whatever the type and the value: it comes back the same, and its text depends on nothing but the two."""

import collections
import datetime
import decimal
import subprocess
import sys
import uuid
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Union

from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from graphnb.store.encoding.json_text import json_of, json_text
from graphnb.store.encoding.plain import plain
from graphnb.store.encoding.values import decode, encode
from tests.store.encoding.exactness import (
    Color,
    DatedNote,
    Entry,
    Level,
    Mask,
    Mood,
    Note,
    Open,
    Pair,
    Point,
    Right,
    is_identical,
)


class Typed(NamedTuple):
    """An annotation, its values, and whether they can be members of a set."""

    annotation: Any
    values: st.SearchStrategy[Any]
    is_key: bool = True


_TEXT = st.text(st.characters(exclude_categories=()), max_size=4) | st.sampled_from(["$", "1", "a", "\ud83d\ude00"])
_ZONES = st.sampled_from([None, datetime.UTC, datetime.timezone(datetime.timedelta(hours=-1), "x")]) | st.timezones()
_DAYS = st.dates()
_NUMBERS = st.integers() | st.sampled_from([1 << 5000, -(1 << 4096)])
_LEAVES = [
    Typed(int, _NUMBERS),
    Typed(float, st.floats(allow_nan=True), is_key=False),
    Typed(float, st.integers()),
    Typed(bool, st.booleans()),
    Typed(None, st.none()),
    Typed(str, _TEXT),
    Typed(Annotated[str, Field(max_length=9)], _TEXT),
    Typed(bytes, st.binary(max_size=3)),
    Typed(datetime.date, _DAYS),
    Typed(datetime.datetime, st.datetimes(timezones=_ZONES), is_key=False),
    Typed(datetime.time, st.times(), is_key=False),
    Typed(datetime.timedelta, st.timedeltas()),
    Typed(decimal.Decimal, st.decimals(allow_nan=False)),
    Typed(Fraction, st.fractions()),
    Typed(complex, st.complex_numbers(), is_key=False),
    Typed(uuid.UUID, st.uuids()),
    Typed(Path, st.builds(Path, st.sampled_from(["a", "a/b", "é", "\udc80"]))),
    Typed(Color, st.sampled_from(Color)),
    Typed(Level, st.sampled_from(Level)),
    Typed(Mood, st.sampled_from(Mood)),
    Typed(Right, st.sampled_from(Right)),
    Typed(Mask, st.builds(Mask, st.integers(0, 20))),
    Typed(Note, st.builds(Note, author=st.just("é")) | st.builds(Note, author=st.just(""), pages=st.integers()), False),
    Typed(Note, st.builds(DatedNote, author=st.just("x"), day=_DAYS | st.just("2024-05-01")), is_key=False),
    Typed(Open, st.builds(Open, day=_DAYS, more=st.integers() | st.tuples(_DAYS)), is_key=False),
    Typed(Point, st.builds(Point, st.floats(allow_nan=False), st.frozensets(st.integers(), max_size=3)), is_key=False),
    Typed(Entry, st.builds(Entry, st.just("a"), _DAYS)),
    Typed(dict, st.dictionaries(_TEXT | st.integers(), st.integers(), max_size=2), is_key=False),
    Typed(Any, st.tuples(_TEXT, st.sets(st.integers(), max_size=2)) | st.sets(_DAYS, max_size=2), is_key=False),
]


def _around(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    keys = inner.filter(lambda typed: typed.is_key)
    pairs = st.tuples(inner, inner)
    return st.one_of(
        inner.map(lambda each: Typed(list[each.annotation], st.lists(each.values, max_size=3), False)),
        inner.map(lambda each: Typed(tuple[each.annotation, ...], st.lists(each.values, max_size=3).map(tuple), False)),
        inner.map(
            lambda each: Typed(
                collections.deque[each.annotation],
                st.builds(collections.deque, st.lists(each.values, max_size=2), st.sampled_from([None, 2])),
                False,
            )
        ),
        keys.map(lambda each: Typed(set[each.annotation], st.sets(each.values, max_size=3), False)),
        keys.map(lambda each: Typed(frozenset[each.annotation], st.frozensets(each.values, max_size=3), each.is_key)),
        pairs.map(lambda two: Typed(tuple[two[0][0], two[1][0]], st.tuples(two[0].values, two[1].values), False)),
        pairs.map(lambda two: Typed(Union[two[0][0], two[1][0]], two[0].values | two[1].values, False)),  # noqa: UP007  None | None is none
        pairs.map(lambda two: Typed(Pair[two[0][0]], st.builds(Pair, two[0].values, two[0].values), False)),
        st.tuples(keys, inner).map(
            lambda two: Typed(
                dict[two[0][0], two[1][0]], st.dictionaries(two[0].values, two[1].values, max_size=3), False
            )
        ),
    )


TYPED = st.recursive(st.sampled_from(_LEAVES), _around, max_leaves=6)


@given(st.data())
def test_value_comes_back_the_same(data: st.DataObject) -> None:
    """Of every type, at every level; and is plain data for whoever does not know the type."""
    typed = data.draw(TYPED)
    value = data.draw(typed.values)
    text = json_text(encode(typed.annotation, value))

    assert is_identical(value, decode(typed.annotation, json_of(text)))
    assert text == json_text(encode(typed.annotation, decode(typed.annotation, json_of(text))))
    text.encode()
    plain(json_of(text))


@given(st.data())
def test_value_of_any_of_several_types_comes_back_the_same(data: st.DataObject) -> None:
    """Whichever of them it is of, also where nothing is said beside them."""
    several = data.draw(st.lists(TYPED, min_size=2, max_size=4))
    value = data.draw(data.draw(st.sampled_from(several)).values)
    annotation = Union[tuple(each.annotation for each in several)]  # noqa: UP007  they come as a tuple

    assert is_identical(value, decode(annotation, json_of(json_text(encode(annotation, value)))))
    again = encode(annotation, value, is_open=True)
    assert is_identical(value, decode(annotation, json_of(json_text(again)), is_open=True))


_SETS = """
from graphnb.store.encoding.json_text import json_text
from graphnb.store.encoding.values import encode
value = {"b", "a", ("x", 1), frozenset({"q", "p"}), None, 1.5, b"z"}
print(json_text(encode(set, value)))
"""


def test_text_does_not_depend_on_the_order_of_hashes() -> None:
    """Sets of text come in another order in every process."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", _SETS], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        for seed in ("1", "2", "3")
    ]

    assert 1 == len({run.stdout for run in runs})


def test_encoding_loads_neither_numpy_nor_pandas() -> None:
    """Unless a value of theirs is met, or data tell of one."""
    code = _SETS + "import sys; print(sorted({'numpy', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == done.stdout.splitlines()[-1]
