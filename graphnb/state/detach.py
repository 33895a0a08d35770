"""Own copies: what a caller may change without anybody else noticing."""

from __future__ import annotations

import copy
from typing import Any

from graphnb.state.atoms import ATOMS, is_atom
from graphnb.state.grown import GrownDict, GrownList


def detach(value: Any) -> Any:
    """A copy that shares nothing changeable with the value; lists and dicts in it are plain ones.

    What cannot be copied (a lock, an open file) is handed on as it is.
    """
    try:
        return _detached(value)
    except RecursionError:  # a list that holds itself
        return _deep(value)


def _detached(value: Any) -> Any:
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is GrownList:
        return [_detached(each) for each in value.to_list()]
    if kind is GrownDict:
        return {key: _detached(each) for key, each in value.to_dict().items()}
    if kind is list or (isinstance(value, list) and kind.__module__ == "graphnb.state.guard"):
        return [each if type(each) in ATOMS else _detached(each) for each in list.__iter__(value)]
    if kind is dict or (isinstance(value, dict) and kind.__module__ == "graphnb.state.guard"):
        return {key: each if type(each) in ATOMS else _detached(each) for key, each in dict.items(value)}
    if kind is tuple:
        return value if is_atom(value) else tuple(map(_detached, value))
    if kind is set:
        return set(value)  # members are hashable, hence not meant to change
    return value if is_atom(value) else _deep(value)


def _deep(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # copying runs the value's own code
        return value
