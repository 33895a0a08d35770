"""The three reducers that are made with an option: a bound or a key."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from graphnb.errors import ReducerConfigurationInvalid
from graphnb.errors.text import kind_of, shown
from graphnb.state.reducers.key_faults import KEY_FAULTS, check_keys
from graphnb.state.reducers.strict import check_list

KeyFunction = Callable[[Any], Hashable]


@dataclass(frozen=True, slots=True, repr=False)
class BoundedAppend:
    """What `bounded_append` makes."""

    name: ClassVar[str] = "bounded_append"
    max_len: int

    def __call__(self, prior: list[Any], update: list[Any]) -> list[Any]:
        """The prior items, then the update's, cut at the front to `max_len`; an empty update cuts nothing."""
        check_list(self.name, "prior", value=prior)
        check_list(self.name, "update", value=update)
        return [*prior, *update][-self.max_len :] if update else list(prior)

    def __repr__(self) -> str:
        return f"bounded_append(max_len={self.max_len})"


@dataclass(frozen=True, slots=True, repr=False)
class DedupeAppend:
    """What `dedupe_append` makes."""

    name: ClassVar[str] = "dedupe_append"
    key: KeyFunction | None = None

    def __call__(self, prior: list[Any], update: list[Any]) -> list[Any]:
        """The prior items untouched, then those of the update whose key was not there before."""
        check_list(self.name, "prior", value=prior)
        return [*prior, *self.novel(prior, update)]

    def novel(self, prior: Sequence[Any], update: object) -> list[Any]:
        """The items that are added: of equal keys the first, also within the update."""
        check_list(self.name, "update", value=update)
        key = self.key or _itself
        try:
            seen = {key(item) for item in prior}
            new = []
            for item in update:  # type: ignore[attr-defined]  # checked above
                found = key(item)
                if found not in seen:
                    seen.add(found)
                    new.append(item)
        except KEY_FAULTS as error:
            check_keys(self, self.key, prior=prior, update=update, cause=error)
            raise
        return new

    def __repr__(self) -> str:
        return "dedupe_append()" if self.key is None else f"dedupe_append(key={_key_name(self.key)})"


@dataclass(frozen=True, slots=True, repr=False)
class MergeByKey:
    """What `merge_by_key` makes."""

    name: ClassVar[str] = "merge_by_key"
    key: KeyFunction

    def __call__(self, prior: list[Any], update: list[Any]) -> list[Any]:
        """The prior items, those with a key of the update replaced in place, novel ones behind."""
        check_list(self.name, "prior", value=prior)
        result = list(prior)
        for place, item in self.placed(prior, update).items():
            result[place : place + 1] = [item]
        return result

    def placed(self, prior: Sequence[Any], update: object) -> dict[int, Any]:
        """Position in the result -> item of the update; positions from len(prior) on are novel.

        Of a key that is repeated in the prior the last place counts, of one in the update the last item.
        """
        check_list(self.name, "update", value=update)
        end = len(prior)
        places: dict[int, Any] = {}
        try:
            index = {self.key(item): i for i, item in enumerate(prior)}
            for item in update:  # type: ignore[attr-defined]  # checked above
                place = index.setdefault(self.key(item), end)
                end += place == end
                places[place] = item
        except KEY_FAULTS as error:
            check_keys(self, self.key, prior=prior, update=update, cause=error)
            raise
        return places

    def __repr__(self) -> str:
        return f"merge_by_key(key={_key_name(self.key)})"


def bounded_append(max_len: int) -> BoundedAppend:
    """A reducer like `append` that drops items from the front, down to `max_len`. Empty updates drop nothing.

    | max_len | prior     | update       | result    |
    |---------|-----------|--------------|-----------|
    | 3       | [1, 2]    | [3, 4]       | [2, 3, 4] |
    | 2       | [1]       | [2, 3, 4]    | [3, 4]    |
    | 2       | [1, 2, 3] | []           | [1, 2, 3] |

    >>> bounded_append(3)([1, 2], [3, 4])
    [2, 3, 4]
    >>> bounded_append(2)([1], [2, 3, 4])
    [3, 4]
    >>> bounded_append(2)([1, 2, 3], [])
    [1, 2, 3]
    >>> bounded_append(0)
    Traceback (most recent call last):
    graphnb.errors.building.ReducerConfigurationInvalid: bounded_append: max_len is 0, ...

    Raises ReducerConfigurationInvalid unless `max_len` is an int of at least 1. Source: graph-engine §2.
    """
    if isinstance(max_len, bool) or not isinstance(max_len, int) or max_len < 1:
        raise ReducerConfigurationInvalid(
            "bounded_append", f"max_len is {shown(max_len)}, it must be an int of at least 1", "Try bounded_append(10)."
        )
    return BoundedAppend(max_len)


def dedupe_append(key: KeyFunction | None = None) -> DedupeAppend:
    """A reducer like `append` that skips items whose key is there already; without `key` the item is the key.

    | key | prior  | update       | result     |
    |-----|--------|--------------|------------|
    | -   | [1]    | [1, 2, 2]    | [1, 2]     |
    | -   | [1, 1] | [2]          | [1, 1, 2]  |
    | abs | [1]    | [-1, 3, -3]  | [1, 3]     |

    >>> dedupe_append()([1], [1, 2, 2])
    [1, 2]
    >>> dedupe_append()([1, 1], [2])
    [1, 1, 2]
    >>> dedupe_append(key=abs)([1], [-1, 3, -3])
    [1, 3]
    >>> dedupe_append()([], [[1]])
    Traceback (most recent call last):
    TypeError: item 0 of the update: unhashable type: 'list': [1]. Give a key: dedupe_append(key=tuple)

    Raises ReducerConfigurationInvalid if `key` is no callable. Source: graph-engine §2.
    """
    if key is not None:
        _check_key("dedupe_append", key)
    return DedupeAppend(key)


def merge_by_key(key: KeyFunction) -> MergeByKey:
    """A reducer that replaces items with an equal key in place and puts novel ones behind.

    | key          | prior          | update         | result                 |
    |--------------|----------------|----------------|------------------------|
    | first letter | ['ab', 'cd']   | ['ax']         | ['ax', 'cd']           |
    | first letter | ['ab']         | ['cd', 'cx']   | ['ab', 'cx']           |
    | first letter | ['ab', 'ac']   | ['ax']         | ['ab', 'ax']           |

    >>> first = merge_by_key(lambda text: text[0])
    >>> first(['ab', 'cd'], ['ax'])
    ['ax', 'cd']
    >>> first(['ab'], ['cd', 'cx'])
    ['ab', 'cx']
    >>> first(['ab', 'ac'], ['ax'])
    ['ab', 'ax']

    Raises ReducerConfigurationInvalid if `key` is no callable. Source: graph-engine §2.
    """
    _check_key("merge_by_key", key)
    return MergeByKey(key)


def _check_key(reducer: str, key: object) -> None:
    if inspect.iscoroutinefunction(key):
        raise ReducerConfigurationInvalid(
            reducer, f"key is asynchronous ({shown(key)}), and nothing awaits it", "Give a plain function of an item."
        )
    if not callable(key):
        raise ReducerConfigurationInvalid(
            reducer,
            f"key is {kind_of(key)} ({shown(key)}), it must be a callable that takes an item",
            f"Try {reducer}(key=lambda item: item['id']).",
        )


def _itself(item: Any) -> Hashable:
    return item  # type: ignore[no-any-return]


def _key_name(key: KeyFunction) -> str:
    if isinstance(key, (operator.itemgetter, operator.attrgetter)):
        return f"{type(key).__name__}({', '.join(map(shown, key.__reduce__()[1]))})"
    name = getattr(key, "__name__", type(key).__name__)
    return "..." if name == "<lambda>" else name
