"""A specification as it was at one moment: the graphs within it are fixed as well."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from graphnb.graph.spec import (
    BranchesNode,
    DelegatesNode,
    FanOutNode,
    GraphSpec,
    HasSpec,
    NodeSpec,
    ParallelBranch,
    RaceNode,
    SubgraphNode,
    delegates_in,
    is_graph,
)


class _PinnedGraph(NamedTuple):
    """A graph within a compiled one, as it was then."""

    version: object
    pinned: GraphSpec

    def spec(self) -> GraphSpec:
        return self.pinned


def pinned(spec: GraphSpec) -> GraphSpec:
    """The specification with the graphs within it as they are now, at any depth."""
    return spec._replace(nodes={name: _pinned_node(node) for name, node in spec.nodes.items()})


def _pinned_node(node: NodeSpec) -> NodeSpec:
    if isinstance(node, SubgraphNode):
        return node._replace(graph=_pinned_graph(node.graph))
    if isinstance(node, FanOutNode) and is_graph(node.worker):
        return node._replace(worker=_pinned_graph(node.worker))
    if isinstance(node, BranchesNode):
        branches = {name: _pinned_branch(branch) for name, branch in node.branches.items()}
        return node._replace(branches=branches)
    delegates = tuple(_pinned_graph(each) if is_graph(each) else each for each in delegates_in(node))
    if isinstance(node, DelegatesNode):
        return node._replace(delegates=delegates)
    if isinstance(node, RaceNode):
        return node._replace(candidates=delegates)
    return node


def _pinned_branch(branch: ParallelBranch) -> ParallelBranch:
    if is_graph(branch.worker):
        return dataclasses.replace(branch, worker=_pinned_graph(branch.worker))
    return branch


def _pinned_graph(graph: HasSpec) -> HasSpec:
    return _PinnedGraph(graph.version, pinned(graph.spec()))
