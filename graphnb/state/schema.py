"""A state class as the engine sees it: its fields, the values a run starts from, and instances for the user."""

from __future__ import annotations

import dataclasses
import typing
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.state.detach import detach
from graphnb.state.fields import Field, fields_of
from graphnb.state.marks import UNSET
from graphnb.state.refusal import invalid_state, reasons_of, unknown_fields
from graphnb.state.view import View, plain_state, view_maker

Values = dict[str, Any]
"""Field -> value as it is kept in a run; growing lists and dicts as `GrownList` and `GrownDict`."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Schema:
    """The fields of one state class, with what is needed to make and check its states."""

    cls: type
    fields: Mapping[str, Field]
    whole: bool  # the class has validators of its own, so that states are checked as a whole
    has_opaque: bool  # some field may hold what cannot refuse a change, so that nodes get a copy to be compared
    view: Callable[[Values, str], View]
    check_model: Callable[[Mapping[str, Any]], Any]

    @property
    def name(self) -> str:
        """The name of the state class."""
        return self.cls.__name__


_known: Final[weakref.WeakKeyDictionary[type, Schema]] = weakref.WeakKeyDictionary()


def schema_of(cls: type) -> Schema:
    """The schema of a state class, made once per class.

    Raises ConflictingReducers, ReducerConfigurationInvalid, or InvalidDeclaration for what is no state class.
    """
    if not isinstance(cls, type) and not typing.is_typeddict(cls):
        raise InvalidDeclaration("graph", f"takes a state class, not {kind_of(cls)}: {shown(cls)}", "Pass the class.")
    if cls not in _known:
        _known[cls] = _made(cls)
    return _known[cls]


def _made(cls: type) -> Schema:
    whole = _checks_whole(cls)
    fields = fields_of(cls, whole_model=whole)
    has_opaque = any(not each.atomic and not each.flat for each in fields.values())
    return Schema(cls, fields, whole, has_opaque, view_maker(cls, fields), _model_check(cls, fields))


def start_values(schema: Schema, given: Mapping[str, Any] | object, where: str) -> Values:
    """The values that a run starts from: defaults made anew, overridden by what is given, all validated.

    `given` maps field names to values, or is an instance of the state class, or of one with the same
    field names (a class whose cell was run again). Raises StateValidationError naming every offending field.
    Source: graph-engine §2, validation at entry.
    """
    overrides = _overrides(schema, given, where)
    unknown = [name for name in overrides if name not in schema.fields]
    if unknown:
        raise unknown_fields(where, unknown, list(schema.fields))
    missing = [each for each in schema.fields.values() if each.required and each.name not in overrides]
    if missing:
        raise _missing_fields(where, missing)
    try:
        state = schema.check_model({k: detach(v) for k, v in overrides.items() if v is not UNSET})
    except ValidationError as error:
        raise invalid_state(where, reasons_of(error)) from error
    checked = _read(state)
    return {name: each.writer.keep(detach(checked.get(name, UNSET))) for name, each in schema.fields.items()}


def state_of(schema: Schema, values: Mapping[str, Any]) -> Any:
    """An instance of the user's class; its lists and dicts are plain and the caller's own."""
    return plain_state(schema.cls, {name: detach(value) for name, value in values.items()})


def check_whole(schema: Schema, values: Values) -> Values:
    """The values after the class's own validators. Raises pydantic's ValidationError."""
    checked = _read(schema.check_model({k: detach(v) for k, v in values.items() if v is not UNSET}))
    return {name: each.writer.keep(checked.get(name, UNSET)) for name, each in schema.fields.items()}


def _overrides(schema: Schema, given: Mapping[str, Any] | object, where: str) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    if isinstance(given, schema.cls) or _has_fields(given, schema):
        return _read(given)
    raise InvalidDeclaration(
        where,
        f"starts from a {schema.name} or from fields by name, not from {kind_of(given)}: {shown(given)}",
        f"Fields: {list(schema.fields)}.",
    )


def _has_fields(given: object, schema: Schema) -> bool:
    if not isinstance(given, BaseModel) and not dataclasses.is_dataclass(given):
        return False
    return set(_read(given)) == set(schema.fields)


def _read(state: Any) -> dict[str, Any]:
    """The fields of an instance as a dict that shares its values."""
    if isinstance(state, BaseModel):
        return {name: getattr(state, name) for name in type(state).model_fields}
    if dataclasses.is_dataclass(state):
        return {each.name: getattr(state, each.name) for each in dataclasses.fields(state)}
    return dict(state)


def _missing_fields(where: str, missing: list[Field]) -> Exception:
    reasons = {each.name: (f"{each.name}: has no default and was not given",) for each in missing}
    offers = "; ".join(f"{each.name}: {each.type} = {_offer(each)}" for each in missing)
    return invalid_state(where, reasons, f"Pass it when the run starts, or declare a default: {offers}.")


def _offer(field: Field) -> str:
    starts = {"list": "[]", "dict": "{}", "str": '""', "int": "0", "float": "0.0", "bool": "False", "set": "set()"}
    return starts.get(field.type.partition("[")[0], "gn.UNSET")


def _checks_whole(cls: type) -> bool:
    decorators = getattr(cls, "__pydantic_decorators__", None)
    if decorators is None:
        return False
    return bool(decorators.model_validators or decorators.field_validators or decorators.validators)


def _model_check(cls: type, fields: Mapping[str, Field]) -> Callable[[Mapping[str, Any]], Any]:
    if issubclass(cls, BaseModel):
        if any(each.alias or each.validation_alias for each in cls.model_fields.values()):
            return lambda given: cls.model_validate(given, by_name=True, by_alias=False)
        return cls.model_validate
    if typing.is_typeddict(cls):  # pydantic refuses typing.TypedDict before Python 3.12
        types: Any = {each.name: (each.annotation, ... if each.required else UNSET) for each in fields.values()}
        return create_model(cls.__name__, __config__=ConfigDict(arbitrary_types_allowed=True), **types).model_validate
    adapter: TypeAdapter[Any] | None = None

    def check(given: Mapping[str, Any]) -> Any:
        nonlocal adapter
        if adapter is None:
            adapter = TypeAdapter(cls)
        return adapter.validate_python(dict(given))

    return check
