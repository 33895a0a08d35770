"""Validating whole states, whatever kind of class declares them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from graphnb.state.annotations.classes import is_pydantic
from graphnb.state.annotations.kinds import is_copied
from graphnb.state.checking.exact import Committed
from graphnb.state.checking.keys import whole_validator
from graphnb.state.checking.reasons import Reasons, Unfit, reasons_of
from graphnb.state.fields import Field
from graphnb.state.marks import UNSET
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList, entries_of, items_of
from graphnb.state.values.same import is_same

StateCheck = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Fields by name -> all fields, validated and owned by the caller, with defaults for those not given.

A field without either stays UNSET. What is given is never changed. Raises Unfit with the reasons of every field.
"""


def check_of(cls: Any, fields: Mapping[str, Field], *, whole: bool) -> StateCheck:
    """The check of a state class; `whole` tells that the class has validators of its own."""
    shared = frozenset(name for name, each in fields.items() if whole or not is_copied(each.annotation))
    if is_pydantic(cls):
        return _pydantic_check(cls, fields, shared=shared, whole=whole)

    def check(given: Mapping[str, Any]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        reasons: Reasons = {}
        for name, field in fields.items():
            try:
                if type(given.get(name)) is Committed:
                    values[name] = detach(given[name].value)
                elif name in given:
                    values[name] = field.whole.check(_readable(given[name], is_shared=name in shared))
                else:
                    values[name] = _default(field)
            except Exception as error:  # noqa: BLE001  a validator or a default factory may be user code
                reasons |= reasons_of(error, name)
        if reasons:
            raise Unfit(reasons)
        return _after_init(cls, fields, values=values) if whole else values

    return check


def is_record(value: object) -> bool:
    """True for an instance of a pydantic model or a dataclass."""
    return isinstance(value, BaseModel) or (dataclasses.is_dataclass(value) and not isinstance(value, type))


def read_fields(state: Any) -> dict[str, Any]:
    """The fields of an instance, also of a view, as a dict that shares its values."""
    if "_graphnb_values" in vars(type(state)):  # a view refuses to read what is unset
        return dict(state._graphnb_values)
    if isinstance(state, BaseModel):
        return {name: getattr(state, name) for name in type(state).model_fields}
    if dataclasses.is_dataclass(state):
        return {each.name: getattr(state, each.name) for each in dataclasses.fields(state)}
    return dict(state)


def _pydantic_check(cls: Any, fields: Mapping[str, Field], *, shared: frozenset[str], whole: bool) -> StateCheck:
    # fields are given by name; an alias belongs to the outside
    aliases = {each.validation_alias or each.alias: name for name, each in cls.__pydantic_fields__.items()}
    options: dict[str, Any] = {"by_name": True} if any(aliases) else {}
    names = tuple(cls.__pydantic_fields__)
    validator = whole_validator(cls)
    untrusted = [name for name, each in fields.items() if not each.trusted]
    natural = {name: each.source.default for name, each in fields.items() if each.is_natural}
    needed = {name: Committed(each) for name, each in natural.items() if cls.__pydantic_fields__[name].is_required()}

    def validated(given: Mapping[str, Any]) -> dict[str, Any]:
        given = {**needed, **given} if needed else given
        readable = {name: _readable(each, is_shared=name in shared) for name, each in given.items()}
        try:
            made = validator.validate_python(readable, **options)
            values = {name: getattr(made, name) for name in names}
        except Exception as error:
            reasons = reasons_of(error)
            raise Unfit({aliases.get(key, key): each for key, each in reasons.items()}) from error
        for name in shared:
            values[name] = detach(values[name])
        return values

    def check(given: Mapping[str, Any]) -> dict[str, Any]:
        values = validated(given)
        for name, zero in natural.items():
            if name not in given:
                values[name] = detach(zero)
        doubtful = [name for name in untrusted if name not in given and values[name] is not UNSET]
        if doubtful and whole:
            trusted = {name for name, each in fields.items() if each.is_stepwise and each.trusted} - given.keys()
            rest = {name: each for name, each in values.items() if each is not UNSET}
            return validated({name: Committed(each) if name in trusted else each for name, each in rest.items()})
        reasons: Reasons = {}
        for name in doubtful:  # pydantic takes defaults on trust
            try:
                values[name] = fields[name].whole.check(values[name])
            except Exception as error:  # noqa: BLE001  a validator may be user code
                reasons |= reasons_of(error, name)
        if reasons:
            raise Unfit(reasons)
        return values

    return check


def _readable(value: Any, *, is_shared: bool) -> Any:
    """A value, kept or given, as validators expect it; a copy if validating would not make one."""
    if type(value) is Committed:
        return Committed(detach(value.value))
    if is_shared:
        return detach(value)
    if isinstance(value, GrownList):
        return items_of(value)
    return entries_of(value) if isinstance(value, GrownDict) else value


def _default(field: Field) -> Any:
    source = field.source
    value = source.factory() if source.factory is not None else source.default
    return detach(value) if field.trusted else field.whole.check(value)


def _after_init(cls: Any, fields: Mapping[str, Field], *, values: dict[str, Any]) -> dict[str, Any]:
    """The values after the `__post_init__` of a dataclass, which may refuse them; those it changed are validated."""
    given = {each.name: detach(values[each.name]) for each in dataclasses.fields(cls) if each.init}
    try:
        stored = read_fields(cls(**given))
    except Exception as error:
        raise Unfit(reasons_of(error)) from error
    reasons: Reasons = {}
    for name, value in stored.items():
        if is_same(value, values[name]):
            continue
        try:
            values[name] = fields[name].whole.check(value)
        except Exception as error:  # noqa: BLE001  a validator may be user code
            told = reasons_of(error, name)[name]
            reasons[name] = (f"{told[0]} (stored by __post_init__)", *told[1:])
    if reasons:
        raise Unfit(reasons)
    return values
