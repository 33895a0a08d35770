"""What is drawn of a graph: nodes, edges, fields and faults as plain records, for finished and unfinished graphs."""

from __future__ import annotations

from typing import Literal, NamedTuple

from graphnb.graph.ends import END, Endpoint, Target

NodeKind = Literal["node", "subgraph", "fan_out", "branches", "missing"]
EdgeKind = Literal["edge", "branch", "open", "fork", "guard", "join"]


class TopologyField(NamedTuple):
    """One field of the state: its type, its reducer (None if none was declared) and its default as text.

    `warnings` are messages.
    """

    name: str
    type: str
    reducer: str | None
    default: str | None
    warnings: tuple[str, ...] = ()


class TopologyBranch(NamedTuple):
    """One parallel branch: the name of its graph or function, `details` as in a node, `inner` of a graph."""

    name: str
    worker: str
    details: tuple[tuple[str, str], ...] = ()
    inner: Topology | None = None


class TopologyNode(NamedTuple):
    """One node. `kind` is "missing" for a name that edges mention but nobody has declared.

    `details` are (label, text) pairs such as ("over", "files") in a fixed order; `inner` is the topology of
    a subgraph or of a fan-out's worker graph; `worker` the name of a fan-out's worker; `branches` those that run
    at once. `middleware` names what is around the node, outermost first; `warnings` are messages, those about round
    trips concern the fields in `counted_twice`, `signs` tell of the others in a few words.
    """

    name: str
    kind: NodeKind
    details: tuple[tuple[str, str], ...] = ()
    worker: str | None = None
    inner: Topology | None = None
    branches: tuple[TopologyBranch, ...] = ()
    middleware: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    counted_twice: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()


class TopologyEdge(NamedTuple):
    """One edge as it is drawn. `source` and `target` are names, or START and END.

    `kind` is "edge" for a fixed route, "branch" for one that a router may choose, "open" for a router whose
    targets are not declared (then `target` is None); "fork" for one of several that are all taken, "guard" for one
    that is taken if something holds, "join" for one of several sources that are waited for. `label` is what the
    router returns for this target if that is not the target's own name, or what has to hold; `router` the router's
    name; `join` what the sources of one join share. `warnings` are messages, `signs` the same in a few words.
    """

    source: Target
    target: Target | None
    kind: EdgeKind
    router: str | None = None
    label: str | None = None
    join: str | None = None
    warnings: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()


class Topology(NamedTuple):
    """A graph as it is drawn. `faults` are the messages of what keeps it from running, empty if nothing does.

    `observers` names those that are told of every run. `warnings` are messages about the graph as a whole.
    """

    name: str
    state: str
    nodes: tuple[TopologyNode, ...]
    edges: tuple[TopologyEdge, ...]
    fields: tuple[TopologyField, ...]
    faults: tuple[str, ...] = ()
    observers: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def is_end(target: object) -> bool:
    """True for END itself, not for a node of that name."""
    return isinstance(target, Endpoint) and target is END
