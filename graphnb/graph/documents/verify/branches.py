"""Groups of edges that a node shows together. They say something to a reader alone, and change no run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphnb.errors.text import choices, shown
from graphnb.graph.documents.records import Document
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error, warning
from graphnb.state.storable.values import Path


def check_branches(document: Document) -> Iterator[Diagnostic]:
    """Groups that name edges which are not there, leave another node, stand twice, or ask nothing.

    A group is an object whose `edges` is a list of edge ids; what has another form is let be.
    """
    for key, node in document.nodes.items():
        seen: set[str] = set()
        for path, name in _named(node.branches, ("nodes", key, "branches")):
            yield from _check_name(document, key, name=name, path=path, seen=seen)
            seen.add(name)


def _check_name(document: Document, key: str, *, name: str, path: Path, seen: set[str]) -> Iterator[Diagnostic]:
    edge = document.edges.get(name)
    if name in seen:
        yield error("duplicate_branch_edge", path, f"edge {name!r} stands in two places", "Keep one of them.")
    if edge is None:
        mend = choices("Edges", document.edges, name)
        yield error("unknown_branch_edge", path, f"{shown(name)} is no edge", mend)
        return
    if key not in edge.sources:
        what = f"edge {name!r} leaves {shown(list(edge.sources))}, not {key!r}"
        yield error("branch_edge_source_mismatch", path, what, "Group the edges of a node at that node.")
    if edge.guard is None:
        what = f"edge {name!r} has no guard, so that it is always followed"
        yield warning(
            "unguarded_branch_edge", path, what, "Give it one if it is meant as one of several ways.", edges=(name,)
        )


def _named(branches: Any, path: Path) -> Iterator[tuple[Path, str]]:
    for step, group in branches.items() if isinstance(branches, dict) else enumerate(branches):
        edges = group.get("edges") if isinstance(group, dict) else None
        for i, name in enumerate(edges if isinstance(edges, list) else ()):
            if isinstance(name, str):
                yield (*path, step, "edges", i), name
