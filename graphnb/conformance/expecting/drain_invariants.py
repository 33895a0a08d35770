"""Claims by name about drains, invocations and their ids: each function tells what is wrong, empty if nothing is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import graphnb as gn
from graphnb.conformance.building.notes import RECORDER
from graphnb.conformance.expecting.claims import Finds
from graphnb.conformance.outcomes import Outcome

_SLACK: Final = 0.5  # seconds by which a machine with much to do may be late
_COMPLETE: Final = gn.DrainSummary(0, timeout_reached=False)


def is_intact(outcome: Outcome) -> str:
    """One more run gives the same, and everything of it is delivered."""
    further = outcome.further
    if further is None or further.error is not None:
        return f"a further run failed with {further.error!r}" if further is not None else "there was no further run"
    if (further.state, further.order) != (outcome.state, outcome.order):
        return f"a further run gave {further.state}, this one {outcome.state}"
    return _lacks(further)


def _in_time(outcome: Outcome) -> str:
    drain = outcome.drain
    if drain is None or drain.timeout is None:
        return "the case asks for no drain with a timeout"
    is_late = drain.seconds > drain.timeout + _SLACK
    return f"it took {drain.seconds:.2f} seconds, want at most {drain.timeout}" if is_late else ""


def _waited(outcome: Outcome) -> str:
    """The drain after the run has ended when everything was delivered."""
    if outcome.drain is None:
        return "the case asks for no drain"
    if outcome.drain.summary != _COMPLETE:
        return f"the drain gave {outcome.drain.summary}"
    deliveries = len(outcome.notes.deliveries)
    if outcome.drain.delivered != deliveries or not deliveries:
        return f"{outcome.drain.delivered} of {deliveries} deliveries were done when the drain had ended"
    return _lacks(outcome)


def _independent(outcome: Outcome) -> str:
    return _waited(outcome) or _mixes(outcome) if outcome.earlier else "there is no second invocation"


def _have_own_ids(outcome: Outcome) -> str:
    ids = [one.invocation_id for one in (*outcome.earlier, outcome)]
    if len(ids) < 2:
        return "there is one invocation only"
    return "" if len(set(ids)) == len(ids) and all(ids) else f"{len(ids)} invocations have {len(set(ids))} ids"


def _is_scoped(outcome: Outcome) -> str:
    """Nothing of one invocation is seen in another, and every drain that ended by itself has seen its own."""
    every = (*outcome.earlier, outcome)
    done = [one for one in every if all(not summary.timeout_reached for _, summary in one.notes.drains)]
    return _have_own_ids(outcome) or _mixes(outcome) or next(filter(None, map(_synchronized, done)), "")


def _synchronized(outcome: Outcome) -> str:
    """Every snapshot has all that was emitted up to the start of the node that took it, and no more."""
    if not outcome.notes.snapshots:
        return "no node has drained"
    emitted = outcome.notes.of(RECORDER, outcome.invocation_id)
    for (node, observer, events), (_, summary) in zip(outcome.notes.snapshots, outcome.notes.drains, strict=True):
        if summary != _COMPLETE:
            return f"the drain of {node!r} gave {summary}"
        received = emitted if _sees_everything(observer, outcome) else outcome.notes.of(observer)
        starts = [i for i, event in enumerate(emitted) if (event.node_name, event.phase) == (node, "started")]
        before = [tuple(event for event in emitted[: start + 1] if event in received) for start in starts]
        if events not in before:
            return f"{node!r} saw {len(events)} events of {observer!r}, want all up to its own start and no more"
    return ""


def _covers(attribute: str) -> Finds:
    def finds(outcome: Outcome) -> str:
        seen = {getattr(event, attribute) for _, _, events in outcome.notes.snapshots for event in events}
        return _synchronized(outcome) or ("" if seen - {None} else f"no event in a snapshot has a {attribute}")

    return finds


def _went_on(outcome: Outcome) -> str:
    """A node's drain ran out of time, and yet everything was delivered in the end."""
    every = (*outcome.earlier, outcome)
    if not any(summary.timeout_reached for one in every for _, summary in one.notes.drains):
        return "no drain of a node ran out of time"
    return next(filter(None, map(_lacks, every)), "")


def _lacks(outcome: Outcome) -> str:
    """What an observer has not received of the events that the harness's own one has."""
    for watcher in outcome.watchers:
        received = outcome.notes.of(watcher.name)
        if watcher.sees_everything and received != outcome.events:
            return f"observer {watcher.name!r} received {len(received)} of {len(outcome.events)} events"
    return ""


def _mixes(outcome: Outcome) -> str:
    for one in (*outcome.earlier, outcome):
        ids = {each.event.invocation_id for each in one.notes.deliveries}
        if not ids <= {one.invocation_id}:
            return f"during an invocation events of {len(ids)} invocations were delivered, want its own"
    return ""


def _sees_everything(observer: str, outcome: Outcome) -> bool:
    return any(watcher.name == observer and watcher.sees_everything for watcher in outcome.watchers)


ABOUT_DRAINS: Final[Mapping[str, Finds]] = {
    "drain_returned_within_timeout": _in_time,
    "drain_waited_for_all_events": _waited,
    "second_invocation_drain_independent_of_first": _independent,
    "each_invocation_has_unique_invocation_id": _have_own_ids,
    "drain_scopes_strictly_to_supplied_invocation_id": _is_scoped,
    "drain_events_for_synchronized_accumulator_read": _synchronized,
    "drain_returned_without_blocking_on_post_call_events": _synchronized,
    "drain_covered_all_fan_out_instances_via_shared_invocation_id": _covers("fan_out_index"),
    "drain_covered_all_parallel_branches_via_shared_invocation_id": _covers("branch_name"),
    "workers_not_cancelled_on_per_invocation_drain_timeout": _went_on,
}
"""What can be found out about drains."""
