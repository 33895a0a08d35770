"""What a node of a document has given, before anything is folded: an update or an interrupt, checked and copied.

A node that has given anything else, or what may not be written, is not tried again. Source: super-steps, validating
one write, interrupts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from graphnb.engine.asking import check_interrupt
from graphnb.engine.running_graph import RunningGraph
from graphnb.errors import GraphError, InvalidUpdate
from graphnb.errors.text import kind_of, shown
from graphnb.graph.documents.expect import detached
from graphnb.graph.documents.reading_parts import read_schema
from graphnb.graph.documents.values import check_fits, checked_update
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import PlannedNode
from graphnb.state.checking.reasons import Misfit
from graphnb.state.storable.schemas import malformed_of


def own_update_of(given: object, node: PlannedNode, *, graph: RunningGraph, ids: Collection[str]) -> Any:
    """The update or the interrupt as a copy of the run's own; `ids` are those of interrupts before.

    Raises InvalidUpdate, StateValidationError.
    """
    plan, log = graph.plan, graph.log
    assert plan.rules is not None  # it was read from a document
    if type(given) is not Interrupt:
        return checked_update(plan.schema, given, node.place)
    for name in ("field", "ask", "id"):
        text = getattr(given, name)
        if not isinstance(text, str):
            raise _unsound(node, f"{name} is {shown(text)} ({kind_of(text)})", mend="Give a text, or leave it out.")
    if given.field in plan.rules.inputs:
        raise _unsound(node, f"asks for {given.field!r}, which is an input", mend="Ask for a state field: inputs stay.")
    own = replace(given, schema=_sound_schema(node, given.schema), metadata=_sound_metadata(node, given.metadata))
    check_interrupt(log, node, asked=own, ids=ids)
    return own


def _sound_schema(node: PlannedNode, schema: object) -> Any:
    """The schema of answers, as documents write schemas."""
    if schema is None:
        return None
    mend = 'Write it as documents do: {"type": "string"}.'
    try:
        check_fits(None, schema)
        read = read_schema(schema, ("schema",))
        malformed = [] if read is None else malformed_of(read)
    except (Misfit, GraphError) as error:
        raise _unsound(node, f"asks with a schema that is none: {error}", mend=mend) from error
    if malformed:
        raise _unsound(node, f"asks with a schema that is malformed: {malformed[0][1]}", mend=mend)
    return detached(schema)


def _sound_metadata(node: PlannedNode, metadata: object) -> Any:
    try:
        check_fits(None, metadata)
    except Misfit as misfit:
        raise _unsound(
            node, f"asks with metadata that cannot be stored: {misfit}", mend="Give plain values."
        ) from misfit
    if not isinstance(metadata, dict):
        raise _unsound(node, f"asks with metadata that are {shown(metadata)}", mend="Give a dict, or leave it out.")
    return detached(metadata)


def _unsound(node: PlannedNode, what: str, *, mend: str) -> InvalidUpdate:
    return InvalidUpdate(node.place, what, mend)
