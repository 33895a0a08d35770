"""Which nodes can be reached, and which can reach an end."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.errors.text import shown
from graphnb.graph.documents.ids import FINISH_ID, START_ID
from graphnb.graph.documents.records import Document, EdgeRecord
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error, warning


def check_topology(document: Document) -> Iterator[Diagnostic]:
    """No way in, no way to a node, no way out. A join is a way if all its sources can be reached."""
    edges = list(document.edges.values())
    if not any(edge.source == START_ID for edge in edges):
        mend = f"Add an edge from {START_ID!r} to the first node."
        yield error("no_entrypoint", ("edges",), f"no edge leaves {START_ID!r}", mend)
    reached = _reached(edges)
    for key in document.nodes:
        if key not in reached:
            what = f"no way leads from {START_ID!r} to it"
            yield error("unreachable_node", ("nodes", key), what, "Add an edge to it, or remove the node.")
    if not any(edge.target == FINISH_ID for edge in edges):
        mend = f"Add one, so that a reader sees where the graph ends: 'to': {FINISH_ID!r}."
        yield warning("no_terminal_edge", ("edges",), f"no edge leads to {FINISH_ID!r}", mend)
        return
    ending = _ending(edges)
    for key in document.nodes:
        if key in reached and key not in ending:
            what = f"no way leads from {shown(key)} to {FINISH_ID!r}"
            yield warning(
                "dead_end_node", ("nodes", key), what, f"Add an edge to {FINISH_ID!r} if a run may end there."
            )


def _reached(edges: list[EdgeRecord]) -> set[str]:
    """All that can be reached from the start; each edge is looked at once per source."""
    leaving: dict[str, list[EdgeRecord]] = {}
    for edge in edges:
        for source in edge.sources:
            leaving.setdefault(source, []).append(edge)
    waiting = {edge.id: len({*edge.sources}) for edge in edges}
    reached = {START_ID}
    rest = [START_ID]
    while rest:
        for edge in {each.id: each for each in leaving.get(rest.pop(), ())}.values():
            waiting[edge.id] -= 1
            if waiting[edge.id] == 0 and edge.target is not None and edge.target not in reached:
                reached.add(edge.target)
                rest.append(edge.target)
    return reached


def _ending(edges: list[EdgeRecord]) -> set[str]:
    """All from which the end can be reached."""
    arriving: dict[str, list[str]] = {}
    for edge in edges:
        arriving.setdefault(edge.target or "", []).extend(edge.sources)
    ending = {FINISH_ID}
    rest = [FINISH_ID]
    while rest:
        for source in arriving.get(rest.pop(), ()):
            if source not in ending:
                ending.add(source)
                rest.append(source)
    return ending
