"""Assertions about the error with which a run ended. Source: fixture language §9.3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from graphnb.conformance.assertion import Assertion, Check, check_order, check_recoverable
from graphnb.conformance.compare import differences
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.shapes import anything, at_least, each, keyed, many, text
from graphnb.errors.text import shown

_ABSENT: Final = object()


def _told(name: str, read: Callable[[BaseException], Any]) -> Check:
    """A check that what `read` finds on the error is what is expected, to the type."""

    def check(expected: Any, outcome: Outcome) -> Iterator[str]:
        if outcome.error is None:
            return  # said once, for the whole of expected_error
        found = read(outcome.error)
        if found is _ABSENT:
            yield f"{name}: expected {shown(expected)}, but the error has none"
        else:
            yield from differences(expected, found, name)

    return check


def _attribute(name: str) -> Callable[[BaseException], Any]:
    return lambda error: getattr(error, name, _ABSENT)


def _message(error: BaseException) -> Any:
    return _ABSENT if error.__cause__ is None else str(error.__cause__)


def _cause_message(error: BaseException) -> Any:
    """The text of the innermost cause."""
    seen = [error]
    while seen[-1].__cause__ is not None and not any(seen[-1].__cause__ is each for each in seen):
        seen.append(seen[-1].__cause__)
    return _ABSENT if len(seen) == 1 else str(seen[-1])


def _cause(expected: dict[str, str], outcome: Outcome) -> Iterator[str]:
    def kind(error: BaseException) -> Any:
        return _ABSENT if error.__cause__ is None else type(error.__cause__).__name__

    yield from _told("cause.exception_type", kind)(expected["exception_type"], outcome)


def _carries(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    for name, value in expected.items():
        yield from _told(f"carries.{name}", _attribute(name))(value, outcome)


def _calls(expected: int, outcome: Outcome) -> Iterator[str]:
    if outcome.probe.calls != expected:
        yield f"flaky_call_count: expected {expected}, got {outcome.probe.calls}"


EXPECTED_ERROR: Final[Mapping[str, Assertion]] = {
    "category": Assertion(text, _told("category", _attribute("category"))),
    "raised_from": Assertion(text, _told("raised_from", _attribute("node"))),
    "message": Assertion(text, _told("message", _message)),
    "cause_message": Assertion(text, _told("cause_message", _cause_message)),
    "cause": Assertion(keyed({"exception_type": text}), _cause),
    "fan_out_category": Assertion(text, _told("fan_out_category", _attribute("fan_out_category"))),
    "carries": Assertion(each(anything, some=True), _carries),
    "recoverable_state": Assertion(each(anything), check_recoverable),
    "execution_order": Assertion(many(text), check_order),
    "flaky_call_count": Assertion(at_least(0), _calls),
}
"""What may stand under `expected_error`."""
