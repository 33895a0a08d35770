"""The two reducers of lists: `step.append` and `step.union`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel

from graphnb.state.reducers.stepwise.base import Option, StepReducer
from graphnb.state.storable.values import exact_key
from graphnb.state.values.same import contents_of


class Append(StepReducer):
    """The list before, then what the writes add: a list adds its items, anything else adds itself.

    Lists are opened one level only: wrap an item that is a list. With `unique=True` the first of equal items
    stays, also of those before, where 1, 1.0 and True are three items; then `max_length` keeps the last ones.

    | options               | prior     | writes      | result       |
    |-----------------------|-----------|-------------|--------------|
    |                       | [1]       | 2, [3, 4]   | [1, 2, 3, 4] |
    |                       | [1]       | [[2]], None | [1, [2], None] |
    |                       | UNSET     | 'ab'        | ['ab']       |
    | unique=True           | [1, 1, 2] | [], 1.0     | [1, 2, 1.0]  |
    | max_length=2          | [1, 2, 3] | []          | [2, 3]       |
    | both                  | [1, 2]    | 3, 1        | [2, 3]       |

    >>> from graphnb import UNSET, step
    >>> step.append.fold([1], [2, [3, 4]])
    [1, 2, 3, 4]
    >>> step.append.fold([1], [[[2]], None])
    [1, [2], None]
    >>> step.append.fold(UNSET, ["ab"])
    ['ab']
    >>> step.append(unique=True).fold([1, 1, 2], [[], 1.0])
    [1, 2, 1.0]
    >>> step.append(max_length=2).fold([1, 2, 3], [[]])
    [2, 3]
    >>> step.append(unique=True, max_length=2).fold([1, 2], [3, 1])
    [2, 3]
    >>> step.append([1], [2])
    Traceback (most recent call last):
    graphnb.errors.building.ReducerConfigurationInvalid: step.append: was called with values, ...
    """

    __slots__ = ()
    type = "append"
    options: ClassVar[Mapping[str, Option]] = {
        "unique": (lambda value: type(value) is bool, "True or False"),
        "max_length": (lambda value: type(value) is int and value > 0, "an int of at least 1"),
    }

    @property
    def zero(self) -> Any:
        """An empty list."""
        return []

    @property
    def is_unique(self) -> bool:
        """True if equal items are left out; behind the checks only a literal True says so."""
        return self.opts.get("unique") is True

    @property
    def window(self) -> int | None:
        """How many items are kept, None for all; behind the checks 0 keeps none, and what is no such number all."""
        bound = self.opts.get("max_length")
        return bound if type(bound) is int and bound >= 0 else None

    def _folded(self, prior: Any, writes: Sequence[Any]) -> list[Any]:
        items = [*_items_before(prior), *items_of_writes(writes)]
        if self.is_unique:
            items = first_of_equal(items, exact_key)
        window = self.window
        return items if window is None else items[max(len(items) - window, 0) :]


class Union(StepReducer):
    """The list before and what the writes add, as for `append`; of equal items the first one stays.

    With `by`, a key or a path of keys, items are equal if what lies there is; an item without it is compared as
    a whole. First wins: an item that is there is not renewed.

    | options   | prior            | writes           | result                     |
    |-----------|------------------|------------------|----------------------------|
    |           | [1, 1]           | 2, [1, True]     | [1, 2, True]               |
    | by='id'   | [{'id': 1}]      | {'id': 1, 'n': 2} | [{'id': 1}]               |
    | by='id'   | ['a']            | {'id': 'a'}      | ['a', {'id': 'a'}]         |

    >>> from graphnb import step
    >>> step.union.fold([1, 1], [2, [1, True]])
    [1, 2, True]
    >>> step.union(by="id").fold([{"id": 1}], [{"id": 1, "n": 2}])
    [{'id': 1}]
    >>> step.union(by="id").fold(["a"], [{"id": "a"}])
    ['a', {'id': 'a'}]
    """

    __slots__ = ()
    type = "union"
    options: ClassVar[Mapping[str, Option]] = {
        "by": (lambda value: type(value) is str or _is_path(value), "a key, or a list of at least one key"),
    }

    @property
    def zero(self) -> Any:
        """An empty list."""
        return []

    @property
    def key(self) -> Callable[[Any], Hashable]:
        """What two items are compared by."""
        by = self.opts.get("by")
        path = (by,) if isinstance(by, str) else tuple(by) if isinstance(by, (list, tuple)) else ()
        return _key_at(path) if path else exact_key

    def _folded(self, prior: Any, writes: Sequence[Any]) -> list[Any]:
        return first_of_equal([*_items_before(prior), *items_of_writes(writes)], self.key)


def items_of_writes(writes: Iterable[Any]) -> list[Any]:
    """What the writes add to a list: a list its items, anything else itself."""
    return [item for write in writes for item in (write if isinstance(write, list) else (write,))]


def first_of_equal(items: Iterable[Any], key: Callable[[Any], Hashable]) -> list[Any]:
    """The items without those whose key came before."""
    seen: set[Hashable] = set()
    return [item for item in items if (found := key(item)) not in seen and not seen.add(found)]  # type: ignore[func-returns-value]  # that is the point


def _items_before(prior: Any) -> Iterable[Any]:
    return prior if isinstance(prior, list) else ()


def _key_at(path: tuple[Any, ...]) -> Callable[[Any], Hashable]:
    def key(item: Any) -> Hashable:
        part = item
        for name in path:
            inner = contents_of(part) if isinstance(part, BaseModel) or _is_dataclass(part) else part
            if not isinstance(inner, Mapping) or name not in inner:
                return None, exact_key(item)
            part = inner[name]
        return "at", exact_key(part)

    return key


def _is_dataclass(value: object) -> bool:
    return hasattr(type(value), "__dataclass_fields__")


def _is_path(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(type(each) is str for each in value)
