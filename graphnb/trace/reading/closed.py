"""Nodes after which nothing came, and starts, because no guard of the edges that leave them held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphnb.errors.text import shown
from graphnb.graph.edges import arrive
from graphnb.graph.ends import END, START
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.graph.topology import Topology, TopologyEdge
from graphnb.trace.log import completed_in, end_of_step, super_steps_of
from graphnb.trace.places import graph_of
from graphnb.trace.reading.stalled import is_over
from graphnb.trace.reading.steps import Step


def closed_text(step: Step, topology: Topology) -> str:
    """The guards that were false at a node with which its graph ended, in words; empty if that is not what happened.

    `topology` is that of the outermost graph.
    """
    log = step.log
    is_last = end_of_step(log.commits, step.index) == len(log.commits) == len(log.routes)
    if step.targets or not is_last or isinstance(step.interrupt, (Interrupt, Answer)):
        return ""
    own = graph_of(step.parents, topology)
    false = list(_false_at(step, own)) if own is not None else []
    if not false or not is_over(log):
        return ""
    return f"nothing came after {shown(step.path)}: {_were_false(false)}"


def unbegun_text(topology: Topology) -> str:
    """The same of a run that has ended without a step: the guards of the edges from the start of a document, in words.

    Empty if one of them may have led to the end at once.
    """
    starts = [each for each in topology.edges if each.source is START]
    if any(each.target is END or each.label is None for each in starts):
        return ""
    return f"nothing came after the start: {_were_false(starts)}"


def _were_false(edges: Sequence[TopologyEdge]) -> str:
    guards = " and ".join(f"{each.label} (to {each.target!r})" for each in edges)
    return f"its guard {guards} was false" if len(edges) == 1 else f"its guards {guards} were false"


def _false_at(step: Step, topology: Topology) -> Iterator[TopologyEdge]:
    """The edges of the node whose guards were asked; all of them were false, since none was taken."""
    for edge in topology.edges:
        is_guarded = edge.source == step.node and edge.label is not None
        if is_guarded and (
            edge.kind == "guard" or (edge.kind == "join" and _is_asked_at(step, edge.join, topology=topology))
        ):
            yield edge


def _is_asked_at(step: Step, join: str | None, *, topology: Topology) -> bool:
    """True if the join was asked in the last super-step, which is that of the step, and at this node of it."""
    sources = [each.source for each in topology.edges if each.join == join and isinstance(each.source, str)]
    arrived: dict[str, frozenset[str]] = {}
    completed: tuple[str, ...] = ()
    is_asked = False
    for place in super_steps_of(step.log):
        completed = completed_in(step.log.commits[place])
        is_asked = arrive(arrived, "", sources=sources, completed=completed)
    return is_asked and step.node == [name for name in completed if name in sources][-1]
