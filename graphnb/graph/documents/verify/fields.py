"""Schemas, reducers and defaults of inputs and fields, and fields that nothing refers to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.documents.expect import place_of
from graphnb.graph.documents.records import Document, FieldRecord, ReducerRecord
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error, warning
from graphnb.graph.guards.guard import Guard, references_of
from graphnb.state.reducers.step import STEP_REDUCERS
from graphnb.state.storable.schemas import ValueSchema, malformed_of, problems_of
from graphnb.state.storable.values import Path

_MOST: Final = 10  # problems that a message has
_TYPES: Final = {
    "append": ("list",),
    "union": ("list",),
    "sum": ("integer", "float"),
    "merge": ("map", "object"),
}


def check_fields(document: Document) -> Iterator[Diagnostic]:
    """Everything about the schema, the reducer and the default of each, inputs included."""
    for collection in ("inputs", "fields"):
        for key, field in getattr(document, collection).items():
            yield from _check_field(field, (collection, key))


def check_schema(schema: object, path: Path) -> Iterator[Diagnostic]:
    """One diagnostic if the schema is malformed, with everything that is wrong about it."""
    if not isinstance(schema, ValueSchema):
        yield error("invalid_schema", path, f"must be a schema, not {kind_of(schema)} {shown(schema)}")
        return
    told = [f"{place_of((*path, *within))}: {what}" if within else what for within, what in malformed_of(schema)]
    if told:
        yield error("invalid_schema", path, f"is malformed: {_first(told)}")


def check_orphans(document: Document) -> Iterator[Diagnostic]:
    """Fields that occur in no output, no guard and no config."""
    used = {output.source for output in document.outputs.values()}
    for edge in document.edges.values():
        if isinstance(edge.guard, Guard):
            used.update(references_of(edge.guard))
    for node in document.nodes.values():
        used.update(_texts_in(node.config))
    for key in document.fields:
        if key not in used:
            mend = "Give it an output, or remove it if nothing reads it."
            yield warning("orphaned_field", ("fields", key), "occurs in no output, no guard and no node's config", mend)


def _first(told: list[str]) -> str:
    """As many as a message has room for, and how many more there are."""
    hidden = len(told) - _MOST
    return "; ".join([*told[:_MOST], *([f"and {hidden:,} more"] if hidden > 0 else [])])


def _texts_in(content: Any) -> Iterator[str]:
    """All texts among the values, keys left out; the content can be stored, so that it ends."""
    rest = [content]
    while rest:
        part = rest.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, (dict, list)):
            rest += part.values() if isinstance(part, dict) else part


def _check_field(field: FieldRecord, path: Path) -> Iterator[Diagnostic]:
    schema = field.schema
    if schema is None:
        mend = "Give it one, such as {'type': 'string'}."
        yield error("missing_field_schema", (*path, "schema"), "there is no schema", mend)
    else:
        malformed = list(check_schema(schema, (*path, "schema")))
        yield from malformed
        schema = None if malformed else schema
    if field.reducer is not None:
        yield from _check_reducer(field.reducer, schema, path=(*path, "reducer"))
    if schema is not None and field.default is not None:
        told = [
            f"{place_of(within)}: {what}" if within else what for within, what in problems_of(schema, field.default)
        ]
        if told:
            mend = "A default is checked as a whole value of the field, whatever its reducer takes as one write."
            yield error("invalid_field_default", (*path, "default"), f"does not fit the schema: {_first(told)}", mend)


def _check_reducer(reducer: object, schema: ValueSchema | None, *, path: Path) -> Iterator[Diagnostic]:
    """Pairing is judged against a well-formed schema alone."""
    if not isinstance(reducer, ReducerRecord) or reducer.type not in STEP_REDUCERS:
        told = reducer.type if isinstance(reducer, ReducerRecord) else reducer
        yield error("invalid_reducer", path, f"{shown(told)} is no reducer", choices("Reducers", STEP_REDUCERS, told))
        return
    name = f"step.{reducer.type}"
    allowed = _TYPES.get(reducer.type)
    if schema is not None and allowed is not None:
        if schema.type not in allowed:
            what = f"{name} needs a field of type {' or '.join(allowed)}, not {schema.type}"
            yield error("reducer_schema_mismatch", path, what, "Change the field's type, or its reducer.")
        elif schema.item is not None and schema.item.type == "list":
            what = f"{name} on a list of lists: a write that is a list is taken as many elements, never as one row"
            yield warning("ambiguous_list_write", path, what, "Let nodes write a list of rows, also for a single row.")
    if not isinstance(reducer.opts, dict):
        yield error("invalid_reducer", path, f"{name}: opts must be a mapping, not {kind_of(reducer.opts)}")
        return
    for option, (is_good, wanted) in STEP_REDUCERS[reducer.type].options.items():
        if option in reducer.opts and not is_good(reducer.opts[option]):
            given = reducer.opts[option]
            what = f"{name}: the option {option!r} must be {wanted}, not {kind_of(given)} {shown(given)}"
            yield error("invalid_reducer", path, what, "Leave the option out for its usual meaning.")
