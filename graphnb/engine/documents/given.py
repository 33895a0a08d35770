"""What a node of a document has given, before anything is folded: an update or an interrupt, checked and copied.

A node that has given anything else, or what may not be written, is not tried again. Source: super-steps, validating
one write, interrupts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphnb.engine.asking import asking, ids_in
from graphnb.errors import GraphError, InvalidUpdate
from graphnb.errors.text import kind_of, shown
from graphnb.graph.documents.expect import detached
from graphnb.graph.documents.reading_parts import read_schema
from graphnb.graph.documents.values import check_fits, checked_update
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import DocumentRules, PlannedNode
from graphnb.state.checking.reasons import Misfit
from graphnb.state.storable.schemas import malformed_of
from graphnb.trace.log import Log


def given_of(log: Log, rules: DocumentRules, node: PlannedNode, given: object) -> Any:
    """The update or the interrupt as a copy of the run's own. Raises InvalidUpdate, StateValidationError."""
    if type(given) is not Interrupt:
        return checked_update(log.schema, given, node.place)
    for name in ("field", "ask", "id"):
        text = getattr(given, name)
        if not isinstance(text, str):
            raise _unsound(node, f"{name} is {shown(text)} ({kind_of(text)})", "Give a text, or leave it out.")
    if given.field in rules.inputs:
        raise _unsound(node, f"asks for {given.field!r}, which is an input", "Ask for a state field: inputs stay.")
    own = replace(given, schema=_sound_schema(node, given.schema), metadata=_sound_metadata(node, given.metadata))
    asking(log, node, own, ids=ids_in(log))
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
        raise _unsound(node, f"asks with a schema that is none: {error}", mend) from error
    if malformed:
        raise _unsound(node, f"asks with a schema that is malformed: {malformed[0][1]}", mend)
    return detached(schema)


def _sound_metadata(node: PlannedNode, metadata: object) -> Any:
    try:
        check_fits(None, metadata)
    except Misfit as misfit:
        raise _unsound(node, f"asks with metadata that cannot be stored: {misfit}", "Give plain values.") from misfit
    if not isinstance(metadata, dict):
        raise _unsound(node, f"asks with metadata that are {shown(metadata)}", "Give a dict, or leave it out.")
    return detached(metadata)


def _unsound(node: PlannedNode, what: str, mend: str) -> InvalidUpdate:
    return InvalidUpdate(node.place, what, mend)
