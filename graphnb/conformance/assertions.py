"""What a case may expect of its run, of the error that ended it, and of named claims.

A key that stands in none of the three tables fails its case. Source: fixture language §9, §10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from graphnb.conformance.compare import differences, fields_differ
from graphnb.conformance.outcomes import Outcome, plain_state
from graphnb.conformance.shapes import Shape, anything, at_least, each, keyed, many, text, true
from graphnb.errors.text import shown

Check = Callable[[Any, Outcome], Iterator[str]]

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Assertion:
    """One key under which something is expected; `check` gets the expected value and yields reasons."""

    shape: Shape
    check: Check


def _order(expected: list[str], outcome: Outcome) -> Iterator[str]:
    """The outermost nodes in the order in which they were entered, exactly."""
    if expected != list(outcome.order):
        yield f"execution_order: expected {expected}, got {list(outcome.order)}"


def _recoverable(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """The state that the error carries, every field of it."""
    state = plain_state(getattr(outcome.error, "recoverable_state", None))
    if state is None:
        yield f"recoverable_state: {'the error carries none' if outcome.error else 'the run did not fail'}"
    else:
        yield from fields_differ(expected, state, place="recoverable_state")


def _final_state(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    if outcome.state is None:
        yield "final_state: there is none, the run failed"
    else:
        yield from fields_differ(expected, outcome.state, place="final_state")


def _no_error(expected: bool, outcome: Outcome) -> Iterator[str]:  # noqa: FBT001  the case's value
    if outcome.error is not None:
        yield "no_propagated_error: the run raised"


def _at_once(expected: dict[str, int], outcome: Outcome) -> Iterator[str]:
    most = outcome.probe.most_at_once
    if most == 0:
        yield "concurrency_invariant: no body ran within a fan-out, so that nothing was proved"
    elif most > expected["max_in_flight"]:
        yield f"concurrency_invariant: expected at most {expected['max_in_flight']} in flight, got {most}"


def _found(name: str, read: Callable[[BaseException], Any]) -> Check:
    """A check that what `read` finds on the error is what is expected, to the type."""

    def check(expected: Any, outcome: Outcome) -> Iterator[str]:
        if outcome.error is None:
            return  # said once, for the whole of expected_error
        found = read(outcome.error)
        if found is _ABSENT:
            yield f"{name}: expected {shown(expected)}, but the error has none"
        else:
            yield from differences(expected, found, place=name)

    return check


def _attribute(name: str) -> Callable[[BaseException], Any]:
    return lambda error: getattr(error, name, _ABSENT)


def _message(error: BaseException) -> Any:
    return _ABSENT if error.__cause__ is None else str(error.__cause__)


def _cause_message(error: BaseException) -> Any:
    """The text of the innermost cause."""
    seen = [error]
    while seen[-1].__cause__ is not None and not any(seen[-1].__cause__ is known for known in seen):
        seen.append(seen[-1].__cause__)
    return _ABSENT if len(seen) == 1 else str(seen[-1])


def _cause(expected: dict[str, str], outcome: Outcome) -> Iterator[str]:
    def kind(error: BaseException) -> Any:
        return _ABSENT if error.__cause__ is None else type(error.__cause__).__name__

    yield from _found("cause.exception_type", kind)(expected["exception_type"], outcome)


def _carries(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    for name, value in expected.items():
        yield from _found(f"carries.{name}", _attribute(name))(value, outcome)


def _calls(expected: int, outcome: Outcome) -> Iterator[str]:
    if outcome.probe.calls != expected:
        yield f"flaky_call_count: expected {expected}, got {outcome.probe.calls}"


def _never_ran(node: str, outcome: Outcome) -> Iterator[str]:
    """A node that never ran: no body of its name was entered, and no step and no failure bears it."""
    if node not in outcome.nodes:
        yield f"no_events_for_node: {node!r} is no node of the case"
    elif any(name == node for _, name in outcome.probe.entered):
        yield f"no_events_for_node: the body of {node!r} was entered"
    elif node in outcome.order or any(step.node == node for step in outcome.steps):
        yield f"no_events_for_node: the run has a step of {node!r}"


EXPECTED: Final[Mapping[str, Assertion]] = {
    "final_state": Assertion(each(anything), _final_state),
    "execution_order": Assertion(many(text), _order),
    "recoverable_state": Assertion(each(anything), _recoverable),
    "no_propagated_error": Assertion(true, _no_error),
    "concurrency_invariant": Assertion(keyed({"max_in_flight": at_least(1)}), _at_once),
}
"""What may stand under `expected`."""

EXPECTED_ERROR: Final[Mapping[str, Assertion]] = {
    "category": Assertion(text, _found("category", _attribute("category"))),
    "raised_from": Assertion(text, _found("raised_from", _attribute("node"))),
    "message": Assertion(text, _found("message", _message)),
    "cause_message": Assertion(text, _found("cause_message", _cause_message)),
    "cause": Assertion(keyed({"exception_type": text}), _cause),
    "fan_out_category": Assertion(text, _found("fan_out_category", _attribute("fan_out_category"))),
    "carries": Assertion(each(anything, some=True), _carries),
    "recoverable_state": Assertion(each(anything), _recoverable),
    "execution_order": Assertion(many(text), _order),
    "flaky_call_count": Assertion(at_least(0), _calls),
}
"""What may stand under `expected_error`."""

INVARIANTS: Final[Mapping[str, Assertion]] = {"no_events_for_node": Assertion(text, _never_ran)}
"""What may stand under `invariants`."""
