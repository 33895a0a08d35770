"""What a user asks of graph documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def document_hash(document: Mapping[str, Any] | str) -> str:
    """The SHA-256 of a graph document, in lower-case hex; the document is given as plain values or as JSON text.

    Key order and spelled-out empties change nothing; everything else that the document says does: labels, metadata,
    every option, 1 and 1.0. Raises an error of the category `invalid_document` and the like for what is none.

    >>> one = document_hash({"schema_version": 1, "id": "review", "nodes": {"plan": {}}})
    >>> one == document_hash('{"id": "review", "nodes": {"plan": {"label": null}}, "schema_version": 1}')
    True
    >>> one[:12]
    '1d15944685c7'
    """
    from graphnb.graph.documents.canonical import hash_of  # documents cost time that only some need
    from graphnb.graph.documents.reading import read_document

    return hash_of(read_document(document))
