"""Assertions about a run as a whole. Source: fixture language §9.2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graphnb.conformance.assertion import Assertion, check_order, check_recoverable
from graphnb.conformance.compare import fields_differ
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.shapes import anything, at_least, each, keyed, many, text, true


def _final_state(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    if outcome.state is None:
        yield "final_state: there is none, the run failed"
    else:
        yield from fields_differ(expected, outcome.state, "final_state")


def _no_error(expected: bool, outcome: Outcome) -> Iterator[str]:  # noqa: FBT001  the case's value
    if outcome.error is not None:
        yield "no_propagated_error: the run raised"


def _at_once(expected: dict[str, int], outcome: Outcome) -> Iterator[str]:
    most = outcome.probe.most_at_once
    if most == 0:
        yield "concurrency_invariant: no body ran within a fan-out, so that nothing was proved"
    elif most > expected["max_in_flight"]:
        yield f"concurrency_invariant: expected at most {expected['max_in_flight']} in flight, got {most}"


EXPECTED: Final[Mapping[str, Assertion]] = {
    "final_state": Assertion(each(anything), _final_state),
    "execution_order": Assertion(many(text), check_order),
    "recoverable_state": Assertion(each(anything), check_recoverable),
    "no_propagated_error": Assertion(true, _no_error),
    "concurrency_invariant": Assertion(keyed({"max_in_flight": at_least(1)}), _at_once),
}
"""What may stand under `expected`."""
