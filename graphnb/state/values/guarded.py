"""Lists, dicts and sets that refuse to be changed, yet are list, dict and set to everybody who only reads."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, SupportsIndex

from graphnb.errors import MutatedState, UnsetField
from graphnb.errors.text import choices, shown
from graphnb.state.values.mends import Mends


@dataclass(slots=True)
class Place:
    """Where a guarded value was read: for the error message, and to remember copies that have to be checked."""

    node: str
    field: str
    mend: str | Mends
    copies: list[tuple[Place, Any, Any]] = dataclasses.field(default_factory=list)

    def refuse(self, how: str) -> MutatedState:
        """The error for a change attempted by the method or operator `how`."""
        mend = self.mend if isinstance(self.mend, str) else self.mend.by_method.get(how, self.mend.other)
        error = MutatedState(
            f"node '{self.node}'" if self.node else "a node",
            f"tried to change field '{self.field}' in place ({how})",
            mend,
        )
        error.node = self.node
        return error


def state_changed(node: str, verb: str, *, name: str, fields: Mapping[str, Any]) -> MutatedState:
    """The error for changing the state itself, as by `s.n = 1`: `verb` is "set" or "delete"."""
    mend = fields[name].mend if name in fields else f"Return the change instead. {choices('Fields', fields, name)}"
    error = MutatedState(f"node '{node}'", f"tried to {verb} {shown(name)} on the state it was given", mend)
    error.node = node
    return error


def unset_field(node: str, name: str) -> UnsetField:
    """The error for reading a field that may stay unwritten and was not written yet."""
    what = f"read field '{name}', which nothing has written yet"
    error = UnsetField(f"node '{node}'", what, f"Test with: if '{name}' in s")
    error.node = node
    return error


def _refusal(kind: type, how: str, shown: str = "") -> Any:
    own: Callable[..., Any] = getattr(kind, how)

    def refuse(self: Any, *args: Any, **options: Any) -> Any:
        place = getattr(self, "_place", None)
        if place is None:  # made by type(value)(...), as dataclasses.asdict does: the caller's own
            return own(self, *args, **options)
        raise place.refuse(shown or how)

    refuse.__name__ = how
    return refuse


class GuardedList(list[Any]):
    """A list, all of whose lists and dicts are guarded too. Made by `guarded`.

    What goes round its methods, as `list.sort(value)` and C code such as `heapq.heappush` do, is not refused: it
    changes what this reader sees, and never what the run keeps or others read. (`bisect.insort` calls a method.)
    """

    __slots__ = ("_place",)
    _shown_as = "list"
    _place: Place

    append = _refusal(list, "append")
    extend = _refusal(list, "extend")
    insert = _refusal(list, "insert")
    remove = _refusal(list, "remove")
    pop = _refusal(list, "pop")
    clear = _refusal(list, "clear")
    sort = _refusal(list, "sort")
    reverse = _refusal(list, "reverse")
    __setitem__ = _refusal(list, "__setitem__", "item assignment")
    __delitem__ = _refusal(list, "__delitem__", "del")
    __iadd__ = _refusal(list, "__iadd__", "+=")
    __imul__ = _refusal(list, "__imul__", "*=")

    def copy(self) -> list[Any]:
        """A plain list of the guarded items."""
        return self[:]

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return copy.deepcopy(self[:], memo)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return list, (self[:],)


class GuardedDict(dict[Any, Any]):
    """A dict, all of whose lists and dicts are guarded too. Made by `guarded`; what goes round it is as of a list."""

    __slots__ = ("_place",)
    _shown_as = "dict"
    _place: Place

    pop = _refusal(dict, "pop")
    popitem = _refusal(dict, "popitem")
    clear = _refusal(dict, "clear")
    update = _refusal(dict, "update")
    setdefault = _refusal(dict, "setdefault")
    __setitem__ = _refusal(dict, "__setitem__", "item assignment")
    __delitem__ = _refusal(dict, "__delitem__", "del")
    __ior__ = _refusal(dict, "__ior__", "|=")

    def copy(self) -> dict[Any, Any]:
        """A plain dict of the guarded values."""
        return dict(self)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[Any, Any]:
        return copy.deepcopy(dict(self), memo)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return dict, (dict(self),)


class GuardedSet(set[Any]):
    """The same for a set: what lies in a long list of sets, see `graphnb.state.views.twins`."""

    __slots__ = ("_place",)
    _shown_as = "set"
    _place: Place

    add = _refusal(set, "add")
    discard = _refusal(set, "discard")
    remove = _refusal(set, "remove")
    pop = _refusal(set, "pop")
    clear = _refusal(set, "clear")
    update = _refusal(set, "update")
    difference_update = _refusal(set, "difference_update")
    intersection_update = _refusal(set, "intersection_update")
    symmetric_difference_update = _refusal(set, "symmetric_difference_update")
    __ior__ = _refusal(set, "__ior__", "|=")
    __iand__ = _refusal(set, "__iand__", "&=")
    __isub__ = _refusal(set, "__isub__", "-=")
    __ixor__ = _refusal(set, "__ixor__", "^=")

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return set, (list(self),)

    def __repr__(self) -> str:
        return repr(set(self))
