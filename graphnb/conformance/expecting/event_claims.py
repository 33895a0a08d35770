"""What can be claimed of many events together: which of them a claim is about, and what is read from them.

"Inner" events are those of nodes within a node. Source: fixture language §9.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.reading.shapes import Shape, at_least, each, flag, keyed, many, nullable, text

Events = Sequence[gn.NodeEvent]
Choose = Callable[[Events, str], Events]
Read = Callable[[Events], Any]


@dataclass(frozen=True, slots=True)
class EventClaim:
    """One claim: which events it is about, given the name that it begins with, and what is read from them.

    A set of values is expected as a list in any order. Without any event the claim fails, except for a count and
    for whether one is `present`.
    """

    shape: Shape
    choose: Choose
    read: Read
    is_set: bool = False
    may_be_none: bool = False


def _inner(events: Events, name: str) -> Events:
    return [event for event in events if len(event.namespace) > 1]


def _of_node(events: Events, name: str) -> Events:
    return [event for event in events if event.node_name == name]


def _of_branch(events: Events, name: str) -> Events:
    return [event for event in _inner(events, "") if event.branch_name == name]


def _started_in_branch(events: Events, name: str) -> Events:
    return [event for event in _of_branch(events, name) if event.phase == "started"]


def _in_instances(events: Events, name: str) -> Events:
    return [event for event in _inner(events, "") if event.fan_out_index is not None]


def _elsewhere(events: Events, name: str) -> Events:
    """The inner events of branches in which no event belongs to an instance, or of the one that is named."""
    spread = {event.branch_name for event in _in_instances(events, "")}
    others = [event for event in _inner(events, "") if event.branch_name not in spread]
    return [event for event in others if name in ("", event.branch_name)]


def _everything(events: Events, name: str) -> Events:
    return events


def _values(attribute: str) -> Read:
    def read(events: Events) -> list[Any]:
        return [getattr(event, attribute) for event in events if getattr(event, attribute) is not None]

    return read


def _chains(attribute: str) -> Read:
    return lambda events: [list(getattr(event, attribute)) for event in events]


def _every(holds: Callable[[gn.NodeEvent], bool]) -> Read:
    return lambda events: all(map(holds, events))


def _are_unique(identity: Callable[[gn.NodeEvent], object]) -> Read:
    return lambda events: len({identity(event) for event in events}) == len(events)


def _is_innermost(event: gn.NodeEvent) -> bool:
    indices = [index for index in event.fan_out_index_chain if index is not None]
    return event.fan_out_index == (indices[-1] if indices else None)


def _one_branch(events: Events) -> Any:
    names = list(dict.fromkeys(event.branch_name for event in events))
    return names[0] if len(names) == 1 else names


def _first_started(events: Events) -> list[str]:
    started = [event.branch_name for event in events if event.phase == "started" and event.branch_name is not None]
    return list(dict.fromkeys(started))


def _count_of_each(events: Events) -> Any:
    """How many events each instance has: one number if it is the same for all."""
    counts = Counter(event.fan_out_index for event in events)
    return next(iter(counts.values())) if len(set(counts.values())) == 1 else sorted(counts.values())


def _branchless(events: Events) -> Callable[[dict[str, list[str]], str], Iterator[str]]:
    def check(expected: dict[str, list[str]], place: str) -> Iterator[str]:
        for node in expected["nodes"]:
            names = {event.branch_name for event in _of_node(events, node)}
            if names != {None}:
                yield f"{place}: expected events of {node!r} without a branch, got {sorted(map(str, names))}"

    return check


def _in_branches(events: Events) -> Callable[[dict[str, str], str], Iterator[str]]:
    def check(expected: dict[str, str], place: str) -> Iterator[str]:
        for node, branch in expected.items():
            names = {event.branch_name for event in _of_node(_inner(events, ""), node)}
            if names != {branch}:
                yield f"{place}: expected events of {node!r} in branch {branch!r}, got {sorted(map(str, names))}"

    return check


def _place_of(event: gn.NodeEvent) -> tuple[object, ...]:
    return (event.namespace, event.branch_name, event.fan_out_index, event.attempt_index, event.phase)


def _exact_place_of(event: gn.NodeEvent) -> tuple[object, ...]:
    chains = event.branch_name_chain, event.fan_out_index_chain
    return (event.namespace, *chains, event.attempt_index, event.phase)


_COUNT: Final = at_least(0)
_INDICES: Final = many(_COUNT, some=True)
_NAMES: Final = many(text, some=True)
_INDEX_CHAINS: Final = many(many(nullable(_COUNT)), some=True)
_NAME_CHAINS: Final = many(many(nullable(text)), some=True)
_indices_seen: Final = EventClaim(_INDICES, _inner, _values("fan_out_index"), is_set=True)
_attempts_seen: Final = EventClaim(_INDICES, _inner, _values("attempt_index"), is_set=True)
_has_index: Final = _every(lambda event: event.fan_out_index is not None)
_ABOUT_OTHERS: Final[Mapping[str, EventClaim]] = {
    "_inner_events_carry_branch_name_but_no_fan_out_index": EventClaim(
        flag, _elsewhere, _every(lambda event: event.branch_name is not None and event.fan_out_index is None)
    ),
    "_inner_branch_name_seen": EventClaim(text, _elsewhere, _one_branch),
}

CLAIMS: Final[Mapping[str, EventClaim]] = {
    "inner_event_count": EventClaim(_COUNT, _inner, len, may_be_none=True),
    "inner_fan_out_indices_seen": _indices_seen,
    "fan_out_indices_seen": _indices_seen,
    "inner_branch_names_seen": EventClaim(_NAMES, _inner, _values("branch_name"), is_set=True),
    "inner_attempt_indices_seen": _attempts_seen,
    "inner_events_attempt_indices_seen": _attempts_seen,
    "inner_events_have_fan_out_index": EventClaim(flag, _inner, _has_index),
    "inner_event_pair_count_per_instance": EventClaim(_COUNT, _in_instances, _count_of_each),
    "inner_event_identities_unique": EventClaim(flag, _inner, _are_unique(_place_of)),
    "outermost_events_have_no_branch_name": EventClaim(keyed({"nodes": _NAMES}), _everything, _branchless),
    "inner_events_carry_correct_branch_name": EventClaim(each(text, some=True), _everything, _in_branches),
    "branch_started_event_order": EventClaim(_NAMES, _inner, _first_started),
    "fan_out_inner_events_carry_both_branch_name_and_fan_out_index": EventClaim(
        flag, _in_instances, _every(lambda event: event.branch_name is not None)
    ),
    "fan_out_inner_branch_name_seen": EventClaim(text, _in_instances, _one_branch),
    "fan_out_inner_fan_out_indices_seen": EventClaim(_INDICES, _in_instances, _values("fan_out_index"), is_set=True),
    **{f"plain{suffix}": claim for suffix, claim in _ABOUT_OTHERS.items()},  # "plain" need be no name
}
"""Claims by their whole key."""
_ABOUT_INDICES: Final[Mapping[str, EventClaim]] = {
    "_fan_out_index_absent": EventClaim(flag, _of_node, _every(lambda event: event.fan_out_index is None)),
    "_fan_out_index_chain_empty": EventClaim(flag, _of_node, _every(lambda event: event.fan_out_index_chain == ())),
    "_fan_out_index_chains_seen": EventClaim(_INDEX_CHAINS, _of_node, _chains("fan_out_index_chain"), is_set=True),
    "_branch_name_chains_seen": EventClaim(_NAME_CHAINS, _of_node, _chains("branch_name_chain"), is_set=True),
    "_scalar_fan_out_index_equals_innermost_chain_element": EventClaim(flag, _of_node, _every(_is_innermost)),
    "_scalar_branch_name_absent": EventClaim(flag, _of_node, _every(lambda event: event.branch_name is None)),
    "_event_identities_unique_by_chain": EventClaim(flag, _of_node, _are_unique(_exact_place_of)),
    "_scalar_fan_out_index_not_unique_across_outer_instances": EventClaim(
        flag, _of_node, lambda events: not _are_unique(_place_of)(events)
    ),
}
CLAIMS_BY_SUFFIX: Final[Mapping[str, EventClaim]] = {
    "_node_events_count": EventClaim(_COUNT, _of_node, len, may_be_none=True),
    **_ABOUT_OTHERS,
    **_ABOUT_INDICES,
    **{f"_node{suffix}": claim for suffix, claim in _ABOUT_INDICES.items()},
    "_started_present": EventClaim(
        flag, _of_node, lambda events: any(event.phase == "started" for event in events), may_be_none=True
    ),
    "_completed_present": EventClaim(
        flag, _of_node, lambda events: any(event.phase == "completed" for event in events), may_be_none=True
    ),
    "_inner_attempt_indices_seen": EventClaim(_INDICES, _started_in_branch, _values("attempt_index")),
}
"""Claims by what follows a node's or a branch's name."""
