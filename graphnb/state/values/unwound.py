"""Copying lists and dicts without recursion: for values that hold themselves, or are nested very deep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def unwound(value: Any, makers: Mapping[type, Callable[[], Any]], leaf: Callable[[Any], Any]) -> Any:
    """A copy of the same shape, cycles included: `makers` gives an empty list or dict per type that is copied.

    Everything else becomes what `leaf` makes of it.

    >>> ring = [1]
    >>> ring.append(ring)
    >>> copied = unwound(ring, {list: list}, lambda leaf: leaf)
    >>> copied[1] is copied, copied is ring
    (True, False)
    """
    made: dict[int, Any] = {}
    ahead: list[tuple[Any, Any]] = []

    def of(each: Any) -> Any:
        make = makers.get(type(each))
        if make is None:
            return leaf(each)
        if id(each) not in made:
            made[id(each)] = make()
            ahead.append((each, made[id(each)]))
        return made[id(each)]

    root = of(value)
    while ahead:
        source, own = ahead.pop()
        if isinstance(own, dict):
            dict.update(own, {key: of(each) for key, each in source.items()})
        else:
            list.extend(own, [of(each) for each in source])
    return root
