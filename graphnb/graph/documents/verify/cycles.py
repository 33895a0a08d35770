"""Cycles that nothing bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from graphnb.errors.text import shown
from graphnb.graph.documents.ids import START_ID
from graphnb.graph.documents.records import Document, EdgeRecord
from graphnb.graph.documents.verify.diagnostic import Diagnostic, warning
from graphnb.graph.knots import knots_of

_MOST: Final = 3


def check_cycles(document: Document) -> Iterator[Diagnostic]:
    """A graph with a cycle and no limit of steps; with a limit, each knot of cycles that no guard can leave."""
    edges = list(document.edges.values())
    if document.policies.get("max_supersteps") is None:
        knots = _knots(document, edges)
        if knots:
            through = " and ".join(map(shown, knots[:_MOST]))
            more = f" and {len(knots) - _MOST} more" if len(knots) > _MOST else ""
            what = f"the graph goes round through {through}{more}, and nothing limits its steps"
            mend = "Set 'max_supersteps' to the number of steps after which a run fails."
            closing = tuple(_closing(document))
            yield warning("unbounded_cycle", ("policies", "max_supersteps"), what, mend, edges=closing)
        return
    unguarded = [edge for edge in edges if edge.guard is None]
    for knot in _knots(document, unguarded):
        what = f"{shown(knot)} go round with no guard on the way, so that only the limit of steps ends a run"
        mend = "Put a guard on an edge that leads back."
        within = {edge.id for edge in unguarded if edge.target in knot and {*edge.sources} & {*knot}}
        closing = tuple(key for key in _closing(document) if key in within)
        yield warning("unguarded_cycle", ("nodes", knot[0]), what, mend, edges=closing)


def _closing(document: Document) -> Iterator[str]:
    """The ids of the edges that lead back onto the way they came by, in a walk in depth from the start."""
    leaving: dict[str, list[EdgeRecord]] = {}
    for edge in document.edges.values():
        for source in edge.sources:
            leaving.setdefault(source, []).append(edge)
    found: set[str] = set()
    seen: set[str] = set()
    for root in (START_ID, *document.nodes):
        way = {} if root in seen else {root: iter(leaving.get(root, ()))}  # no recursion: chains may be long
        seen.update(way)
        while way:
            last = next(reversed(way))
            taken = next(way[last], None)
            target = taken.target or "" if taken is not None else ""
            if taken is None:
                del way[last]
            elif target in way:
                found.add(taken.id)
            elif target not in seen:
                seen.add(target)
                way[target] = iter(leaving.get(target, ()))
    return (key for key in document.edges if key in found)


def _knots(document: Document, edges: Iterable[EdgeRecord]) -> list[list[str]]:
    following: dict[str, set[str]] = {key: set() for key in document.nodes}
    for edge in edges:
        for source in edge.sources:
            if source in following and edge.target in following:
                following[source].add(edge.target or "")
    return knots_of(following)
