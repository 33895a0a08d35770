"""Python types as schemas of a document. Source: graph document §3.2, design section 9 (16)."""

from __future__ import annotations

import dataclasses
import datetime
import enum
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import typing_extensions
from pydantic import BaseModel

from graphnb.errors.text import shown
from graphnb.graph.documents.of_constraints import constraints_of
from graphnb.state.annotations.classes import config_of, is_typeddict, needs_key
from graphnb.state.annotations.hints import element_of, hint_of, type_text
from graphnb.state.reducers.pairing import numbers_in
from graphnb.state.storable.schemas import ValueSchema
from graphnb.state.storable.values import find_unstorable

Tell = Callable[[str, str], None]
"""Is told what has no name in a document, and how to mend that."""
_ATOMS: Final[Mapping[Any, str]] = {str: "string", int: "integer", float: "float", bool: "boolean"}
_TYPES: Final = "A document has text, int, float, bool, list[...], dict[str, ...], TypedDict, Literal and StrEnum."
_NO_TYPE: Final = ValueSchema(type="map")  # stands in where something was told, so that more can be told


def schema_of_type(annotation: Any, tell: Tell, *, within: tuple[Any, ...] = ()) -> ValueSchema:
    """The schema of the values of a type; whatever it cannot say is told, all of it.

    `required` is true unless None is a value of the type. What a dict holds is no part of a schema, but is looked at.
    `within` has the types around this one.

    >>> schema_of_type(list[int] | None, print).item
    ValueSchema(type='integer', fields={}, item=None, values=(), required=True, ...)
    """
    bare, metadata, _ = hint_of(annotation)
    schema = _bare_schema(bare, tell, within=within)
    return replace(schema, constraints={**schema.constraints, **constraints_of(metadata, schema.type, tell=tell)})


def _bare_schema(bare: Any, tell: Tell, *, within: tuple[Any, ...]) -> ValueSchema:
    if bare in within:
        tell(f"{type_text(bare)} holds itself", "A schema has an end: write out as many levels as there are.")
        return _NO_TYPE
    origin = get_origin(bare) or bare
    if origin in _ATOMS:
        return ValueSchema(type=_ATOMS[origin], required=True)
    if origin in (Union, UnionType):
        return _of_union(bare, tell, within=within)
    if origin is Literal:
        return _of_literal(get_args(bare), tell)
    if origin is list and get_args(bare):
        item = schema_of_type(element_of(bare), tell, within=(*within, bare))
        return ValueSchema(type="list", item=item, required=True)
    if origin is dict:
        _check_entries(get_args(bare), tell, within=(*within, bare))
        return ValueSchema(type="map", required=True)
    if is_typeddict(origin):
        return _of_typeddict(origin, tell, within=(*within, bare))
    if _is_text_enum(origin):
        return ValueSchema(type="enum", values=tuple(each.value for each in origin), required=True)
    tell(f"{type_text(bare)} has no name in a document", _mend_type(origin))
    return _NO_TYPE


def _of_union(bare: Any, tell: Tell, *, within: tuple[Any, ...]) -> ValueSchema:
    parts = [part for part in get_args(bare) if hint_of(part).bare not in (None, NoneType)]
    is_optional = len(parts) < len(get_args(bare))
    if len(parts) == 1:
        return replace(schema_of_type(parts[0], tell, within=within), required=not is_optional)
    if all(hint_of(part) == (hint_of(part).bare, (), None) for part in parts) and numbers_in(Union[tuple(parts)]):  # noqa: UP007  of what is found
        return ValueSchema(type="float", required=not is_optional)  # takes integers as well
    tell(f"{type_text(bare)} has no name in a document", "A field has one type, or that type | None.")
    return _NO_TYPE


def _of_literal(given: tuple[Any, ...], tell: Tell) -> ValueSchema:
    values = tuple(each.value if _is_text_enum(type(each)) else each for each in given)
    unstorable = find_unstorable(list(values))
    if unstorable is not None:
        tell(f"a Literal: {unstorable[1]}", "Name values that can be stored: text, whole numbers, True, False, None.")
    kept = tuple(each for each in values if each is not None)
    return ValueSchema(type="enum", values=kept, required=len(kept) == len(values))


def _check_entries(args: tuple[Any, ...], tell: Tell, *, within: tuple[Any, ...]) -> None:
    """Tells of keys and values of a dict that cannot be stored."""
    key, value = args if args else (str, Any)
    if hint_of(key).bare not in (str, Any):
        tell(f"a dict with keys of type {type_text(key)} cannot be stored", "Only text can be a key: dict[str, ...].")
    if hint_of(value).bare not in (Any, object):
        schema_of_type(value, tell, within=within)


def _of_typeddict(cls: Any, tell: Tell, *, within: tuple[Any, ...]) -> ValueSchema:
    fields: dict[str, ValueSchema] = {}
    try:
        hints = typing_extensions.get_type_hints(cls, include_extras=True)
    except NameError as error:
        tell(f"{type_text(cls)} names {error.name!r}, which is not defined", "Define it first.")
        return _NO_TYPE
    for name, hint in hints.items():
        own = schema_of_type(
            hint,
            lambda what, mend, name=name: tell(f"{type_text(cls)}, key {shown(name)}: {what}", mend),  # type: ignore[misc]
            within=within,
        )
        fields[name] = replace(own, required=own.required and needs_key(cls, name, hint=hint))
        if name.startswith("$"):
            tell(f"{type_text(cls)} has the key {shown(name)}; $ is reserved", "Rename the key.")
    config: Mapping[str, Any] = getattr(cls, "__pydantic_config__", None) or {}
    if config_of(cls) != {"arbitrary_types_allowed": True}:
        tell(f"{type_text(cls)} has a pydantic configuration about values", "Write constraints beside the types.")
    return ValueSchema(
        type="object",
        fields=fields,
        required=True,
        constraints={"open": True} if config.get("extra") == "allow" else {},
    )


def _is_text_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, enum.Enum) and issubclass(kind, str)


def _mend_type(origin: Any) -> str:
    if origin is list or origin in (Any, object):
        return f"Say what it holds, such as list[str]. {_TYPES}"
    if origin in (tuple, set, frozenset):
        beside = " with step.union, which keeps equal items once" if origin is not tuple else ""
        return f"Write list[...]{beside}."
    if isinstance(origin, type):
        if issubclass(origin, enum.Enum):
            return "Make it an enum.StrEnum, or write Literal[...] of its values."
        if issubclass(origin, BaseModel) or dataclasses.is_dataclass(origin):
            return "Make it a TypedDict of the same fields."
        if issubclass(origin, (datetime.date, datetime.time, datetime.timedelta)):
            return "Write it as text (isoformat()), or as a number of seconds."
    return _TYPES
