"""Events that observers received, against those that are expected. Source: fixture language §9.4.

Number and order are exact; of each event what is expected must be so, and the rest is not looked at.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.notes import RECORDER, values_of
from graphnb.conformance.building.observers import phase
from graphnb.conformance.compare import differences
from graphnb.conformance.expecting.claims import Assertion
from graphnb.conformance.expecting.event_invariants import EVENT_INVARIANTS, check_invariants
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.reading.shapes import (
    Shape,
    anything,
    at_least,
    each,
    either,
    flag,
    keyed,
    many,
    nullable,
    text,
)
from graphnb.errors.text import shown

Reader = Callable[[gn.NodeEvent], Any]


def _error(event: gn.NodeEvent) -> str | None:
    return None if event.error is None else event.error.category


def _config(config: Any) -> dict[str, Any] | None:
    if config is None:
        return None
    entries = dataclasses.asdict(config).items()
    return {key: list(value) if isinstance(value, tuple) else value for key, value in entries}


_STATE: Final = each(anything)
_READERS: Final[Mapping[str, tuple[Shape, Reader]]] = {
    "step": (at_least(0), lambda event: event.step),
    "phase": (phase, lambda event: event.phase),
    "node_name": (text, lambda event: event.node_name),
    "namespace": (many(text), lambda event: list(event.namespace)),
    "attempt_index": (at_least(0), lambda event: event.attempt_index),
    "fan_out_index": (nullable(at_least(0)), lambda event: event.fan_out_index),
    "branch_name": (nullable(text), lambda event: event.branch_name),
    "fan_out_index_chain": (many(nullable(at_least(0))), lambda event: list(event.fan_out_index_chain)),
    "branch_name_chain": (many(nullable(text)), lambda event: list(event.branch_name_chain)),
    "pre_state": (_STATE, lambda event: values_of(event.pre_state)),
    "post_state": (nullable(_STATE), lambda event: values_of(event.post_state)),
    "parent_states": (many(_STATE), lambda event: [values_of(each) for each in event.parent_states]),
    "error": (either(keyed({"category": text}), nullable(text)), _error),
    "error_category": (nullable(text), lambda event: event.error_category),
    "error_absent": (flag, lambda event: event.error is None),
    "fan_out_config": (nullable(_STATE), lambda event: _config(event.fan_out_config)),
    "parallel_branches_config": (nullable(_STATE), lambda event: _config(event.parallel_branches_config)),
}
_EVENT: Final = keyed({}, {key: shape for key, (shape, _) in _READERS.items()})
EVENT_LIST: Final = many(_EVENT)
"""The shape of a list of events."""


def events_differ(expected: Sequence[Any], got: Sequence[gn.NodeEvent], *, place: str) -> Iterator[str]:
    """One text per difference between the events that are expected and those that came."""
    if len(expected) != len(got):
        yield f"{place}: expected {len(expected)} events, got {len(got)}: {_listed(got)}"
        return
    for i, (wanted, event) in enumerate(zip(expected, got, strict=True)):
        yield from event_differs(wanted, event, place=f"{place}[{i}]")


def event_differs(expected: Mapping[str, Any], event: gn.NodeEvent, *, place: str) -> Iterator[str]:
    """The same for one event."""
    for key, value in expected.items():
        wanted = value["category"] if key == "error" and isinstance(value, dict) else value
        yield from differences(wanted, _READERS[key][1](event), place=f"{place}.{key}")


def _listed(events: Sequence[gn.NodeEvent]) -> str:
    return shown([f"{'/'.join(event.namespace)} {event.phase}" for event in events])


def _observer_events(expected: Any, outcome: Outcome) -> Iterator[str]:
    """Those of each observer that is named; a bare list has those of the harness's own."""
    if isinstance(expected, list):
        yield from events_differ(expected, outcome.events, place="observer_events")
        return
    for name, events in expected.items():
        if not any(watcher.name == name for watcher in outcome.watchers):
            yield f"observer_events: {name!r} is no observer of the case"
        else:
            yield from events_differ(events, outcome.notes.of(name), place=f"observer_events.{name}")


def _delivery_order(expected: list[dict[str, Any]], outcome: Outcome) -> Iterator[str]:
    """Every delivery to an observer of the case, exactly."""
    got = [
        {"observer": observer, "step": event.step, "phase": event.phase}
        for observer, event in outcome.notes.deliveries
        if observer != RECORDER and isinstance(event, gn.NodeEvent)
    ]
    yield from differences(expected, got, place="delivery_order")


def _event_invariants(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """For the harness's own observer, and for each of the case that must have received the same."""
    views = [(RECORDER, outcome.events)]
    views += [(each.name, outcome.notes.of(each.name)) for each in outcome.watchers if each.sees_everything]
    for name, events in views:
        place = "observer_event_invariants" if name == RECORDER else f"observer_event_invariants, as {name!r} saw it"
        yield from check_invariants(expected, events, outcome=outcome, place=place)


def _observer_event(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """The one completed event of a node."""
    name = expected["node_name"]
    got = [event for event in outcome.events if event.node_name == name and event.phase == "completed"]
    if len(got) != 1:
        yield f"expected_observer_event: {name!r} completed {len(got)} times, want once"
    else:
        yield from event_differs(expected, got[0], place="expected_observer_event")


def _attempt_events(expected: list[dict[str, Any]], outcome: Outcome) -> Iterator[str]:
    """All events of the nodes that are named, in order."""
    names = {event["node_name"] for event in expected}
    got = [event for event in outcome.events if event.node_name in names]
    yield from events_differ(expected, got, place="expected_attempt_events")


_DELIVERY: Final = keyed({"observer": text, "step": at_least(0), "phase": phase})
_NAMED_EVENT: Final = keyed(
    {"node_name": text}, {key: shape for key, (shape, _) in _READERS.items() if key != "node_name"}
)

EVENTS: Final[Mapping[str, Assertion]] = {
    "observer_events": Assertion(either(each(EVENT_LIST, some=True), EVENT_LIST), _observer_events, reads_events=True),
    "delivery_order": Assertion(many(_DELIVERY), _delivery_order),
    "observer_event_invariants": Assertion(EVENT_INVARIANTS, _event_invariants, reads_events=True),
    "expected_observer_event": Assertion(_NAMED_EVENT, _observer_event, reads_events=True),
    "expected_attempt_events": Assertion(many(_NAMED_EVENT, some=True), _attempt_events, reads_events=True),
}
"""What may be expected of events."""
