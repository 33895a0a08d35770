"""Comparing what a case expects with what came: exact in types and values, with the place of every difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphnb.errors.text import kind_of, shown


def differences(expected: Any, got: Any, *, place: str) -> Iterator[str]:
    """One text per difference; none if both are the same to the type: 1 is neither True nor 1.0, 0.0 is not -0.0.

    >>> list(differences({"a": [1, 2]}, {"a": [1, True]}, place="final_state"))
    ['final_state.a[1]: expected 2 (int), got True (bool)']
    >>> list(differences([1.0, "x"], [1.0, "x"], place="items"))
    []
    """
    if type(expected) is not type(got):
        yield f"{place}: expected {shown(expected)} ({kind_of(expected)}), got {shown(got)} ({kind_of(got)})"
    elif isinstance(expected, dict):
        yield from _of_mappings(expected, got, place=place)
    elif isinstance(expected, list):
        if len(expected) != len(got):
            yield f"{place}: expected {_counted(expected)}, got {_counted(got)}"
        else:
            for i, (one, other) in enumerate(zip(expected, got, strict=True)):
                yield from differences(one, other, place=f"{place}[{i}]")
    elif isinstance(expected, float):
        if repr(expected) != repr(got):  # the sign of zero counts, NaN is NaN
            yield f"{place}: expected {shown(expected)}, got {shown(got)}"
    elif expected != got:
        yield f"{place}: expected {shown(expected)}, got {shown(got)}"


def fields_differ(expected: Any, got: dict[str, Any], *, place: str) -> Iterator[str]:
    """The same for a whole state: every declared field, and no other, must be expected.

    >>> list(fields_differ({"a": 1, "c": 0}, {"a": 1, "b": 2}, place="final_state"))
    ["final_state: 'c' is no field of the state", "final_state: does not say that 'b' is 2"]
    """
    for name in expected:
        if name not in got:
            yield f"{place}: {name!r} is no field of the state"
        else:
            yield from differences(expected[name], got[name], place=f"{place}.{name}")
    for name in got:
        if name not in expected:
            yield f"{place}: does not say that {name!r} is {shown(got[name])}"


def _of_mappings(expected: dict[Any, Any], got: dict[Any, Any], *, place: str) -> Iterator[str]:
    wanted = {(type(key), key): value for key, value in expected.items()}
    there = {(type(key), key): value for key, value in got.items()}
    for typed, value in wanted.items():
        if typed not in there:
            yield f"{place}: expected a key {shown(typed[1])} with {shown(value)}, got keys {shown(list(got))}"
        else:
            yield from differences(value, there[typed], place=f"{place}.{typed[1]}")
    for typed, value in there.items():
        if typed not in wanted:
            yield f"{place}: got a key {shown(typed[1])} with {shown(value)} that is not expected"


def _counted(items: list[Any]) -> str:
    return f"{shown(items)} ({len(items)} item{'' if len(items) == 1 else 's'})"
