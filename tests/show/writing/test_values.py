"""Any value as bounded text and HTML."""

from __future__ import annotations

import collections
import dataclasses
import enum
import json
import math
import subprocess
import sys
import threading
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from graphnb.show.writing.tags import escaped
from graphnb.show.writing.values import value_html, value_text
from graphnb.show.writing.words import printable
from graphnb.state.marks import UNSET
from graphnb.state.model import State
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.views.guarding import FEW, Place, guarded


class Colour(enum.Enum):
    RED = 1


class Plan(State):
    title: str
    steps: list[int] = []


@dataclasses.dataclass
class Point:
    x: int
    hidden: int = dataclasses.field(default=0, repr=False)


class Pair(NamedTuple):
    left: int
    right: str


class Bare:
    pass


class Loud:
    def __repr__(self) -> str:
        raise ValueError("no")


class Lines:
    def __repr__(self) -> str:
        return "Lines(\n  0x7f3a9c000000,\n  \x1b[31m)"


class Wordy:
    def __repr__(self) -> str:
        return "Wordy " * 99


class Stack(list[int]):
    pass


class BadDict(dict[str, int]):
    def items(self) -> Any:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (True, "True"),
        (None, "None"),
        (math.nan, "nan"),
        ("a", "'a'"),
        ("it's", '"it\'s"'),
        (b"ab", "b'ab'"),
        ("a\nb\x1b\ud800\u202e", r"'a\nb\x1b\ud800\u202e'"),
        ([], "[]"),
        ([1, [2, "x"]], "[1, [2, 'x']]"),
        ((), "()"),
        ((1,), "(1,)"),
        ((1, 2), "(1, 2)"),
        ({}, "{}"),
        ({"a": 1, 2: [3]}, "{'a': 1, 2: [3]}"),
        ({3, 20, 100}, "{3, 20, 100}"),
        ({"b", "a", 1}, "{'a', 'b', 1}"),
        (set(), "set()"),
        (frozenset({1}), "frozenset({1})"),
        (frozenset(), "frozenset()"),
        (collections.OrderedDict(a=1), "OrderedDict({'a': 1})"),
        (collections.deque([1]), "deque([1])"),
        (Stack([1]), "Stack([1])"),
        (GrownList([1, 2]), "[1, 2]"),
        (GrownDict({"a": 1}), "{'a': 1}"),
        (Colour.RED, "Colour.RED"),
        (Plan(title="t", steps=[1]), "Plan(title='t', steps=[1])"),
        (Point(1), "Point(x=1)"),
        (Pair(1, "b"), "Pair(left=1, right='b')"),
        (UNSET, "not set"),
        (Bare(), "<Bare>"),
        (Loud(), "<Loud>"),
        (BadDict(a=1), "<BadDict>"),
        (Lines(), r"Lines( 0x…, \x1b[31m)"),
        (int, "<class int>"),
        (math.floor, "<function floor>"),
        (json, "<module json>"),
        (printable, "<function printable>"),
        (ValueError("x"), "ValueError('x')"),
        (Wordy(), "Wordy Wordy Wordy Wordy Wordy…"),
        (10**1000, "<int of 3,322 bits>"),
        (10**60, "1000000000000000… (61 digits)"),
    ],
)
def test_value_text_reads_as_python(value: object, text: str) -> None:
    """Small values come out as one would write them; what has no such form is named by its type."""
    assert text == value_text(value, 30)


def test_guarded_values_look_like_plain_ones() -> None:
    """A node that prints its state sees lists, also by C code, which reads what lies in a long list of sets."""
    place = Place("a", "field", "")
    sets = guarded(GrownList([{1}, set(), *([{2}] * FEW)]), place)

    assert "[{'a': [1]}]" == value_text(guarded([{"a": [1]}], place))
    assert ["{1}", "set()"] == [value_text(list.__getitem__(sets, i)) for i in (0, 1)]


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (list(range(10_000)), 24, "[0, 1, 2, … 9,997 more]"),
        ("x" * 5000, 34, "'xxxxxxxxxxxx…' (5,000 characters)"),
        (b"x" * 5000, 30, "b'xxxxxxxxxxxx…' (5,000 bytes)"),
        ("\x00" * 5000, 40, r"'\x00\x00\x00\x00…' (5,000 characters)"),
        ({i: i for i in range(50)}, 24, "{0: 0, 1: 1, … 48 more}"),
        (set(range(50)), 20, "{0, 1, 2, … 47 more}"),
        ([list(range(100))], 30, "[[0, 1, 2, 3, 4, … 95 more]]"),
        (["x" * 100, 1], 40, "['xxxxxx…' (100 characters), 1]"),
        (GrownList(list(range(1000))), 24, "[0, 1, 2, 3, … 996 more]"),
        (GrownDict({i: i for i in range(50)}), 24, "{0: 0, 1: 1, … 48 more}"),
        (collections.deque(range(100)), 24, "deque([0, 1, … 98 more])"),
        (
            Plan(title="t" * 100, steps=list(range(100))),
            60,
            "Plan(title='tttttttttttttttttt…' (100 characters), … 1 more)",
        ),
        ("TITLE\n****\n" + "x" * 5000, 40, "'TITLE…' (5,011 characters)"),
        ("\n\nTITLE\n" + "x" * 5000, 40, r"'\n\nTITLE…' (5,008 characters)"),
        ("\n" * 5000, 40, r"'\n\n\n\n\n\n\n\n\n…' (5,000 characters)"),
        ("a\nb", 40, r"'a\nb'"),
        (1.5, 3, "1.5"),
        ("abcdefghijkl", 3, "'abcdefghijkl'"),
    ],
)
def test_value_text_tells_the_true_size_of_what_it_cuts(value: object, limit: int, text: str) -> None:
    """What is left out is counted."""
    assert text == value_text(value, limit)


@pytest.mark.parametrize("limit", [0, -3, -50])
@pytest.mark.parametrize("value", [[1, 2, 3], (1, 2, 3), {1: 1, 2: 2, 3: 3}, GrownList([1, 2, 3])])
def test_value_for_which_there_is_no_room_tells_its_size_all_the_same(value: object, limit: int) -> None:
    """It does not pass for an empty or a shorter one."""
    assert "1" == value_text(value, limit)[1]
    assert "… 2 more" in value_text(value, limit)


def test_deep_nesting_ends_with_the_number_of_items() -> None:
    """Seven levels deep the brackets are closed."""
    value: list[Any] = [1, 2]
    for _ in range(10):
        value = [value]

    assert "[[[[[[[…] 1 item]]]]]]" == value_text(value)


def test_a_value_that_holds_itself_says_so() -> None:
    """Self-reference ends at once."""
    value: dict[str, Any] = {"a": 1}
    value["self"] = value

    assert "{'a': 1, 'self': … itself again}" == value_text(value)


def test_the_same_value_twice_is_shown_twice() -> None:
    """Only a value within itself is cut."""
    inner = [1]

    assert "[[1], [1]]" == value_text([inner, inner])


@pytest.mark.parametrize("value", [object(), threading.Lock(), (lambda: 0), Bare(), [Bare().__init__], iter([])])
def test_value_text_holds_no_address(value: object) -> None:
    """Two kernels show the same."""
    assert "0x" not in value_text(value)
    assert " at " not in value_text(value)


def test_arrays_and_tables_show_their_shape() -> None:
    """Small arrays show their values too."""
    np = pytest.importorskip("numpy")
    pd = pytest.importorskip("pandas")

    assert "<ndarray shape (2,) int64: [1, 2]>" == value_text(np.array([1, 2], dtype="int64"))
    assert "<ndarray shape (100, 3) float64>" == value_text(np.zeros((100, 3)))
    assert "<DataFrame 2 rows × 1 column: a>" == value_text(pd.DataFrame({"a": [1, 2]}))
    assert "<DataFrame 0 rows × 0 columns>" == value_text(pd.DataFrame())
    assert "<Series shape (20,) int64>" == value_text(pd.Series(range(20), dtype="int64"))
    assert "<ndarray shape (0,) float64>" == value_text(np.array([]))


def test_html_escapes_everything() -> None:
    """Neither keys, strings, names nor types can open a tag."""
    tricky = {"<b>": ["</td>", '"&']}

    assert "{&#x27;&lt;b&gt;&#x27;: [&#x27;&lt;/td&gt;&#x27;, &#x27;&quot;&amp;&#x27;]}" == value_html(tricky)
    assert "&lt;Bare&gt;" == value_html(Bare())
    assert "&lt;i&gt;\\x00" == escaped("<i>\x00")


def test_html_sets_notes_apart_from_the_value() -> None:
    """A string that looks like a note is not taken for one."""
    assert "<i" not in value_html("… 9 more")
    assert '[0, 1, 2<i style="opacity:.7">, … 97 more</i>]' == value_html(list(range(100)), 20)


values = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=40) | st.binary(max_size=40),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner) | st.tuples(inner),
    max_leaves=30,
)


@given(value=values, limit=st.integers(1, 200))
def test_value_text_is_bounded_and_printable(value: object, limit: int) -> None:
    """The text is about as long as asked for, on one line, and its HTML tells the same."""
    text = value_text(value, limit)

    assert len(text) <= limit + 120
    assert text.isprintable()
    text.encode()
    value_html(value, limit).encode()


def test_big_values_are_shown_at_once() -> None:
    """A million items or twenty million characters are never gone through."""
    big = ["x" * 20_000_000, list(range(1_000_000)), {i: i for i in range(100_000)}]

    assert len(value_text(big, 300)) < 400


def test_text_of_sets_is_the_same_under_every_hash_seed() -> None:
    """Members are sorted."""
    code = (
        "from graphnb.show.writing.values import value_text;"
        "print(value_text({'b', 'a', 'c', ('x', 1), frozenset('xy')}, 200))"
    )

    def told(seed: str) -> str:
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command, env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."}, capture_output=True, text=True
        ).stdout

    assert told("0") == told("1") == "{'a', 'b', 'c', ('x', 1), frozenset({'x', 'y'})}\n"


def test_model_that_lacks_values_is_shown_with_what_it_has() -> None:
    """A natural zero of step.merge has not all of them."""

    class Part(BaseModel):
        x: int
        y: int = 0

    assert "Part(x=not set, y=2)" == value_text(Part.model_construct(y=2))
