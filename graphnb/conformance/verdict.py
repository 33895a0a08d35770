"""Judging a case: every outcome against what is expected, and the outcomes against one another."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphnb.conformance.building.bodies import BEHAVIOURS
from graphnb.conformance.building.build import OUTERMOST
from graphnb.conformance.building.notes import values_of
from graphnb.conformance.compare import differences
from graphnb.conformance.expecting.assertions import EXPECTED, EXPECTED_ERROR
from graphnb.conformance.expecting.claims import Assertion
from graphnb.conformance.expecting.event_rules import broken_rules
from graphnb.conformance.expecting.invariants import INVARIANTS
from graphnb.conformance.invocations import Wanted, outcomes_of
from graphnb.conformance.outcomes import WAYS, Outcome, Way
from graphnb.conformance.reading.cases import Case
from graphnb.errors import GraphError, ObserverWarning
from graphnb.errors.text import shown, visible

_MOST = 2000  # characters of an error's text that a reason repeats
_RUNNING = ("expected", "expected_error", "invariants", "invocations")

Claim = tuple[Assertion, Any]


def reasons_of(case: Case) -> tuple[str, ...]:
    """Why the case fails; empty if it passes. The case is run as often as it says, each time in several ways."""
    rounds = [
        outcomes_of(case, way, wanted=_wanted(case, way))
        for _ in range(case.part.value.get("run_count", 1))
        for way in _ways(case)
    ]
    found: dict[str, list[str]] = {}
    for outcomes in rounds:
        for reason in dict.fromkeys(_judge(case, outcomes)):
            found.setdefault(reason, []).append(str(outcomes[0].way))
    told_once = [
        reason if len(ways) == len(rounds) else f"{reason} (only with {'; '.join(dict.fromkeys(ways))})"
        for reason, ways in found.items()
    ]
    return (*told_once, *_disagreements(rounds))


def _ways(case: Case) -> Sequence[Way]:
    """All ways to run; two of them where observers sleep, which takes time."""
    sleeps = any("sleep_ms_per_event" in observer for observer in case.part.value.get("observers", ()))
    return [way for way in WAYS if way.is_plain or not sleeps]


def _wanted(case: Case, way: Way) -> Wanted:
    """What a run is for. Where a case says nothing of events, it is run with and without somebody who watches."""
    told = case.part.value
    claims = [assertion for _, part in _parts(case) for assertion, _ in _claims(part)]
    return Wanted(
        runs=any(key in told for key in _RUNNING),
        watch="concurrency_invariant" in told.get("expected", {}),
        records="observers" in told or not way.is_plain or any(each.reads_events for each in claims),
        further=any(each.needs_further for each in claims),
    )


def _parts(case: Case) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """What is expected, each with the number of the invocation that it is held against; -1 is the last."""
    told = case.part.value
    for i, invocation in enumerate(told.get("invocations", ())):
        yield i, {"expected": invocation["expected"]}
    yield -1, told


def _claims(told: Mapping[str, Any]) -> Iterator[Claim]:
    """Every assertion with what it expects, under `expected` and beside it."""
    expected = told.get("expected", {})
    yield from ((EXPECTED[key], value) for key, value in expected.items() if key in EXPECTED)
    for part in (told, expected):
        yield from ((EXPECTED_ERROR[key], value) for key, value in part.get("expected_error", {}).items())
        yield from ((INVARIANTS[key], value) for key, value in part.get("invariants", {}).items())


def _judge(case: Case, outcomes: Sequence[Outcome]) -> Iterator[str]:
    told, first = case.part.value, outcomes[0]
    yield from first.probe.faults
    if "expected_compile_error" in told:
        yield from _check_refusal(told["expected_compile_error"], first)
        return
    if first.refused is not None:
        yield f"the graph did not compile: {text_of(first.refused)}"
        return
    if "expected_compile_warning" in told:
        yield from _check_warnings(told["expected_compile_warning"], first)
    for outcome in outcomes:
        yield from _check_soundness(case, outcome)
    for i, part in _parts(case):
        if i >= 0:
            name = told["invocations"][i]["name"]
            yield from (f"invocation {name!r}, {reason}" for reason in _check_run(part, outcomes[i], is_alone=True))
        else:
            yield from _check_run(part, outcomes[i], is_alone="invocations" not in told)


def _check_refusal(category: str, outcome: Outcome) -> Iterator[str]:
    if outcome.notes.entered:
        yield f"node {outcome.notes.entered[0][1]!r} ran before the graph was compiled"
    if outcome.refused is None:
        yield f"expected_compile_error: expected {category!r}, but the graph compiled"
    elif getattr(outcome.refused, "category", None) != category:
        yield f"expected_compile_error: expected {category!r}, got {text_of(outcome.refused)}"


def _check_warnings(expected: list[str], outcome: Outcome) -> Iterator[str]:
    if set(expected) != set(outcome.warned):
        yield f"expected_compile_warning: expected {sorted(set(expected))}, got {sorted(set(outcome.warned))}"


def _check_run(told: Mapping[str, Any], outcome: Outcome, *, is_alone: bool) -> Iterator[str]:
    """Every claim; with `is_alone` also that the run failed if and only if an error is expected."""
    is_to_fail = "expected_error" in told or "expected_error" in told.get("expected", {})
    if is_alone and is_to_fail and outcome.error is None:
        yield "expected_error: the run did not fail"
    if is_alone and not is_to_fail and outcome.error is not None:
        yield f"the run failed, which is not expected: {text_of(outcome.error)}"
    for assertion, expected in _claims(told):
        yield from assertion.check(expected, outcome)


def _check_soundness(case: Case, outcome: Outcome) -> Iterator[str]:
    """What holds for every run: no strange warnings, the caller's ids, an order and events that fit what was seen."""
    raising = {watcher.name for watcher in outcome.watchers if watcher.behavior == "raise"}
    has_raised = any(each.observer in raising for each in outcome.notes.deliveries)
    allowed = {ObserverWarning.category} if has_raised else set()
    yield from (f"the run gave a warning of the category {name}" for name in outcome.news if name not in allowed)
    if has_raised and not outcome.news:
        yield "an observer raised, and nobody was warned"
    for word in ("invocation_id", "correlation_id"):
        wanted, got = case.part.value.get(f"caller_{word}"), getattr(outcome, word)
        if wanted not in (None, got) and not outcome.earlier:
            yield f"caller_{word}: expected {wanted!r}, got {got!r}"
    yield from _check_entered(case, outcome)
    yield from broken_rules(outcome)


def _check_entered(case: Case, outcome: Outcome) -> Iterator[str]:
    """The order that the run reports, against the bodies that the harness saw entered.

    Where middleware may have called a body several times, repetitions in a row count once.
    """
    nodes = case.body.value["nodes"]
    seen = [node for graph, node in outcome.notes.entered if graph == OUTERMOST]
    reported = [node for node in outcome.order if not BEHAVIOURS.keys().isdisjoint(nodes.get(node, ()))]
    if "middleware" in case.body.value or any("middleware" in node for node in nodes.values()):
        seen, reported = ([node for node, _ in itertools.groupby(order)] for order in (seen, reported))
    if seen != reported:
        yield f"the run reports that it entered {reported}, but the bodies were entered in the order {seen}"


def _disagreements(rounds: Sequence[Sequence[Outcome]]) -> Iterator[str]:
    """The ways in which an outcome differs from that of the first round."""
    for i, others in enumerate(rounds[1:], start=2):
        for first, other in zip(rounds[0], others, strict=True):
            place = f"run {i} ({other.way}) differs from the first ({first.way})"
            found = [*differences(_facts(first), _facts(other), place=place)]
            if not found and first.error is None and first.steps != other.steps:
                found = [f"{place}: its steps are others"]
            yield from found
    yield from _told_otherwise(rounds)


def _told_otherwise(rounds: Sequence[Sequence[Outcome]]) -> Iterator[str]:
    """The same for events, where nothing within a node makes their order free."""
    recorded = [outcomes for outcomes in rounds if all(outcome.has_all_events for outcome in outcomes)]
    for others in recorded[1:]:
        for first, other in zip(recorded[0], others, strict=True):
            if _outermost(first) != _outermost(other):
                yield f"observers are told {_outermost(other)} with {other.way}, {_outermost(first)} with {first.way}"


def _outermost(outcome: Outcome) -> list[tuple[str, str, int]]:
    events = [event for event in outcome.events if len(event.namespace) == 1]
    return [(event.node_name, event.phase, event.attempt_index) for event in events]


def _facts(outcome: Outcome) -> dict[str, Any]:
    error = outcome.error or outcome.refused
    return {
        "state": outcome.state,
        "execution_order": list(outcome.order),
        "error": None if error is None else type(error).__name__,
        "category": getattr(error, "category", None),
        "node": getattr(error, "node", None),
        "recoverable_state": values_of(getattr(error, "recoverable_state", None)),
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
