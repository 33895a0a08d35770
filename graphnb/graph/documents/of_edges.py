"""The edges of a graph as edges of a document, named after their ends. Source: design section 9 (16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphnb.graph.documents.faults import Faults
from graphnb.graph.documents.ids import FINISH_ID, START_ID
from graphnb.graph.documents.of_fields import has_null_default
from graphnb.graph.documents.records import EdgeRecord
from graphnb.graph.edges import Branch, Edge, Link, Links
from graphnb.graph.ends import Endpoint
from graphnb.graph.guards.guard import Guard, references_of
from graphnb.graph.spec import GraphSpec, name_of_worker
from graphnb.state.schema import Schema
from graphnb.state.storable.values import find_unstorable

_Route = tuple[str | tuple[str, ...], str, Guard | None]
"""Source, or sources of a join, target and guard of an edge."""


def edge_records(spec: GraphSpec, faults: Faults) -> dict[str, EdgeRecord]:
    """The edge from the start, then those of each node, each named after its ends; what has no name is told."""
    edges: dict[str, EdgeRecord] = {}
    for source, target, guard in _routes(spec, faults):
        names = [source] if isinstance(source, str) else [*source]
        stem = "-".join("start" if each == START_ID else each for each in names)
        stem = f"{stem}-{'finish' if target == FINISH_ID else target}"
        number, key = 1, stem
        while key in edges:
            number += 1
            key = f"{stem}-{number}"
        edges[key] = EdgeRecord(id=key, source=source, target=target, guard=guard)
    return edges


def _routes(spec: GraphSpec, faults: Faults) -> Iterator[_Route]:
    """Every edge, the one from the start first; what has no name is told."""
    if spec.entry is not None:
        yield START_ID, spec.entry, None
    for source, edge in spec.edges.items():
        if isinstance(edge, Edge):
            yield source, _end(edge.target), None
        elif isinstance(edge, Branch):
            router = name_of_worker(edge.router)
            mend = "Write a guarded edge per target: graph.edge(source, target, when=gn.field('name') == value)."
            faults.tell(f"node '{source}'", f"its router {router} has no name in a document", mend)
        else:
            yield from _links(edge, source, schema=spec.schema, faults=faults)


def _links(edge: Links, source: str, *, schema: Schema, faults: Faults) -> Iterator[_Route]:
    for link in edge.links:
        if link.sources[0] != source:
            continue  # a join stands at each of its sources
        if link.when is not None and not isinstance(link.when, Guard):
            what = f"its condition {name_of_worker(link.when)} is a function, which has no name in a document"
            faults.tell(f"edge '{link.id}'", what, "Write a guard: when=gn.field('name') == value.")
            continue
        if link.when is not None:
            _check_literals(link, link.when, faults=faults)
            _check_asked(link, link.when, schema=schema, faults=faults)
        yield link.sources if link.is_join else source, _end(link.target), link.when


def _check_asked(link: Link, guard: Guard, *, schema: Schema, faults: Faults) -> None:
    """Tells of a guard that would hold otherwise in a document, where None is no default and to be given is a write."""
    part = f"edge '{link.id}'"
    for name in dict.fromkeys(_asked_for_null(guard)):
        field = schema.fields.get(name)
        if field is not None and has_null_default(field):
            what = f"its guard asks of {name!r} whether it is there or null, and the default None is none in a document"
            faults.tell(part, what, f"Declare {name} = gn.UNSET, or let a node write None.")
    for name in dict.fromkeys(_asked_for_one_write(guard)):
        field = schema.fields.get(name)
        if field is not None and field.required:
            what = (
                f"its guard asks whether {name!r} was written: it is an input in a document, where to be given counts"
            )
            faults.tell(part, what, f"Ask for its value, or declare {name} = gn.UNSET.")


def _check_literals(link: Link, guard: Guard, *, faults: Faults) -> None:
    """Tells of what the guard compares with and no document holds, such as a literal that would be read as a guard."""
    for each in _guards_in(guard):
        for argument in each.args:
            unstorable = None if isinstance(argument, Guard) else find_unstorable(argument)
            if unstorable is not None:
                mend = "Compare with a value that can be stored."
                faults.tell(f"edge '{link.id}'", f"its guard: {unstorable[1]}", mend)


def _guards_in(guard: Guard) -> Iterator[Guard]:
    """The guard and all within it, the last argument first."""
    rest = [guard]
    while rest:
        each = rest.pop()
        yield each
        rest += (part for part in each.args if isinstance(part, Guard))


def _asked_for_null(guard: Guard) -> Iterator[str]:
    for each in _guards_in(guard):
        match each.op, each.args:
            case ("exists", (str(name),)) | ("equals", (str(name), None)):
                yield name
            case "equals", (str(name), Guard() as other):
                yield name
                yield from references_of(other)


def _asked_for_one_write(guard: Guard) -> Iterator[str]:
    for each in _guards_in(guard):
        match each.op, each.args:
            case "version_at_least", (str(name), 1):
                yield name


def _end(target: Any) -> str:
    return FINISH_ID if isinstance(target, Endpoint) else str(target)
