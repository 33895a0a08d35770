"""The state that a document declares, as the engine sees it: a mapping whose writes are checked by their shape.

Source: super-steps, fields, views, and validating one write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from graphnb.errors import InvalidInput, InvalidUpdate
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.documents.effective import effective_default
from graphnb.graph.documents.expect import detached
from graphnb.graph.documents.records import Document, FieldRecord
from graphnb.state.annotations.classes import Declared
from graphnb.state.checking.reasons import Misfit, Reasons, Unfit, invalid_state, reasons_of
from graphnb.state.checking.validators import Validator
from graphnb.state.fields import Field, update_form
from graphnb.state.folding.step_writers import writer_for
from graphnb.state.marks import ASK_BY_ITSELF, UNSET, Replace, find_no_value
from graphnb.state.reducers.step import step_reducer_of
from graphnb.state.schema import Schema, Values
from graphnb.state.storable.schemas import ValueSchema, problems_of
from graphnb.state.storable.shapes import write_problems
from graphnb.state.storable.values import MOST_LEVELS, find_unstorable
from graphnb.state.values.mends import mends_of
from graphnb.state.views.dictview import dict_view

_KINDS: Final[Mapping[str, Any]] = {
    "string": str, "integer": int, "float": float, "boolean": bool, "list": list, "map": dict, "object": dict
}  # fmt: skip
_ATOMIC: Final = ("string", "integer", "float", "boolean")
_INPUT: Final = "input "  # before the type of an input, where fields are told


class _DocumentSchema(Schema):
    """The schema of a document's state, which is made anew of the document wherever it is unpickled."""

    __slots__ = ("_document",)

    def __init__(self, document: Document, cls: type, *, fields: Mapping[str, Field]) -> None:
        super().__init__(
            cls,
            fields,
            whole=False,
            has_opaque=False,
            view=lambda values, node: dict_view(fields, values, node),
            check=lambda given: _start(document, given),
        )
        self._document = Document(id=document.id, inputs=document.inputs, fields=document.fields)

    def __reduce__(self) -> tuple[Any, ...]:
        return state_schema, (self._document,)


def state_schema(document: Document) -> Schema:
    """The schema of a document's inputs and fields; its states are dicts, which lack a field that is not set."""
    records = {**document.inputs, **document.fields}
    kinds = {name: _kind(each) for name, each in records.items()}
    cls: Any = TypedDict(document.id, kinds, total=False)  # type: ignore[misc]  # named by the document
    return _DocumentSchema(document, cls, fields={name: _field(each) for name, each in records.items()})


def check_fits(schema: ValueSchema | None, value: object) -> None:
    """Raises Misfit for a value that cannot be stored, is nested too deep, or that its schema refuses."""
    fault = find_unstorable(value, most_levels=MOST_LEVELS)
    problems = [fault] if fault is not None else [] if schema is None else problems_of(schema, value)
    if problems:
        raise Misfit(problems)


def checked_update(schema: Schema, update: object, where: str) -> dict[str, Any]:
    """What a node has given, as a copy of the run's own. `where` begins the message.

    Raises InvalidUpdate for what is no mapping, else StateValidationError with all that is wrong: names that are no
    state fields, and values that may not be written to theirs. Source: super-steps, validating one write.
    """
    if not isinstance(update, Mapping):
        what = f"returned {kind_of(update)}, want a dict of fields: {shown(update)}"
        raise InvalidUpdate(where, what, "Return a dict such as {'field': value}, or {} to change nothing.")
    checked: dict[str, Any] = {}
    reasons: Reasons = {}
    known = [name for name, each in schema.fields.items() if not each.type.startswith(_INPUT)]
    for name, value in update.items():
        if name not in schema.fields:
            reasons[name if isinstance(name, str) else shown(name)] = (
                f"{shown(name)}: is no field of the document. {choices('Fields', known, name)}",
            )
            continue
        field = schema.fields[name]
        try:
            check = field.whole.check if type(value) is Replace else field.writer.check  # type: ignore[attr-defined]  # a StepWriter
            checked[name] = check(value)
        except Misfit as misfit:
            reasons |= reasons_of(misfit, name)
    if reasons:
        raise invalid_state(where, reasons, ASK_BY_ITSELF if any(map(find_no_value, update.values())) else "")
    return checked


class _Whole(Validator):
    """Checks what would be set past a field's reducer, which no document allows."""

    def __init__(self) -> None:
        super().__init__(Any, None)
        self.check = _refuse_replace


class _Write(Validator):
    """Checks one write to a field by the shape that its reducer wants."""

    def __init__(self, record: FieldRecord) -> None:
        super().__init__(Any, None)
        reducer = None if record.reducer is None else record.reducer.type

        def check(value: Any) -> Any:
            if record.kind == "input":
                raise Misfit([((), "is an input, which no node may write")])
            check_fits(None, value)
            problems = [] if record.schema is None else write_problems(reducer, record.schema, value=value)
            if problems:
                raise Misfit(problems)
            return detached(value)

        self.check = check


def _refuse_replace(value: object) -> Any:
    raise Misfit([((), "cannot be set with gn.Replace: all that nodes of a document write goes through its reducer")])


def start_of(schema: Schema, given: object, where: str) -> Values:
    """The values from which a run of a document starts. `where` begins the message.

    Raises InvalidInput with all that is wrong. Source: super-steps, start.
    """
    if not isinstance(given, Mapping):
        what = f"starts from inputs by name, not from {kind_of(given)}: {shown(given)}"
        raise InvalidInput(where, what, 'Give a dict, {"name": value}, or inputs as arguments.')
    try:
        checked = schema.check(given)
    except Unfit as unfit:
        told = invalid_state(where, unfit.reasons)
        inputs = [name for name, each in schema.fields.items() if each.type.startswith(_INPUT)]
        refused = InvalidInput(where, told.what, f"Inputs: {inputs}.")
        refused.details = told.details
        raise refused from told
    return {name: each.writer.keep(checked[name]) for name, each in schema.fields.items()}


def _start(document: Document, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given for inputs, else defaults and zeros. Raises Unfit."""
    reasons: Reasons = {}
    for name in given:
        if name not in document.inputs:
            why = "is a state field, which only nodes write" if name in document.fields else "is no input"
            reasons[shown(name)] = (f"{shown(name)}: {why}",)
    values: dict[str, Any] = {}
    for name, record in document.inputs.items():
        if name in given:
            try:
                check_fits(record.schema, given[name])
                values[name] = detached(given[name])
            except Misfit as misfit:
                reasons |= reasons_of(misfit, name)
            continue
        values[name] = effective_default(record)
        if record.required and record.default is None:  # a reducer never acts on an input: its zero is no excuse
            reasons[name] = (f"{name}: is required and was not given",)
    if reasons:
        raise Unfit(reasons)
    return values | {name: effective_default(record) for name, record in document.fields.items()}


def _kind(record: FieldRecord) -> Any:
    return Any if record.schema is None else _KINDS.get(record.schema.type, Any)


def _field(record: FieldRecord) -> Field:
    reducer = record.reducer
    function = step_reducer_of(
        "last_value" if reducer is None else reducer.type, {} if reducer is None else reducer.opts
    )
    kind, default = _kind(record), effective_default(record)
    type_text = "any" if record.schema is None else record.schema.type
    update = update_form(record.id, repr(function), is_declared=reducer is not None)
    return Field(
        name=record.id,
        annotation=kind,
        type=f"{_INPUT}{type_text}" if record.kind == "input" else type_text,
        reducer=repr(function),
        declared=reducer is not None,
        default="unset" if default is UNSET else repr(default),
        trusted=True,
        mend=f"Return the change instead: return {update}",
        mends=mends_of(record.id, update, kind=kind, read=f"view['{record.id}']", is_reduced=False, is_flat=False),
        can_be_unset=default is UNSET,
        is_natural=False,
        atomic=type_text in _ATOMIC,
        flat=False,
        levels=0,
        refuses=True,
        is_list=kind is list,
        source=Declared(record.id, kind, (), default),
        function=function,
        whole=_Whole(),
        writer=writer_for(function, _Write(record)),
    )
