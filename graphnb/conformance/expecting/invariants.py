"""Claims by name. Those that can be checked are checked; those that repeat other assertions are known as such.

A name that is not here fails its case. Source: fixture language §10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import graphnb as gn
from graphnb.conformance.building.notes import values_of
from graphnb.conformance.expecting.claims import Assertion, Finds
from graphnb.conformance.expecting.drain_invariants import ABOUT_DRAINS, is_intact
from graphnb.conformance.expecting.isolation_invariants import ABOUT_ISOLATION
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.reading.shapes import text, true


def _never_ran(node: str, outcome: Outcome) -> Iterator[str]:
    """A node that never ran: its body was not entered, and no step, no failure and no event bears its name."""
    if node not in outcome.nodes:
        yield f"no_events_for_node: {node!r} is no node of the case"
    elif any(name == node for _, name in outcome.notes.entered):
        yield f"no_events_for_node: the body of {node!r} was entered"
    elif node in outcome.order or any(step.node == node for step in outcome.steps):
        yield f"no_events_for_node: the run has a step of {node!r}"
    elif any(event.node_name == node for event in outcome.events):
        yield f"no_events_for_node: observers were told of {node!r}"


def _edge_failed(outcome: Outcome) -> str:
    """The last event is that of a completed node which has the error of its edge, and no state after it."""
    if not outcome.events:
        return "there is no event"
    last = outcome.events[-1]
    if last.phase != "completed" or not isinstance(last.error, gn.EdgeException | gn.RoutingError):
        return f"the last event is {last!r}, want a completed one with the error of an edge"
    return "it has a state after the node" if last.post_state is not None else ""


def _skipped_silently(outcome: Outcome) -> str:
    """A branch whose `when` does not hold was not entered, and observers were not told of it."""
    skipped = 0
    for node, branch, field in _conditions(outcome):
        starts = [event for event in outcome.events if event.namespace == (node,) and event.phase == "started"]
        if not starts or any((values_of(event.pre_state) or {}).get(field) for event in starts):
            continue
        skipped += 1
        if any(node in event.namespace[:-1] and branch in event.branch_name_chain for event in outcome.events):
            return f"observers were told of branch {branch!r}"
        if any(name == branch and graph.endswith(f"/{node}") for graph, name in outcome.notes.entered):
            return f"the body of branch {branch!r} was entered"
    return "" if skipped else "no branch was skipped"


def _dispatched(outcome: Outcome) -> str:
    conditions = list(_conditions(outcome))
    seen = {name for event in outcome.events for name in event.branch_name_chain}
    missing = [branch for _, branch, _ in conditions if branch not in seen]
    if missing or not conditions:
        return f"observers were not told of {missing}" if missing else "no branch has a condition"
    return ""


def _conditions(outcome: Outcome) -> Iterator[tuple[str, str, str]]:
    """(node, branch, field) for each branch of the outermost graph that has a condition."""
    for node, told in outcome.case.body.value["nodes"].items():
        for branch, words in told.get("parallel_branches", {}).get("branches", {}).items():
            if "when" in words:
                yield node, branch, words["when"]["field"]


def _claim(name: str, finds: Finds, *, needs_further: bool = False) -> Assertion:
    def check(expected: bool, outcome: Outcome) -> Iterator[str]:  # noqa: FBT001  the case's value
        wrong = finds(outcome)
        if wrong:
            yield f"{name}: {wrong}"

    return Assertion(true, check, reads_events=True, needs_further=needs_further)


def _restated(expected: bool, outcome: Outcome) -> Iterator[str]:  # noqa: FBT001  the case's value
    """Says nothing that the case does not assert elsewhere, mostly by its final state."""
    return iter(())


_ABOUT_RUNS: Final[Mapping[str, Finds]] = {
    "edge_resolution_failure_in_completed_event": _edge_failed,
    "skipped_branch_emits_no_event": _skipped_silently,
    "when_false_branch_skipped": _skipped_silently,
    "when_true_branch_dispatches": _dispatched,
}
RESTATEMENTS: Final = (
    "absent_collect_field_yields_null_slot",
    "callable_branches_run_without_subgraph",
    "contributions_merge_via_parent_reducer",
    "extra_outputs_omission_is_null_slot",
    "extra_outputs_read_by_subgraph_field_name",
    "omitted_collect_field_yields_null_slot",
    "parent_keeps_prior_value",
    "sibling_branch_completed",
    "skipped_branch_no_contribution",
    "uncovered_projected_field_skipped",
)
"""Names that say nothing by themselves."""
_INTACT: Final = (
    "graph_state_intact_after_timeout",
    "graph_state_intact_after_per_invocation_drain_timeout",
)

INVARIANTS: Final[Mapping[str, Assertion]] = {
    "no_events_for_node": Assertion(text, _never_ran, reads_events=True),
    **{name: _claim(name, finds) for name, finds in {**_ABOUT_RUNS, **ABOUT_DRAINS, **ABOUT_ISOLATION}.items()},
    **{name: _claim(name, is_intact, needs_further=True) for name in _INTACT},
    **{name: Assertion(true, _restated) for name in RESTATEMENTS},
}
"""What may stand under `invariants`."""
