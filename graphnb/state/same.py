"""Equality that never raises and never guesses: for telling whether a value has changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def is_same(one: Any, other: Any) -> bool:
    """True if both are of one type and equal all the way down; NaN equals NaN, 1 does not equal True or 1.0.

    Arrays and tables are compared by their own `equals` or element by element; what cannot be compared
    counts as the same only if it is the same object.

    >>> is_same([1, float("nan")], [1, float("nan")]), is_same(1, True), is_same({"a": [1]}, {"a": [1.0]})
    (True, False, False)
    """
    if one is other:
        return True
    if type(one) is not type(other) and not _both(one, other, list) and not _both(one, other, dict):
        return False
    if isinstance(one, float):
        return bool(one == other) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, Mapping):
        return len(one) == len(other) and all(key in other and is_same(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and not isinstance(one, (str, bytes, bytearray)):
        return len(one) == len(other) and all(map(is_same, one, other))
    return _claims_equality(one, other)


def _both(one: object, other: object, kind: type) -> bool:
    return isinstance(one, kind) and isinstance(other, kind)


def _claims_equality(one: Any, other: Any) -> bool:
    try:
        if hasattr(one, "equals"):  # tables: NaN equals NaN there
            return bool(one.equals(other))
        if hasattr(one, "__array__"):
            equal = (one == other) | ((one != one) & (other != other))
            return bool(one.shape == other.shape and equal.all())
        return bool(one == other)
    except Exception:  # a value's own equality is user code
        return False
