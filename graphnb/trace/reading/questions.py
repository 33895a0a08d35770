"""Whether two runs have asked the same; under which ids, as all that is generated, counts for nothing."""

from __future__ import annotations

from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.state.values.same import is_same


def is_same_question(one: Interrupt | Answer | None, other: Interrupt | Answer | None) -> bool:
    """True for two interrupts that ask the same, for two answers whatever they answer, and for nothing twice."""
    if not isinstance(one, Interrupt) or not isinstance(other, Interrupt):
        return type(one) is type(other)
    mine = (one.field, one.ask, one.schema, one.node)
    return mine == (other.field, other.ask, other.schema, other.node) and is_same(one.metadata, other.metadata)
