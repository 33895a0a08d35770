"""Joins that were still waiting when a run had nothing left to do."""

from __future__ import annotations

from typing import NamedTuple

from graphnb.graph.ends import Target
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.graph.topology import Topology
from graphnb.trace.log import Log


class Stalled(NamedTuple):
    """A join that waited to the end: where it leads, the sources that had completed, and those that never came."""

    target: Target
    arrived: tuple[str, ...]
    missing: tuple[str, ...]

    def __str__(self) -> str:
        came = ", ".join(f"'{name}'" for name in self.arrived)
        lacking = ", ".join(f"'{name}'" for name in self.missing)
        return f"the join to {self.target!r} still waited for {lacking} ({came} had come)"


def stalled_joins(log: Log, topology: Topology) -> tuple[Stalled, ...]:
    """The joins of a graph for which some sources have completed since they were last asked, and others have not."""
    sources: dict[str, list[str]] = {}
    targets: dict[str, Target] = {}
    for edge in topology.edges:
        if edge.join is not None and isinstance(edge.source, str) and edge.target is not None:
            sources.setdefault(edge.join, []).append(edge.source)
            targets[edge.join] = edge.target
    arrived: dict[str, set[str]] = {join: set() for join in sources}
    for commit in log.commits[: len(log.routes)]:
        if not isinstance(commit.interrupt, (Interrupt, Answer)):
            for join, names in sources.items():
                if commit.node in names:
                    arrived[join].add(commit.node)
                    if len(arrived[join]) == len(names):
                        arrived[join].clear()
    return tuple(
        Stalled(
            targets[join],
            tuple(name for name in names if name in arrived[join]),
            tuple(name for name in names if name not in arrived[join]),
        )
        for join, names in sources.items()
        if arrived[join]
    )
