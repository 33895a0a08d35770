"""Stored data may come from anybody: what does not fit ends in one named error, and nothing is imported or called."""

import contextlib
import datetime
import decimal
import json
import sys
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AnyUrl, BaseModel, ImportString, model_validator

from graphnb.errors import UnreadableValue
from graphnb.store.encoding.json_text import json_of
from graphnb.store.encoding.plain import plain
from graphnb.store.encoding.values import decode
from tests.store.encoding.exactness import Color, Draft, Entry, Hidden, Note, Open, Pair, Point, Right

HOSTILE = [
    (int, "x", "str 'x' is not of the type int"),
    (int, 1.0, "float 1.0 is not of the type int"),
    (str, None, "null is not of the type str"),
    (float, float("inf"), "float inf is not"),
    (list[int], {"a": 1}, "dict {'a': 1} is not of the type list[int]"),
    (list[int], {"$": "set", "value": [1]}, "the tag 'set' names nothing"),
    (list[int], {"$": "list", "value": 1}, "want an array"),
    (Any, {"$": "os.system", "value": "true"}, "the tag 'os.system' names nothing"),
    (Any, {"$": "tests.store.encoding.exactness.Note", "value": {"author": "A"}}, "names nothing"),
    (Note, {"$": "tests.store.encoding.exactness.Open", "value": {}}, "names nothing"),
    (Any, {"$": 1}, "want a tag and a value"),
    (Any, {"$": "list", "value": [], "more": 1}, "want a tag and a value"),
    (Any, {"$x": 1}, "begins with $"),
    (Any, {"$": "set", "value": [[1]]}, "cannot be taken"),
    (set[int], [1, 1], "has a member twice"),
    (Any, {"$": "dict", "value": [[1, 2], [1, 3]]}, "has the key 1 twice"),
    (Any, {"$": "dict", "value": [[[], 2]]}, "list is no key: []"),
    (Any, {"$": "dict", "value": [1]}, "want a pair"),
    (dict[int, int], {"1": 1}, "want pairs"),
    (Any, {"$": "int", "value": "ten"}, "cannot be taken"),
    (Any, {"$": "int", "value": 10}, "want a number as text"),
    (Any, {"$": "str", "value": 10}, "want text"),
    (Any, {"$": "UNSET", "value": 10}, "UNSET has no value"),
    (Any, {"$": "deque", "value": {"items": [1, 2], "maxlen": 1}}, "2 items in a deque of at most 1"),
    (Any, {"$": "deque", "value": {"items": [], "maxlen": -1}}, "at most -1"),
    (Any, {"$": "Pattern", "value": ["(", 0]}, "is no regular expression"),
    (Any, {"$": "Pattern", "value": "a"}, "want a pattern and its flags"),
    (Any, {"$": "defaultdict", "value": ["exit", {}]}, "unknown type 'exit'"),
    (Any, {"$": "defaultdict", "value": {}}, "want the name of a type"),
    (Any, {"$": "Fraction", "value": "1e999999999"}, "cannot be taken"),
    (Any, {"$": "Fraction", "value": "1/0"}, "cannot be taken"),
    (Any, {"$": "ZoneInfo", "value": "../../etc/passwd"}, "cannot be taken"),
    (Any, {"$": "ZoneInfo", "value": "No/Where"}, "cannot be taken"),
    (Any, {"$": "bytes", "value": "?"}, "cannot be taken"),
    (decimal.Decimal, "1e", "cannot be taken"),
    (datetime.date, "2024-13-01", "cannot be taken"),
    (datetime.timedelta, "P9999999999999DT0.000000S", "cannot be taken"),
    (Color, "BLUE", "'BLUE' is no member of Color"),
    (Color, 1, "int 1 is not of the type Color"),
    (Right, "READ|BURN", "is no member of Right"),
    (Right, "99", "cannot be taken"),
    (Note, {"author": "A", "editor": "B"}, "'editor' is no field"),
    (Note, {"author": "A", "$unset": ["editor"]}, "want names of fields"),
    (Note, {"author": "A", "$unset": "author"}, "want names of fields"),
    (Open, {"$extra": [[1, 2]]}, "want a name"),
    (Hidden, {"$private": 1}, "want an object or pairs"),
    (Entry, {"name": "a"}, "lacks day"),
    (Point, {"z": 1}, "'z' is no field"),
    (Draft, {"day": "x"}, "cannot be taken"),
    (Any, {"$": "numpy.ndarray", "value": {"dtype": "|O8", "shape": [1], "data": ""}}, "no type of an array"),
    (int, {"$": "numpy.ndarray", "value": 1}, "names nothing"),
    (Any, {"$": "numpy.nothing"}, "names nothing"),
    (Any, object(), "is not of the type Any"),
]


@pytest.mark.parametrize(("annotation", "data", "what"), HOSTILE)
def test_data_that_do_not_fit_are_refused(annotation: Any, data: Any, what: str) -> None:
    """Whatever is wrong is told in the words of one error."""
    with pytest.raises(UnreadableValue) as info:
        decode(annotation, data)

    assert what in info.value.what


def test_refusal_tells_the_path() -> None:
    """Through records, lists, dicts and tags."""
    data = {"left": [{"author": "A", "pages": {"$": "dict", "value": [["x", {"$": "no"}]]}}], "right": []}

    with pytest.raises(UnreadableValue) as info:
        decode(Pair[list[Note]], data, where="run 'r', field 'pair'")

    assert "left[0].pages['x']" == info.value.path
    assert "run 'r', field 'pair', left[0].pages['x']" == info.value.where


class Loud(BaseModel):
    size: int = 0

    def __init__(self, **values: Any) -> None:
        raise AssertionError("was called")

    @model_validator(mode="after")
    def _check(self) -> "Loud":
        raise AssertionError("was called")


def test_reading_calls_nothing_of_a_class() -> None:
    """Neither its constructor nor its validators, which may no longer take what was stored."""
    assert 3 == decode(Loud, {"size": 3}).size


_TAGS = (
    *("int", "str", "set", "dict", "deque", "Path", "datetime", "Pattern", "defaultdict", "os.path"),
    *("numpy.ndarray", "numpy.float64", "pandas.DataFrame", "pandas.Index", "tests.store.encoding.exactness.Note"),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "value", "author", "a", "$unset", "$extra", "$private"]), inner, max_size=3
        )
        | st.builds(
            lambda tag, value: {"$": tag, "value": value},
            st.sampled_from(
                [
                    "int",
                    "str",
                    "set",
                    "dict",
                    "deque",
                    "Path",
                    "datetime",
                    "Pattern",
                    "numpy.ndarray",
                    "pandas.DataFrame",
                    "tests.store.encoding.exactness.Note",
                    "os.path",
                    "numpy.float64",
                    "pandas.Index",
                    "defaultdict",
                ]
            ),
            inner,
        )
    ),
    max_leaves=10,
)


@given(_JSON, st.sampled_from([Any, int, list[Any], dict[Any, Any], Note, Open, Point, Color, Draft, Note | Pair[int]]))
def test_any_data_give_a_value_or_the_named_error(data: Any, annotation: Any) -> None:
    """And always plain data; no module of the project's user is loaded for it."""
    assert pandas.__name__ in sys.modules  # else what it loads itself would count
    before = set(sys.modules)
    with contextlib.suppress(UnreadableValue):
        decode(annotation, data)
    plain(data)

    assert {"graphnb", "numpy", "pandas"} >= {name.partition(".")[0] for name in set(sys.modules) - before} - _OWN


_OWN = set(sys.stdlib_module_names) | {"dateutil", "pytz", "six", "pyarrow", "_pytest", "hypothesis", "tzdata"}


@pytest.mark.parametrize("text", ["[" * 100_000, "NaN", "1e999", "9" * 5000, "{", "[1,]", '"\ud800', ""])
def test_text_that_is_no_json_of_ours_is_refused(text: str) -> None:
    """Too deep, too large, or no JSON at all."""
    with pytest.raises(UnreadableValue):
        json_of(text)


def test_data_nested_deep_are_refused() -> None:
    """Whether they were read from text or made by hand."""
    data: Any = 1
    for _ in range(5000):
        data = [data]

    with pytest.raises(UnreadableValue, match="nested deeper than 200 levels"):
        decode(Any, data)


def test_keys_of_one_text_are_read_as_json_reads_them() -> None:
    """The last one counts: the text is damaged, and still a dict."""
    assert {"a": 2} == decode(Any, json.loads('{"a": 1, "a": 2}'))


class Shouting(str):
    """A class whose schema gives plain text."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return handler(str)


@pytest.mark.parametrize("annotation", [ImportString, ImportString | None, list[ImportString]])
def test_nothing_is_imported_though_a_type_would_have_it(annotation: Any) -> None:
    """Pydantic's own type for what is imported by name."""
    data = ["this"] if annotation == list[ImportString] else "this"

    with pytest.raises(UnreadableValue, match="is not of the type"):
        decode(annotation, data)
    assert "this" not in sys.modules


def test_what_pydantic_makes_is_of_the_very_class() -> None:
    """Or it is refused: a schema may say anything."""
    with pytest.raises(UnreadableValue, match="is str and no Shouting: 'a'"):
        decode(Shouting, "a")
    with pytest.raises(UnreadableValue, match="is no AnyUrl: 'nowhere'"):
        decode(AnyUrl, "nowhere")
