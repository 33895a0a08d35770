"""The five reducers that take no options. Strict: each takes one shape of update and never guesses another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from graphnb.errors.text import kind_of, shown

T = TypeVar("T")
K = TypeVar("K")


def last_write_wins(prior: object, update: T) -> T:
    """The update; the prior value is dropped. A field without a reducer folds like this.

    | prior | update | result |
    |-------|--------|--------|
    | 1     | 2      | 2      |
    | [1]   | []     | []     |

    >>> last_write_wins(1, 2)
    2
    >>> last_write_wins([1], [])
    []

    Source: graph-engine §2.
    """
    return update


def append(prior: list[T], update: list[T]) -> list[T]:
    """A new list: the prior items, then the update's items. Lists within the update stay as they are.

    | prior  | update   | result      |
    |--------|----------|-------------|
    | [1, 2] | [3]      | [1, 2, 3]   |
    | [1]    | []       | [1]         |
    | [1]    | [[2], 3] | [1, [2], 3] |
    | [1]    | 2        | TypeError   |

    >>> append([1, 2], [3])
    [1, 2, 3]
    >>> append([1], [])
    [1]
    >>> append([1], [[2], 3])
    [1, [2], 3]
    >>> append([1], 2)
    Traceback (most recent call last):
    TypeError: append takes a list as update, not int: 2. Wrap a single item: [2]

    Source: graph-engine §2.
    """
    check_list("append", "prior", value=prior)
    return [*prior, *appended(prior, update)]


def merge(prior: dict[K, T], update: Mapping[K, T]) -> dict[K, T]:
    """A new dict: the prior entries, then the update's, which win. Nested dicts are replaced whole.

    | prior            | update        | result                   |
    |------------------|---------------|--------------------------|
    | {'a': 1, 'b': 2} | {'b': 3}      | {'a': 1, 'b': 3}         |
    | {'a': 1}         | {}            | {'a': 1}                 |
    | {'a': {'x': 1}}  | {'a': {}}     | {'a': {}}                |
    | {'a': 1}         | [{'b': 2}]    | TypeError                |

    >>> merge({'a': 1, 'b': 2}, {'b': 3})
    {'a': 1, 'b': 3}
    >>> merge({'a': 1}, {})
    {'a': 1}
    >>> merge({'a': {'x': 1}}, {'a': {}})
    {'a': {}}
    >>> merge({'a': 1}, [{'b': 2}])
    Traceback (most recent call last):
    TypeError: merge takes a mapping as update, not list: [{'b': 2}]. For a list of mappings use merge_all

    Source: graph-engine §2.
    """
    check_mapping("merge", "prior", value=prior)
    return {**prior, **merged(prior, update)}


def concat_flatten(prior: list[T], update: list[list[T]]) -> list[T]:
    """A new list: the prior items, then the items of the lists in the update. Exactly one level is opened.

    Made for what a fan-out collects when every instance gives a list.

    | prior  | update            | result          |
    |--------|-------------------|-----------------|
    | ['a']  | [['b'], [], ['c']] | ['a', 'b', 'c'] |
    | ['a']  | []                | ['a']           |
    | []     | [[['b']]]         | [['b']]         |
    | ['a']  | ['b']             | TypeError       |

    >>> concat_flatten(['a'], [['b'], [], ['c']])
    ['a', 'b', 'c']
    >>> concat_flatten(['a'], [])
    ['a']
    >>> concat_flatten([], [[['b']]])
    [['b']]
    >>> concat_flatten(['a'], ['b'])
    Traceback (most recent call last):
    TypeError: concat_flatten takes a list of lists as update, but item 0 is str: 'b'. For a flat list use append

    Source: proposal 0036, graph-engine §2.
    """
    check_list("concat_flatten", "prior", value=prior)
    return [*prior, *flattened(prior, update)]


def merge_all(prior: dict[K, T], update: list[Mapping[K, T]]) -> dict[K, T]:
    """A new dict: the prior entries, then those of each mapping in the update in turn; the last one wins.

    Made for what a fan-out collects when every instance gives a dict.

    | prior    | update                         | result                     |
    |----------|--------------------------------|----------------------------|
    | {'a': 1} | [{'b': 2}, {}, {'a': 3}]       | {'a': 3, 'b': 2}           |
    | {'a': 1} | []                             | {'a': 1}                   |
    | {'a': 1} | {'b': 2}                       | TypeError                  |
    | {'a': 1} | [{'b': 2}, 5]                  | TypeError                  |

    >>> merge_all({'a': 1}, [{'b': 2}, {}, {'a': 3}])
    {'a': 3, 'b': 2}
    >>> merge_all({'a': 1}, [])
    {'a': 1}
    >>> merge_all({'a': 1}, {'b': 2})
    Traceback (most recent call last):
    TypeError: merge_all takes a list of mappings as update, not dict: {'b': 2}. For a single mapping use merge
    >>> merge_all({'a': 1}, [{'b': 2}, 5])
    Traceback (most recent call last):
    TypeError: merge_all takes a list of mappings as update, but item 1 is int: 5

    Source: proposal 0036, graph-engine §2.
    """
    check_mapping("merge_all", "prior", value=prior)
    return {**prior, **merged_all(prior, update)}


# What each reducer adds, before it is joined to the prior: the part of an update that has to be validated.


def appended(prior: Sequence[Any], update: object) -> list[Any]:
    """The items that `append` adds."""
    if not isinstance(update, list):
        raise TypeError(f"append takes a list as update, not {kind_of(update)}: {shown(update)}. {_wrapped(update)}")
    return update


def flattened(prior: Sequence[Any], update: object) -> list[Any]:
    """The items that `concat_flatten` adds."""
    if not isinstance(update, list):
        raise TypeError(f"concat_flatten takes a list of lists as update, not {kind_of(update)}: {shown(update)}")
    for i, inner in enumerate(update):
        if not isinstance(inner, list):
            raise TypeError(
                f"concat_flatten takes a list of lists as update, but item {i} is {kind_of(inner)}: "
                f"{shown(inner)}. For a flat list use append"
            )
    return [item for inner in update for item in inner]


def merged(prior: Mapping[Any, Any], update: object) -> dict[Any, Any]:
    """The entries that `merge` writes."""
    if not isinstance(update, Mapping):
        hint = ". For a list of mappings use merge_all" if isinstance(update, list) else ""
        raise TypeError(f"merge takes a mapping as update, not {kind_of(update)}: {shown(update)}{hint}")
    return dict(update)


def merged_all(prior: Mapping[Any, Any], update: object) -> dict[Any, Any]:
    """The entries that `merge_all` writes."""
    if not isinstance(update, list):
        hint = ". For a single mapping use merge" if isinstance(update, Mapping) else ""
        raise TypeError(f"merge_all takes a list of mappings as update, not {kind_of(update)}: {shown(update)}{hint}")
    entries: dict[Any, Any] = {}
    for i, inner in enumerate(update):
        if not isinstance(inner, Mapping):
            raise TypeError(
                f"merge_all takes a list of mappings as update, but item {i} is {kind_of(inner)}: {shown(inner)}"
            )
        entries.update(inner)
    return entries


def check_list(reducer: str, role: str, *, value: object) -> None:
    """Raises TypeError unless the value is a list."""
    if not isinstance(value, list):
        raise TypeError(f"{reducer} takes a list as {role}, not {kind_of(value)}: {shown(value)}")


def check_mapping(reducer: str, role: str, *, value: object) -> None:
    """Raises TypeError unless the value is a mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{reducer} takes a mapping as {role}, not {kind_of(value)}: {shown(value)}")


def _wrapped(update: object) -> str:
    if isinstance(update, (tuple, set, frozenset)):
        return "Make it a list: list(...)"
    return f"Wrap a single item: [{shown(update)}]"
