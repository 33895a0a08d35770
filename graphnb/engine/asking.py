"""Interrupts: the commit of a node that asks instead of completing, and what refuses it."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import replace

from graphnb.errors import InvalidUpdate
from graphnb.errors.text import choices
from graphnb.graph.interrupt import Interrupt, asks_instead, detach_interrupt
from graphnb.graph.plan import PlannedNode
from graphnb.trace.log import Commit, Log


def check_interrupt(log: Log, node: PlannedNode, *, asked: Interrupt, ids: Collection[str]) -> None:
    """Raises InvalidUpdate for an interrupt that the node may not give; `ids` are those that the run has used before.

    That is inside of another graph, for a field that there is not, and under an id that was used before.
    """
    if not log.is_outermost:
        what = f"asks for {asked.field!r}, and its graph runs within a node of another one"
        raise InvalidUpdate(node.place, what, asks_instead(asked) or "")
    if asked.field not in log.schema.fields:
        what = f"asks for {asked.field!r}, which is no field"
        raise InvalidUpdate(node.place, what, choices("Fields", log.schema.fields, asked.field))
    if asked.id in ids:
        what = f"asks under the id {asked.id!r}, which an interrupt of this run bears already"
        raise InvalidUpdate(node.place, what, "Give each its own id, or none: then one is made.")


def commit_of_interrupt(
    log: Log, node: PlannedNode, *, asked: Interrupt, ids: Collection[str], is_joined: bool = False
) -> Commit:
    """The commit of a node that has asked; an interrupt that bears no id is named after the super-step and the node.

    Where a node has given that very id to an interrupt before, a number follows. Raises like `check_interrupt`.
    """
    check_interrupt(log, node, asked=asked, ids=ids)
    own = asked.id or _free_id(f"{log.step}:{node.name}", ids)
    named = replace(detach_interrupt(asked), id=own, node=node.name)
    return Commit(node.name, (), is_joined=is_joined, interrupt=named)


def _free_id(made: str, taken: Collection[str]) -> str:
    """The id, or if need be the first of those with `:2`, `:3`, ... after it that is free."""
    numbered = itertools.chain((made,), (f"{made}:{i}" for i in itertools.count(2)))
    return next(each for each in numbered if each not in taken)
