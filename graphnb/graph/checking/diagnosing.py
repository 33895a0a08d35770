"""Everything there is to say of a graph written in Python before it runs, finished or not, in one list."""

from __future__ import annotations

from graphnb.graph.checking.findings import findings_of
from graphnb.graph.documents.verify.diagnostic import Diagnostic
from graphnb.graph.spec import GraphSpec


def diagnostics_of_spec(spec: GraphSpec) -> tuple[Diagnostic, ...]:
    """What keeps the graph from running ("error"), then what is allowed and hardly meant ("warning").

    The code of an error is the category of the exception that compiling raises. Of the warnings, compiling gives as
    Python warnings those that are sure to go wrong, `projection_reducer_round_trip` and `unfit_write` of a fan-out, and
    `missing_outgoing_edge`. Graphs within come after the node that runs them. `path` is empty: there is no document.
    """
    return tuple(
        Diagnostic(each.severity, each.code, (), each.name, each.what, each.mend, each.where)
        for each in findings_of(spec)
    )
