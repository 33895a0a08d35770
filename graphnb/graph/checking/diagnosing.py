"""Everything there is to say of a graph written in Python before it runs, finished or not, in one list."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.graph.checking.checks import faults_of, too_deep
from graphnb.graph.checking.field_checks import FieldProblem, field_problems_of
from graphnb.graph.checking.node_warnings import NodeWarning, graph_warnings_of, node_warnings_of
from graphnb.graph.documents.verify.diagnostic import Diagnostic
from graphnb.graph.spec import GraphSpec, HasSpec, graphs_in


def diagnostics_of_spec(spec: GraphSpec) -> tuple[Diagnostic, ...]:
    """What keeps the graph from running ("error"), then what is allowed and hardly meant ("warning").

    The code of an error is the category of the exception that compiling raises. Of the warnings, compiling gives as
    Python warnings those that are sure to go wrong, `projection_reducer_round_trip` and `unfit_write` of a fan-out, and
    `missing_outgoing_edge`. Graphs within come after the node that runs them. `path` is empty: there is no document.
    """
    try:
        faults = faults_of(spec)
        warnings = list(_warnings(spec, f"graph '{spec.name}'", within=()))
    except RecursionError:
        faults, warnings = (too_deep(spec),), []
    errors = [Diagnostic("error", each.category, (), spec.name, each.what, each.mend, each.where) for each in faults]
    return (*errors, *warnings)


def _warnings(spec: GraphSpec, where: str, *, within: tuple[GraphSpec | HasSpec, ...]) -> Iterator[Diagnostic]:
    about = graph_warnings_of(spec)
    for name, node in spec.nodes.items():
        place = f"{where}, node '{name}'"
        for each in node_warnings_of(node, spec, about=about):
            yield _warning(each, name=name, where=place)
        for graph in graphs_in(node):
            inner = graph.spec()
            if graph not in within and inner not in (*within, spec):
                told = f"{place}, graph '{inner.name}'"
                yield from _warnings(inner, told, within=(*within, spec, graph))
    for problem in field_problems_of(spec.schema):
        told = f"{where}, field '{problem.field}'"
        yield _warning(problem, name=problem.field, where=told)


def _warning(found: NodeWarning | FieldProblem, *, name: str, where: str) -> Diagnostic:
    return Diagnostic("warning", found.code, (), name, found.what, found.mend, where)
