"""Documents written down in a test."""

from typing import Any

from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.records import Document
from graphnb.graph.documents.verify.passes import diagnostics_of

STEP = {"type": "module", "implementation": "step"}


def step(view: Any, context: Any) -> dict[str, Any]:
    """An implementation that writes nothing."""
    return {}


def wire(**parts: Any) -> dict[str, Any]:
    """A document with these parts."""
    return {"schema_version": 1, "id": "g", **parts}


def sound(**parts: Any) -> dict[str, Any]:
    """A document of which checking has nothing to say: one node that adds to one field; `parts` replace its own."""
    return wire(
        **{
            "fields": {"n": {"schema": {"type": "integer"}, "reducer": {"type": "sum"}}},
            "outputs": {"n": {"source": "n"}},
            "nodes": {"a": {"implementation": STEP}},
            "edges": {"in": {"from": "$start", "to": "a"}, "out": {"from": "a", "to": "$finish"}},
            **parts,
        }
    )


def found(document: Document | dict[str, Any], **registry: Any) -> list[tuple[str, str, str]]:
    """Severity, code and place of every diagnostic, in order."""
    read = document if isinstance(document, Document) else read_document(document)
    diagnostics = diagnostics_of(read, {"step": step, **registry})
    assert [] == [each for each in diagnostics if not each.message or not each.public_id]
    return [(each.severity, each.code, ".".join(map(str, each.path))) for each in diagnostics]
