"""Own copies: what a caller may change without anybody else noticing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

from pydantic import BaseModel

from graphnb.state.values.atom_types import ATOMS
from graphnb.state.values.atoms import is_atom
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.guarded import GuardedDict, GuardedList, GuardedSet
from graphnb.state.values.guarded_items import GuardedEntries, GuardedItems
from graphnb.state.values.guarded_records import GuardedRecord, kept_of
from graphnb.state.values.unwound import unwound


def detach(value: Any) -> Any:
    """A copy that shares nothing changeable with the value; lists and dicts in it are plain ones.

    What cannot be copied (a lock, an open file) is handed on as it is.
    """
    try:
        return _detached(value)
    except RecursionError:  # a list that holds itself
        return unwound(value, _MAKERS, lambda leaf: leaf if is_atom(leaf) else _copied(leaf))


def _itself(value: Any) -> Any:
    return value


# How each kind is read; what is guarded is read from what the run keeps, not guarded once more.
_LISTS: Final[dict[type, Callable[[Any], list[Any]]]] = {
    list: _itself,
    GuardedList: _itself,
    GrownList: GrownList.to_list,
    GuardedItems: GuardedItems.seen,
}
_DICTS: Final[dict[type, Callable[[Any], dict[Any, Any]]]] = {
    dict: _itself,
    GuardedDict: _itself,
    GrownDict: GrownDict.to_dict,
    GuardedEntries: GuardedEntries.seen,
}
_MAKERS: Final[dict[type, Any]] = {**dict.fromkeys(_LISTS, list), **dict.fromkeys(_DICTS, dict)}
_DEEPCOPY: Final = BaseModel.__deepcopy__
_COPY: Final = BaseModel.__copy__


def _detached(value: Any) -> Any:
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind in _LISTS:
        items = value if kind is list else _LISTS[kind](value)
        return [each if type(each) in ATOMS else _detached(each) for each in items]
    if kind in _DICTS:
        entries = value if kind is dict else _DICTS[kind](value)
        return {key: each if type(each) in ATOMS else _detached(each) for key, each in entries.items()}
    if kind is tuple:
        return tuple([_detached(each) for each in value])
    if kind is set or kind is GuardedSet:
        return set(value)  # members are hashable, hence not meant to change
    if isinstance(value, GuardedRecord):
        return _detached(kept_of(value))
    if is_atom(value):
        return value
    if isinstance(value, BaseModel) and kind.__deepcopy__ is _DEEPCOPY and kind.__copy__ is _COPY:
        return _model(value)
    return _copied(value)


def _model(value: BaseModel) -> BaseModel:
    """What pydantic's own `__deepcopy__` gives, several times faster."""
    own = value.model_copy()
    for part in (own.__dict__, own.__pydantic_extra__, own.__pydantic_private__):
        for name, each in (part or {}).items():
            if type(each) not in ATOMS:
                part[name] = _detached(each)  # type: ignore[index]  # it has items
    return own


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001  copying runs the value's own code
        return value
