"""What an assertion of a case is: a shape, and a check that tells every way in which an outcome differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from graphnb.conformance.compare import fields_differ
from graphnb.conformance.outcomes import Outcome, plain_state
from graphnb.conformance.shapes import Shape

Check = Callable[[Any, Outcome], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Assertion:
    """One key under which something is expected; `check` gets the expected value and yields reasons."""

    shape: Shape
    check: Check


def check_order(expected: list[str], outcome: Outcome) -> Iterator[str]:
    """The outermost nodes in the order in which they were entered, exactly."""
    if expected != list(outcome.order):
        yield f"execution_order: expected {expected}, got {list(outcome.order)}"


def check_recoverable(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """The state that the error carries, every field of it."""
    state = plain_state(getattr(outcome.error, "recoverable_state", None))
    if state is None:
        yield f"recoverable_state: {'the error carries none' if outcome.error else 'the run did not fail'}"
    else:
        yield from fields_differ(expected, state, "recoverable_state")
