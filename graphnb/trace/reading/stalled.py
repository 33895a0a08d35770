"""Joins that were still waiting when their graph had nothing left to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from graphnb.graph.edges import arrive
from graphnb.graph.ends import Target
from graphnb.graph.interrupt import Answer
from graphnb.graph.topology import Topology
from graphnb.trace.log import Log, completed_in, start_of_step, super_steps_of
from graphnb.trace.places import Part, graph_of, place_text
from graphnb.trace.reading.walking import walk


class Stalled(NamedTuple):
    """A join that waited to the end: where it leads, the sources that had completed, and those that never came.

    `parents` lead from the outermost graph to the one that holds the join, as in `Step`.
    """

    target: Target
    arrived: tuple[str, ...]
    missing: tuple[str, ...]
    parents: tuple[Part, ...] = ()

    @property
    def place(self) -> str:
        """Where its graph runs: `child`, or `read[2]` in the third instance of a fan-out; empty for the outermost."""
        return place_text(self.parents)

    def __str__(self) -> str:
        came = ", ".join(f"'{name}'" for name in self.arrived)
        lacking = ", ".join(f"'{name}'" for name in self.missing)
        inside = f"in '{self.place}' " if self.parents else ""
        return f"{inside}the join to {self.target!r} still waited for {lacking} ({came} had come)"


def stalled_in_run(log: Log, topology: Topology, *, is_done: bool) -> Iterator[Stalled]:
    """The joins that waited to the end of their graph: those of the run itself if it `is_done`, then those within.

    Graphs within nodes, instances and branches come to their ends by themselves, whatever became of the run.
    """
    if is_done:
        yield from stalled_joins(log, topology)
    inner = {id(each.log): each for each in walk(log) if each.parents}
    for each in inner.values():
        graph = graph_of(each.parents, topology)
        if graph is not None and is_over(each.log):
            yield from (found._replace(parents=each.parents) for found in stalled_joins(each.log, graph))


def stalled_joins(log: Log, topology: Topology) -> tuple[Stalled, ...]:
    """The joins of a graph for which some sources have completed since they were last asked, and others have not."""
    sources: dict[str, list[str]] = {}
    targets: dict[str, Target] = {}
    for edge in topology.edges:
        if edge.join is not None and isinstance(edge.source, str) and edge.target is not None:
            sources.setdefault(edge.join, []).append(edge.source)
            targets[edge.join] = edge.target
    arrived: dict[str, frozenset[str]] = {}
    for place in super_steps_of(log):
        completed = completed_in(log.commits[place])
        for join, names in sources.items():
            arrive(arrived, join, sources=names, completed=completed)
    return tuple(
        Stalled(
            targets[join],
            tuple(name for name in names if name in arrived[join]),
            tuple(name for name in names if name not in arrived[join]),
        )
        for join, names in sources.items()
        if arrived.get(join)
    )


def is_over(log: Log) -> bool:
    """True if the graph had nothing left to do."""
    commits = log.commits
    is_stopped = log.failure is not None or log.under_way is not None or log.waits
    if is_stopped or not commits or len(log.routes) < len(commits) or isinstance(commits[-1].interrupt, Answer):
        return False
    last = log.routes[start_of_step(commits, len(commits) - 1) :]
    targets = (target for some in last for target in some)
    return not any(isinstance(target, str) for target in targets)
