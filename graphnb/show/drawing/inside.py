"""What is inside a node: a graph, or parallel branches or delegates as if they were nodes."""

from __future__ import annotations

from collections.abc import Sequence

from graphnb.graph.topology import NodeKind, TopologyBranch, TopologyNode


def inside_of(node: TopologyNode) -> tuple[TopologyNode, ...]:
    """The nodes of the graph inside a node, its parallel branches, or its delegates."""
    return node.inner.nodes if node.inner else branch_nodes(node)


def branch_nodes(node: TopologyNode) -> tuple[TopologyNode, ...]:
    """The parallel branches of a node, as if they were nodes: of a graph a subgraph, else one that tells its worker.

    Delegates likewise, which are called like their workers.
    """
    nodes = map(_branch_node, node.branches)
    return tuple(each._replace(worker=None) for each in nodes) if is_asking(node) else tuple(nodes)


def _branch_node(branch: TopologyBranch) -> TopologyNode:
    details = tuple((label, text) for label, text in branch.details if label != "middleware")
    layers = tuple(text for label, text in branch.details if label == "middleware")
    kind: NodeKind = "subgraph" if branch.inner else "node"
    return TopologyNode(branch.name, kind, details, branch.worker, branch.inner, middleware=layers, marks=branch.marks)


def is_asking(node: TopologyNode) -> bool:
    """True for a node that asks delegates, or the candidates of a race."""
    return node.kind in ("delegates", "race")


def count_of(nodes: Sequence[TopologyNode]) -> int:
    """How many nodes these are, with those inside of them; a parallel branch or delegate is one as well."""
    count, ahead = 0, [nodes]
    while ahead:  # no recursion: graphs may be nested deep
        some = ahead.pop()
        count += len(some)
        ahead += [inside for each in some if (inside := inside_of(each))]
    return count
