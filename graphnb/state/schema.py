"""A state class as the engine sees it: its fields, the values a run starts from, and instances for the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, Final

from pydantic import BaseModel

from graphnb.errors import InvalidDeclaration, StateValidationError
from graphnb.errors.text import kind_of, shown
from graphnb.state.annotations.classes import checks_whole, is_pydantic, is_typeddict
from graphnb.state.checking.exact import Committed
from graphnb.state.checking.reasons import Reasons, Unfit, invalid_state, reasons_of, unknown_fields
from graphnb.state.checking.whole import StateCheck, check_of, is_record, read_fields
from graphnb.state.fields import Field, fields_of
from graphnb.state.marks import UNSET
from graphnb.state.values.detach import detach
from graphnb.state.values.instances import plain_state
from graphnb.state.views.view import View, view_maker

Values = dict[str, Any]
"""Field -> value as it is kept in a run; growing lists and dicts as `GrownList` and `GrownDict`."""


class Schema:
    """The fields of one state class, with what is needed to make and check its states.

    `whole`: the class has validators of its own, so that states are checked as a whole. `has_opaque`: some
    field may hold what cannot refuse a change, so that nodes get a copy to be compared afterwards. `view`
    makes the state that a node gets; `check` takes fields by name and gives all of them, validated. `required` are
    the names of the fields that a run has to be given a value for.
    """

    __slots__ = ("__weakref__", "check", "cls", "fields", "has_opaque", "required", "view", "whole")

    def __init__(
        self,
        cls: type,
        fields: Mapping[str, Field],
        *,
        whole: bool,
        has_opaque: bool,
        view: Callable[[Values, str], View],
        check: StateCheck,
    ) -> None:
        self.cls = cls
        self.fields = fields
        self.whole = whole
        self.has_opaque = has_opaque
        self.view = view
        self.check = check
        self.required = frozenset(name for name, each in fields.items() if each.required)

    @property
    def name(self) -> str:
        """The name of the state class."""
        return self.cls.__name__

    def by_field(self) -> Schema:
        """The same schema, but states are not checked as a whole."""
        return Schema(self.cls, self.fields, whole=False, has_opaque=self.has_opaque, view=self.view, check=self.check)

    def __reduce__(self) -> tuple[Callable[[type], Schema], tuple[type]]:
        return schema_of, (self.cls,)


_KEPT: Final = "__graphnb_schema__"


def schema_of(cls: type) -> Schema:
    """The schema of a state class, made once per class.

    Raises ConflictingReducers, ReducerConfigurationInvalid, or InvalidDeclaration for what is no state class.
    """
    if not isinstance(cls, type) and not is_typeddict(cls):
        raise InvalidDeclaration("graph", f"takes a state class, not {kind_of(cls)}: {shown(cls)}", "Pass the class.")
    known = cls.__dict__.get(_KEPT)
    if known is None:
        known = _made(cls)
        type.__setattr__(cls, _KEPT, known)  # on the class, so that it is forgotten together with it
    return known


def _made(cls: type) -> Schema:
    whole = checks_whole(cls)
    fields = fields_of(cls, whole_model=whole and is_pydantic(cls))
    has_opaque = not all(each.refuses for each in fields.values())
    view, check = view_maker(cls, fields), check_of(cls, fields, whole=whole)
    return Schema(cls, fields, whole=whole, has_opaque=has_opaque, view=view, check=check)


def start_values(schema: Schema, given: Mapping[str, Any] | object, where: str) -> Values:
    """The values that a run starts from: defaults made anew, overridden by what is given, all validated.

    `given` maps field names to values, or is an instance of the state class, or of one with the same
    field names (a class whose cell was run again). Raises StateValidationError naming every offending field.
    Source: graph-engine §2, validation at entry.
    """
    overrides = {name: value for name, value in _overrides(schema, given, where=where).items() if value is not UNSET}
    if not overrides.keys() <= schema.fields.keys():
        unknown = [name for name in overrides if name not in schema.fields]
        raise unknown_fields(where, unknown, fields=list(schema.fields))
    if not schema.required <= overrides.keys():
        missing = [schema.fields[name] for name in schema.fields if name in schema.required - overrides.keys()]
        raise _missing_fields(schema.cls, where, missing=missing, reasons=_reasons_against(schema, overrides))
    try:
        checked = schema.check(overrides)
    except Unfit as error:
        wants = "; ".join(f"{name}: {schema.fields[name].type}" for name in error.reasons if name in schema.fields)
        raise invalid_state(where, error.reasons, f"The state declares {wants}." if wants else "") from error.__cause__
    return {name: each.writer.keep(checked[name]) for name, each in schema.fields.items()}


def state_of(schema: Schema, values: Mapping[str, Any]) -> Any:
    """An instance of the user's class; its lists and dicts are plain and the caller's own."""
    return plain_state(schema.cls, {name: detach(value) for name, value in values.items()})


def check_whole(schema: Schema, values: Values) -> Values:
    """The values after the class's own validators, in the form in which a run keeps them. Raises Unfit."""
    folded = {name for name, each in schema.fields.items() if each.is_stepwise}
    checked = schema.check(
        {name: Committed(value) if name in folded else value for name, value in values.items() if value is not UNSET}
    )
    return {name: each.writer.keep(checked[name]) for name, each in schema.fields.items()}


def _overrides(schema: Schema, given: Mapping[str, Any] | object, *, where: str) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    if not is_typeddict(schema.cls) and isinstance(given, schema.cls):
        return read_fields(given)
    if is_record(given) and set(read_fields(given)) == set(schema.fields):
        return read_fields(given)
    raise InvalidDeclaration(
        where,
        f"starts from a {schema.name} or from fields by name, not from {kind_of(given)}: {shown(given)}",
        f"Fields: {list(schema.fields)}.",
    )


def _reasons_against(schema: Schema, given: Mapping[str, Any]) -> Reasons:
    """What is wrong with the fields that are given, beside others that are missing."""
    reasons: Reasons = {}
    for name, value in given.items():
        try:
            schema.fields[name].whole.check(detach(value))
        except Exception as error:  # noqa: BLE001  a validator may be user code
            reasons |= reasons_of(error, name)
    return reasons


def _missing_fields(cls: type, where: str, *, missing: list[Field], reasons: Reasons) -> StateValidationError:
    absent: Reasons = {each.name: (f"{each.name}: has no default and was not given",) for each in missing}
    if is_typeddict(cls):
        mend = (
            "Pass it when the run starts: a TypedDict has no defaults, a gn.State has. "
            "One that a node writes later is NotRequired."
        )
    else:
        is_record = not issubclass(cls, BaseModel) and is_dataclass(cls)
        offers = "; ".join(f"{each.name}: {each.type} = {_offer(each, is_record=is_record)}" for each in missing)
        mend = (
            f"Pass it when the run starts, or declare a default: {offers}. "
            "For one that a node writes later: = gn.UNSET."
        )
    return invalid_state(where, absent | reasons, mend)


def _offer(field: Field, *, is_record: bool) -> str:
    """A default that fits the type, as it is written in the class; a dataclass takes no list as it is."""
    kind = field.type.partition("[")[0]
    if is_record and kind in ("list", "dict", "set"):
        return f"dataclasses.field(default_factory={kind})"
    starts = {"list": "[]", "dict": "{}", "str": '""', "int": "0", "float": "0.0", "bool": "False", "set": "set()"}
    return starts.get(kind, "gn.UNSET")
