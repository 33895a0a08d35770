"""What a case may expect of its run, and of the error that ended it.

A key that stands in neither of the tables, nor among the invariants, fails its case. Source: fixture language §9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.notes import values_of
from graphnb.conformance.compare import differences, fields_differ
from graphnb.conformance.expecting.claims import ABSENT, Assertion, attribute, found
from graphnb.conformance.expecting.dispatches import DISPATCHES
from graphnb.conformance.expecting.drains import DRAINS
from graphnb.conformance.expecting.events import EVENTS
from graphnb.conformance.expecting.isolated import ISOLATED
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.reading.shapes import anything, at_least, each, flag, keyed, many, text, true


def _order(expected: list[str], outcome: Outcome) -> Iterator[str]:
    """The outermost nodes in the order in which they were entered, exactly."""
    if expected != list(outcome.order):
        yield f"execution_order: expected {expected}, got {list(outcome.order)}"


def _recoverable(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """The state that the error carries, every field of it."""
    state = values_of(getattr(outcome.error, "recoverable_state", None))
    if state is None:
        yield f"recoverable_state: {'the error carries none' if outcome.error else 'the run did not fail'}"
    else:
        yield from fields_differ(expected, state, place="recoverable_state")


def _final_state(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Every field, with what the harness keeps beside the state; records of failed branches may say more."""
    if outcome.state is None:
        yield "final_state: there is none, the run failed"
        return
    state = dict(outcome.state)
    yield from _overlay(state, outcome)
    for name in _records_of_branches(outcome) & expected.keys() & state.keys():
        state[name] = [_only(wanted, record) for wanted, record in _paired(expected[name], state[name])]
    yield from fields_differ(expected, state, place="final_state")


def _overlay(state: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    for told, error in outcome.notes.caught:
        counted, kept = told["increment_field"], told["capture_message_field"]
        if counted not in state or kept not in state:
            yield f"final_state: on_caught names {counted!r} and {kept!r}, which are not both fields of the state"
        else:
            state[counted], state[kept] = state[counted] + 1, str(error)


def _records_of_branches(outcome: Outcome) -> set[str]:
    nodes = outcome.case.body.value["nodes"].values()
    return {node["parallel_branches"].get("errors_field", "") for node in nodes if "parallel_branches" in node}


def _paired(expected: Any, got: Any) -> list[tuple[Any, Any]]:
    """What is got, each record with the one that is expected in its place, None if there is none."""
    wanted = expected if isinstance(expected, list) else []
    return [(wanted[i] if i < len(wanted) else None, record) for i, record in enumerate(got)]


def _only(wanted: Any, record: Any) -> Any:
    if not isinstance(wanted, dict) or not isinstance(record, dict):
        return record
    return {key: value for key, value in record.items() if key in wanted}


def _no_error(expected: bool, outcome: Outcome) -> Iterator[str]:  # noqa: FBT001  the case's value
    if outcome.error is not None:
        yield "no_propagated_error: the run raised"


def _at_once(expected: dict[str, int], outcome: Outcome) -> Iterator[str]:
    most = outcome.probe.most_at_once
    if most == 0:
        yield "concurrency_invariant: no body ran within a fan-out, so that nothing was proved"
    elif most > expected["max_in_flight"]:
        yield f"concurrency_invariant: expected at most {expected['max_in_flight']} in flight, got {most}"


def _empty_phases(expected: bool, outcome: Outcome) -> Iterator[str]:  # noqa: FBT001  the case's value
    """An observer of no phase is refused when it is registered, with a graph as well as with a run."""
    graph = outcome.probe.graph
    assert graph is not None
    try:
        graph.observer(lambda event: None, name="of no phase", phases=())
    except gn.GraphError:
        return
    yield "empty_phases_raises_at_registration: an observer of no phase was registered"


def _message(error: BaseException) -> Any:
    return ABSENT if error.__cause__ is None else str(error.__cause__)


def _cause_message(error: BaseException) -> Any:
    """The text of the innermost cause."""
    seen = [error]
    while seen[-1].__cause__ is not None and not any(seen[-1].__cause__ is known for known in seen):
        seen.append(seen[-1].__cause__)
    return ABSENT if len(seen) == 1 else str(seen[-1])


def _cause(expected: dict[str, str], outcome: Outcome) -> Iterator[str]:
    def kind(error: BaseException) -> Any:
        return ABSENT if error.__cause__ is None else type(error.__cause__).__name__

    yield from found("cause.exception_type", kind)(expected["exception_type"], outcome)


def _carries(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Attributes of the error, by name; a tuple is expected as a list, which is all that a case can write."""
    for name, value in expected.items():
        yield from found(f"carries.{name}", _as_written(name))(value, outcome)


def _as_written(name: str) -> Callable[[BaseException], Any]:
    return lambda error: _listed(attribute(name)(error))


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, (list, tuple)) else value


def _calls(expected: int, outcome: Outcome) -> Iterator[str]:
    yield from differences(expected, outcome.calls, place="flaky_call_count")


EXPECTED: Final[Mapping[str, Assertion]] = {
    "final_state": Assertion(each(anything), _final_state),
    "execution_order": Assertion(many(text), _order),
    "recoverable_state": Assertion(each(anything), _recoverable),
    "no_propagated_error": Assertion(true, _no_error),
    "concurrency_invariant": Assertion(keyed({"max_in_flight": at_least(1)}), _at_once),
    "empty_phases_raises_at_registration": Assertion(true, _empty_phases),
    **EVENTS,
    **ISOLATED,
    **DRAINS,
    **DISPATCHES,
}
"""What may stand under `expected`."""

EXPECTED_ERROR: Final[Mapping[str, Assertion]] = {
    "category": Assertion(text, found("category", attribute("category"))),
    "raised_from": Assertion(text, found("raised_from", attribute("node"))),
    "branch_name": Assertion(text, found("branch_name", attribute("branch_name"))),
    "message": Assertion(text, found("message", _message)),
    "cause_message": Assertion(text, found("cause_message", _cause_message)),
    "cause": Assertion(keyed({"exception_type": text}), _cause),
    "fan_out_category": Assertion(text, found("fan_out_category", attribute("fan_out_category"))),
    "carries": Assertion(each(anything, some=True), _carries),
    "transient": Assertion(flag, found("transient", gn.is_transient)),
    "recoverable_state": Assertion(each(anything), _recoverable),
    "execution_order": Assertion(many(text), _order),
    "flaky_call_count": Assertion(at_least(0), _calls),
}
"""What may stand under `expected_error`."""
