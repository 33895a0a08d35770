"""Equality that never raises and never guesses: for telling whether a value has changed."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from pydantic import BaseModel

from graphnb.state.values.atoms import is_atom

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
    return _has_changed_since(one, copied, {})


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other) and not _both(one, other, list) and not _both(one, other, dict):
        return False
    if isinstance(one, float):
        return bool(one == other) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, complex):  # one part may be NaN and the other differ
        return _is_same(one.real, other.real) and _is_same(one.imag, other.imag)
    if isinstance(one, Mapping):
        return _are_members_same(one, other) and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, AbstractSet):
        return _are_members_same(one, other)
    if isinstance(one, Sequence) and not isinstance(one, (str, bytes, bytearray)):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, BaseModel) or dataclasses.is_dataclass(one):
        return _is_same(contents_of(one), contents_of(other))  # its own == stumbles over an array, and takes 1 for True
    return _claim_equality(one, other)


def _are_members_same(one: Collection[Any], other: Collection[Any]) -> bool:
    """True if keys or members are the same: `==` between sets takes 1 for True."""
    theirs = dict(zip(other, other, strict=True))
    return len(one) == len(theirs) and all(each in theirs and _is_same(each, theirs[each]) for each in one)


def _both(one: object, other: object, kind: type) -> bool:
    return isinstance(one, kind) and isinstance(other, kind)


def _claim_equality(one: Any, other: Any) -> bool:
    if hasattr(one, "equals"):  # tables: NaN equals NaN there
        return bool(one.equals(other))
    if hasattr(one, "__array__") and not isinstance(one, (str, bytes)):  # numpy has texts of its own
        kinds = getattr(one, "dtype", None) == getattr(other, "dtype", None)
        equal = (one == other) | ((one != one) & (other != other))
        return bool(kinds and one.shape == other.shape and equal.all())
    return bool(one == other) or bool(one != one and other != other)


def _has_changed_since(one: Any, copied: Any, met: dict[tuple[int, int], Any]) -> bool:
    """`met` holds the pairs that are being compared or have been: objects refer to each other in rings."""
    try:
        return _has_changed(one, copied, met)
    except Exception:  # noqa: BLE001  as in is_same
        return False


def _has_changed(one: Any, copied: Any, met: dict[tuple[int, int], Any]) -> bool:
    if type(one) is not type(copied):
        return True
    pair = id(one), id(copied)
    if pair in met or is_same(one, copied):
        return False
    met[pair] = one, copied  # held, so that no other object gets the same id
    if isinstance(one, Mapping):
        return one.keys() != copied.keys() or any(_has_changed_since(one[key], copied[key], met) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) != len(copied) or any(_has_changed_since(*each, met) for each in zip(one, copied, strict=True))
    if isinstance(one, AbstractSet):
        return len(one) != len(copied) or all(map(is_atom, one))
    if hasattr(one, "equals") and hasattr(one, "axes"):  # a table; its cells may be what cannot be compared
        cells = one.to_numpy().tolist(), copied.to_numpy().tolist()
        return not all(map(is_same, one.axes, copied.axes)) or _has_changed_since(*cells, met)
    if str(getattr(one, "dtype", "")) == "object":  # an array of anything
        return bool(one.shape != copied.shape) or _has_changed_since(one.tolist(), copied.tolist(), met)
    if hasattr(one, "equals") or hasattr(one, "__array__"):
        return not _claim_equality(one, copied)
    before, after = _held(one), _held(copied)
    if before or after:
        return any(
            _has_changed_since(before[name], after[name], met) if name in before else not _is_computed(type(one), name)
            for name in after
        ) or any(name not in after for name in before)
    return type(one).__eq__ is not _IDENTITY and not _claim_equality(one, copied)


def contents_of(record: Any) -> dict[str, Any]:
    """What a model or a dataclass consists of, without what it may have computed."""
    if isinstance(record, BaseModel):
        fields = {name: record.__dict__.get(name) for name in type(record).model_fields}
        return {**fields, **(record.__pydantic_extra__ or {}), **(record.__pydantic_private__ or {})}
    return {each.name: getattr(record, each.name) for each in dataclasses.fields(record)}


def _held(value: Any) -> dict[str, Any]:
    """The attributes of an object, in its `__dict__` or in slots."""
    slots = [name for kind in type(value).__mro__ for name in _names_of(kind.__dict__.get("__slots__", ()))]
    return {**{name: getattr(value, name) for name in slots if hasattr(value, name)}, **getattr(value, "__dict__", {})}


def _names_of(slots: Any) -> tuple[str, ...]:
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if not name.startswith("__"))


def _is_computed(kind: type, name: str) -> bool:
    found = inspect.getattr_static(kind, name, None)
    return name.startswith("_") or (found is not None and not hasattr(found, "__set__"))  # a slot can be set
