"""How a write reaches a field: fold the raw update, then validate no more than what it contributed.

A writer works in two stages, so that a whole update is folded before any of it is validated: `stage` runs
the reducer on raw values and raises what the reducer raises; `settle` validates, raises pydantic's
ValidationError, and gives the value after and the write in the form of `graphnb.state.folding.writes`.
Source of the order: graph-engine §2, "reducers run first, schema second".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from graphnb.state.checking.validators import Validator
from graphnb.state.folding.writes import ADDED, Split
from graphnb.state.reducers.annotated import Reducer, is_strict
from graphnb.state.reducers.keyed import BoundedAppend, DedupeAppend, MergeByKey
from graphnb.state.reducers.strict import (
    append,
    appended,
    concat_flatten,
    flattened,
    last_write_wins,
    merge,
    merge_all,
    merged,
    merged_all,
)
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList, grown, items_of


class Writer(Protocol):
    """The two stages of a write, and the value as this writer keeps it.

    `folds_whole`: what is validated is the value that the reducer gave, not what was written.
    """

    folds_whole: bool

    def stage(self, prior: Any, update: Any) -> Any:
        """The reducer's work on raw values. Raises what the reducer raises."""

    def settle(self, prior: Any, staged: Any) -> tuple[Any, Any]:
        """The value after the write, and the write. Raises ValidationError."""

    def keep(self, value: Any) -> Any:
        """A validated whole value in the form that later writes start from. Takes ownership."""


class _PlainWriter:
    """The update becomes the value: `last_write_wins` on any type."""

    folds_whole = False

    def __init__(self, whole: Validator) -> None:
        self._whole = whole

    def stage(self, prior: Any, update: Any) -> Any:
        return update

    def settle(self, prior: Any, staged: Any) -> tuple[Any, Any]:
        value = self._whole.check(staged)
        return value, value

    def keep(self, value: Any) -> Any:
        return value


class _GrowingList:
    """`append`, `concat_flatten` and `dedupe_append` on a list: only the new items are validated and stored."""

    folds_whole = False

    def __init__(self, reducer: Reducer, items: Validator) -> None:
        self._items = items
        self._split = reducer is concat_flatten
        self._novel = reducer.novel if isinstance(reducer, DedupeAppend) else None
        self._added: Callable[[Sequence[Any], Any], list[Any]] = appended if reducer is append else flattened

    def stage(self, prior: GrownList, update: Any) -> Any:
        if self._novel:
            new = self._novel(items_of(prior), update)
            return new, ADDED if len(new) == len(update) else detach(update)
        items = self._added(prior, update)
        return items, Split(tuple(map(len, update))) if self._split else ADDED

    def settle(self, prior: GrownList, staged: Any) -> tuple[Any, Any]:
        items, written = staged
        return prior.extended(self._items.check(items)), written

    def keep(self, value: Any) -> Any:
        return grown(value)


class _GrowingDict:
    """`merge` and `merge_all` on a dict: only the written entries are validated and stored."""

    folds_whole = False

    def __init__(self, reducer: Reducer, entries: Validator) -> None:
        self._entries = entries
        self._all = reducer is merge_all
        self._merged: Callable[[Mapping[Any, Any], Any], dict[Any, Any]] = merged_all if self._all else merged

    def stage(self, prior: GrownDict, update: Any) -> Any:
        return self._merged(prior, update), detach(update) if self._all else ADDED

    def settle(self, prior: GrownDict, staged: Any) -> tuple[Any, Any]:
        raw, written = staged
        entries = self._entries.check(raw)
        if entries.keys() != raw.keys():
            entries = self._in_order(prior, raw)
        return prior.extended(entries), written

    def _in_order(self, prior: GrownDict, raw: dict[Any, Any]) -> dict[Any, Any]:
        """The entries where keys were coerced and may now be equal: the one that stands last in the whole dict wins."""
        known = [key for key in raw if key in prior]  # these keep their places in the prior, before all others
        entries: dict[Any, Any] = {}
        for key in (*known, *(key for key in raw if key not in prior)):
            entries |= self._entries.check({key: raw[key]})
        return entries

    def keep(self, value: Any) -> Any:
        return grown(value)


class _Bounded:
    """`bounded_append` on a list: items that fall out of the window at once are not validated."""

    folds_whole = False

    def __init__(self, reducer: BoundedAppend, items: Validator) -> None:
        self._reducer = reducer
        self._items = items

    def stage(self, prior: list[Any], update: Any) -> Any:
        self._reducer(prior[:0], update)  # checks the shapes
        return update

    def settle(self, prior: list[Any], staged: Any) -> tuple[Any, Any]:
        if not staged:
            return prior, []
        kept = self._items.check(staged[-self._reducer.max_len :])
        written = kept if len(kept) == len(staged) else detach(staged)
        return self._reducer(prior, kept), written

    def keep(self, value: Any) -> Any:
        return value


class _Keyed:
    """`merge_by_key` on a list: only the placed items are validated."""

    folds_whole = False

    def __init__(self, reducer: MergeByKey, items: Validator) -> None:
        self._reducer = reducer
        self._items = items

    def stage(self, prior: list[Any], update: Any) -> Any:
        return self._reducer.placed(prior, update), detach(update)

    def settle(self, prior: list[Any], staged: Any) -> tuple[Any, Any]:
        places, written = staged
        value = list(prior)
        for place, item in zip(places, self._items.check(list(places.values())), strict=True):
            value[place : place + 1] = [item]
        return value, written

    def keep(self, value: Any) -> Any:
        return value


class _WholeWriter:
    """Any reducer on any type: the folded value is validated as a whole."""

    folds_whole = True

    def __init__(self, reducer: Reducer, whole: Validator) -> None:
        self._reducer = reducer
        self._whole = whole
        self._trusted = is_strict(reducer)  # ours never change what they are given

    def stage(self, prior: Any, update: Any) -> Any:
        written = detach(update)
        value = self._reducer(prior if self._trusted else detach(prior), update)
        if inspect.iscoroutine(value):
            value.close()
            raise TypeError("an asynchronous function cannot be a reducer: it is called as it is, and not awaited")
        return value, written

    def settle(self, prior: Any, staged: Any) -> tuple[Any, Any]:
        raw, written = staged
        return self._whole.check(raw), written

    def keep(self, value: Any) -> Any:
        return value


def writer_of(reducer: Reducer | None, whole: Validator, *, has_parts: bool) -> Writer:
    """The cheapest writer that cannot be told from folding and validating the whole value.

    `has_parts`: the field is a list or dict whose elements can be validated by themselves, as nothing
    constrains it as a whole.
    """
    if reducer is None or reducer is last_write_wins:
        return _PlainWriter(whole)
    if has_parts and whole.kind is list:
        if reducer is append or reducer is concat_flatten or isinstance(reducer, DedupeAppend):
            return _GrowingList(reducer, whole)
        if isinstance(reducer, BoundedAppend):
            return _Bounded(reducer, whole)
        if isinstance(reducer, MergeByKey):
            return _Keyed(reducer, whole)
    if has_parts and whole.kind is dict and (reducer is merge or reducer is merge_all):
        return _GrowingDict(reducer, whole)
    return _WholeWriter(reducer, whole)
