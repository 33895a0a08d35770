"""The kinds about whole documents: what checking one tells, whether one can be read, what it hashes to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from graphnb.conformance.compare import differences
from graphnb.errors import DocumentError
from graphnb.errors.text import shown
from graphnb.graph.documents.canonical import canonical_text, hash_of
from graphnb.graph.documents.effective import Registry
from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.verify.passes import diagnostics_of
from graphnb.graph.documents.writing import to_wire

_SCRIPTED = "scripted"  # what the registry of a case calls a node with `rules`


def compile_reasons(told: dict[str, Any]) -> Iterator[str]:
    """The complete list of diagnostics, in any order."""
    declared = told.get("implementations", {})
    registry: Registry = {_SCRIPTED: _scripted, **{name: _made(each) for name, each in declared.items()}}
    document = read_document(document_of(told["graph"]))
    found = diagnostics_of(document, registry)
    got = sorted(([each.severity, each.code, list(each.path)] for each in found), key=repr)
    yield from differences(sorted(told["diagnostics"], key=repr), got, place="diagnostics")
    is_ok = all(each.severity != "error" for each in found)
    if is_ok is not told["ok"]:
        yield f"ok: expected {told['ok']}, got {is_ok}: {'; '.join(map(str, found))}"


def document_of(graph: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a graph as cases write it: `rules` of a node become an implementation."""
    nodes = graph.get("nodes", {})
    if isinstance(nodes, dict):
        nodes = {key: _node(node) for key, node in nodes.items()}
    return {"schema_version": 1, "id": "g", **graph, "nodes": nodes}


def load_reasons(told: dict[str, Any]) -> Iterator[str]:
    """Whether the document can be read, what it is written as, and that this is what it is written as again."""
    try:
        document = read_document(told["document"])
    except DocumentError as refused:
        if told["ok"]:
            yield f"ok: the document is refused, category {refused.category}: {refused}"
        elif refused.category != told["error"]:
            yield f"error: expected {told['error']!r}, got {refused.category!r}: {refused}"
        return
    if not told["ok"]:
        yield f"ok: the document is read, and {told['error']!r} is expected"
        return
    written = to_wire(document)
    yield from differences(told.get("dumps_to", told["document"]), written, place="dumps_to")
    yield from differences(written, to_wire(read_document(written)), place="written again")
    yield from differences(written, to_wire(read_document(json.dumps(written))), place="through JSON")


def hash_reasons(told: dict[str, Any]) -> Iterator[str]:
    """The text and the hash of the first document, and how those of all compare."""
    documents = [read_document(each) for each in told["documents"]]
    hashes = [hash_of(document) for document in documents]
    for key, got in (("canonical", canonical_text(to_wire(documents[0]))), ("sha256", hashes[0])):
        if key in told:
            yield from differences(told[key], got, place=key)
    again = [hash_of(read_document(to_wire(document))) for document in documents]
    yield from differences(hashes, again, place="hashes of what is written")
    if "all_equal" in told and len({*hashes}) > 1:
        yield f"all_equal: the hashes are {shown(hashes)}"
    if "all_distinct" in told and len({*hashes}) < len(hashes):
        yield f"all_distinct: the hashes are {shown(hashes)}"


def _node(node: Any) -> Any:
    if not isinstance(node, dict) or "rules" not in node:
        return node
    kept = {key: value for key, value in node.items() if key != "rules"}
    return {**kept, "implementation": {"type": "module", "implementation": _SCRIPTED}}


def _scripted(view: Any, context: Any) -> dict[str, Any]:
    """What stands in the registry for every node with rules; checking a document calls nothing."""
    raise NotImplementedError


def _made(told: dict[str, Any]) -> Any:
    """An entry of a registry, as the case describes it."""
    if "not_callable" in told:
        return "a text"

    def implementation(view: Any, context: Any) -> dict[str, Any]:
        raise NotImplementedError

    def refuse() -> Any:
        raise ValueError(told["config_schema_raises"])

    schema = refuse if "config_schema_raises" in told else told.get("config_schema")
    implementation.config_schema = schema  # type: ignore[attr-defined]  # how an implementation tells of its config
    return implementation
