"""Claims by name: each that can be checked fails where it does not hold, and one that is not known always fails."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import graphnb as gn
from graphnb.conformance.building.notes import Delivered, Notes
from graphnb.conformance.expecting.drain_invariants import ABOUT_DRAINS
from graphnb.conformance.expecting.invariants import INVARIANTS, RESTATEMENTS
from graphnb.conformance.expecting.isolation_invariants import ABOUT_ISOLATION
from graphnb.conformance.invocations import Wanted, outcomes_of
from graphnb.conformance.outcomes import WAYS, Outcome
from graphnb.conformance.reading.cases import cases_of
from tests.conformance.written import BRANCHES, ISOLATED, SOUND, changed, reason_of

CAUGHT = "          {kind: record_to_state_side_channel, increment_field: calls, capture_message_field: said}\n"
RETRIED = changed(
    changed(
        ISOLATED,
        CAUGHT,
        f"{CAUGHT}      - {{type: retry, max_attempts: 2, classifier: {{transient_categories: [cold]}}}}\n",
    ),
    "- {category: null, message: slip",
    "- {category: cold, message: brr}\n        - {category: null, message: slip",
)
"""An isolated failure after two attempts."""


@pytest.fixture
def outcome(tmp_path: Path) -> Callable[[str], Outcome]:
    """A maker of the outcome of one case, run in one way with events recorded."""

    def make(text: str) -> Outcome:
        path = tmp_path / "case.yaml"
        path.write_text(text)
        (case,) = cases_of(path)
        return outcomes_of(case, WAYS[0], wanted=Wanted(records=True))[-1]

    return make


def told(name: str, outcome: Outcome) -> str:
    """What the claim says of the outcome, without its name."""
    return "; ".join(INVARIANTS[name].check(True, outcome)).removeprefix(f"{name}: ")


def noted(outcome: Outcome, **changes: Any) -> Outcome:
    """The outcome with some of its notes written otherwise."""
    return replace(outcome, notes=replace(outcome.notes, **changes))


HOLD = {
    "callable_branch_failure_isolated_and_degraded": ISOLATED,
    "caught_exception_category_null_for_non_categorized": None,
    "caught_exception_message_captures_str_exc": None,
    "category_resolves_through_node_exception_wrapper": None,
    "chain_includes_carrier_and_originating": None,
    "node_level_chain_is_single_non_carrier_link": None,
    "uncategorized_cause_yields_null_derived_category": None,
    "outer_to_inner_ordering_load_bearing": RETRIED,
    "retry_exhausts_before_isolation_catches": RETRIED,
    "strict_reducer_null_slot_raises": None,
    "degrade_does_not_suppress_reducer_error": None,
    "catch_non_matching_propagates": None,
    "no_event_when_catch_does_not_match": None,
    "no_event_when_predicate_does_not_match": None,
    "non_matching_exception_propagates": None,
}
"""Claims that do not hold for ISOLATED; with the case for which they hold instead, None where another test has it."""


@pytest.mark.parametrize("name", sorted(ABOUT_ISOLATION))
def test_claim_about_isolation_fails_where_nothing_was_isolated(outcome: Callable[[str], Outcome], name: str) -> None:
    """A run that ended well, without any failure, proves none of them; the case it is about proves it."""
    text = HOLD.get(name, ISOLATED)

    assert "" != told(name, outcome(SOUND))
    assert text is None or "" == told(name, outcome(text))


@pytest.mark.parametrize("name", sorted(ABOUT_DRAINS))
def test_claim_about_drains_fails_where_nothing_was_drained(outcome: Callable[[str], Outcome], name: str) -> None:
    """A run without a drain proves none of them."""
    assert "" != told(name, outcome(SOUND))


BARE = changed(changed(ISOLATED, ", cause: {category: greasy, message: butter}", ""), "        catch: [greasy]\n", "")


@pytest.mark.parametrize(
    "name",
    [
        "caught_exception_category_null_for_non_categorized",
        "caught_exception_message_captures_str_exc",
        "node_level_chain_is_single_non_carrier_link",
        "uncategorized_cause_yields_null_derived_category",
    ],
)
def test_claim_about_a_bare_failure_holds_for_one_and_fails_for_another(
    outcome: Callable[[str], Outcome], name: str
) -> None:
    """An exception without category and cause; ISOLATED has both."""
    assert "" == told(name, outcome(BARE))
    assert "the causes are Causes(" in told(name, outcome(ISOLATED)) or "the message is 'butter'" in told(
        name, outcome(ISOLATED)
    )


CARRIED = """\
state: {fields: {eggs: {type: int, default: 2}, log: {type: list<string>, reducer: append, default: []}}}
entry: cook
nodes:
  cook:
    parallel_branches:
      branches:
        left:
          call: {flaky: {failure_sequence: [{category: greasy, message: slip}]}}
          middleware: []
edges: [{from: cook, to: END}]
middleware:
  per_node:
    cook: [{type: failure_isolation, event_name: e, degraded_update: {eggs: 1}}]
"""


@pytest.mark.parametrize(
    "name", ["category_resolves_through_node_exception_wrapper", "chain_includes_carrier_and_originating"]
)
def test_claim_about_carriers_holds_for_what_came_out_of_a_branch(outcome: Callable[[str], Outcome], name: str) -> None:
    """The failure of a branch is carried by the node's error; a node's own failure is not carried."""
    assert "" == told(name, outcome(CARRIED))
    assert "the causes are Causes(" in told(name, outcome(ISOLATED))


@pytest.mark.parametrize(
    "name",
    [
        "catch_non_matching_propagates",
        "no_event_when_catch_does_not_match",
        "no_event_when_predicate_does_not_match",
        "non_matching_exception_propagates",
    ],
)
def test_claim_that_a_failure_went_through_fails_where_it_was_isolated(
    outcome: Callable[[str], Outcome], name: str
) -> None:
    """It holds for a run that failed and isolated nothing."""
    through = outcome(ISOLATED.replace("[greasy]", "[dry]"))

    assert "" == told(name, through)
    assert "the run did not fail" == told(name, outcome(ISOLATED))
    assert "1 failures were isolated" == told(name, noted(through, deliveries=outcome(ISOLATED).notes.deliveries))


@pytest.mark.parametrize("name", ["strict_reducer_null_slot_raises", "degrade_does_not_suppress_reducer_error"])
def test_claim_that_a_reducer_raised_needs_its_error_and_an_isolated_failure(
    outcome: Callable[[str], Outcome], name: str
) -> None:
    """The degraded update is folded like any other, and a reducer may refuse it."""
    refused = changed(ISOLATED, "degraded_update: {eggs: 1}", "degraded_update: {eggs: 1, log: 5}").replace(
        "    said: {", "    log: {type: list<string>, reducer: append, default: []}\n    said: {"
    )

    assert "" == told(name, outcome(refused))
    assert "the run ended with None, want reducer_error" == told(name, outcome(ISOLATED))
    assert "no failure was isolated" == told(name, noted(outcome(refused), deliveries=[]))


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("on_caught_fires_exactly_once", {"caught": [({}, ValueError()), ({}, ValueError())]}, "was called 2 times"),
        ("on_caught_receives_original_exception", {"caught": [({}, ValueError("x"))]}, "which no mock has raised"),
        ("on_caught_receives_original_exception", {"caught": []}, "on_caught was not called"),
        ("framework_event_still_emits_with_on_caught", {"deliveries": []}, "0 events for 1 calls of on_caught"),
        ("caught_exception_message_captures_str_exc", {"raised": [ValueError("other")]}, "mocks have raised ['other']"),
        ("engine_does_not_see_exception", {"deliveries": []}, "no failure was isolated"),
    ],
)
def test_claim_about_isolation_fails_for_other_notes(
    outcome: Callable[[str], Outcome], name: str, changes: dict[str, Any], reason: str
) -> None:
    """What on_caught was given, and what observers were told, is looked at."""
    assert reason in told(name, noted(outcome(ISOLATED), **changes))


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("engine_sees_degraded_return", {"steps": ()}, "'crack' has no step"),
        ("engine_sees_degraded_return", {"error": ValueError("x")}, "the run failed with ValueError('x')"),
    ],
)
def test_claim_that_the_engine_saw_nothing_fails_for_another_outcome(
    outcome: Callable[[str], Outcome], name: str, changes: dict[str, Any], reason: str
) -> None:
    """The run must have ended well, with a step of the node."""
    assert reason == told(name, replace(outcome(ISOLATED), **changes))


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("event_name_is_caller_supplied", {"event_name": "x"}, "an event is named 'x', which the case does not say"),
        ("category_not_masked_as_node_exception", "node_exception", "the causes are Causes("),
        ("derived_category_is_outermost_non_carrier_with_category", "other", "the causes are Causes("),
        ("chain_has_two_non_carrier_links", None, "the causes are Causes("),
    ],
)
def test_claim_about_the_event_fails_for_another_event(
    outcome: Callable[[str], Outcome], name: str, change: Any, reason: str
) -> None:
    """Its name, its category and its chain are looked at."""
    isolated = outcome(ISOLATED)
    (event,) = isolated.isolated
    causes = gn.Causes(event.caught_exception.links[:1] if change is None else event.caught_exception.links, change, "")
    changes = change if isinstance(change, dict) else {"caught_exception": causes}
    other = noted(isolated, deliveries=[Delivered("(recorder)", replace(event, **changes))])

    assert "" == told(name, isolated)
    assert reason in told(name, other)


def test_claim_that_attempts_were_exhausted_fails_for_another_attempt(outcome: Callable[[str], Outcome]) -> None:
    """The isolated failure must be that of the last attempt."""
    isolated = outcome(RETRIED)
    (event,) = isolated.isolated
    early = replace(event, lineage=replace(event.lineage, attempt_index=0))
    deliveries = [each._replace(event=early) if each.event is event else each for each in isolated.notes.deliveries]

    assert "came at attempt 0 of [0, 1]" in told(
        "retry_exhausts_before_isolation_catches", noted(isolated, deliveries=deliveries)
    )


EDGE = SOUND.replace("{from: whisk, to: END}", "{from: whisk, condition: {callable: edge_raises, message: m}, to: END}")


def test_claim_that_an_edge_failed_needs_its_error_on_the_last_event(outcome: Callable[[str], Outcome]) -> None:
    """It holds for an edge that raised, not for a node that raised, nor for a run without events."""
    name = "edge_resolution_failure_in_completed_event"
    raised = changed(SOUND, "{update_from_field: {eggs: eggs, multiplier: 2}}", "{raises: x}")

    assert "" == told(name, outcome(EDGE))
    assert "want a completed one with the error of an edge" in told(name, outcome(raised))
    assert "there is no event" == told(name, noted(outcome(EDGE), deliveries=[]))


@pytest.mark.parametrize("name", ["skipped_branch_emits_no_event", "when_false_branch_skipped"])
def test_claim_that_a_branch_was_skipped_fails_where_none_was(outcome: Callable[[str], Outcome], name: str) -> None:
    """It holds where the condition does not, and nothing is entered and told."""
    skipped, run = outcome(BRANCHES), outcome(BRANCHES.replace("bool, default: false", "bool, default: true"))
    entered = [*skipped.notes.entered, ("/cook", "salt")]

    assert "" == told(name, skipped)
    assert "no branch was skipped" == told(name, run)
    assert "the body of branch 'salt' was entered" == told(name, noted(skipped, entered=entered))


def test_claim_that_a_branch_was_dispatched_fails_where_it_was_not(outcome: Callable[[str], Outcome]) -> None:
    """Observers must have been told of it."""
    name = "when_true_branch_dispatches"

    assert "" == told(name, outcome(BRANCHES.replace("bool, default: false", "bool, default: true")))
    assert "observers were not told of ['salt']" == told(name, outcome(BRANCHES))
    assert "no branch has a condition" == told(name, outcome(SOUND))


def test_claim_that_a_node_has_no_events_looks_at_events(outcome: Callable[[str], Outcome]) -> None:
    """A body that was not entered, without a step, and yet with an event."""
    sound = outcome(SOUND)
    silent = replace(noted(sound, entered=[]), order=(), steps=())

    assert ["no_events_for_node: observers were told of 'crack'"] == [
        *INVARIANTS["no_events_for_node"].check("crack", silent)
    ]


@pytest.mark.parametrize("name", sorted(RESTATEMENTS))
def test_restatement_is_known_and_is_no_reason_to_pass(tmp_path: Path, name: str) -> None:
    """It passes beside something that is checked; alone, or false, or misspelt it fails."""
    text = f"{SOUND}invariants: {{{name}: true}}\n"
    alone = f"{SOUND[: SOUND.index('expected:')]}invariants: {{{name}: true}}\n"

    assert "" == reason_of(tmp_path, text)
    assert "invariants: asserts nothing by itself" in reason_of(tmp_path, alone)
    assert "must be true" in reason_of(tmp_path, text.replace(": true}", ": false}"))
    assert f"not supported yet: {name}s" in reason_of(tmp_path, text.replace(name, f"{name}s"))


def test_notes_of_an_invocation_are_its_own() -> None:
    """An observer's events are told apart by the invocation, and are none where nothing was noted."""
    assert () == Notes().of("cook")
