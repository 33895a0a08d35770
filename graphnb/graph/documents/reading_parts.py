"""Reading the parts that records of a document share: schemas, reducers and guards. Source: graph document §3.1."""

from __future__ import annotations

from typing import Any, Final

from graphnb.graph.documents.expect import (
    flag_at,
    list_at,
    mapping_at,
    one_of_at,
    open_at,
    record_at,
    refusal,
    value_at,
)
from graphnb.graph.documents.records import ReducerRecord
from graphnb.graph.guards.guard import LOGICAL, OPERATIONS, Guard
from graphnb.state.reducers.step import STEP_REDUCERS
from graphnb.state.storable.schemas import TYPES, ValueSchema
from graphnb.state.storable.values import Path

REDUCERS: Final = tuple(STEP_REDUCERS)
"""The names of reducers in documents."""
TAG: Final = "$guard"
"""The key around a guard that stands where a literal may stand as well."""
_SCHEMA: Final = ("type", "fields", "item", "values", "required", "default", "constraints", "metadata")


def read_schema(value: Any, path: Path) -> ValueSchema | None:
    """The schema; None for null."""
    if value is None:
        return None
    record = record_at(value, path, known=_SCHEMA)
    fields = mapping_at(record.get("fields", {}), (*path, "fields"))
    return ValueSchema(
        type=one_of_at(record, "type", path=path, allowed=TYPES),
        fields={key: _inner_schema(each, (*path, "fields", key)) for key, each in fields.items()},
        item=read_schema(record.get("item"), (*path, "item")),
        values=tuple(value_at(list_at(record, "values", path=path), (*path, "values"))),
        required=flag_at(record, "required", path=path),
        has_default="default" in record,
        default=value_at(record.get("default"), (*path, "default")),
        constraints=open_at(record, "constraints", path=path),
        metadata=open_at(record, "metadata", path=path),
    )


def read_reducer(value: Any, path: Path) -> ReducerRecord | None:
    """The reducer; None for null. Its options are not judged here."""
    if value is None:
        return None
    if isinstance(value, str):
        raise refusal(path, "must be an object, not text", f"A document has the full form: {{'type': {value!r}}}.")
    record = record_at(value, path, known=("type", "opts"))
    return ReducerRecord(
        type=one_of_at(record, "type", path=path, allowed=REDUCERS), opts=open_at(record, "opts", path=path)
    )


def read_guard(value: Any, path: Path) -> Guard:
    """The guard, with those within it: bare in `all`, `any` and `not`, elsewhere as `{"$guard": ...}`."""
    record = record_at(value, path, known=("op", "args"))
    op = one_of_at(record, "op", path=path, allowed=OPERATIONS)
    args = list_at(record, "args", path=path)
    return Guard(op, tuple(_read_argument(op, each, path=(*path, "args", i)) for i, each in enumerate(args)))


def _inner_schema(value: Any, path: Path) -> ValueSchema:
    if path[-1].startswith("$"):  # type: ignore[union-attr]  # a key of an object, so text
        raise refusal(path, "begins with $, which is reserved", "Rename the key.")
    schema = read_schema(value, path)
    if schema is None:
        raise refusal(path, "must be a schema, not null")
    return schema


def _read_argument(op: str, value: Any, *, path: Path) -> Any:
    if op in LOGICAL and isinstance(value, dict):
        return read_guard(value, path)
    if isinstance(value, dict) and TAG in value:
        record_at(value, path, known=(TAG,))
        return read_guard(value[TAG], (*path, TAG))
    return value_at(value, path)
