"""Everything there is to say of a graph before it runs, finished or not, and where in its drawing that is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from graphnb.graph.checking.checks import placed_faults_of, too_deep
from graphnb.graph.checking.field_checks import field_problems_of
from graphnb.graph.checking.node_warnings import graph_warnings_of, node_warnings_of
from graphnb.graph.checking.spots import Fault, Spot
from graphnb.graph.spec import GraphSpec, HasSpec, graphs_at

_SIGNS: Final = {
    "dangling_edge": "no such node",
    "invalid_declaration": "cannot be",
    "mapping_references_undeclared_field": "no such field",
    "missing_outgoing_edge": "no outgoing edge",
    "unreachable_node": "cannot be reached",
}
"""Errors in the few words that a drawing has room for; others are told by their category."""


class Finding(NamedTuple):
    """One diagnostic: its place in words and in the drawing, and `sign`, all of it in a few words.

    `code` of an error is the category of the exception that compiling raises. `name` is that of the graph, node or
    field that it is about.
    """

    severity: Literal["error", "warning"]
    code: str
    name: str
    where: str
    what: str
    mend: str
    sign: str
    spots: tuple[Spot, ...] = ()


def findings_of(spec: GraphSpec) -> tuple[Finding, ...]:
    """The errors, then the warnings in declared order, each with those of the graphs within it."""
    try:
        faults = placed_faults_of(spec)
        warnings = list(_warnings(spec, f"graph '{spec.name}'", path=(), within=()))
    except RecursionError:
        faults, warnings = (Fault(too_deep(spec)),), []
    return (*(_error(each, spec.name) for each in faults), *warnings)


def _error(fault: Fault, name: str) -> Finding:
    error = fault.error
    sign = _SIGNS.get(error.category, error.category.replace("_", " "))
    if error.category == "invalid_declaration" and any(spot.part == "edge" for spot in fault.spots):
        sign = "guard asks of no field"
    return Finding("error", error.category, name, error.where, error.what, error.mend, sign, fault.spots)


def _warnings(
    spec: GraphSpec, where: str, *, path: tuple[str, ...], within: tuple[GraphSpec | HasSpec, ...]
) -> Iterator[Finding]:
    about = graph_warnings_of(spec)
    for name, node in spec.nodes.items():
        place = f"{where}, node '{name}'"
        for each in node_warnings_of(node, spec, about=about):
            spots = (Spot(each.part, name, path),)
            yield Finding("warning", each.code, name, place, each.what, each.mend, each.sign, spots)
        for steps, graph in graphs_at(node):
            inner = graph.spec()
            if graph not in within and inner not in (*within, spec):
                told = f"{place}, graph '{inner.name}'"
                yield from _warnings(inner, told, path=(*path, *steps), within=(*within, spec, graph))
    for problem in field_problems_of(spec.schema):
        name, place = problem.field, f"{where}, field '{problem.field}'"
        spots = (Spot("field", name, path),)
        yield Finding("warning", problem.code, name, place, problem.what, problem.mend, f"field {name}", spots)
