"""Long lists and dicts whose items are guarded one by one as they are read: a step costs what it touches."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, ValuesView
from typing import Any, SupportsIndex

from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.guarded import GuardedDict, GuardedList, Place


class GuardedItems(GuardedList):
    """Made by `guarded_items`; all that reads goes to what the run keeps, and gives out guarded forms of it.

    In the list itself lie twins, which all readers share: whoever reads round the guard (list.__getitem__,
    pydantic, any C code) gets something that refuses to be changed, and never what the run keeps.
    """

    __slots__ = ("_guard", "_kept", "_own")
    _guard: Callable[[Any], Any]
    _kept: GrownList
    _own: dict[int, Any]

    def __new__(cls, *given: Any) -> Any:  # noqa: D102  as dataclasses.asdict makes one: the caller's own
        return list(*given)

    def kept(self) -> list[Any]:
        """What the run keeps, to be read only."""
        return self._kept.to_list()

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
        return own

    def __iter__(self) -> Iterator[Any]:
        return map(self._item, range(len(self._kept)))

    def __reversed__(self) -> Iterator[Any]:
        return map(self._item, range(len(self._kept) - 1, -1, -1))

    def __contains__(self, item: object) -> bool:
        return item in self.kept()

    def index(self, item: Any, *bounds: SupportsIndex) -> int:
        """The place of the first equal item."""
        return self.kept().index(item, *bounds)

    def count(self, item: Any) -> int:
        """How many items are equal to it."""
        return self.kept().count(item)

    def __eq__(self, other: object) -> bool:
        return self.kept() == (other.kept() if isinstance(other, GuardedItems) else other)

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
        return repr(self._kept)


class GuardedEntries(GuardedDict):
    """The same for a dict, made by `guarded_entries`."""

    __slots__ = ("_guard", "_kept", "_own")
    _guard: Callable[[Any], Any]
    _kept: GrownDict
    _own: dict[Any, Any]

    def __new__(cls, *given: Any, **more: Any) -> Any:  # noqa: D102  the caller's own
        return dict(*given, **more)

    def kept(self) -> dict[Any, Any]:
        """What the run keeps, to be read only."""
        return self._kept.to_dict()

    def __getitem__(self, key: Any) -> Any:
        own = self._own.get(key)
        if own is None:
            own = self._own.setdefault(key, self._guard(self._kept[key]))
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
        return self.kept() == (other.kept() if isinstance(other, GuardedEntries) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # as unhashable as what it equals

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self)

    def __repr__(self) -> str:
        return repr(self._kept)


def guarded_items(kept: GrownList, twins: list[Any], guard: Callable[[Any], Any], place: Place) -> GuardedItems:
    """The list, read at `place`; `guard` gives an item's guarded form, `twins` are those to lie in the list."""
    own: GuardedItems = list.__new__(GuardedItems)
    list.__init__(own, twins)
    own._place, own._kept, own._guard, own._own = place, kept, guard, {}
    return own


def guarded_entries(
    kept: GrownDict, twins: dict[Any, Any], guard: Callable[[Any], Any], place: Place
) -> GuardedEntries:
    """The same for a dict."""
    own: GuardedEntries = dict.__new__(GuardedEntries)
    dict.update(own, twins)
    own._place, own._kept, own._guard, own._own = place, kept, guard, {}
    return own
