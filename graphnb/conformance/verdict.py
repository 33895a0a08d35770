"""Judging a case: every outcome against what is expected, and the outcomes against one another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from graphnb.conformance.assertions import EXPECTED, EXPECTED_ERROR, INVARIANTS
from graphnb.conformance.build import BEHAVIOURS, OUTERMOST
from graphnb.conformance.cases import Case
from graphnb.conformance.compare import differences
from graphnb.conformance.outcomes import WAYS, Outcome, outcome_of, plain_state
from graphnb.errors import GraphError
from graphnb.errors.text import shown, visible

_MOST = 2000  # characters of an error's text that a reason repeats


def reasons_of(case: Case) -> tuple[str, ...]:
    """Why the case fails; empty if it passes. The case is run as often as it says, each time in every way."""
    told = case.part.value
    runs = any(key in told for key in ("expected", "expected_error", "invariants"))
    watch = "concurrency_invariant" in told.get("expected", {})
    outcomes = [outcome_of(case, way, runs=runs, watch=watch) for _ in range(told.get("run_count", 1)) for way in WAYS]
    found: dict[str, list[str]] = {}
    for outcome in outcomes:
        for reason in dict.fromkeys(_judge(case, outcome)):
            found.setdefault(reason, []).append(str(outcome.way))
    told_once = [
        reason if len(ways) == len(outcomes) else f"{reason} (only with {'; '.join(dict.fromkeys(ways))})"
        for reason, ways in found.items()
    ]
    return (*told_once, *_disagreements(outcomes))


def _judge(case: Case, outcome: Outcome) -> Iterator[str]:
    told = case.part.value
    yield from outcome.probe.faults
    if "expected_compile_error" in told:
        yield from _check_refusal(told["expected_compile_error"], outcome)
        return
    if outcome.refused is not None:
        yield f"the graph did not compile: {text_of(outcome.refused)}"
        return
    if "expected_compile_warning" in told:
        yield from _check_warnings(told["expected_compile_warning"], outcome)
    yield from (f"the run gave a warning of the category {name}" for name in outcome.news)
    yield from _check_run(told, outcome)
    yield from _check_entered(case, outcome)


def _check_refusal(category: str, outcome: Outcome) -> Iterator[str]:
    if outcome.probe.entered:
        yield f"node {outcome.probe.entered[0][1]!r} ran before the graph was compiled"
    if outcome.refused is None:
        yield f"expected_compile_error: expected {category!r}, but the graph compiled"
    elif getattr(outcome.refused, "category", None) != category:
        yield f"expected_compile_error: expected {category!r}, got {text_of(outcome.refused)}"


def _check_warnings(expected: list[str], outcome: Outcome) -> Iterator[str]:
    if set(expected) != set(outcome.warned):
        yield f"expected_compile_warning: expected {sorted(set(expected))}, got {sorted(set(outcome.warned))}"


def _check_run(told: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    expected = told.get("expected", {})
    errors = [part["expected_error"] for part in (told, expected) if "expected_error" in part]
    invariants = [part["invariants"] for part in (told, expected) if "invariants" in part]
    if errors and outcome.error is None:
        yield "expected_error: the run did not fail"
    if not errors and outcome.error is not None:
        yield f"the run failed, which is not expected: {text_of(outcome.error)}"
    for key, value in expected.items():
        if key in EXPECTED:
            yield from EXPECTED[key].check(value, outcome)
    for error in errors:
        for key, value in error.items():
            yield from EXPECTED_ERROR[key].check(value, outcome)
    for claims in invariants:
        for key, value in claims.items():
            yield from INVARIANTS[key].check(value, outcome)


def _check_entered(case: Case, outcome: Outcome) -> Iterator[str]:
    """The order that the run reports, against the bodies that the harness saw entered."""
    nodes = case.body.value["nodes"]
    seen = [node for graph, node in outcome.probe.entered if graph == OUTERMOST]
    reported = [node for node in outcome.order if not BEHAVIOURS.keys().isdisjoint(nodes.get(node, ()))]
    if seen != reported:
        yield f"the run reports that it entered {reported}, but the bodies were entered in the order {seen}"


def _disagreements(outcomes: list[Outcome]) -> Iterator[str]:
    """The ways in which an outcome differs from the first one."""
    first = outcomes[0]
    for i, other in enumerate(outcomes[1:], start=2):
        place = f"run {i} ({other.way}) differs from the first ({first.way})"
        found = [*differences(_facts(first), _facts(other), place=place)]
        if not found and first.error is None and first.steps != other.steps:
            found = [f"{place}: its steps are others"]
        yield from found


def _facts(outcome: Outcome) -> dict[str, Any]:
    error = outcome.error or outcome.refused
    return {
        "state": outcome.state,
        "execution_order": list(outcome.order),
        "error": None if error is None else type(error).__name__,
        "category": getattr(error, "category", None),
        "node": getattr(error, "node", None),
        "recoverable_state": plain_state(getattr(error, "recoverable_state", None)),
    }


def text_of(error: BaseException) -> str:
    """The error's text with its category, or the type of one that is not the product's own."""
    if isinstance(error, asyncio.CancelledError):
        return "CancelledError"
    kind = (
        f"{type(error).__name__}, category {error.category}" if isinstance(error, GraphError) else type(error).__name__
    )
    text = visible(str(error)) if str(error) else shown(error)
    return f"{kind}: {text if len(text) <= _MOST else text[:_MOST] + '...'}"
