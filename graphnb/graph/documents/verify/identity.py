"""Ids, kinds and texts of the records of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from graphnb.errors.text import kind_of, shown
from graphnb.graph.documents.ids import id_fault
from graphnb.graph.documents.records import (
    SCHEMA_VERSION,
    Document,
    EdgeRecord,
    FieldRecord,
    NodeRecord,
    OutputRecord,
)
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error
from graphnb.state.storable.values import Path

_KINDS: Final[Mapping[str, tuple[type, str]]] = {
    "inputs": (FieldRecord, "invalid_field"),
    "fields": (FieldRecord, "invalid_field"),
    "outputs": (OutputRecord, "invalid_record"),
    "nodes": (NodeRecord, "invalid_record"),
    "edges": (EdgeRecord, "invalid_record"),
}
_TEXTS: Final = ("label", "description", "source_handle", "target_handle")


def check_identity(document: Document) -> Iterator[Diagnostic]:
    """Version, ids, kinds, and what should be text or true or false."""
    if type(document.schema_version) is not int or document.schema_version != SCHEMA_VERSION:
        what = f"is {shown(document.schema_version)}, and {SCHEMA_VERSION} is the only version known here"
        yield error("unsupported_schema_version", ("schema_version",), what, f"Write {SCHEMA_VERSION}.")
    yield from _check_id(document.id, ("id",))
    yield from _check_texts(document, (), names=("name", "description"), code="invalid_document")
    yield from _check_types(document, (), code="invalid_document")
    for name, (kind, code) in _KINDS.items():
        records: Any = getattr(document, name)
        if not isinstance(records, Mapping):
            yield error("invalid_document", (name,), f"must be a mapping, not {kind_of(records)} {shown(records)}")
            continue
        for key, record in _sorted(records):
            yield from _check_id(key, (name, key))
            if isinstance(record, kind):
                yield from _check_record(key, record, path=(name, key), code=code)
            else:
                what = f"must be of the class {kind.__name__}, not {kind_of(record)} {shown(record)}"
                yield error(code, (name, key), what)
    if isinstance(document.inputs, Mapping) and isinstance(document.fields, Mapping):
        for key in sorted({*document.inputs} & {*document.fields}):
            what = f"{shown(key)} is both an input and a field"
            yield error("duplicate_state_id", ("fields", key), what, "Rename one: inputs and fields share their names.")


def sound_part(document: Document) -> Document:
    """The document as every other pass can look at it, all in id order: parts of a wrong type are left out.

    An edge or an output that leads nowhere for that reason is left out as a whole.
    """
    found: dict[str, Any] = {}
    for name, (kind, _) in _KINDS.items():
        records: Any = getattr(document, name)
        kept = _sorted(records) if isinstance(records, Mapping) else ()
        found[name] = {
            key: _without_faults(record)
            for key, record in kept
            if isinstance(record, kind) and not {"from", "to", "source"} & {each for each, _ in _type_faults(record)}
        }
    sound: Document = _without_faults(replace(document, **found))
    return sound


def _without_faults(record: Any) -> Any:
    empty: dict[str, Any] = {name: {} for name, _ in _type_faults(record)}
    return replace(record, **empty) if empty else record


def _sorted(records: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(records.items(), key=lambda entry: entry[0])


def _check_id(candidate: Any, path: Path) -> Iterator[Diagnostic]:
    fault = id_fault(candidate)
    if fault is not None:
        kind, what, mend = fault
        yield error(kind.category, path, what, mend)


def _check_record(key: str, record: Any, *, path: Path, code: str) -> Iterator[Diagnostic]:
    if record.id != key:
        yield error(code, (*path, "id"), f"is {shown(record.id)}, but its key is {shown(key)}", "Make both the same.")
    yield from _check_texts(record, path, names=_TEXTS, code=code)
    yield from _check_types(record, path, code=code)
    if isinstance(record, FieldRecord):
        wanted = "input" if path[0] == "inputs" else "state"
        if record.kind != wanted:
            what = f"is {shown(record.kind)}, and what stands under {path[0]!r} is of the kind {wanted!r}"
            yield error(code, (*path, "kind"), what, "Leave 'kind' out, or move the record.")
        if not isinstance(record.required, bool):
            what = f"must be true or false, not {kind_of(record.required)} {shown(record.required)}"
            yield error(code, (*path, "required"), what)


def _check_types(record: Any, path: Path, *, code: str) -> Iterator[Diagnostic]:
    yield from (error(code, (*path, key), what) for key, what in _type_faults(record))


def _type_faults(record: Any) -> Iterator[tuple[str, str]]:
    """What reading makes sure of, and records made by hand may have otherwise: open content and endpoints, by key."""
    for name in ("metadata", "policies", "config", "branches"):
        value = getattr(record, name, {})
        if not isinstance(value, dict) and not (name == "branches" and isinstance(value, list)):
            yield name, f"must be a dict, not {kind_of(value)} {shown(value)}"
    if isinstance(record, EdgeRecord):
        parts = record.source if isinstance(record.source, tuple) else (record.source,)
        if record.source is not None and not all(isinstance(part, str) for part in parts):
            yield "from", f"must be text, or a tuple of texts for a join, not {shown(record.source)}"
        if not isinstance(record.target, (str, type(None))):
            yield "to", f"must be text, not {kind_of(record.target)} {shown(record.target)}"
    if isinstance(record, OutputRecord) and not isinstance(record.source, (str, type(None))):
        yield "source", f"must be text, not {kind_of(record.source)} {shown(record.source)}"


def _check_texts(record: Any, path: Path, *, names: tuple[str, ...], code: str) -> Iterator[Diagnostic]:
    for name in names:
        value = getattr(record, name, None)
        if value is not None and not isinstance(value, str):
            yield error(code, (*path, name), f"must be text, not {kind_of(value)} {shown(value)}")
