"""Arrays and numbers of numpy come back with their type, shape and every bit."""

from typing import Any

import numpy as np
import pytest

from graphnb.errors import UnreadableValue, UnstorableValue
from graphnb.state.values.same import is_same
from graphnb.store.encoding.json_text import json_of, json_text
from graphnb.store.encoding.values import decode, encode

_RECORD = np.dtype([("a", "<i4"), ("b", "<f8", (2,)), ("c", "S3")])
_TITLED = np.dtype([(("the title", "a"), "<i4")])
VALUES = [
    np.arange(6).reshape(2, 3),
    np.array(1.5),
    np.array([np.nan, 0.0, np.inf]),
    np.array([1, 2], dtype=">i2"),
    np.zeros(2, _RECORD),
    np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")], align=True)),
    np.zeros(1, _TITLED),
    np.array(["a", "\ud800"]),
    np.array(["2024-05-01"], dtype="M8[D]"),
    np.array([], dtype="f4"),
    np.zeros((2, 0)),
    np.zeros(3, "V0"),
    np.asfortranarray(np.arange(4.0).reshape(2, 2)),
    np.array([True, False]),
    np.float64(1.5),
    np.float32("nan"),
    np.int64(3),
    np.longlong(3),
    np.bool_(True),
    np.str_("a"),
    np.complex128(1 + 2j),
    np.datetime64("2024-05-01T12"),
    np.timedelta64("NaT"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_value_of_numpy_comes_back_the_same(value: Any) -> None:
    """Where nothing is said of the type, and where it is."""
    text = json_text(encode(Any, value))

    for annotation in (Any, type(value), type(value) | None):
        again = decode(annotation, json_of(text))
        assert type(again) is type(value)
        assert is_same(value, again)


def test_array_comes_back_bit_by_bit() -> None:
    """Zeros keep their signs, and every NaN is the one that it was."""
    value = np.array([-0.0, 0.0, np.nan, -np.nan])

    assert value.tobytes() == decode(Any, encode(Any, value)).tobytes()


def test_array_that_was_read_can_be_changed() -> None:
    """It owns its data, as any array."""
    again = decode(np.ndarray, encode(np.ndarray, np.arange(3)))
    again[0] = 7

    assert [7, 1, 2] == again.tolist()
    assert again.flags.owndata


def test_number_of_numpy_stands_where_its_own_kind_is_declared() -> None:
    """A float64 is a float."""
    assert {"$": "numpy.float64", "value": 1.5} == encode(float, np.float64(1.5))
    assert type(decode(float, {"$": "numpy.float64", "value": 1.5})) is np.float64
    with pytest.raises(UnstorableValue, match="is not of the type int"):
        encode(int, np.float64(1.5))


@pytest.mark.parametrize(
    "value",
    [
        np.array([1, "a"], dtype=object),
        np.array([{}]),
        np.zeros(1, np.dtype([("a", "O")])),
        np.array(["a"], dtype=np.dtypes.StringDType()),
        np.ma.array([1]),
        np.zeros(1, np.dtype((np.record, [("a", "i4")]))),
        np.zeros(1, np.dtype("f8", metadata={"unit": "m"})),
        np.zeros(1, np.dtype((np.int32, [("x", "i2"), ("y", "i2")]))),
        np.longdouble(1),
    ],
    ids=repr,
)
def test_array_that_would_not_come_back_is_refused(value: Any) -> None:
    """It holds objects, is no plain array, or its type says more than can be written."""
    with pytest.raises(UnstorableValue, match=r"value, \[0\]"):
        encode(list[Any], [value])


@pytest.mark.parametrize(
    "parts",
    [
        {},
        1,
        {"dtype": "<f8", "shape": [2], "data": {"$": "bytes", "value": ""}},
        {"dtype": "<f8", "shape": [-1], "data": {"$": "bytes", "value": ""}},
        {"dtype": "<f8", "shape": "x", "data": {"$": "bytes", "value": ""}},
        {"dtype": "<f8", "shape": [0], "data": ""},
        {"dtype": "|O8", "shape": [0], "data": {"$": "bytes", "value": ""}},
        {"dtype": "i4,i4", "shape": [0], "data": {"$": "bytes", "value": ""}},
        {"dtype": [["a", "|O8"]], "shape": [0], "data": {"$": "bytes", "value": ""}},
        {"dtype": [["a", "<i4", "2"]], "shape": [0], "data": {"$": "bytes", "value": ""}},
        {"dtype": [[1, "<i4"]], "shape": [0], "data": {"$": "bytes", "value": ""}},
        {"dtype": "|V0", "shape": [1 << 60], "data": {"$": "bytes", "value": ""}},
        {"dtype": "<f8", "shape": [1 << 60, 0, 1 << 60], "data": {"$": "bytes", "value": ""}},
    ],
)
def test_damaged_array_is_refused(parts: Any) -> None:
    """Nothing that numpy would look up, work out or make room for."""
    with pytest.raises(UnreadableValue):
        decode(Any, {"$": "numpy.ndarray", "value": parts})


def test_damaged_time_is_refused() -> None:
    """A duration is no time."""
    with pytest.raises(UnreadableValue, match="is no type of a datetime64"):
        decode(Any, {"$": "numpy.datetime64", "value": ["<m8[s]", 1]})
