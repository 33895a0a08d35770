"""What is allowed and hardly meant about one node: in whole sentences, and in the few words that fit into a drawing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from graphnb.graph.checking.doubtful_options import doubts_of
from graphnb.graph.checking.endless import EndlessCycle, endless_cycles_of
from graphnb.graph.checking.parallel_writes import ParallelWrite, parallel_writes_of
from graphnb.graph.checking.reaching import loose_ends_of
from graphnb.graph.checking.round_trips import round_trips_of
from graphnb.graph.checking.unfit_writes import unfit_writes_of
from graphnb.graph.spec import GraphSpec, NodeSpec


class NodeWarning(NamedTuple):
    """One warning. `code` is that of its diagnostic; `part` tells what of the node it concerns, see `Spot`."""

    code: str
    what: str
    mend: str
    sign: str
    part: Literal["node", "exit"] = "node"


class GraphWarnings(NamedTuple):
    """What is found in the graph as a whole and told at one of its nodes."""

    parallel: tuple[ParallelWrite, ...]
    endless: tuple[EndlessCycle, ...]
    loose: tuple[str, ...]


def graph_warnings_of(spec: GraphSpec) -> GraphWarnings:
    """Writes of nodes that run at once, cycles without a way out, and nodes without one."""
    return GraphWarnings(parallel_writes_of(spec), tuple(endless_cycles_of(spec)), tuple(loose_ends_of(spec)))


def node_warnings_of(node: NodeSpec, spec: GraphSpec, *, about: GraphWarnings) -> Iterator[NodeWarning]:
    """The warnings about a node; `about` are those of its graph."""
    for doubt in doubts_of(node):
        told = doubt.what if doubt.branch is None else f"branch '{doubt.branch}': {doubt.what}"
        sign = doubt.sign if doubt.branch is None else f"{doubt.branch} {doubt.sign}"
        yield NodeWarning(doubt.code, told, doubt.mend, sign)
    for trip in round_trips_of(node, spec.schema):
        sign = f"counts {trip.field} twice"  # where it comes back
        yield NodeWarning("projection_reducer_round_trip", trip.what, trip.mend, sign, "exit")
    for unfit in unfit_writes_of(node, spec):
        yield NodeWarning("unfit_write", unfit.what, unfit.mend, f"unfit for {unfit.field}")
    for shared in about.parallel:
        if shared.node == node.name:
            yield NodeWarning("parallel_write", shared.what, shared.mend, f"{shared.field}: one write wins")
    for cycle in about.endless:
        if cycle.nodes[0] == node.name:
            yield NodeWarning("unguarded_cycle", cycle.what, cycle.mend, "leads round for ever")
    if node.name in about.loose:
        yield loose_end(node.name)


def loose_end(name: str) -> NodeWarning:
    """The warning about a node without an outgoing edge that only a router may choose."""
    what = "has no outgoing edge, and a router whose targets are not declared may choose it"
    return NodeWarning("missing_outgoing_edge", what, f"Declare one: graph.edge({name!r}, gn.END).", "no outgoing edge")
