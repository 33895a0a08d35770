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
from collections.abc import Callable
from typing import Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from graphnb.state.hints import element_of, hint_of, is_constraint
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
_PATHS: Final = frozenset({pathlib.PurePath, pathlib.Path})  # their instances are of a class in ATOMS


def is_atom(value: object) -> bool:
    """True if the value holds nothing that could change under a reader's hands.

    >>> is_atom("a"), is_atom((1, 2)), is_atom([1]), is_atom(([1],))
    (True, True, False, False)
    """
    kind: type = type(value)
    if kind in ATOMS or isinstance(value, (enum.Enum, type)):
        return True
    if isinstance(value, (tuple, frozenset)):
        try:
            return all(map(is_atom, value))
        except RecursionError:  # nested too deep to be sure
            return False
    return _is_frozen_record(kind) and all(map(is_atom, _held_by(value)))


def is_atomic(annotation: Any) -> bool:
    """True if every valid value of the annotated type is an atom.

    A frozen record is none: the value may be of a subclass that holds a list.

    >>> is_atomic(int), is_atomic(str | None), is_atomic(tuple[int, ...]), is_atomic(list[int]), is_atomic(Any)
    (True, True, True, False, False)
    """
    bare, metadata, _ = hint_of(annotation)
    if not all(map(is_constraint, metadata)):
        return False
    origin = get_origin(bare)
    if origin is Literal or bare is None:
        return True
    if origin in (Union, types.UnionType, tuple, frozenset):
        return _all_parts(is_atomic, bare)
    return isinstance(bare, type) and (bare in ATOMS or bare in _PATHS or issubclass(bare, enum.Enum))


def is_copied(annotation: Any) -> bool:
    """True if validating a value of the type makes a copy all the way down, so that nobody else holds a part.

    >>> is_copied(int), is_copied(list[dict[str, int]]), is_copied(list), is_copied(list[Any])
    (True, True, False, False)
    """
    return _is_made_of((list, dict, set, frozenset, tuple, Union, types.UnionType), is_copied, annotation)


def can_refuse(annotation: Any) -> bool:
    """True if every valid value of the type is made of what refuses to be changed when it is guarded.

    >>> can_refuse(list[dict[str, int]]), can_refuse(set[int]), can_refuse(Any)
    (True, False, False)
    """
    return _is_made_of((list, dict, tuple, Union, types.UnionType), can_refuse, annotation)


def levels_of(annotation: Any) -> int:
    """How many levels of lists and dicts every value has above atoms; 0 if that is not sure, or if there are none.

    >>> levels_of(list[int]), levels_of(list[dict[str, int]]), levels_of(list[Any]), levels_of(list[int] | None)
    (1, 2, 0, 0)
    """
    element = element_of(annotation)
    if element is None or not all(map(is_constraint, hint_of(annotation).metadata)):
        return 0
    below = levels_of(element)
    return below + 1 if below or is_atomic(element) else 0


def _is_made_of(origins: tuple[Any, ...], is_fine: Callable[[Any], bool], annotation: Any) -> bool:
    bare, metadata, _ = hint_of(annotation)
    if is_atomic(annotation):
        return True
    return get_origin(bare) in origins and all(map(is_constraint, metadata)) and _all_parts(is_fine, bare)


def _all_parts(is_fine: Callable[[Any], bool], annotation: Any) -> bool:
    """True if all type arguments are fine; False for none, since they are `Any` then."""
    parts = get_args(annotation)
    return bool(parts) and all(part is Ellipsis or is_fine(part) for part in parts)


def _held_by(record: Any) -> list[Any]:
    """The attributes of a frozen record; nobody checks those of a dataclass against their types."""
    fields = getattr(record, "__dataclass_fields__", ())  # may lie in slots
    return [*getattr(record, "__dict__", {}).values(), *(getattr(record, name, None) for name in fields)]


@functools.lru_cache(maxsize=256)
def _is_frozen_record(kind: type) -> bool:
    """True for a frozen pydantic model or dataclass all of whose fields are atomic."""
    if issubclass(kind, BaseModel):
        frozen = kind.model_config.get("frozen") and kind.model_config.get("extra") != "allow"
        plain = frozen and not kind.__private_attributes__
        return bool(plain) and all(map(_is_atomic_field, kind.model_fields.values()))
    if dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        try:
            hints = typing.get_type_hints(kind)
        except Exception:  # noqa: BLE001  a name in an annotation may mean nothing at run time
            return False
        return all(is_atomic(hints[each.name]) for each in dataclasses.fields(kind))
    return False


def _is_atomic_field(field: FieldInfo) -> bool:
    return is_atomic(field.annotation) and all(map(is_constraint, field.metadata))
