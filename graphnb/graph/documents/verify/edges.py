"""Endpoints and guards of edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.documents.ids import FINISH_ID, START_ID
from graphnb.graph.documents.records import Document, EdgeRecord
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error
from graphnb.graph.guards.checks import guard_problems
from graphnb.state.storable.values import Path


def check_edges(document: Document) -> Iterator[Diagnostic]:
    """Everything about where edges begin and end, and what they ask."""
    known = [*document.inputs, *document.fields]
    for key, edge in document.edges.items():
        path = ("edges", key)
        yield from _check_sources(edge, (*path, "from"), document=document)
        yield from _check_target(edge, (*path, "to"), document=document)
        if edge.guard is not None:
            for code, what, mend in guard_problems(edge.guard, known):
                yield error(code, (*path, "guard"), what, mend)


def _check_sources(edge: EdgeRecord, path: Path, *, document: Document) -> Iterator[Diagnostic]:
    is_join = isinstance(edge.source, tuple)
    if is_join and not edge.source:
        mend = "Name the nodes that it waits for."
        yield error("empty_edge_sources", path, "a join of no sources would never be followed", mend)
    if edge.source is None:
        yield error("unknown_edge_source", path, "there is no source", choices("Nodes", document.nodes))
    for source, count in Counter(edge.sources).items():
        if count > 1:
            what = f"{shown(source)} stands there {count} times"
            yield error("duplicate_edge_source", path, what, "A join waits for each of its sources once.")
        if source == START_ID and is_join:
            what = f"{START_ID!r} stands in a list of sources"
            yield error("invalid_start_endpoint", path, what, f"Give it an edge of its own: 'from': {START_ID!r}.")
        elif source == FINISH_ID:
            yield error("invalid_finish_endpoint", path, f"{FINISH_ID!r} is a source", "Nothing comes after the end.")
        elif source != START_ID and source not in document.nodes:
            mend = choices("Nodes", document.nodes, source)
            yield error("unknown_edge_source", path, f"{kind_of(source)} {shown(source)} is no node", mend)


def _check_target(edge: EdgeRecord, path: Path, *, document: Document) -> Iterator[Diagnostic]:
    if edge.target == START_ID:
        yield error("invalid_start_endpoint", path, f"{START_ID!r} is a target", "Name the first node instead.")
    elif edge.target is None:
        yield error("unknown_edge_target", path, "there is no target", choices("Nodes", document.nodes))
    elif edge.target != FINISH_ID and edge.target not in document.nodes:
        mend = choices("Nodes", [*document.nodes, FINISH_ID], edge.target)
        yield error("unknown_edge_target", path, f"{shown(edge.target)} is no node", mend)
