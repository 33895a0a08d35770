"""Lists and dicts that refuse to be changed, yet are list and dict to everybody who only reads."""

from __future__ import annotations

import copy
from collections.abc import Callable, ItemsView, Iterator, ValuesView
from dataclasses import dataclass, field
from typing import Any, NoReturn, SupportsIndex

from graphnb.errors import MutatedState
from graphnb.state.atoms import ATOMS, is_atom
from graphnb.state.detach import detach
from graphnb.state.grown import GrownDict, GrownList


@dataclass(slots=True)
class Place:
    """Where a guarded value was read: for the error message, and to remember copies that have to be checked."""

    node: str
    field: str
    mend: str
    copies: list[tuple[Place, Any, Any]] = field(default_factory=list)

    def refuse(self, how: str) -> MutatedState:
        """The error for a change attempted by the method or operator `how`."""
        error = MutatedState(f"node '{self.node}'", f"tried to change field '{self.field}' in place ({how})", self.mend)
        error.node = self.node
        return error


def _refusal(how: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *args: object, **options: object) -> NoReturn:
        raise self._place.refuse(how)

    refuse.__name__ = how
    return refuse


class FlatList(list[Any]):
    """A guarded list whose items cannot change, so that reading is as fast as reading a list."""

    __slots__ = ("_place",)
    _place: Place

    append = _refusal("append")
    extend = _refusal("extend")
    insert = _refusal("insert")
    remove = _refusal("remove")
    pop = _refusal("pop")
    clear = _refusal("clear")
    sort = _refusal("sort")
    reverse = _refusal("reverse")
    __setitem__ = _refusal("item assignment")
    __delitem__ = _refusal("del")
    __iadd__ = _refusal("+=")  # type: ignore[assignment]
    __imul__ = _refusal("*=")  # type: ignore[assignment]

    def copy(self) -> list[Any]:
        return self[:]

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return list, (detach(self),)

    def __deepcopy__(self, memo: object) -> list[Any]:
        return detach(self)  # type: ignore[no-any-return]

    __copy__ = copy


class DeepList(FlatList):
    """A guarded list that guards its items when they are read."""

    __slots__ = ()

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        item = list.__getitem__(self, index)
        if type(item) in ATOMS:
            return item
        kept = guarded(item, self._place)
        if kept is not item:
            list.__setitem__(self, index, kept)  # so that reading twice gives the same object
        return kept

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __reversed__(self) -> Iterator[Any]:
        return (self[i] for i in reversed(range(len(self))))

    def __add__(self, other: list[Any]) -> list[Any]:
        return [*self, *other]

    def __radd__(self, other: list[Any]) -> list[Any]:
        return [*other, *self]

    def __mul__(self, times: SupportsIndex) -> list[Any]:
        return list(self) * times

    __rmul__ = __mul__


class FlatDict(dict[Any, Any]):
    """A guarded dict whose values cannot change."""

    __slots__ = ("_place",)
    _place: Place

    pop = _refusal("pop")  # type: ignore[assignment]
    popitem = _refusal("popitem")
    clear = _refusal("clear")
    update = _refusal("update")
    setdefault = _refusal("setdefault")
    __setitem__ = _refusal("item assignment")
    __delitem__ = _refusal("del")
    __ior__ = _refusal("|=")  # type: ignore[assignment]

    def copy(self) -> dict[Any, Any]:
        return dict(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return dict, (detach(self),)

    def __deepcopy__(self, memo: object) -> dict[Any, Any]:
        return detach(self)  # type: ignore[no-any-return]

    __copy__ = copy


class DeepDict(FlatDict):
    """A guarded dict that guards its values when they are read."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        value = dict.__getitem__(self, key)
        if type(value) in ATOMS:
            return value
        kept = guarded(value, self._place)
        if kept is not value:
            dict.__setitem__(self, key, kept)
        return kept

    def __iter__(self) -> Iterator[Any]:  # also makes dict(self) and {**self} go through __getitem__
        return dict.__iter__(self)

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        return ValuesView(self)

    def items(self) -> ItemsView[Any, Any]:  # type: ignore[override]
        return ItemsView(self)

    def __or__(self, other: dict[Any, Any]) -> dict[Any, Any]:
        return {**self, **other}

    def __ror__(self, other: dict[Any, Any]) -> dict[Any, Any]:
        return {**other, **self}


def guarded(value: Any, place: Place, *, flat: bool = False) -> Any:
    """The value in a form that cannot be changed; what cannot refuse is copied, and `place` remembers the copy.

    `flat` promises that items are atoms. Costs one copy of the list or dict itself; what lies deeper is
    guarded only when it is read.
    """
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is list or kind is GrownList:
        items: FlatList = (FlatList if flat else DeepList)(value if kind is list else value.to_list())
        items._place = place
        return items
    if kind is dict or kind is GrownDict:
        entries: FlatDict = (FlatDict if flat else DeepDict)(value if kind is dict else value.to_dict())
        entries._place = place
        return entries
    if isinstance(value, (FlatList, FlatDict)) or is_atom(value):
        return value
    if kind is tuple:
        return tuple(guarded(item, place) for item in value)
    return _checked_copy(value, place)


def _checked_copy(value: Any, place: Place) -> Any:
    try:
        own = copy.deepcopy(value)
    except Exception:  # copying runs the value's own code; by reference is the best there is
        return value
    place.copies.append((place, value, own))
    return own

