"""Encoders for numpy: arrays of anything but objects, and its numbers. Imported when such a value is met."""

from __future__ import annotations

import math
import re
from typing import Any, Final

import numpy as np

from graphnb.errors.text import shown
from graphnb.store.encoding.encoders import Encoder
from graphnb.store.encoding.shape import Refused

_KIND: Final = re.compile(r"[<>|=](?:[biufcSUVMm])\d+(?:\[\w+\])?", re.ASCII)
_MOST_EMPTY: Final = 1 << 20
"""Items of an array whose items take no room: no data tell how many there are."""


def _array_parts(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Type, shape and bytes, as they lie in memory row by row."""
    return {"dtype": _dtype_parts(array.dtype), "shape": list(array.shape), "data": array.tobytes()}


def _array_of(parts: Any) -> np.ndarray[Any, Any]:
    dtype, shape, data = _dtype_of(parts["dtype"]), parts["shape"], parts["data"]
    if type(shape) is not list or any(type(each) is not int or each < 0 for each in shape) or type(data) is not bytes:
        raise Refused(f"is no array: shape {shown(shape)}")
    size = math.prod(shape)
    if size * dtype.itemsize != len(data) or (not dtype.itemsize and size > _MOST_EMPTY):
        raise Refused(f"has {len(data):,} bytes for an array of {shown(shape)} items of {shown(dtype)}")
    return np.ndarray(tuple(shape), dtype, buffer=bytearray(data)).copy()


def _dtype_parts(dtype: np.dtype[Any]) -> Any:
    """What numpy's own files say of a type, tuples as lists."""
    if dtype.hasobject:
        raise Refused(f"an array of {shown(dtype)} holds objects", "Store a list, or an array of numbers or text.")
    said = _as_lists(np.lib.format.dtype_to_descr(dtype)) if dtype.metadata is None else None
    if said is None or (again := _dtype_of(said)) != dtype or again.type is not dtype.type:
        raise Refused(f"the type {shown(dtype)} would not come back the same")
    return said


def _dtype_of(said: Any) -> np.dtype[Any]:
    return np.lib.format.descr_to_dtype(_checked(said))


def _checked(said: Any) -> Any:
    """The description of a type as numpy wants it. Raises Refused for what numpy would look up or work out."""
    if type(said) is str and _KIND.fullmatch(said):
        return said
    if type(said) is list and said and all(type(each) is list and len(each) in (2, 3) for each in said):
        return [(_name(each[0]), _checked(each[1]), *map(_size, each[2:])) for each in said]
    raise Refused(f"{shown(said)} is no type of an array")


def _name(said: Any) -> Any:
    if type(said) is list and len(said) == 2 and all(type(each) is str for each in said):
        return tuple(said)  # a title, and the name
    if type(said) is not str:
        raise Refused(f"{shown(said)} is no name of a field")
    return said


def _size(said: Any) -> tuple[int, ...]:
    if type(said) is not list or any(type(each) is not int for each in said):
        raise Refused(f"{shown(said)} is no shape")
    return tuple(said)


def _as_lists(said: Any) -> Any:
    return [_as_lists(each) for each in said] if isinstance(said, (list, tuple)) else said


def _number(kind: Any) -> Encoder:
    return Encoder(kind, lambda value: value.item(), kind, f"numpy.{kind.__name__}")


def _time(kind: Any) -> Encoder:
    """A time or a duration in units of its own."""

    def parts(value: Any) -> list[Any]:
        return [value.dtype.str, int(value.view(np.int64))]

    def value_of(given: Any) -> Any:
        dtype = _dtype_of(given[0])
        if dtype.type is not kind:
            raise Refused(f"{shown(given[0])} is no type of a {kind.__name__}")
        return np.int64(given[1]).view(dtype)

    return Encoder(kind, parts, value_of, f"numpy.{kind.__name__}")


_NUMBERS: Final[tuple[Any, ...]] = (
    *(np.bool_, np.int8, np.int16, np.int32, np.int64, np.longlong, np.uint8, np.uint16, np.uint32, np.uint64),
    *(np.ulonglong, np.float16, np.float32, np.float64, np.complex64, np.complex128, np.str_, np.bytes_),
)
ARRAYS: Final = (
    Encoder(np.ndarray, _array_parts, _array_of, "numpy.ndarray"),
    *map(_number, dict.fromkeys(_NUMBERS)),
    *map(_time, (np.datetime64, np.timedelta64)),
)
"""All of them."""
