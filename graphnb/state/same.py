"""Equality that never raises and never guesses: for telling whether a value has changed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from pydantic import BaseModel

from graphnb.state.atoms import is_atom

_IDENTITY: Any = object.__eq__


def is_same(one: Any, other: Any) -> bool:
    """True if both are of one type and equal all the way down; NaN equals NaN, 1 does not equal True or 1.0.

    Arrays and tables are compared by their own `equals` or element by element; what cannot be compared
    counts as the same only if it is the same object.

    >>> is_same([1, float("nan")], [1, float("nan")]), is_same(1, True), is_same({"a": [1]}, {"a": [1.0]})
    (True, False, False)
    """
    try:
        return _is_same(one, other)
    except Exception:  # noqa: BLE001  a value's own equality is user code; a list may hold itself
        return False


def has_changed(one: Any, copied: Any) -> bool:
    """True if a deep copy surely differs from the value that it was made of.

    Objects without an equality of their own are compared by what they hold. What a class computes when it is
    read, and keeps under a private name or in place of a cached property, is no change.

    >>> class Box: ...
    >>> one, copied = Box(), Box()
    >>> has_changed(one, copied), setattr(copied, "lid", 1), has_changed(one, copied)
    (False, None, True)
    """
    try:
        return _has_changed(one, copied)
    except Exception:  # noqa: BLE001  as above
        return False


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other) and not _both(one, other, list) and not _both(one, other, dict):
        return False
    if isinstance(one, float):
        return bool(one == other) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, Mapping):
        return len(one) == len(other) and all(key in other and _is_same(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and not isinstance(one, (str, bytes, bytearray)):
        return len(one) == len(other) and all(map(_is_same, one, other))
    # a record may hold what its own equality stumbles over, such as an array or NaN
    is_record = isinstance(one, BaseModel) or dataclasses.is_dataclass(one)
    return (is_record and _is_same(_held(one), _held(other))) or _claim_equality(one, other)


def _both(one: object, other: object, kind: type) -> bool:
    return isinstance(one, kind) and isinstance(other, kind)


def _claim_equality(one: Any, other: Any) -> bool:
    if hasattr(one, "equals"):  # tables: NaN equals NaN there
        return bool(one.equals(other))
    if hasattr(one, "__array__"):
        kinds = getattr(one, "dtype", None) == getattr(other, "dtype", None)
        equal = (one == other) | ((one != one) & (other != other))
        return bool(kinds and one.shape == other.shape and equal.all())
    return bool(one == other) or bool(one != one and other != other)


def _has_changed(one: Any, copied: Any) -> bool:
    if type(one) is not type(copied):
        return True
    if is_same(one, copied):
        return False
    if isinstance(one, Mapping):
        return one.keys() != copied.keys() or any(has_changed(one[key], copied[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) != len(copied) or any(map(has_changed, one, copied))
    if isinstance(one, AbstractSet):
        return len(one) != len(copied) or all(map(is_atom, one))
    if str(getattr(one, "dtype", "")) == "object":  # an array of anything
        return bool(one.shape != copied.shape) or has_changed(one.tolist(), copied.tolist())
    if hasattr(one, "equals") or hasattr(one, "__array__"):
        return not _claim_equality(one, copied)
    before, after = _held(one), _held(copied)
    if before or after:
        return any(
            has_changed(before[name], after[name]) if name in before else not _is_computed(type(one), name)
            for name in after
        ) or any(name not in after for name in before)
    return type(one).__eq__ is not _IDENTITY and not _claim_equality(one, copied)


def _held(value: Any) -> dict[str, Any]:
    """The attributes of an object, in its `__dict__` or in slots."""
    slots = [name for kind in type(value).__mro__ for name in _names_of(kind.__dict__.get("__slots__", ()))]
    return {**{name: getattr(value, name) for name in slots if hasattr(value, name)}, **getattr(value, "__dict__", {})}


def _names_of(slots: Any) -> tuple[str, ...]:
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if not name.startswith("__"))


def _is_computed(kind: type, name: str) -> bool:
    return name.startswith("_") or hasattr(kind, name)
