"""The form of a class that the user wrote, and what its fields may hold."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from graphnb.state.annotations.hints import filled
from graphnb.store.encoding.builtin import ANY
from graphnb.store.encoding.classes import name_of
from graphnb.store.encoding.foreign import ForeignForm, is_foreign
from graphnb.store.encoding.records import DataclassForm, EnumForm, Members, ModelForm, NamedTupleForm
from graphnb.store.encoding.shape import Form, Later

Making = Callable[[tuple[Any, ...], bool], Later]
Chosen = Sequence[Mapping[Any, Any]]


def class_form(cls: Any, chosen: Chosen, making: Making) -> Form | None:
    """The form of a class, None if it has none: it is no record, or has no instances itself.

    `chosen` has the types that were chosen for its parameters, each time that the annotation names it. Nobody looks
    into an instance again once it is made, so that its fields may hold anything.
    """
    tag = name_of(cls)
    if issubclass(cls, enum.Enum):
        return EnumForm(tag, cls) if cls.__members__ else None
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return NamedTupleForm(tag, cls, _Members(cls, chosen, making))
    if issubclass(cls, BaseModel):
        return ModelForm(tag, cls, _Members(cls, chosen, making)) if cls is not BaseModel else None
    if dataclasses.is_dataclass(cls):
        return DataclassForm(tag, cls, _Members(cls, chosen, making)) if _can_be_made(cls) else None
    return ForeignForm(tag, cls, ANY) if is_foreign(cls) else None


def parameters_of(cls: Any) -> tuple[Any, ...]:
    """The type parameters of a generic class; a pydantic model has filled them in itself."""
    return tuple(getattr(cls, "__parameters__", ())) if not hasattr(cls, "__pydantic_generic_metadata__") else ()


class _Members:
    """What a record holds, found out when it is first asked for: its types may not be defined earlier."""

    __slots__ = ("_chosen", "_cls", "_made", "_making")

    def __init__(self, cls: Any, chosen: Chosen, making: Making) -> None:
        self._cls = cls
        self._chosen = chosen
        self._making = making
        self._made: Members | None = None

    def __call__(self) -> Members:
        self._made = self._made or self._found()
        return self._made

    def _found(self) -> Members:
        cls = self._cls
        hints = _hints_of(cls)
        if issubclass(cls, BaseModel):
            with contextlib.suppress(Exception):  # a name in an annotation may mean nothing yet
                cls.model_rebuild()
            annotations = {name: each.annotation for name, each in cls.model_fields.items()}
            private = self._shapes(cls.__private_attributes__, hints)
            return Members(self._shapes(annotations, annotations), private, ANY)
        names = cls._fields if issubclass(cls, tuple) else [each.name for each in dataclasses.fields(cls)]
        return Members(self._shapes(names, hints), {}, ANY)

    def _shapes(self, names: Iterable[str], hints: Mapping[str, Any]) -> dict[str, Later]:
        said = {name: hints.get(name, Any) for name in names}
        return {
            name: self._making(tuple(filled(hint, each) for each in self._chosen or ({},)), True)
            for name, hint in said.items()
        }


def _hints_of(cls: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except Exception:  # noqa: BLE001  as above
        return {}


def _can_be_made(cls: Any) -> bool:
    """True if an instance can be made without calling anything of the class."""
    try:
        object.__new__(cls)
    except TypeError:
        return False
    return True
