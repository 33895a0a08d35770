"""State: the class from which a user's typed state derives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, PydanticUserError, TypeAdapter
from pydantic_core import CoreSchema

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import bounded, shown
from graphnb.state.checking.uncheckable import check_patterns, uncheckable
from graphnb.state.marks import UNSET
from graphnb.state.reducers.natural import declare_natural
from graphnb.state.values.same import is_same

_LONGEST: Final = 2_000  # characters of a state in a cell


class State(BaseModel):
    """A frozen pydantic model that forbids unknown fields: the typed record that flows through a graph.

    Declare fields with types, defaults and, inside `Annotated`, at most one reducer each:

        class Review(gn.State):
            files: list[str]
            notes: Annotated[list[str], gn.append] = []

    A field without a default has to be given when a run starts; `= gn.UNSET` declares one that is written
    later. `"notes" in state` tells whether a field is set. Tables and arrays are fields of type `Any`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in type(self).model_fields and getattr(self, name, UNSET) is not UNSET

    def __eq__(self, other: Any) -> bool:
        try:
            return super().__eq__(other)
        except ValueError:  # tables and arrays do not tell in one word whether they are equal
            return is_same(self, other)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            is_plain = isinstance(value, BaseModel) and type(value).__repr__ is BaseModel.__repr__
            yield name, _InPart(value) if is_plain and _lacking(value) else value

    def _repr_pretty_(self, printer: Any, cycle: object) -> None:
        """How a cell shows it: its repr, each value abbreviated where that is long; `repr` and `print` have all."""
        text = repr(self)
        if len(text) > _LONGEST and type(self).__repr__ is BaseModel.__repr__:
            told = ", ".join(f"{name}={shown(value)}" for name, value in self.__repr_args__())
            text = bounded(f"{type(self).__name__}({told})", _LONGEST) + " (shortened: print() shows all)"
        printer.text(text)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        for field in cls.__pydantic_fields__.values():
            declare_natural(field)
        try:
            made = handler(source)
        except PydanticUserError as error:
            found = _uncheckable(cls)
            if found is None:
                raise
            raise found from error
        for name, field in cls.__pydantic_fields__.items():
            check_patterns(f"state {cls.__name__}, field '{name}'", field.annotation, metadata=field.metadata)
        return made


class _InPart:
    """Shows a model that `step.merge` has filled in part with what it lacks, which pydantic leaves out."""

    def __init__(self, value: BaseModel) -> None:
        self._value = value

    def __repr__(self) -> str:
        lacking = [f"{name}=UNSET" for name in _lacking(self._value)]
        told = [f"{name}={value!r}" for name, value in self._value.__repr_args__()]
        return f"{type(self._value).__name__}({', '.join(lacking + told)})"


def _lacking(value: BaseModel) -> list[str]:
    """The fields of a model that have no value."""
    return [name for name, each in type(value).model_fields.items() if each.repr and name not in value.__dict__]


def _uncheckable(cls: type[BaseModel]) -> InvalidDeclaration | None:
    """The error for the first field of a type that pydantic does not read, None if it is not to be found."""
    for name, field in cls.__pydantic_fields__.items():
        annotation: Any = field.annotation
        try:
            TypeAdapter(annotation, config=cls.model_config)
        except PydanticUserError as own:
            return uncheckable(f"state {cls.__name__}, field '{name}'", annotation, error=own)
    return None
