"""Tables, columns and indexes of pandas come back with types, labels, names and attributes."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from graphnb.errors import UnreadableValue, UnstorableValue
from graphnb.state.values.same import is_same
from graphnb.store.encoding.json_text import json_of, json_text
from graphnb.store.encoding.values import decode, encode

_DAYS = pd.date_range("2024-05-01", periods=2, freq="D")
_NOTED = pd.DataFrame({"a": [1]})
_NOTED.attrs = {"source": ("x", 1)}
FRAMES = [
    pd.DataFrame(),
    pd.DataFrame(index=[1, 2]),
    pd.DataFrame({"a": [1, 2], 1: ["x", None], ("t",): _DAYS.tz_localize("UTC")}, index=["u", "v"]),
    pd.DataFrame([[1, 2.5]], columns=["a", "a"]),
    pd.DataFrame({"c": pd.Categorical(["x", "y"], ["y", "x"], ordered=True), "d": _DAYS, "i": pd.interval_range(0, 2)}),
    pd.DataFrame({("a", "b"): [1]}, index=pd.MultiIndex.from_tuples([("x", 1)], names=["k", None])),
    _NOTED,
]
SERIES = [
    pd.Series([1.0, np.nan], name=5),
    pd.Series(["a", None]),
    pd.Series(["a", None], dtype="string"),
    pd.Series([1, "a", (1,), [2], {"b": None}, datetime.date(2024, 5, 1)]),
    pd.Series([[]]),
    pd.Series([], dtype=object),
    pd.Series([1, None], dtype="Int64"),
    pd.Series([1.5, None], dtype="Float32"),
    pd.Series([True, None], dtype="boolean"),
    pd.Series(["a", None, "b"], dtype="category"),
    pd.Series(_DAYS.tz_localize("Europe/Berlin"), name=("x", 1)),
    pd.Series([pd.Timedelta("1s"), pd.NaT]),
    pd.Series(pd.period_range("2024", periods=2, freq="M")),
    pd.Series([1], dtype="int8"),
]
INDEXES = [
    pd.Index([1, 2], name="x"),
    pd.Index(["a", "b"]),
    pd.Index([("a", 1)], tupleize_cols=False),
    pd.Index([1, "a", None], name=("n", 1)),
    pd.RangeIndex(3, name="r"),
    _DAYS,
    _DAYS.tz_localize("Europe/Berlin"),
    pd.timedelta_range("1s", periods=2),
    pd.period_range("2024", periods=2, freq="M"),
    pd.interval_range(0, 2),
    pd.CategoricalIndex(["a", "b"], name="c"),
    pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["x", None]),
]
LABELS = [
    pd.Timestamp("2024-05-01"),
    pd.Timestamp("2024-10-27 00:30", tz="UTC").tz_convert("Europe/Berlin"),
    pd.NaT,
    pd.NA,
    pd.Timedelta("1s"),
    pd.Period("2024-05", "M"),
    pd.Interval(1, 2, "both"),
]


def _again(value: Any) -> Any:
    text = json_text(encode(Any, value))
    again = decode(type(value), json_of(text))

    assert type(value) is type(again)
    assert is_same(value, again)
    assert text == json_text(encode(Any, again))
    return again


@pytest.mark.parametrize("value", FRAMES, ids=range(len(FRAMES)))
def test_table_comes_back_the_same(value: pd.DataFrame) -> None:
    """Labels of any kind, columns of the same name, attributes."""
    again = _again(value)

    pd.testing.assert_frame_equal(value, again)
    assert value.attrs == again.attrs
    assert type(value.columns) is type(again.columns)


@pytest.mark.parametrize("value", SERIES, ids=range(len(SERIES)))
def test_column_comes_back_the_same(value: Any) -> None:
    """Whatever numpy or pandas keeps it in."""
    pd.testing.assert_series_equal(value, _again(value))


@pytest.mark.parametrize("value", INDEXES, ids=range(len(INDEXES)))
def test_index_comes_back_the_same(value: Any) -> None:
    """Names, zones, and how far labels lie apart."""
    again = _again(value)

    pd.testing.assert_index_equal(value, again, exact=True)
    assert getattr(value, "freq", None) == getattr(again, "freq", None)


@pytest.mark.parametrize("value", LABELS, ids=repr)
def test_label_comes_back_the_same(value: Any) -> None:
    """What a cell of such a column holds, and what is missing."""
    again = decode(Any, json_of(json_text(encode(Any, value))))

    assert type(value) is type(again)
    assert repr(value) == repr(again)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (pd.DataFrame({"a": [1, object()]}), "['values'][0][1]"),
        (pd.Series([print]), "['values'][0]"),
        (pd.Series([1, 0], dtype=pd.SparseDtype(int)), "['values']"),
    ],
    ids=["cell", "function", "sparse"],
)
def test_what_cannot_be_stored_is_told_by_its_place(value: Any, path: str) -> None:
    """The cell at fault, not the table."""
    with pytest.raises(UnstorableValue) as info:
        encode(Any, value)

    assert path == info.value.path


@pytest.mark.parametrize(
    "data",
    [
        {"$": "pandas.DataFrame", "value": {}},
        {"$": "pandas.DataFrame", "value": {"index": 1, "columns": 1, "values": []}},
        {"$": "pandas.RangeIndex", "value": {"start": "x"}},
        {"$": "pandas.Index", "value": {"values": 3, "name": None}},
        {"$": "pandas.DatetimeIndex", "value": {"values": ["a"], "name": None}},
        {"$": "pandas.Categorical", "value": {"codes": [9], "categories": ["a"], "ordered": False}},
        {"$": "pandas.StringArray", "value": {"storage": "no", "na": "NA", "values": []}},
    ],
    ids=lambda data: data["$"],
)
def test_damaged_table_is_refused(data: Any) -> None:
    """With the one named error."""
    with pytest.raises(UnreadableValue):
        decode(Any, data)


def test_table_whose_labels_do_not_fit_is_refused() -> None:
    """More columns than labels."""
    data = encode(Any, pd.DataFrame({"a": [1]}))
    data["value"]["values"] = []

    with pytest.raises(UnreadableValue, match="has 0 columns and 1 labels"):
        decode(Any, data)
