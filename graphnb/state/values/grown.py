"""Lists and dicts that grow at the cost of what is added, while every earlier version stays as it was.

A version is a buffer and how far into it the version reaches. Growing the newest version fills the shared
buffer further; growing an older one starts a buffer of its own. Nothing below a version's reach ever
changes, so keeping a version costs two words, and reading one copies it. One writer per buffer: a run
that continues another one starts with copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload


class GrownList(Sequence[Any]):
    """One version of a growing list. Read-only; `to_list` gives a list of the caller's own.

    `twins` belongs to `graphnb.state.views.twins`, and goes on to later versions; `known` to the writer of the
    field, which keeps there what it knows of the items.
    """

    __slots__ = ("_buffer", "known", "stop", "twins")

    def __init__(self, buffer: list[Any], stop: int | None = None, twins: Any = None) -> None:
        self._buffer = buffer  # owned from here on
        self.stop = len(buffer) if stop is None else stop
        self.twins = twins
        self.known: Any = None

    def extended(self, items: list[Any]) -> GrownList:
        """The version with the items behind, the same version if there are none. Takes ownership of the items."""
        if not items:
            return self
        if not self.stop:
            return GrownList(items)
        buffer, twins = self._buffer, self.twins
        if len(buffer) != self.stop:  # somebody has grown this version before: part ways
            buffer, twins = buffer[: self.stop], None
        buffer += items
        return GrownList(buffer, len(buffer), twins)

    def to_list(self) -> list[Any]:
        """A new plain list."""
        return self._buffer[: self.stop]

    def since(self, earlier: GrownList) -> list[Any]:
        """The items behind those of an earlier version."""
        return self._buffer[earlier.stop : self.stop]

    def __len__(self) -> int:
        return self.stop

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._buffer[i] for i in range(*index.indices(self.stop))]
        if not -self.stop <= index < self.stop:
            raise IndexError(index)
        return self._buffer[index if index >= 0 else self.stop + index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, GrownList):
            return self.to_list() == other.to_list()
        return isinstance(other, list) and self.to_list() == other

    __hash__ = None  # type: ignore[assignment]  # equal to a list, hence as unhashable as one

    def __repr__(self) -> str:
        return repr(self.to_list())


class _Ledger:
    """The updates of a growing dict: `updates[i]` made version i + 1, `replaced[i]` holds what it wrote over."""

    __slots__ = ("_read", "base", "head", "replaced", "twins", "updates")

    def __init__(self, base: dict[Any, Any]) -> None:
        self.base = base
        self.head = dict(base)
        self.updates: list[Mapping[Any, Any]] = []
        self.replaced: list[Mapping[Any, Any]] = []
        self.twins: Any = None
        self._read = base, 0  # the version that was read last, so that reading forward is cheap

    def at(self, stop: int) -> dict[Any, Any]:
        """The entries of a version; may be read but not changed."""
        known, known_stop = self._read
        if known_stop == stop:
            return known
        entries = dict(self.base if stop < known_stop else known)
        for update in self.updates[0 if stop < known_stop else known_stop : stop]:
            entries.update(update)
        self._read = entries, stop  # at once: another thread may be reading another version
        return entries


class GrownDict(Mapping[Any, Any]):
    """One version of a growing dict. Read-only; `to_dict` gives a dict of the caller's own.

    `twins` belongs to `graphnb.state.views.twins`, and is that of all versions.
    """

    __slots__ = ("_ledger", "_size", "stop")

    def __init__(self, base: dict[Any, Any]) -> None:
        self._ledger = _Ledger(base)  # base is owned from here on
        self.stop = 0
        self._size = len(base)

    def extended(self, update: dict[Any, Any]) -> GrownDict:
        """The version in which the update's entries win; the same version if there are none."""
        if not update:
            return self
        ledger = self._ledger
        if len(ledger.updates) != self.stop:  # somebody has grown this version before: part ways
            ledger = _Ledger(self.to_dict())
        head = ledger.head
        ledger.replaced.append({key: head[key] for key in update if key in head})
        ledger.updates.append(update)
        head.update(update)  # after `updates` has grown: readers look there to see whether the head is still theirs
        version = object.__new__(GrownDict)
        version._ledger, version.stop, version._size = ledger, len(ledger.updates), len(head)
        return version

    def to_dict(self) -> dict[Any, Any]:
        """A new plain dict, keys in the order in which they were first written."""
        ledger = self._ledger
        if self.stop == len(ledger.updates):
            entries = dict(ledger.head)
            if self.stop == len(ledger.updates):  # else another thread has grown it meanwhile
                return entries
        return dict(ledger.at(self.stop))

    @property
    def twins(self) -> Any:
        """None until it is set."""
        return self._ledger.twins

    @twins.setter
    def twins(self, twins: Any) -> None:
        self._ledger.twins = twins

    def updates_since(self, stop: int) -> list[Mapping[Any, Any]]:
        """The entries that were written after version `stop`, in order, those of the first version for -1."""
        updates = self._ledger.updates[max(stop, 0) : self.stop]
        return updates if stop >= 0 else [self._ledger.base, *updates]

    def last_update(self) -> Mapping[Any, Any]:
        """The entries that made this version."""
        return self._ledger.updates[self.stop - 1] if self.stop else {}

    def last_replaced(self) -> Mapping[Any, Any]:
        """The entries that the last update wrote over, with their former values."""
        return self._ledger.replaced[self.stop - 1] if self.stop else {}

    def first_items(self, most: int) -> list[tuple[Any, Any]]:
        """The first entries, at most so many: what an abbreviated table shows."""
        entries = self.to_dict()
        return [(key, entries[key]) for key, _ in zip(entries, range(most), strict=False)]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_dict())

    def __getitem__(self, key: Any) -> Any:
        return entries_of(self)[key]

    def __contains__(self, key: object) -> bool:
        return key in entries_of(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, GrownDict):
            return self.to_dict() == other.to_dict()
        return isinstance(other, dict) and self.to_dict() == other

    __hash__ = None  # type: ignore[assignment]  # as for a list

    def __repr__(self) -> str:
        return repr(self.to_dict())


def grown(value: Any) -> Any:
    """The list or dict as the first version of a growing one; anything else as it is. Takes ownership."""
    kind = type(value)
    if kind is list:
        return GrownList(value)
    if kind is dict:
        return GrownDict(value)
    return value


def added_since(earlier: Any, later: Any) -> list[Any] | dict[Any, Any] | None:
    """The items or entries that made the later version of the earlier one; None where it is no version of that.

    >>> one = GrownList([1])
    >>> added_since(one, one.extended([2])), added_since(one, GrownList([1, 2]))
    ([2], None)
    """
    if type(earlier) is GrownList and type(later) is GrownList:
        is_same = earlier._buffer is later._buffer and earlier.stop <= later.stop
        return later.since(earlier) if is_same or not earlier.stop else None
    if type(earlier) is GrownDict and type(later) is GrownDict:
        if earlier._ledger is not later._ledger or earlier.stop > later.stop:
            return None
        return {key: each for update in later.updates_since(earlier.stop) for key, each in update.items()}
    return None


def items_of(values: Iterable[Any] | GrownList) -> list[Any]:
    """The items as a plain list that may be read but not changed."""
    if type(values) is GrownList:
        return values._buffer if values.stop == len(values._buffer) else values.to_list()
    return values if type(values) is list else list(values)


def entries_of(values: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The entries as a dict that may be read but not changed."""
    if type(values) is not GrownDict:
        return values
    ledger = values._ledger
    return ledger.head if values.stop == len(ledger.updates) else ledger.at(values.stop)
