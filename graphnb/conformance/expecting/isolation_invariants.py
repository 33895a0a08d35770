"""Claims by name about isolated failures: each function tells what is wrong, empty if nothing is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.expecting.claims import Finds
from graphnb.conformance.outcomes import Outcome


def _unseen(outcome: Outcome) -> str:
    """The engine has not seen the failure: the run ended well, and the node has a step like any other."""
    if outcome.error is not None:
        return f"the run failed with {outcome.error!r}"
    if not outcome.isolated:
        return "no failure was isolated"
    completed = {step.node for step in outcome.steps}
    missing = [event.lineage.namespace[0] for event in outcome.isolated if event.lineage.namespace[0] not in completed]
    return f"{missing[0]!r} has no step" if missing else ""


def _bears_its_name(outcome: Outcome) -> str:
    told = [outcome.case.part.value, outcome.case.shared.value if outcome.case.shared is not None else {}]
    names = {name for value in told for name in _event_names(value)}
    wrong = [event.event_name for event in outcome.isolated if event.event_name not in names]
    return f"an event is named {wrong[0]!r}, which the case does not say" if wrong else _unseen(outcome)


def _event_names(value: Any) -> set[Any]:
    """Everything that is declared as `event_name`, at any depth."""
    if isinstance(value, list):
        return set().union(*map(_event_names, value))
    if not isinstance(value, dict):
        return set()
    own = {value["event_name"]} if isinstance(value.get("event_name"), str) else set()
    return own.union(*map(_event_names, [each for key, each in value.items() if not key.startswith("expected")]))


def _none_isolated(outcome: Outcome) -> str:
    if outcome.error is None:
        return "the run did not fail"
    return f"{len(outcome.isolated)} failures were isolated" if outcome.isolated else ""


def _once(outcome: Outcome) -> str:
    count = len(outcome.notes.caught)
    return "" if count == 1 else f"on_caught was called {count} times"


def _original(outcome: Outcome) -> str:
    """What on_caught received is what a mock raised, or carries that."""
    for _, error in outcome.notes.caught:
        each: BaseException | None = error
        while each is not None and not any(each is raised for raised in outcome.notes.raised):
            each = each.__cause__
        if each is None:
            return f"on_caught received {error!r}, which no mock has raised"
    return "" if outcome.notes.caught else "on_caught was not called"


def _told_as_well(outcome: Outcome) -> str:
    if len(outcome.isolated) != len(outcome.notes.caught):
        return f"{len(outcome.isolated)} events for {len(outcome.notes.caught)} calls of on_caught"
    return _original(outcome) or _unseen(outcome)


def _exhausted(outcome: Outcome) -> str:
    """Each isolated failure is that of the last of several attempts."""
    for event in outcome.isolated:
        attempts = {each.attempt_index for each in outcome.events if each.namespace == event.lineage.namespace}
        if len(attempts) < 2 or max(attempts) != event.lineage.attempt_index:
            return f"{event!r} came at attempt {event.lineage.attempt_index} of {sorted(attempts)}"
    return _unseen(outcome)


def _says_what_was_raised(outcome: Outcome) -> str:
    texts = {str(error) for error in outcome.notes.raised}
    wrong = [event.caught_exception.message for event in outcome.isolated]
    wrong = [message for message in wrong if message not in texts]
    return f"the message is {wrong[0]!r}, mocks have raised {sorted(texts)}" if wrong else _unseen(outcome)


def _causes(holds: Callable[[gn.Causes], bool]) -> Finds:
    def finds(outcome: Outcome) -> str:
        wrong = [event.caught_exception for event in outcome.isolated if not holds(event.caught_exception)]
        return f"the causes are {wrong[0]}" if wrong else _unseen(outcome)

    return finds


def _has_outermost(causes: gn.Causes) -> bool:
    categories = [link.category for link in _bare(causes) if link.category is not None]
    return causes.category == (categories[0] if categories else None)


def _bare(causes: gn.Causes) -> list[gn.Cause]:
    return [link for link in causes.links if not link.is_carrier]


def _reducer_failed(outcome: Outcome) -> str:
    category = getattr(outcome.error, "category", None)
    if category != "reducer_error":
        return f"the run ended with {category}, want reducer_error"
    return "" if outcome.isolated else "no failure was isolated"


ABOUT_ISOLATION: Final[Mapping[str, Finds]] = {
    **dict.fromkeys(
        (
            "callable_branch_failure_isolated_and_degraded",
            "callable_receives_pre_merge_state",
            "callable_return_merges_via_reducer",
            "catch_matches_through_node_exception_carrier",
            "contribution_is_the_degraded_update",
            "default_predicate_catches_bare_exception",
            "degrade_path_does_not_raise",
            "degraded_return_reaches_engine_with_on_caught",
            "engine_does_not_see_exception",
            "engine_sees_degraded_return",
            "event_is_distinct_from_node_event",
            "fan_in_does_not_raise",
            "matching_exception_caught",
        ),
        _unseen,
    ),
    **dict.fromkeys(
        (
            "catch_non_matching_propagates",
            "no_event_when_catch_does_not_match",
            "no_event_when_predicate_does_not_match",
            "non_matching_exception_propagates",
        ),
        _none_isolated,
    ),
    "event_name_is_caller_supplied": _bears_its_name,
    "retry_exhausts_before_isolation_catches": _exhausted,
    "outer_to_inner_ordering_load_bearing": _exhausted,
    "on_caught_fires_exactly_once": _once,
    "on_caught_receives_original_exception": _original,
    "framework_event_still_emits_with_on_caught": _told_as_well,
    "caught_exception_message_captures_str_exc": _says_what_was_raised,
    "caught_exception_category_null_for_non_categorized": _causes(lambda causes: causes.category is None),
    "uncategorized_cause_yields_null_derived_category": _causes(lambda causes: causes.category is None),
    "category_not_masked_as_node_exception": _causes(lambda causes: causes.category != "node_exception"),
    "category_resolves_through_node_exception_wrapper": _causes(
        lambda causes: causes.links[0].is_carrier and causes.category not in (None, "node_exception")
    ),
    "chain_includes_carrier_and_originating": _causes(
        lambda causes: causes.links[0].is_carrier and len(_bare(causes)) > 0
    ),
    "chain_has_two_non_carrier_links": _causes(lambda causes: len(_bare(causes)) == 2),
    "node_level_chain_is_single_non_carrier_link": _causes(
        lambda causes: len(causes.links) == 1 and not causes.links[0].is_carrier
    ),
    "derived_category_is_outermost_non_carrier_with_category": _causes(_has_outermost),
    "strict_reducer_null_slot_raises": _reducer_failed,
    "degrade_does_not_suppress_reducer_error": _reducer_failed,
}
"""What can be found out about isolated failures."""
