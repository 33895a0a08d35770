"""What is drawn of a graph: nodes, edges, fields and faults as plain records, for finished and unfinished graphs."""

from __future__ import annotations

from typing import Literal, NamedTuple

from graphnb.graph.ends import END, Endpoint, Target

NodeKind = Literal["node", "subgraph", "fan_out", "branches", "delegates", "race", "missing"]
EdgeKind = Literal["edge", "branch", "open", "fork", "guard", "join"]
EdgeKey = Target | tuple[Target, Target | None]
"""What tells an edge from others: the id of one of several routes, else its two ends."""


class Mark(NamedTuple):
    """One diagnostic as it is drawn; the same at each place that it concerns, and beside the graph.

    `number` counts from 1 in the order of `check()`. `place` is empty if it concerns the graph as a whole, `text` is
    all of it and `sign` the same in a few words. `name` is that of the node it concerns, if it is one.
    """

    number: int
    severity: Literal["error", "warning"]
    place: str
    text: str
    sign: str = ""
    name: str = ""

    @property
    def line(self) -> str:
        """The text with its place."""
        return f"{self.place}: {self.text}" if self.place else self.text


class TopologyField(NamedTuple):
    """One field of the state: its type, its reducer (None if none was declared) and its default as text."""

    name: str
    type: str
    reducer: str | None
    default: str | None
    marks: tuple[Mark, ...] = ()


class TopologyBranch(NamedTuple):
    """One parallel branch, delegate or candidate; `worker` names its graph or function.

    `details` are as in a node, `inner` is the topology of a graph.
    """

    name: str
    worker: str
    details: tuple[tuple[str, str], ...] = ()
    inner: Topology | None = None
    marks: tuple[Mark, ...] = ()


class TopologyNode(NamedTuple):
    """One node. `kind` is "missing" for a name that edges mention but nobody has declared.

    `details` are (label, text) pairs such as ("over", "files") in a fixed order; `inner` is the topology of
    a subgraph or of a fan-out's worker graph; `worker` the name of a fan-out's worker; `branches` those that run
    at once, or the delegates. `middleware` names what is around the node, outermost first.
    """

    name: str
    kind: NodeKind
    details: tuple[tuple[str, str], ...] = ()
    worker: str | None = None
    inner: Topology | None = None
    branches: tuple[TopologyBranch, ...] = ()
    middleware: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()


class TopologyEdge(NamedTuple):
    """One edge as it is drawn. `source` and `target` are names, or START and END.

    `kind` is "edge" for a fixed route, "branch" for one that a router may choose, "open" for a router whose
    targets are not declared (then `target` is None); "fork" for one of several that are all taken, "guard" for one
    that is taken if something holds, "join" for one of several sources that are waited for. `label` is what the
    router returns for this target if that is not the target's own name, or what has to hold; `router` the router's
    name; `join` what the sources of one join share; `id` tells one of several routes.
    """

    source: Target
    target: Target | None
    kind: EdgeKind
    router: str | None = None
    label: str | None = None
    join: str | None = None
    id: str | None = None
    marks: tuple[Mark, ...] = ()

    @property
    def key(self) -> EdgeKey:
        """What a diagnostic names it by."""
        return (self.source, self.target) if self.id is None else self.id


class Topology(NamedTuple):
    """A graph as it is drawn. `observers` names those that are told of every run.

    `marks` has every diagnostic of the outermost graph and of those within it, also those that have no place; of
    a graph within a node it is empty.
    """

    name: str
    state: str
    nodes: tuple[TopologyNode, ...]
    edges: tuple[TopologyEdge, ...]
    fields: tuple[TopologyField, ...]
    observers: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def faults(self) -> tuple[Mark, ...]:
        """Those that keep the graph from running."""
        return tuple(each for each in self.marks if each.severity == "error")

    @property
    def warnings(self) -> tuple[Mark, ...]:
        """Those that keep nothing from running."""
        return tuple(each for each in self.marks if each.severity == "warning")


def is_end(target: object) -> bool:
    """True for END itself, not for a node of that name."""
    return isinstance(target, Endpoint) and target is END
