"""Interrupts: the commit of a node that asks instead of completing, and what refuses it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from graphnb.errors import InvalidUpdate
from graphnb.errors.text import choices
from graphnb.graph.interrupt import Interrupt, asks_instead, detach_interrupt
from graphnb.graph.plan import PlannedNode
from graphnb.trace.log import Commit, Log


def ids_in(log: Log) -> set[str]:
    """The ids of all interrupts that were asked in a run."""
    return {each.interrupt.id for each in log.commits if isinstance(each.interrupt, Interrupt)}


def asking(log: Log, node: PlannedNode, given: Interrupt, *, ids: Collection[str], is_joined: bool = False) -> Commit:
    """The commit of a node that has asked; `ids` are those that the run has used before.

    An interrupt that bears no id is named after the super-step and the node. Raises InvalidUpdate for a field that
    there is not, for an id that was used before, and inside of another graph.
    """
    if not log.is_outermost:
        what = f"asks for {given.field!r}, and its graph runs within a node of another one"
        raise InvalidUpdate(node.place, what, asks_instead(given) or "")
    if given.field not in log.schema.fields:
        what = f"asks for {given.field!r}, which is no field"
        raise InvalidUpdate(node.place, what, choices("Fields", log.schema.fields, given.field))
    own = given.id or f"{log.step}:{node.name}"
    if own in ids:
        what = f"asks under the id {own!r}, which an interrupt of this run bears already"
        raise InvalidUpdate(node.place, what, "Give each its own id, or none: then one is made.")
    return Commit(
        node.name, (), is_joined=is_joined, interrupt=replace(detach_interrupt(given), id=own, node=node.name)
    )
