"""Values that can be stored, and the two notions of equality between them. Source: step reducers, values.

A storable value is null, a boolean, an integer, a finite float, text, a list of storable values, or a dict from
text keys, none beginning with "$", to storable values. Nothing here recurses, however deep the values are nested.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Hashable, Iterator
from typing import Any, Final

from pydantic import BaseModel

from graphnb.errors.text import kind_of, shown
from graphnb.state.values.atom_types import ATOMS
from graphnb.state.values.same import contents_of, is_same

Path = tuple[str | int, ...]
"""Keys and indices that lead from a value to a part of it; `()` is the value itself."""
MOST_LEVELS: Final = 200
"""Lists and dicts within one another, in a document and in what enters a run of one: what is done with values later may
recurse, and must not depend on how deep the caller's stack is."""


_HOLDS_ITSELF: Final = "a value that holds itself cannot be stored"


def find_unstorable(value: object, *, most_levels: int | None = None) -> tuple[Path, str] | None:
    """The path of the first part that cannot be stored, and why; None if all can.

    A value nested deeper than `most_levels` is refused as a whole, None allows any depth.

    >>> find_unstorable({"a": [1, None, "x"]})
    >>> find_unstorable({"a": [1, (2,)]})
    (('a', 1), 'tuple cannot be stored: (2,)')
    """
    above: dict[int, object] = {}  # the lists and dicts around the part that is looked at
    fine: dict[int, tuple[object, int]] = {}  # those known to be storable, held so that their ids stay theirs: levels
    path: list[str | int] = []
    levels: list[Iterator[tuple[str | int, object]]] = [iter(((0, value),))]
    heights = [0]  # of the deepest part so far, for each of the levels
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
            height = heights.pop() + 1
            if path:
                path.pop()
                _, done = above.popitem()
                fine[id(done)] = done, height
                heights[-1] = max(heights[-1], height)
            continue
        key, part = entry
        is_known = id(part) in fine
        why = None if is_known else _HOLDS_ITSELF if id(part) in above else _refusal(part)
        if why:
            return (*path, key)[1:], why  # the first key is made up
        if not isinstance(part, (list, dict)):
            continue
        height = fine[id(part)][1] if is_known else 1
        if most_levels is not None and len(path) + height > most_levels:
            return (), f"is nested deeper than {most_levels} levels"
        heights[-1] = max(heights[-1], height)
        if not is_known:
            above[id(part)] = part
            path.append(key)
            levels.append(iter(part.items() if isinstance(part, dict) else enumerate(part)))
            heights.append(0)
    return None


def _refusal(part: Any) -> str | None:
    """Why the part itself, whatever lies within it, cannot be stored."""
    kind = type(part)
    if part is None or kind is bool or kind is int or isinstance(part, list):
        return None
    if kind is str:
        return None if is_whole_text(part) else f"text with half of a surrogate pair cannot be stored: {shown(part)}"
    if kind is float:
        return None if math.isfinite(part) else f"{part} cannot be stored: a number has to be finite"
    if isinstance(part, dict):
        return next((why for why in map(_key_refusal, part) if why), None)
    return f"{kind_of(part)} cannot be stored: {shown(part)}"


def _key_refusal(key: object) -> str | None:
    if type(key) is not str:
        return f"the key {shown(key)} is {kind_of(key)}: only text can be a key"
    if key.startswith("$"):
        return f"the key {shown(key)} begins with $, which is reserved"
    return None if is_whole_text(key) else f"the key {shown(key)} has half of a surrogate pair"


def is_whole_text(text: str) -> bool:
    """True if the text can be written as it is: it has no half of a surrogate pair.

    >>> is_whole_text("né"), is_whole_text("\\ud800")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_exact(one: object, other: object) -> bool:
    """True if equal where null, booleans, integers and floats are four kinds, at any depth. Key order is nothing.

    >>> is_exact([1], [1]), is_exact([1], [1.0]), is_exact(1, True), is_exact({"a": 1, "b": 2}, {"b": 2, "a": 1})
    (True, False, False, True)
    """
    return exact_key(one) == exact_key(other)


def is_loose(one: object, other: object) -> bool:
    """The same, except that an integer equals a float of the same value, at any depth. Source: the `equals` guard.

    A member of an Enum that is a text or a number as well, which a state written in Python may hold, counts as that.

    >>> is_loose([1], [1.0]), is_loose(1, True), is_loose(2**53 + 1, 2.0**53)
    (True, False, False)
    """
    return _key(one, loosely=True) == _key(other, loosely=True)


def bare_of_member(value: Any) -> Any:
    """The text or the number that a member of an Enum is as well; anything else as it is.

    >>> bare_of_member(enum.IntEnum("Level", "LOW HIGH").HIGH), bare_of_member([1])
    (2, [1])
    """
    return value.value if isinstance(value, enum.Enum) and isinstance(value, (str, int, float)) else value


def exact_key(value: object) -> Hashable:
    """A key that equals another one exactly if the values are exactly equal; for any value at all.

    What is no storable value is compared by its own equality, of one type only; a model or a dataclass by its
    fields. NaN equals NaN.

    >>> len({exact_key(each) for each in (1, 1.0, True, "1", [1], [True], {"a": 1}, {"a": 1.0}, None)})
    9
    """
    return _key(value, loosely=False)


def _exact(number: float) -> Hashable:
    return float, ("nan" if math.isnan(number) else number)


def _loose(number: float) -> Hashable:
    return int(number) if number.is_integer() else _exact(number)


def _key(value: Any, *, loosely: bool) -> Hashable:
    """The value itself if it is text or an integer, a pair for another leaf, else one flat tuple.

    The tuple tells lists and dicts by a mark and a length before their parts, so that no two values share one;
    it is flat because comparing and hashing nested tuples would overflow.
    """
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value  # type: ignore[no-any-return]  # hashable
    tokens: list[Hashable] = []
    depths: dict[int, int] = {}  # of the lists and dicts around the part that is looked at
    rest: list[Any] = [value]
    while rest:
        part = bare_of_member(rest.pop()) if loosely else rest.pop()
        kind = type(part)
        if kind is str or kind is int or part is None:
            tokens.append(part)
        elif kind is bool:
            tokens.append((bool, part))
        elif kind is float:
            tokens.append(_loose(part) if loosely else _exact(part))
        elif kind is _Left:
            del depths[id(part.part)]
        elif id(part) in depths:
            tokens.append((_Left, depths[id(part)]))  # it holds itself
        else:
            mark, inner = _opened(part)
            tokens.append(mark)
            if inner is not None:
                tokens.append(len(inner))
                depths[id(part)] = len(depths)
                rest.append(_Left(part))
                rest += reversed(inner)
    return tuple(tokens) if len(tokens) > 1 else tokens[0]


def _opened(part: Any) -> tuple[Hashable, list[object] | None]:
    """How a part is marked and what lies within it, None for what is compared as a whole."""
    kind: type = type(part)
    if isinstance(part, list):
        return list, list(part)
    if isinstance(part, dict):
        if all(type(key) is str for key in part):
            return dict, [each for key in sorted(part) for each in (key, part[key])]
        return _Whole(part), None
    if isinstance(part, tuple):
        return kind, list(part)
    if isinstance(part, BaseModel) or hasattr(kind, "__dataclass_fields__"):
        return kind, [contents_of(part)]
    return ((kind, part) if kind in ATOMS else _Whole(part)), None


class _Left:
    """Tells that all that lies within `part` has been looked at; holds it, so that its id stays its own."""

    __slots__ = ("part",)

    def __init__(self, part: object) -> None:
        self.part = part


class _Whole:
    """A value without a key of its own: equal to another one if they are the same all the way down."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Whole) and is_same(self.value, other.value)

    def __hash__(self) -> int:
        return hash((_Whole, type(self.value)))
