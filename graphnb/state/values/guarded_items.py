"""Long lists and dicts whose items are guarded one by one as they are read: a step costs what it touches."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, ItemsView, Iterator, ValuesView
from typing import Any, SupportsIndex

from graphnb.state.values.atom_types import ATOMS
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.guarded import GuardedDict, GuardedList, Place


class GuardedItems(GuardedList):
    """Made by `guarded_items`; all that reads goes to what the run keeps, and gives out guarded forms of it.

    In the list itself lie twins, which all readers share: whoever reads round the guard (list.__getitem__,
    pydantic, any C code) gets something that refuses to be changed, and never what the run keeps. An item that
    the guard copies takes the place of its twin, so that everybody sees what the reader makes of it.
    """

    __slots__ = ("_guard", "_is_plain", "_kept", "_own")
    _guard: Callable[[Any], Any]
    _is_plain: bool
    _kept: GrownList
    _own: dict[int, Any]

    def __new__(cls, *given: Any) -> Any:  # noqa: D102  as dataclasses.asdict makes one: the caller's own
        return list(*given)

    def seen(self) -> list[Any]:
        """What the run keeps, with the reader's copies in place of what was copied; to be read only."""
        items = self._kept.to_list()
        if not self._is_plain:
            for i, own in list(self._own.items()):
                items[i] = own
        return items

    def comparable(self, other: Any) -> list[Any]:
        """The items for a comparison, which may run the code of a class, of `other` or of an item."""
        return self.seen() if self._is_plain and is_plain(other) else self[:]

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return [self._item(i) for i in range(*index.indices(len(self._kept)))]
        i = index.__index__()
        return self._item(i if i >= 0 else i + len(self._kept))

    def _item(self, i: int) -> Any:
        own = self._own.get(i)
        if own is None:
            if not 0 <= i < len(self._kept):
                raise IndexError("list index out of range")
            # One object per place, as in any list; setdefault makes threads agree.
            own = self._own.setdefault(i, self._guard(self._kept[i]))
            if not self._is_plain:
                with contextlib.suppress(IndexError):  # somebody has gone round the guard and emptied the list
                    list.__setitem__(self, i, own)
        return own

    def __iter__(self) -> Iterator[Any]:
        return map(self._item, range(len(self._kept)))

    def __reversed__(self) -> Iterator[Any]:
        return map(self._item, range(len(self._kept) - 1, -1, -1))

    def __contains__(self, item: object) -> bool:
        return item in self.comparable(item)

    def index(self, item: Any, *bounds: SupportsIndex) -> int:
        """The place of the first equal item."""
        return self.comparable(item).index(item, *bounds)

    def count(self, item: Any) -> int:
        """How many items are equal to it."""
        return self.comparable(item).count(item)

    def __eq__(self, other: object) -> bool:
        mine = self.comparable(other)
        return mine == (other.comparable(mine) if isinstance(other, GuardedItems) else other)

    def __ne__(self, other: object) -> bool:  # list's own would compare the twins
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # as unhashable as what it equals

    def __add__(self, other: Any) -> Any:
        return self[:] + other

    def __radd__(self, other: Any) -> Any:
        return other + self[:]

    def __mul__(self, times: SupportsIndex) -> Any:
        return self[:] * times

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return repr(self.comparable(None))


class GuardedEntries(GuardedDict):
    """The same for a dict, made by `guarded_entries`."""

    __slots__ = ("_guard", "_is_plain", "_kept", "_own")
    _guard: Callable[[Any], Any]
    _is_plain: bool
    _kept: GrownDict
    _own: dict[Any, Any]

    def __new__(cls, *given: Any, **more: Any) -> Any:  # noqa: D102  the caller's own
        return dict(*given, **more)

    def seen(self) -> dict[Any, Any]:
        """As of a list."""
        entries = self._kept.to_dict()
        if not self._is_plain:
            entries.update(list(self._own.items()))
        return entries

    def comparable(self, other: Any) -> dict[Any, Any]:
        """As of a list."""
        return self.seen() if self._is_plain and is_plain(other) else dict(self)

    def __getitem__(self, key: Any) -> Any:
        own = self._own.get(key)
        if own is None:
            own = self._own.setdefault(key, self._guard(self._kept[key]))
            if not self._is_plain:
                dict.__setitem__(self, key, own)
        return own

    def get(self, key: Any, default: Any = None) -> Any:
        """The value, guarded; `default` if there is none."""
        return self[key] if key in self else default  # noqa: SIM401  this is that method

    def __iter__(self) -> Iterator[Any]:  # also makes dict(self) and {**self} go through __getitem__
        return dict.__iter__(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override]  # a view as of any mapping, not dict's own
        """The values, guarded as they are read."""
        return ValuesView(self)

    def items(self) -> ItemsView[Any, Any]:  # type: ignore[override]  # likewise
        """Keys and values, guarded as they are read."""
        return ItemsView(self)

    def __eq__(self, other: object) -> bool:
        mine = self.comparable(other)
        return mine == (other.comparable(mine) if isinstance(other, GuardedEntries) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # as unhashable as what it equals

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self)

    def __repr__(self) -> str:
        return repr(self.comparable(None))


def guarded_items(
    kept: GrownList, twins: list[Any], guard: Callable[[Any], Any], place: Place, *, is_plain: bool = True
) -> GuardedItems:
    """The list, read at `place`; `guard` gives an item's guarded form, `twins` are those to lie in the list.

    `is_plain`: items are made of atoms, lists and dicts, so that none is copied, and no code of a class runs.
    """
    own: GuardedItems = list.__new__(GuardedItems)
    list.__init__(own, twins)
    own._place, own._kept, own._guard, own._own, own._is_plain = place, kept, guard, {}, is_plain
    return own


def guarded_entries(
    kept: GrownDict, twins: dict[Any, Any], guard: Callable[[Any], Any], place: Place, *, is_plain: bool = True
) -> GuardedEntries:
    """The same for a dict."""
    own: GuardedEntries = dict.__new__(GuardedEntries)
    dict.update(own, twins)
    own._place, own._kept, own._guard, own._own, own._is_plain = place, kept, guard, {}, is_plain
    return own


def is_plain(value: Any) -> bool:
    """True for what is made of atoms, lists and dicts alone: comparing it runs no code of a user's class.

    >>> is_plain([{"a": 1}]), is_plain({1}), is_plain([object()])
    (True, False, False)
    """
    kind = type(value)
    if kind in ATOMS:
        return True
    if isinstance(value, (GuardedItems, GuardedEntries)):
        return value._is_plain
    if kind is list or kind is tuple or kind is GuardedList:
        return all(map(is_plain, value))
    return (kind is dict or kind is GuardedDict) and all(map(is_plain, value.values()))
