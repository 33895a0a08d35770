"""What holds for the events of every run, whatever a case says of them. Source: graph-engine §6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import graphnb as gn
from graphnb.conformance.expecting.event_claims import Events
from graphnb.conformance.outcomes import Outcome


def broken_rules(outcome: Outcome) -> Iterator[str]:
    """One text per rule that an event breaks; nothing where the harness did not record them."""
    if not outcome.is_recorded:
        return
    events = outcome.events
    for event in events:
        for rule in _broken_by(event, outcome):
            yield f"event {event!r} {rule}"
    if outcome.has_all_events:
        yield from _broken_attempts(events)
        yield from _broken_order(events, outcome)


def _broken_by(event: gn.NodeEvent, outcome: Outcome) -> Iterator[str]:
    depth = len(event.namespace) - 1
    chains = event.fan_out_index_chain, event.branch_name_chain
    if depth < 0 or event.node_name != event.namespace[-1]:
        yield "does not end its namespace with its own name"
    if len(event.parent_states) != depth:
        yield f"has {len(event.parent_states)} parent states, want {depth}"
    if any(len(chain) != depth for chain in chains):
        yield f"has chains {chains}, want {depth} entries in each"
    if [event.fan_out_index, event.branch_name] != [_innermost(chain) for chain in chains]:
        yield f"has index {event.fan_out_index} and branch {event.branch_name}, its chains end otherwise: {chains}"
    ends = (event.post_state is not None) + (event.error is not None)
    if ends != (event.phase == "completed"):
        yield f"has {ends} of post_state and error"
    if event.invocation_id != outcome.invocation_id:
        yield "belongs to another invocation"
    if event.correlation_id != outcome.correlation_id:
        yield "has another correlation id than the run"


def _innermost(chain: Sequence[object]) -> object:
    return next((each for each in reversed(chain) if each is not None), None)


def _broken_attempts(events: Events) -> Iterator[str]:
    """An attempt starts before it completes, and completes once; one of the outermost graph always does."""
    under_way: dict[object, gn.NodeEvent] = {}
    for event in events:
        key = event.namespace, event.fan_out_index_chain, event.branch_name_chain, event.step
        before = under_way.pop(key, None)
        if event.phase == "started":
            under_way[key] = event
            if before is not None:
                yield f"event {event!r} starts an attempt before the one before it has completed"
        elif before is None or before.attempt_index != event.attempt_index:
            yield f"event {event!r} completes what has not started"
    yield from (f"event {event!r} is never completed" for event in under_way.values() if len(event.namespace) == 1)


def _broken_order(events: Events, outcome: Outcome) -> Iterator[str]:
    """Steps count from 0 without a gap; the outermost nodes come as the run says that it entered them."""
    steps = {event.step: event for event in events}
    if set(steps) != set(range(len(steps))):
        yield f"the steps of the events are {sorted(steps)}, want each number from 0 on"
    nodes = outcome.case.body.value["nodes"]
    seen = [event.node_name for _, event in sorted(steps.items()) if len(event.namespace) == 1]
    order = [name for name in outcome.order if "subgraph" not in nodes.get(name, {})]
    if seen != order:
        yield f"by its events the run has entered {seen}, by its own account {order}"
