"""What sort of value a type promises, as far as it matters to reducers: a list, a set, a mapping, a record, an atom."""

from __future__ import annotations

import dataclasses
import enum
from collections import deque
from collections.abc import Mapping, MutableMapping, MutableSet
from collections.abc import Set as AbstractSet
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from graphnb.state.annotations.classes import is_typeddict
from graphnb.state.annotations.hints import bare_of, element_of, hint_of, is_constraint
from graphnb.state.values.atom_types import ATOMS, PATHS

ValueKind = Literal["list", "set", "sequence", "mapping", "record", "atom"]
"""A `sequence` is a tuple or a deque: like a list, and none."""
_FITTING: Final[Mapping[ValueKind, tuple[ValueKind, ...]]] = {
    **dict.fromkeys(("list", "set", "sequence"), ("list", "set", "sequence")),  # made of one another
    "mapping": ("mapping",),
    "record": ("record", "mapping"),  # a model or a dataclass is made of a dict
    "atom": ("atom",),
}
"""What a field of each kind may be given; whether an atom is of the right type is another question."""


def kind_of_type(annotation: Any) -> ValueKind | None:
    """The kind of all values of the type but None; None if it is not known, or if a validator may change it.

    >>> kind_of_type(list[int]), kind_of_type(dict[str, int] | None), kind_of_type(int | str), kind_of_type(Any)
    ('list', 'mapping', 'atom', None)
    """
    kinds = kinds_of_type(annotation)
    return next(iter(kinds)) if len(kinds) == 1 else None


def kinds_of_type(annotation: Any) -> frozenset[ValueKind | None]:
    """The kinds of all values of the type but None; None is among them if not all of them are known.

    >>> kinds_of_type(Any), kinds_of_type(tuple[int, ...] | None)
    (frozenset({None}), frozenset({'sequence'}))
    """
    bare, metadata, _ = hint_of(annotation)
    if not all(map(is_constraint, metadata)):
        return frozenset({None})
    origin = get_origin(bare) or bare
    if origin is Union or origin is UnionType:
        parts = (part for part in get_args(bare) if hint_of(part).bare is not NoneType)
        return frozenset().union(*map(kinds_of_type, parts))
    return frozenset({_kind_of_one(origin)})


def item_type(annotation: Any) -> Any:
    """The type of the items of lists of this type, `Any` if it is not known; None beside the list is looked past."""
    bare = hint_of(annotation).bare
    if get_origin(bare) is Union or get_origin(bare) is UnionType:
        lists = [part for part in get_args(bare) if bare_of(part) is list]
        return item_type(lists[0]) if len(lists) == 1 else Any
    return element_of(bare) if bare_of(bare) is list else Any


def may_hold(target: Any, given: Any, *, exact: bool = False) -> bool:
    """False if no value of the type `given` is one of the type `target`, whatever pydantic may turn into what.

    With `exact` nothing is turned into anything, as the step family checks.

    >>> may_hold(list[str], list[list[str]]), may_hold(list[Any], list[list[str]]), may_hold(str, int)
    (False, True, True)
    """
    wanted, kind = kind_of_type(target), kind_of_type(given)
    if wanted is None or kind is None:
        return True
    if kind != wanted and (exact or kind not in _FITTING[wanted]):
        return False
    return kind not in _FITTING["list"] or may_hold(_element_type(target), _element_type(given), exact=exact)


def is_made_for(target: Any, given: Any) -> bool:
    """True if a value of the type `given` is one of the type `target` as it is, an int also a float.

    What is not known, and None beside a type, counts as fitting.

    >>> is_made_for(list[int], list[str]), is_made_for(dict[str, float], dict[str, int]), is_made_for(int | str, str)
    (False, True, True)
    """
    wanted, own = hint_of(target).bare, hint_of(given).bare
    if own is None or own is NoneType or not may_hold(target, given):
        return own is None or own is NoneType
    if _is_union(own):
        return all(is_made_for(target, part) for part in get_args(own))
    if _is_union(wanted):
        return any(is_made_for(part, given) for part in get_args(wanted))
    parts, own_parts = get_args(wanted), get_args(own)
    if isinstance(get_origin(wanted), type) and len(parts) == len(own_parts):
        return all(map(is_made_for, parts, own_parts))
    is_known = (
        isinstance(wanted, type) and isinstance(own, type) and kind_of_type(wanted) == kind_of_type(own) == "atom"
    )
    return not is_known or issubclass(own, wanted) or (wanted is float and issubclass(own, int))


def _is_union(bare: Any) -> bool:
    return get_origin(bare) is Union or get_origin(bare) is UnionType


def may_be_number(annotation: Any) -> bool:
    """True if a value of the type may be an int or a float itself, of no type that is made of them.

    >>> may_be_number(int), may_be_number(float | str), may_be_number(bool), may_be_number(Literal[1, "a"])
    (True, True, False, True)
    """
    bare = hint_of(annotation).bare
    if get_origin(bare) in (Union, UnionType):
        return any(map(may_be_number, get_args(bare)))
    if get_origin(bare) is Literal:
        return any(type(each) in (int, float) for each in get_args(bare))
    return bare in (int, float)


def _element_type(annotation: Any) -> Any:
    """The type of the elements of a list, a set or a sequence, `Any` if it is not known."""
    bare = hint_of(annotation).bare
    args = get_args(bare)
    if get_origin(bare) in (set, frozenset, deque) or (get_origin(bare) is tuple and args[1:] == (...,)):
        return args[0]
    return item_type(annotation)


def _kind_of_one(origin: Any) -> ValueKind | None:
    """The kind of a type that is no union."""
    if origin is Literal:
        return "atom"
    if origin is Mapping or origin is MutableMapping or is_typeddict(origin):
        return "mapping"
    if origin is AbstractSet or origin is MutableSet:
        return "set"
    return _kind_of_class(origin) if isinstance(origin, type) else None


def _kind_of_class(cls: type) -> ValueKind | None:
    if issubclass(cls, list):
        return "list"
    if issubclass(cls, dict):
        return "mapping"
    if issubclass(cls, (set, frozenset)):
        return "set"
    if issubclass(cls, (tuple, deque)):
        return None if hasattr(cls, "_fields") else "sequence"  # a named tuple is made of a dict as well
    if issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls):
        return "record"
    is_atom = cls is not NoneType and (cls in ATOMS or cls in PATHS or issubclass(cls, enum.Enum))
    return "atom" if is_atom else None
