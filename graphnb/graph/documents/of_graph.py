"""A graph written in Python as a document, where all of its parts have a name there. Source: design section 9 (16)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from graphnb.errors import InvalidDocument
from graphnb.errors.text import choices, shown
from graphnb.graph.checking.checks import faults_of
from graphnb.graph.documents.expect import place_of
from graphnb.graph.documents.ids import FINISH, START, id_fault
from graphnb.graph.documents.of_fields import field_record, has_null_default
from graphnb.graph.documents.records import Document, EdgeRecord, FieldRecord, NodeRecord, OutputRecord
from graphnb.graph.documents.verify.passes import diagnostics_of
from graphnb.graph.edges import Branch, Edge, Link, Links
from graphnb.graph.ends import Endpoint
from graphnb.graph.guards.guard import Guard, references_of
from graphnb.graph.spec import FanOutNode, FunctionNode, GraphSpec, NodeSpec, SubgraphNode, name_of_worker
from graphnb.state.annotations.classes import config_of
from graphnb.state.schema import Schema
from graphnb.state.storable.values import find_unstorable

_Function = Callable[..., Any]
_KINDS: Final[Mapping[type, str]] = {SubgraphNode: "a subgraph", FanOutNode: "a fan-out"}
_HARMLESS: Final = ("arbitrary_types_allowed", "strict", "allow_inf_nan", "revalidate_instances", "cache_strings")
"""What a configuration may say without changing which values a field takes, beyond what documents do anyway."""


class _Faults:
    """What has no name in a document, in the order in which it was found."""

    def __init__(self, graph: str) -> None:
        self.graph = f"graph '{graph}'"
        self.found: list[InvalidDocument] = []

    def tell(self, part: str, what: str, mend: str) -> None:
        where = f"{self.graph}, {part}" if part else self.graph
        self.found.append(InvalidDocument(where, what, mend))

    def check(self) -> None:
        """Raises the first one; its `problems` are all of them."""
        if self.found:
            self.found[0].problems = tuple(self.found)
            raise self.found[0]


def document_of(spec: GraphSpec, registry: Mapping[str, _Function] | None = None) -> Document:
    """The document of a graph; implementations bear the names of the registry, else those of the functions.

    A field without a default becomes an input, any other one a field; each is an output of its own id. A default of
    None is left out, because null is no default in a document. Raises InvalidDocument for what has no name there; its
    `problems` are all such parts.
    """
    faults = _Faults(spec.name)
    for fault in faults_of(spec):
        faults.found.append(InvalidDocument(fault.where, fault.what, fault.mend))
    _check_id(spec.name, "", faults)
    _check_class(spec.schema, faults)
    records = {
        name: field_record(each, _teller(faults, f"field '{name}'")) for name, each in spec.schema.fields.items()
    }
    nodes = _nodes(spec, registry, faults)
    edges = _edges(spec, faults)
    faults.check()
    document = Document(
        id=spec.name,
        inputs=_of_kind(records, "input"),
        fields=_of_kind(records, "state"),
        outputs={name: OutputRecord(id=name, source=name) for name in records},
        nodes=nodes,
        edges=edges,
    )
    _check_document(document, faults)
    return document


def _teller(faults: _Faults, part: str) -> Callable[[str, str], None]:
    return lambda what, mend: faults.tell(part, what, mend)


def _of_kind(records: Mapping[str, FieldRecord], kind: str) -> dict[str, FieldRecord]:
    return {name: each for name, each in records.items() if each.kind == kind}


def _check_id(name: str, part: str, faults: _Faults) -> None:
    fault = id_fault(name)
    if fault is not None:
        faults.tell(part, fault[1], fault[2])


def _check_class(schema: Schema, faults: _Faults) -> None:
    part = f"state {schema.name}"
    if schema.whole:
        mend = "Say it in the types (Field(ge=...), Literal[...]), or check it in a node."
        faults.tell(part, "the class has validators of its own, which a document cannot name", mend)
    for name, value in (config_of(schema.cls) or {}).items():
        if name not in _HARMLESS and value:
            what = f"its configuration has {name}={shown(value)}, which a document cannot name"
            faults.tell(part, what, "Leave it out, and say it beside the types.")


def _check_document(document: Document, faults: _Faults) -> None:
    """Raises for what only the whole document shows, such as a guard that cannot be evaluated."""
    names = [str(node.module) for node in document.nodes.values()]
    for each in diagnostics_of(document, dict.fromkeys(names, _implementation)):
        if each.severity == "error":
            faults.tell(place_of(each.path), each.message, each.mend)
    faults.check()


def _implementation(view: Any, context: Any) -> None:
    """Stands for all implementations: what they declare of a node's config concerns no graph written in Python."""


# --- nodes -----------------------------------------------------------------------------------------------------------


def _nodes(spec: GraphSpec, registry: Mapping[str, _Function] | None, faults: _Faults) -> dict[str, NodeRecord]:
    if spec.middleware:
        what = f"{_layers(spec.middleware)} around every node has no name in a document"
        faults.tell("", what, "Do its work within the nodes; for retries a document has node policies.")
    named: dict[str, _Function] = {}
    records = {}
    for name, node in spec.nodes.items():
        part = f"node '{name}'"
        _check_id(name, part, faults)
        if node.middleware:
            what = f"{_layers(node.middleware)} has no name in a document"
            faults.tell(part, what, "Do its work within the node; for retries a document has node policies.")
        module = _module(node, part, registry, faults)
        if module is not None and isinstance(node, FunctionNode):
            if named.setdefault(module, node.function) is not node.function:
                what = f"its function is named {module!r}, as another function of this graph"
                faults.tell(part, what, "Rename one, or pass nodes={'a name': function} with both.")
            implementation = {"type": "module", "implementation": module}
            records[name] = NodeRecord(id=name, implementation=implementation)
    return records


def _layers(layers: tuple[Any, ...]) -> str:
    told = ", ".join(repr(each) if hasattr(each, "around") else name_of_worker(each) for each in layers)
    return f"middleware {told}"


def _module(node: NodeSpec, part: str, registry: Mapping[str, _Function] | None, faults: _Faults) -> str | None:
    """The name of a node's implementation; None if it has none, which is told."""
    if not isinstance(node, FunctionNode):
        kind = _KINDS.get(type(node), "parallel branches")
        mend = "Write its work as nodes and edges of this graph, or as one function that runs it."
        faults.tell(part, f"is {kind}, which has no name in a document", mend)
        return None
    function = node.function
    own = name_of_worker(function)
    if registry is not None:
        name = next((name for name, each in registry.items() if each is function), None)
        if name is None:
            mend = f"Add it: nodes={{{own!r}: {own}}}. {choices('Registered', registry, own)}"
            faults.tell(part, f"its function {own} is not among the nodes that were passed", mend)
        return name
    if inspect.isroutine(function) and own.isidentifier() and own != "lambda":
        return own
    what = f"its function has no name of its own: {shown(function)}"
    faults.tell(part, what, f"Write it with def, or pass a name: nodes={{{node.name!r}: function}}.")
    return None


# --- edges -----------------------------------------------------------------------------------------------------------


def _edges(spec: GraphSpec, faults: _Faults) -> dict[str, EdgeRecord]:
    edges: dict[str, EdgeRecord] = {}
    for source, target, guard in _routes(spec, faults):
        names = [source] if isinstance(source, str) else [*source]
        stem = "-".join("start" if each == START else each for each in names)
        stem = f"{stem}-{'finish' if target == FINISH else target}"
        number, key = 1, stem
        while key in edges:
            number += 1
            key = f"{stem}-{number}"
        edges[key] = EdgeRecord(id=key, source=source, target=target, guard=guard)
    return edges


def _routes(spec: GraphSpec, faults: _Faults) -> Iterator[tuple[str | tuple[str, ...], str, Guard | None]]:
    """Source, target and guard of every edge, the one from the start first; what has no name is told."""
    if spec.entry is not None:
        yield START, spec.entry, None
    for source, edge in spec.edges.items():
        if isinstance(edge, Edge):
            yield source, _end(edge.target), None
        elif isinstance(edge, Branch):
            router = name_of_worker(edge.router)
            mend = "Write a guarded edge per target: graph.edge(source, target, when=gn.field('name') == value)."
            faults.tell(f"node '{source}'", f"its router {router} has no name in a document", mend)
        else:
            yield from _links(edge, source, spec.schema, faults)


def _links(
    edge: Links, source: str, schema: Schema, faults: _Faults
) -> Iterator[tuple[str | tuple[str, ...], str, Guard | None]]:
    for link in edge.links:
        if link.sources[0] != source:
            continue  # a join stands at each of its sources
        if link.when is not None and not isinstance(link.when, Guard):
            what = f"its condition {name_of_worker(link.when)} is a function, which has no name in a document"
            faults.tell(f"edge '{link.id}'", what, "Write a guard: when=gn.field('name') == value.")
            continue
        if link.when is not None:
            _check_literals(link, link.when, faults)
            _check_asked(link, link.when, schema, faults)
        yield link.sources if link.is_join else source, _end(link.target), link.when


def _check_asked(link: Link, guard: Guard, schema: Schema, faults: _Faults) -> None:
    """Tells of a guard that can see whether a field is None or not set, where a document cannot say None."""
    for name in dict.fromkeys(_asked_for_null(guard)):
        field = schema.fields.get(name)
        if field is not None and has_null_default(field):
            what = f"its guard asks of {name!r} whether it is there or null, and the default None is none in a document"
            mend = f"Declare {name} = gn.UNSET, or let a node write None."
            faults.tell(f"edge '{link.id}'", what, mend)


def _check_literals(link: Link, guard: Guard, faults: _Faults) -> None:
    """Tells of what the guard compares with and no document holds, such as a literal that would be read as a guard."""
    rest: list[Any] = [guard]
    while rest:
        each = rest.pop()
        if isinstance(each, Guard):
            rest += each.args
        elif (unstorable := find_unstorable(each)) is not None:
            faults.tell(f"edge '{link.id}'", f"its guard: {unstorable[1]}", "Compare with a value that can be stored.")


def _asked_for_null(guard: Guard) -> Iterator[str]:
    rest: list[Any] = [guard]
    while rest:
        each = rest.pop()
        if not isinstance(each, Guard):
            continue
        match each.op, each.args:
            case ("exists", (str(name),)) | ("equals", (str(name), None)):
                yield name
            case "equals", (str(name), Guard() as other):
                yield name
                yield from references_of(other)
            case _:
                rest += each.args


def _end(target: Any) -> str:
    return FINISH if isinstance(target, Endpoint) else str(target)
