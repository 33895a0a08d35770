"""A state class whose cell was run again: go on if its fields are equal, else say which cells to run."""

from __future__ import annotations

import dataclasses
import sys
import typing
from collections.abc import Callable, Iterable

from pydantic import BaseModel

from graphnb.errors import InvalidDeclaration
from graphnb.notebook.cells import current_cell
from graphnb.state.fields import Field
from graphnb.state.schema import Schema, schema_of


def newest_schema(schema: Schema, place: str, *, cells: Callable[[], Iterable[str]]) -> Schema:
    """The schema of the class that bears the state's name now, if it has the same fields.

    Raises InvalidDeclaration if it has others; `cells` tells those to run again. Outside a notebook classes
    are not run again, and the schema is returned as it is.
    """
    newest = _defined_again(schema.cls)
    if newest is None:
        return schema
    new = schema_of(newest)
    changes = _differences(schema, new)
    if not changes:
        return new
    again = ", ".join(cells()) or "the cells that build this graph"
    raise InvalidDeclaration(
        place,
        f"state class {schema.name} was defined again with other fields ({'; '.join(changes)})",
        f"Run again: {again}.",
    )


def _defined_again(cls: type) -> type | None:
    """The later class of the same name and kind, None if there is none."""
    if current_cell() is None or "." in cls.__qualname__:
        return None
    found = getattr(sys.modules.get(cls.__module__), cls.__qualname__, None)
    if found is cls or not isinstance(found, type) or found.__qualname__ != cls.__qualname__:
        return None
    return found if _kind(found) == _kind(cls) else None


def _kind(cls: type) -> tuple[bool, bool, bool]:
    return issubclass(cls, BaseModel), dataclasses.is_dataclass(cls), typing.is_typeddict(cls)


def _differences(old: Schema, new: Schema) -> list[str]:
    added = [f"added {name}" for name in new.fields if name not in old.fields]
    gone = [f"without {name}" for name in old.fields if name not in new.fields]
    both = [name for name in new.fields if name in old.fields]
    changed = [f"changed {name}" for name in both if _facts(old.fields[name]) != _facts(new.fields[name])]
    return added + gone + changed


def _facts(field: Field) -> tuple[str | None, ...]:
    return field.type, field.reducer, field.default
