"""Drains and what had been delivered by then, against what is expected. Source: fixture language §9.4, drain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.compare import differences
from graphnb.conformance.expecting.claims import Assertion
from graphnb.conformance.expecting.event_invariants import EVENT_INVARIANTS, check_invariants
from graphnb.conformance.expecting.events import EVENT_LIST, events_differ
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.reading.shapes import at_least, each, flag, keyed


def _summary_differs(expected: dict[str, Any], got: gn.DrainSummary, *, place: str) -> Iterator[str]:
    for key, value in expected.items():
        if key != "undelivered_count_min":
            yield from differences(value, getattr(got, key), place=f"{place}.{key}")
        elif got.undelivered_count < value:
            yield f"{place}.undelivered_count: expected at least {value}, got {got.undelivered_count}"


def _drain_summary(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    if outcome.drain is None:
        yield "drain_summary: the case asks for no drain"
    else:
        yield from _summary_differs(expected, outcome.drain.summary, place="drain_summary")


def _node_summaries(expected: dict[str, dict[str, Any]], outcome: Outcome) -> Iterator[str]:
    """Of every node that is named its one drain."""
    for node, summary in expected.items():
        got = [each for name, each in outcome.notes.drains if name == node]
        place = f"node_drain_summaries.{node}"
        if len(got) == 1:
            yield from _summary_differs(summary, got[0], place=place)
        else:
            yield f"{place}: the node drained {len(got)} times, want once"


def _snapshots(expected: dict[str, dict[str, list[Any]]], outcome: Outcome) -> Iterator[str]:
    """What the observer had received of this invocation when the node's drain ended, every event of it."""
    for place, events, got in _each_snapshot("node_accumulator_snapshots", expected, outcome=outcome):
        yield from _missing(place) if got is None else events_differ(events, got, place=place)


def _snapshot_invariants(expected: dict[str, dict[str, Any]], outcome: Outcome) -> Iterator[str]:
    for place, claims, got in _each_snapshot("node_accumulator_snapshot_invariants", expected, outcome=outcome):
        yield from _missing(place) if got is None else check_invariants(claims, got, outcome=outcome, place=place)


def _missing(place: str) -> Iterator[str]:
    yield f"{place}: no such snapshot was taken"


def _final_state(expected: dict[str, list[Any]], outcome: Outcome) -> Iterator[str]:
    """What an observer has received of this invocation in the end."""
    for observer, events in expected.items():
        place = f"final_accumulator_state.{observer}"
        if any(watcher.name == observer for watcher in outcome.watchers):
            yield from events_differ(events, outcome.notes.of(observer, outcome.invocation_id), place=place)
        else:
            yield f"{place}: there is no such observer"


def _each_snapshot(
    key: str, expected: dict[str, dict[str, Any]], *, outcome: Outcome
) -> Iterator[tuple[str, Any, tuple[gn.NodeEvent, ...] | None]]:
    """The place, what is expected there, and the one snapshot that was taken; None if there is none or several."""
    for node, by_observer in expected.items():
        for observer, value in by_observer.items():
            got = [events for name, other, events in outcome.notes.snapshots if (name, other) == (node, observer)]
            yield f"{key}.{node}.{observer}", value, got[0] if len(got) == 1 else None


_SUMMARY: Final = keyed(
    {}, {"timeout_reached": flag, "undelivered_count": at_least(0), "undelivered_count_min": at_least(0)}
)

DRAINS: Final[Mapping[str, Assertion]] = {
    "drain_summary": Assertion(_SUMMARY, _drain_summary),
    "node_drain_summaries": Assertion(each(_SUMMARY, some=True), _node_summaries),
    "node_accumulator_snapshots": Assertion(each(each(EVENT_LIST, some=True), some=True), _snapshots),
    "node_accumulator_snapshot_invariants": Assertion(
        each(each(EVENT_INVARIANTS, some=True), some=True), _snapshot_invariants
    ),
    "final_accumulator_state": Assertion(each(EVENT_LIST, some=True), _final_state),
}
"""What may be expected of drains."""
