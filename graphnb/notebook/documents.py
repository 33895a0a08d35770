"""What a user asks of graph documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.graph.spec import HasSpec, is_graph
from graphnb.notebook.parameters import check_takes_view
from graphnb.notebook.runs import Runs

if TYPE_CHECKING:
    from graphnb.notebook.compiled import CompiledGraph
    from graphnb.show.diagnostics import Diagnostics


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


def graph_of(
    document: Mapping[str, Any] | str, *, nodes: Mapping[str, Callable[..., Any]], timeout: float | None = None
) -> CompiledGraph:
    """The graph that a document describes, ready to run and to be drawn: `graph_of(...).run(topic="tea")`.

    `nodes` has the implementations by the names under which the document names them, each a function of
    (view, context), see `NodeContext`; nothing is ever imported. `timeout` is how many seconds a node may take; one
    whose policies ask for more makes `run` raise IncompatibleExecutionPolicy before anything happens. Raises the
    errors of reading a document, InvalidDeclaration for an implementation that takes no such arguments, and
    InvalidDocument, with all that is wrong, for one that cannot be run.
    """
    from graphnb.graph.documents.canonical import hash_of
    from graphnb.graph.documents.lowering import plan_of_document
    from graphnb.graph.documents.reading import read_document
    from graphnb.notebook.compiled import CompiledGraph

    _check_names("gn.graph_of", nodes)
    if timeout is not None and not (type(timeout) in (int, float) and timeout > 0):
        what = f"timeout is a number of seconds above 0, or None, it cannot be {kind_of(timeout)} {shown(timeout)}"
        raise InvalidDeclaration("gn.graph_of", what, "Write timeout=30.")
    known = read_document(document, registry=nodes)
    for name, each in known.nodes.items():
        if callable(function := nodes.get(str(each.module))):
            check_takes_view(f"gn.graph_of, node '{name}'", function)
    spec, plan = plan_of_document(known, nodes, timeout=timeout)
    version = plan.topology.name, hash_of(known)  # nothing declares it anew
    return CompiledGraph(spec, plan, version=version, newest=lambda: version, runs=Runs())


def check_document(
    document: Mapping[str, Any] | str, *, nodes: Mapping[str, Callable[..., Any]] | None = None
) -> Diagnostics:
    """All that is wrong with a document, or hardly meant, as a table; never raises for what is wrong with it.

    Without `nodes` it is not asked whether the implementations that it names are there. Of a document that cannot be
    read at all the table has the fault at which reading stopped.

    >>> [each.code for each in check_document({"schema_version": 1, "id": "g"})]
    ['no_entrypoint', 'no_terminal_edge']
    """
    from graphnb.notebook.checking import check_written

    if nodes is not None:
        _check_names("gn.check_document", nodes)
    return check_written(document, nodes)


def document(graph: HasSpec, nodes: Mapping[str, Callable[..., Any]] | None = None) -> dict[str, Any]:
    """A graph as a document: plain values, for `json.dumps` and `graph_of`.

    Fields without a default become inputs, all others fields, and each is an output. An implementation has the name
    under which `nodes` has the function, else the function's own; a default of None is left out, observers too. A
    graph that was read from a document gives that document back. Raises InvalidDocument for what has no name in a
    document, such as strict reducers, routers, subgraphs, fan-outs and middleware; `problems` lists all of it.

    >>> import graphnb as gn
    >>> class Count(gn.State):
    ...     n: int = 0
    >>> graph = gn.Graph(Count, entry="add")
    >>> @graph.node(to=gn.END)
    ... def add(s):
    ...     return {"n": s.n + 1}
    >>> gn.document(graph)["nodes"]
    {'add': {'implementation': {'type': 'module', 'implementation': 'add'}}}
    """
    from graphnb.graph.documents.of_graph import document_of
    from graphnb.graph.documents.writing import to_wire
    from graphnb.notebook.compiled import CompiledGraph

    if not is_graph(graph):
        what = f"takes a graph, not {kind_of(graph)}: {shown(graph)}"
        raise InvalidDeclaration("gn.document", what, "Give a gn.Graph itself.")
    if nodes is not None:
        _check_names("gn.document", nodes)
    rules = graph.plan.rules if isinstance(graph, CompiledGraph) else None
    told = None if rules is None else rules.document
    return to_wire(document_of(graph.spec(), nodes) if told is None else told)


def _check_names(place: str, nodes: object) -> None:
    """Raises InvalidDeclaration for anything but a mapping with text as keys."""
    mend = "Write nodes={'name': function}."
    if not isinstance(nodes, Mapping):
        what = f"nodes maps names to functions, it cannot be {kind_of(nodes)} {shown(nodes)}"
        raise InvalidDeclaration(place, what, mend)
    for name in nodes:
        if not isinstance(name, str):
            what = f"nodes maps names to functions, and {shown(name)} ({kind_of(name)}) is no name"
            raise InvalidDeclaration(place, what, mend)
