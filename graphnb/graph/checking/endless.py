"""Cycles that a run cannot leave: whatever the state is, each of their nodes leads on to another one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from graphnb.graph.edges import Branch, EdgeSpec, Links, names_in, targets_of
from graphnb.graph.knots import knots_of
from graphnb.graph.spec import GraphSpec


class EndlessCycle(NamedTuple):
    """Nodes that go round, sorted by name."""

    nodes: tuple[str, ...]

    @property
    def what(self) -> str:
        """What is wrong."""
        named = ", ".join(map(repr, self.nodes))
        round_ = f"node {named} leads" if len(self.nodes) == 1 else f"nodes {named} lead"
        return f"{round_} back for ever, and no guard, router or join leads out: only max_steps ends a run"

    @property
    def mend(self) -> str:
        """What to do, written with one of the nodes."""
        back = self.nodes[-1]
        return (
            f"Let a function choose, graph.branch({back!r}, function, to=(..., gn.END)), or guard the way back and the "
            f"way out: graph.edge({back!r}, ..., when=gn.field('name') == value)."
        )


def endless_cycles_of(spec: GraphSpec) -> Iterator[EndlessCycle]:
    """The cycles of edges that are surely taken; where a join waits, nothing is sure."""
    following = {name: spec.nodes.keys() & _sure_targets(spec.edges.get(name)) for name in spec.nodes}
    for knot in knots_of(following):
        if _going(spec.edges, knot):
            yield EndlessCycle(tuple(knot))


def _sure_targets(edge: EdgeSpec | None) -> tuple[str, ...]:
    """The nodes to which an edge leads without a condition, or of which a router chooses."""
    if isinstance(edge, Links):
        return names_in(tuple(link.target for link in edge.links if link.when is None and not link.is_join))
    return names_in(targets_of(edge))


def _going(edges: Mapping[str, EdgeSpec], knot: Collection[str]) -> set[str]:
    """The nodes of the knot from which a run surely goes on within it."""
    going = {*knot}
    while stopping := {name for name in going if not _stays(edges[name], going)}:
        going -= stopping
    return going


def _stays(edge: EdgeSpec, going: set[str]) -> bool:
    targets = _sure_targets(edge)
    if isinstance(edge, Branch):  # which chooses any of them, or the end
        return len(targets) == len(targets_of(edge)) and going.issuperset(targets)
    return not going.isdisjoint(targets)
