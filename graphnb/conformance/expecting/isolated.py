"""Failures that were isolated, against what is expected of them. Source: fixture language §9.5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.notes import values_of
from graphnb.conformance.compare import differences
from graphnb.conformance.expecting.claims import Assertion
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.reading.shapes import anything, at_least, each, flag, keyed, many, nullable, text, true
from graphnb.state.values.detach import detach

_PLACE: Final = "expected_failure_isolation_event"


def _event(expected: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Exactly one failure was isolated, and of it what is expected is so."""
    if len(outcome.isolated) != 1:
        yield f"{_PLACE}: expected 1 isolated failure, got {len(outcome.isolated)}"
        return
    (event,) = outcome.isolated
    read = _told(event)
    for key, value in expected.items():
        if key == "caught_exception":
            yield from _caught(value, event.caught_exception)
        elif key == "wrapped_node_lineage":
            for name, wanted in value.items():
                yield from differences(wanted, read[key][name], place=f"{_PLACE}.{key}.{name}")
        else:
            yield from differences(value, read[key], place=f"{_PLACE}.{key}")


def _told(event: gn.FailureIsolated) -> dict[str, Any]:
    lineage = event.lineage
    return {
        "event_name": event.event_name,
        "wrapped_node_lineage": {
            "namespace": list(lineage.namespace),
            "attempt_index": lineage.attempt_index,
            "fan_out_index": lineage.fan_out_index,
            "branch_name": lineage.branch_name,
        },
        "pre_state": values_of(event.pre_state),
        "post_state": detach(dict(event.post_state)),
    }


def _caught(expected: dict[str, Any], causes: gn.Causes) -> Iterator[str]:
    for key in ("category", "message"):
        if key in expected:
            yield from differences(expected[key], getattr(causes, key), place=f"{_PLACE}.caught_exception.{key}")
    if "chain" not in expected:
        return
    place, links = f"{_PLACE}.caught_exception.chain", causes.links
    if len(expected["chain"]) != len(links):
        yield f"{place}: expected {len(expected['chain'])} links, got {len(links)}"
        return
    for i, (wanted, link) in enumerate(zip(expected["chain"], links, strict=True)):
        read = {"carrier": link.is_carrier, "category": link.category, "message": link.message}
        for key, value in wanted.items():
            yield from differences(value, read[key], place=f"{place}[{i}].{key}")


def _none(expected: bool, outcome: Outcome) -> Iterator[str]:  # noqa: FBT001  the case's value
    for event in outcome.isolated:
        yield f"no_failure_isolation_event: got one named {event.event_name!r}"


_STATE: Final = each(anything)
_LINK: Final = keyed({}, {"carrier": flag, "category": nullable(text), "message": text})

ISOLATED: Final[Mapping[str, Assertion]] = {
    _PLACE: Assertion(
        keyed(
            {},
            {
                "event_name": text,
                "wrapped_node_lineage": keyed(
                    {},
                    {
                        "namespace": many(text),
                        "attempt_index": at_least(0),
                        "fan_out_index": nullable(at_least(0)),
                        "branch_name": nullable(text),
                    },
                ),
                "pre_state": _STATE,
                "post_state": _STATE,
                "caught_exception": keyed(
                    {}, {"category": nullable(text), "message": text, "chain": many(_LINK, some=True)}
                ),
            },
        ),
        _event,
        reads_events=True,
    ),
    "no_failure_isolation_event": Assertion(true, _none, reads_events=True),
}
"""What may be expected of isolated failures."""
