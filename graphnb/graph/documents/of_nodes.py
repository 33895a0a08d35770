"""The nodes of a graph as nodes of a document, named after their functions. Source: design section 9 (16)."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Final

from graphnb.errors.text import choices, shown
from graphnb.graph.documents.faults import Faults, check_id
from graphnb.graph.documents.records import NodeRecord
from graphnb.graph.spec import (
    BranchesNode,
    DelegatesNode,
    FanOutNode,
    FunctionNode,
    GraphSpec,
    Layer,
    NodeFunction,
    NodeSpec,
    RaceNode,
    SubgraphNode,
    name_of_layer,
    name_of_worker,
)

Functions = Mapping[str, NodeFunction]
"""The functions of nodes by the names that they are to have in a document."""
_KINDS: Final[Mapping[type, str]] = {
    SubgraphNode: "a subgraph",
    FanOutNode: "a fan-out",
    BranchesNode: "parallel branches",
    DelegatesNode: "delegates",
    RaceNode: "a race",
}


def node_records(spec: GraphSpec, registry: Functions | None, *, faults: Faults) -> dict[str, NodeRecord]:
    """A node for each function, with the name that the registry has for it, else its own; what has none is told."""
    if spec.middleware:
        what = f"{_layers(spec.middleware)} around every node has no name in a document"
        faults.tell("", what, "Do its work within the nodes; for retries a document has node policies.")
    named: dict[str, NodeFunction] = {}
    records = {}
    for name, node in spec.nodes.items():
        part = f"node '{name}'"
        check_id(name, part, faults=faults)
        if node.middleware:
            what = f"{_layers(node.middleware)} has no name in a document"
            faults.tell(part, what, "Do its work within the node; for retries a document has node policies.")
        module = _module(node, part, registry=registry, faults=faults)
        if module is not None and isinstance(node, FunctionNode):
            if named.setdefault(module, node.function) is not node.function:
                what = f"its function is named {module!r}, as another function of this graph"
                faults.tell(part, what, "Rename one, or pass nodes={'a name': function} with both.")
            implementation = {"type": "module", "implementation": module}
            records[name] = NodeRecord(id=name, implementation=implementation)
    return records


def _layers(layers: tuple[Layer, ...]) -> str:
    return f"middleware {', '.join(map(name_of_layer, layers))}"


def _module(node: NodeSpec, part: str, *, registry: Functions | None, faults: Faults) -> str | None:
    """The name of a node's implementation; None if it has none, which is told."""
    if not isinstance(node, FunctionNode):
        mend = "Write its work as nodes and edges of this graph, or as one function that runs it."
        faults.tell(part, f"is {_KINDS[type(node)]}, which has no name in a document", mend)
        return None
    function = node.function
    own = name_of_worker(function)
    has_name = inspect.isroutine(function) and own.isidentifier() and own != "lambda"
    if registry is not None:
        name = next((name for name, each in registry.items() if each is function), None)
        if name is None:
            add = f"Add it: nodes={{{own!r}: {own}}}."
            if not has_name:
                add = f"Give the function a name, as def does, and add it: nodes={{{node.name!r}: function}}."
            mend = f"{add} {choices('Registered', registry, own)}"
            faults.tell(part, f"its function {own} is not among the nodes that were passed", mend)
        return name
    if has_name:
        return own
    what = f"its function has no name of its own: {shown(function)}"
    faults.tell(part, what, f"Write it with def, or pass a name: nodes={{{node.name!r}: function}}.")
    return None
