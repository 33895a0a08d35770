"""Named claims about a run. A name that is not registered here fails its case. Source: fixture language §10."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphnb.conformance.assertion import Assertion
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.shapes import text


def _never_ran(node: str, outcome: Outcome) -> Iterator[str]:
    """A node that never ran: no body of its name was entered, and no step and no failure bears it."""
    if node not in outcome.nodes:
        yield f"no_events_for_node: {node!r} is no node of the case"
    elif any(name == node for _, name in outcome.probe.entered):
        yield f"no_events_for_node: the body of {node!r} was entered"
    elif node in outcome.order or any(step.node == node for step in outcome.steps):
        yield f"no_events_for_node: the run has a step of {node!r}"


INVARIANTS: Final[Mapping[str, Assertion]] = {"no_events_for_node": Assertion(text, _never_ran)}
"""What may stand under `invariants`."""
