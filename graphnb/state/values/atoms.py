"""Which values can never change, so that they may be shared without a copy."""

from __future__ import annotations

import dataclasses
import enum
import functools
import typing
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from graphnb.state.annotations.hints import is_constraint
from graphnb.state.annotations.kinds import is_atomic
from graphnb.state.values.atom_types import ATOMS


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
    if dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]  # all have it
        try:
            hints = typing.get_type_hints(kind)
        except Exception:  # noqa: BLE001  a name in an annotation may mean nothing at run time
            return False
        return all(is_atomic(hints[each.name]) for each in dataclasses.fields(kind))
    return False


def _is_atomic_field(field: FieldInfo) -> bool:
    return is_atomic(field.annotation) and all(map(is_constraint, field.metadata))
