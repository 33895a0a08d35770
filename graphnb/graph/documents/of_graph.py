"""A graph written in Python as a document, where all of its parts have a name there. Source: design section 9 (16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from graphnb.errors import InvalidDocument
from graphnb.errors.text import shown
from graphnb.graph.checking.checks import faults_of
from graphnb.graph.checking.declared_writes import writes_of
from graphnb.graph.documents.expect import place_of
from graphnb.graph.documents.faults import Faults, check_id
from graphnb.graph.documents.of_edges import edge_records
from graphnb.graph.documents.of_fields import field_record
from graphnb.graph.documents.of_nodes import Functions, node_records
from graphnb.graph.documents.records import Document, FieldRecord, OutputRecord
from graphnb.graph.documents.verify.passes import diagnostics_of
from graphnb.graph.spec import FunctionNode, GraphSpec
from graphnb.state.annotations.classes import config_of
from graphnb.state.schema import Schema

_HARMLESS: Final = ("arbitrary_types_allowed", "strict", "allow_inf_nan", "revalidate_instances", "cache_strings")
"""What a configuration may say without changing which values a field takes, beyond what documents do anyway."""


def document_of(spec: GraphSpec, registry: Functions | None = None) -> Document:
    """The document of a graph; implementations bear the names of the registry, else those of the functions.

    A field without a default becomes an input, any other one a field; each is an output of its own id. A default of
    None is left out, because null is no default in a document. Raises InvalidDocument for what has no name there; its
    `problems` are all such parts.
    """
    faults = Faults(spec.name)
    for fault in faults_of(spec):
        faults.found.append(InvalidDocument(fault.where, fault.what, fault.mend))
    check_id(spec.name, "", faults=faults)
    _check_class(spec.schema, faults)
    records = {
        name: field_record(each, _teller(faults, f"field '{name}'")) for name, each in spec.schema.fields.items()
    }
    nodes = node_records(spec, registry, faults=faults)
    _check_writes(spec, faults)
    edges = edge_records(spec, faults)
    faults.check()
    document = Document(
        id=spec.name,
        inputs=_of_kind(records, "input"),
        fields=_of_kind(records, "state"),
        outputs={name: OutputRecord(id=name, source=name) for name in records},
        nodes=nodes,
        edges=edges,
    )
    _check_document(document, faults)
    return document


def _teller(faults: Faults, part: str) -> Callable[[str, str], None]:
    return lambda what, mend: faults.tell(part, what, mend)


def _of_kind(records: Mapping[str, FieldRecord], kind: str) -> dict[str, FieldRecord]:
    return {name: each for name, each in records.items() if each.kind == kind}


def _check_class(schema: Schema, faults: Faults) -> None:
    part = f"state {schema.name}"
    if schema.whole:
        mend = "Say it in the types (Field(ge=...), Literal[...]), or check it in a node."
        faults.tell(part, "the class has validators of its own, which a document cannot name", mend)
    for name, value in (config_of(schema.cls) or {}).items():
        if name not in _HARMLESS and value:
            what = f"its configuration has {name}={shown(value)}, which a document cannot name"
            faults.tell(part, what, "Leave it out, and say it beside the types.")


def _check_writes(spec: GraphSpec, faults: Faults) -> None:
    """Tells of nodes that write, as they declare, what becomes an input."""
    for node in spec.nodes.values():
        for write in writes_of(node, spec) if isinstance(node, FunctionNode) else ():
            if write.is_sure and spec.schema.fields[write.field].required:
                what = f"its return type has {write.field!r}, an input in a document, which no node may write"
                mend = f"Declare {write.field} with a default or = gn.UNSET, or let the node write another field."
                faults.tell(f"node '{node.name}'", what, mend)


def _check_document(document: Document, faults: Faults) -> None:
    """Raises for what only the whole document shows, such as a guard that cannot be evaluated."""
    names = [str(node.module) for node in document.nodes.values()]
    for each in diagnostics_of(document, dict.fromkeys(names, _implementation)):
        if each.severity == "error":
            faults.tell(place_of(each.path), each.message, each.mend)
    faults.check()


def _implementation(view: Any, context: Any) -> None:
    """Stands for all implementations: what they declare of a node's config concerns no graph written in Python."""
