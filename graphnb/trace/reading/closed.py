"""Nodes after which nothing came, because no guard of their edges held."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.errors.text import shown
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.graph.topology import Topology, TopologyEdge
from graphnb.trace.log import Log, end_of_step, open_interrupts
from graphnb.trace.places import Part
from graphnb.trace.reading.steps import Step


def closed_text(step: Step, topology: Topology) -> str:
    """The guards that were false at a node with which its graph ended, in words; empty if that is not what happened.

    `topology` is that of the outermost graph.
    """
    log = step.log
    is_last = end_of_step(log.commits, step.index) == len(log.commits) == len(log.routes)
    if step.targets or not is_last or isinstance(step.interrupt, (Interrupt, Answer)):
        return ""
    own = _topology_at(topology, step.parents)
    false = list(_false_at(step, own)) if own is not None else []
    if not false or _goes_on(log):
        return ""
    guards = " and ".join(f"{each.label} (to {each.target!r})" for each in false)
    were = "its guard {} was false" if len(false) == 1 else "its guards {} were false"
    return f"nothing came after {shown(step.path)}: {were.format(guards)}"


def _topology_at(topology: Topology | None, parents: tuple[Part, ...]) -> Topology | None:
    """The topology of the graph within these nodes, None if it is not drawn."""
    for part in parents:
        node = next((each for each in topology.nodes if each.name == part.node), None) if topology is not None else None
        branches = {each.name: each.inner for each in node.branches} if node is not None else {}
        topology = branches.get(str(part.instance), node.inner if node is not None else None)
    return topology


def _goes_on(log: Log) -> bool:
    """True if the run has more to do than the last super-step says: it leads on elsewhere, or waits for an answer."""
    first = len(log.commits) - 1
    while log.commits[first].is_joined:
        first -= 1
    return any(isinstance(target, str) for some in log.routes[first:] for target in some) or bool(open_interrupts(log))


def _false_at(step: Step, topology: Topology) -> Iterator[TopologyEdge]:
    """The edges of the node whose guards were asked; all of them were false, since none was taken."""
    for edge in topology.edges:
        is_guarded = edge.source == step.node and edge.label is not None
        if is_guarded and (edge.kind == "guard" or (edge.kind == "join" and _completes(step, edge.join, topology))):
            yield edge


def _completes(step: Step, join: str | None, topology: Topology) -> bool:
    """True if the step was the last one that the join had waited for."""
    sources = {each.source for each in topology.edges if each.join == join}
    arrived: set[str] = set()
    for commit in step.log.commits[: step.index + 1]:
        if commit.node in sources and commit.interrupt is None:
            arrived = {commit.node} if arrived == sources else arrived | {commit.node}
    return arrived == sources
