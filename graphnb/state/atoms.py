"""Which values and types can never change, so that they may be shared without a copy."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import ipaddress
import pathlib
import re
import types
import typing
import uuid
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from graphnb.state.marks import _Unset

ATOMS: Final = frozenset(
    {
        *(bool, int, float, complex, str, bytes, type(None), range, type(Ellipsis), type(NotImplemented), _Unset),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone),
        *(decimal.Decimal, fractions.Fraction, uuid.UUID, re.Pattern),
        *(pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath),
        *(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
        *(types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type),
    }
)
_ATOM_TYPES: Final = (*ATOMS - {type}, pathlib.PurePath)
_COPIED_ORIGINS: Final = frozenset({list, dict, set, frozenset, tuple})


def is_atom(value: object) -> bool:
    """True if the value holds nothing that could change under a reader's hands.

    >>> is_atom("a"), is_atom((1, 2)), is_atom([1]), is_atom(([1],))
    (True, True, False, False)
    """
    kind = type(value)
    if kind in ATOMS or isinstance(value, (enum.Enum, type)):
        return True
    if isinstance(value, (tuple, frozenset)):
        return all(map(is_atom, value))
    return _is_frozen_record(kind)


def is_atomic(annotation: object) -> bool:
    """True if every value of the annotated type is an atom.

    >>> is_atomic(int), is_atomic(str | None), is_atomic(tuple[int, ...]), is_atomic(list[int]), is_atomic(Any)
    (True, True, True, False, False)
    """
    origin = get_origin(annotation)
    if origin is Annotated:
        return is_atomic(get_args(annotation)[0])
    if origin is Literal:
        return True
    if origin in (Union, types.UnionType):
        return all(map(is_atomic, get_args(annotation)))
    if origin in (tuple, frozenset):
        return all(part is Ellipsis or is_atomic(part) for part in get_args(annotation))
    if annotation is None:
        return True
    if not isinstance(annotation, type):
        return False
    if issubclass(annotation, (enum.Enum, *_ATOM_TYPES)):
        return not _may_hold_attributes(annotation)
    return _is_frozen_record(annotation)


def _may_hold_attributes(kind: type) -> bool:
    """True for a user's own subclass of an atom, whose instances may carry a changeable `__dict__`."""
    return not issubclass(kind, enum.Enum) and kind not in ATOMS and kind is not pathlib.PurePath and kind is not pathlib.Path


@functools.lru_cache(maxsize=256)
def _is_frozen_record(kind: type) -> bool:
    """True for a frozen pydantic model or dataclass all of whose fields are atomic."""
    if issubclass(kind, BaseModel):
        frozen = kind.model_config.get("frozen") and kind.model_config.get("extra") != "allow"
        plain = frozen and not kind.__private_attributes__
        return bool(plain) and all(is_atomic(each.annotation) for each in kind.model_fields.values())
    if dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        hints = typing.get_type_hints(kind)
        return all(is_atomic(hints.get(each.name, Any)) for each in dataclasses.fields(kind))
    return False


def is_copied(annotation: object) -> bool:
    """True if validating a value of the type makes a copy all the way down, so that nobody else holds a part.

    >>> is_copied(int), is_copied(list[dict[str, int]]), is_copied(list), is_copied(list[Any])
    (True, True, False, False)
    """
    if is_atomic(annotation):
        return True
    origin = get_origin(annotation)
    if origin is Annotated:
        return is_copied(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return all(map(is_copied, get_args(annotation)))
    if origin in _COPIED_ORIGINS:
        return all(part is Ellipsis or is_copied(part) for part in get_args(annotation))
    return False


def element_of(annotation: object) -> object:
    """The type of a list's elements or a dict's values; `Any` where it is not said, None if neither.

    >>> element_of(list[int]), element_of(dict), element_of(dict[str, float]), element_of(set[int])
    (<class 'int'>, typing.Any, <class 'float'>, None)
    """
    if get_origin(annotation) is Annotated:
        return element_of(get_args(annotation)[0])
    bare = get_origin(annotation) or annotation
    if bare in (list, typing.List):  # noqa: UP006  a user may still write it
        return (get_args(annotation) or (Any,))[0]
    if bare in (dict, typing.Dict, Mapping):  # noqa: UP006
        return (get_args(annotation) or (Any, Any))[-1]
    return None
