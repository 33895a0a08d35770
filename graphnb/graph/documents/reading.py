"""Reading a graph document: from plain values or JSON text to records. Nothing that it names is looked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeVar

from graphnb.errors import InvalidDocument, UnknownImplementation, UnsupportedSchemaVersion
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.documents.expect import (
    flag_at,
    list_at,
    mapping_at,
    one_of_at,
    open_at,
    record_at,
    refusal,
    text_at,
    value_at,
)
from graphnb.graph.documents.ids import id_fault
from graphnb.graph.documents.json_text import value_of_json
from graphnb.graph.documents.reading_parts import read_guard, read_reducer, read_schema
from graphnb.graph.documents.records import (
    COLLECTIONS,
    SCHEMA_VERSION,
    Document,
    EdgeRecord,
    FieldRecord,
    NodeRecord,
    OutputRecord,
)
from graphnb.graph.documents.survey import find_fault
from graphnb.state.storable.values import Path

_Record = TypeVar("_Record")
_TEXTS: Final = ("label", "description")
_DOCUMENT: Final = ("schema_version", "id", "name", "description", *COLLECTIONS, "policies", "metadata")
_FIELD: Final = ("kind", *_TEXTS, "schema", "reducer", "required", "default", "metadata")
_OUTPUT: Final = ("source", *_TEXTS, "schema", "metadata")
_NODE: Final = (*_TEXTS, "implementation", "branches", "config", "policies", "metadata")
_EDGE: Final = ("from", "to", *_TEXTS, "source_handle", "target_handle", "guard", "metadata")


def read_document(source: Mapping[str, Any] | str, *, registry: Collection[str] | None = None) -> Document:
    """The records of a document given as plain values or as JSON text; nothing is shared with what was given.

    `registry` has the names that a node may name as its implementation; with None they are not looked at. Raises
    InvalidDocument for a wrong shape, UnsupportedSchemaVersion, InvalidPublicId, ReservedId and
    UnknownImplementation, each with the place. Source: graph document §3.1.

    >>> read_document({"schema_version": 1, "id": "g", "nodes": {"a": {}}}).nodes["a"].label is None
    True
    """
    content = value_of_json(source) if isinstance(source, str) else source
    if not isinstance(content, Mapping):
        raise refusal((), f"must be an object or JSON text, not {kind_of(content)} {shown(content)}")
    content = content if isinstance(content, dict) else dict(content)
    fault = find_fault(content)
    if fault is not None:
        raise refusal(*fault)
    _check_version(content)
    record = record_at(content, (), known=_DOCUMENT)
    return Document(
        schema_version=record["schema_version"],
        id=_check_id(_needed(record, "id"), ("id",)),
        name=text_at(record, "name", path=()),
        description=text_at(record, "description", path=()),
        inputs=_records(record, "inputs", read=lambda key, value, path: _read_field(key, value, path, kind="input")),
        fields=_records(record, "fields", read=lambda key, value, path: _read_field(key, value, path, kind="state")),
        outputs=_records(record, "outputs", read=_read_output),
        nodes=_records(record, "nodes", read=lambda key, value, path: _read_node(key, value, path, registry=registry)),
        edges=_records(record, "edges", read=_read_edge),
        policies=open_at(record, "policies", path=()),
        metadata=open_at(record, "metadata", path=()),
    )


def _check_version(content: dict[str, Any]) -> None:
    """Looked at before the keys: a later version may have others."""
    version = _needed(content, "schema_version")
    if type(version) is not int or version < SCHEMA_VERSION:
        what = f"must be the integer {SCHEMA_VERSION}, not {kind_of(version)} {shown(version)}"
        raise refusal(("schema_version",), what)
    if version > SCHEMA_VERSION:
        what = f"is {shown(version)}, and {SCHEMA_VERSION} is the only version known here"
        mend = "Read it with a later version of graphnb, or write it for this one."
        raise refusal(("schema_version",), what, mend, kind=UnsupportedSchemaVersion)


def _needed(content: dict[str, Any], key: str) -> Any:
    if key not in content:
        raise refusal((), f"has no {key!r}", f"Begin with {{'schema_version': {SCHEMA_VERSION}, 'id': 'a_name'}}.")
    return content[key]


def _check_id(candidate: Any, path: Path) -> str:
    if not isinstance(candidate, str):
        raise refusal(path, f"must be text, not {kind_of(candidate)} {shown(candidate)}")
    fault = id_fault(candidate)
    if fault is not None:
        kind, what, mend = fault
        raise refusal(path, what, mend, kind=kind)
    return candidate


def _records(document: dict[str, Any], name: str, *, read: Callable[[str, Any, Path], _Record]) -> dict[str, _Record]:
    found = mapping_at(document.get(name, {}), (name,))
    return {_check_id(key, (name, key)): read(key, value, (name, key)) for key, value in found.items()}


def _read_field(key: str, value: Any, path: Path, *, kind: str) -> FieldRecord:
    record = record_at(value, path, known=_FIELD)
    is_told = record.get("kind") is not None
    return FieldRecord(
        id=key,
        kind=one_of_at(record, "kind", path=path, allowed=("input", "state")) if is_told else kind,
        label=text_at(record, "label", path=path),
        description=text_at(record, "description", path=path),
        schema=read_schema(record.get("schema"), (*path, "schema")),
        reducer=read_reducer(record.get("reducer"), (*path, "reducer")),
        required=flag_at(record, "required", path=path),
        default=value_at(record.get("default"), (*path, "default")),
        metadata=open_at(record, "metadata", path=path),
    )


def _read_output(key: str, value: Any, path: Path) -> OutputRecord:
    record = record_at(value, path, known=_OUTPUT)
    return OutputRecord(
        id=key,
        source=text_at(record, "source", path=path),
        label=text_at(record, "label", path=path),
        description=text_at(record, "description", path=path),
        schema=read_schema(record.get("schema"), (*path, "schema")),
        metadata=open_at(record, "metadata", path=path),
    )


def _read_node(key: str, value: Any, path: Path, *, registry: Collection[str] | None) -> NodeRecord:
    record = record_at(value, path, known=_NODE)
    told = record.get("implementation")
    node = NodeRecord(
        id=key,
        label=text_at(record, "label", path=path),
        description=text_at(record, "description", path=path),
        implementation=None if told is None else open_at(record, "implementation", path=path),
        branches=_read_branches(record.get("branches", {}), (*path, "branches")),
        config=open_at(record, "config", path=path),
        policies=open_at(record, "policies", path=path),
        metadata=open_at(record, "metadata", path=path),
    )
    if told is not None and told.get("type") == "module":
        _check_module(told, (*path, "implementation"), registry=registry)
    return node


def _read_branches(value: Any, path: Path) -> Any:
    """What groups a node's edges for display: an object or a list of anything."""
    return value_at(value if isinstance(value, list) else mapping_at(value, path), path)


def _check_module(told: dict[str, Any], path: Path, *, registry: Collection[str] | None) -> None:
    record_at(told, path, known=("type", "implementation"))
    name = told.get("implementation")
    if not isinstance(name, str):
        what = f"must be the name of an entry of the registry, not {kind_of(name)} {shown(name)}"
        raise refusal((*path, "implementation"), what)
    if registry is not None and name not in registry:
        what = f"names {shown(name)}, which is not in the registry"
        mend = f"{choices('Registered', sorted(registry), name)} Pass a registry that has it; it is never imported."
        raise refusal((*path, "implementation"), what, mend, kind=UnknownImplementation)


def _read_edge(key: str, value: Any, path: Path) -> EdgeRecord:
    record = record_at(value, path, known=_EDGE)
    return EdgeRecord(
        id=key,
        source=_read_source(record, path),
        target=text_at(record, "to", path=path),
        label=text_at(record, "label", path=path),
        description=text_at(record, "description", path=path),
        source_handle=text_at(record, "source_handle", path=path),
        target_handle=text_at(record, "target_handle", path=path),
        guard=None if record.get("guard") is None else read_guard(record["guard"], (*path, "guard")),
        metadata=open_at(record, "metadata", path=path),
    )


def _read_source(record: dict[str, Any], path: Path) -> str | tuple[str, ...] | None:
    if not isinstance(record.get("from"), list):
        return text_at(record, "from", path=path)
    sources = list_at(record, "from", path=path)
    for i, source in enumerate(sources):
        if not isinstance(source, str):
            raise refusal(
                (*path, "from", i), f"must be text, not {kind_of(source)} {shown(source)}", kind=InvalidDocument
            )
    return tuple(sources)
