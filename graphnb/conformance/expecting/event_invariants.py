"""Claims about all events of a run together, where their order is free. Source: fixture language §9.4.

A claim about a node or a branch begins with its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from graphnb.conformance.compare import differences
from graphnb.conformance.expecting.event_claims import CLAIMS, CLAIMS_BY_SUFFIX, EventClaim, Events
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.reading.parts import CaseFault, Part
from graphnb.conformance.reading.shapes import unknown
from graphnb.errors.text import kind_of, shown


def check_invariants(expected: Mapping[str, Any], events: Events, *, outcome: Outcome, place: str) -> Iterator[str]:
    """One text for each claim that does not hold."""
    for key, value in expected.items():
        name, claim = _claim_of(key, outcome)
        if claim is None:
            yield f"{place}.{key}: {name!r} is neither a node nor a branch of the case"
            continue
        chosen = claim.choose(events, name)
        if not chosen and not claim.may_be_none:
            yield f"{place}.{key}: there is no such event"
        elif claim.is_set:
            wanted, got = _as_set(value), _as_set(claim.read(chosen))
            if wanted != got:
                yield f"{place}.{key}: expected {shown(wanted)} in any order, got {shown(got)}"
        elif isinstance(value, dict):
            yield from claim.read(chosen)(value, f"{place}.{key}")
        else:
            yield from differences(value, claim.read(chosen), place=f"{place}.{key}")


def _invariants_shape(part: Part) -> Iterator[CaseFault]:
    """At least one claim, each with a value of its kind."""
    if not isinstance(part.value, dict):
        yield part.fault(f"must be a mapping, not {kind_of(part.value)}")
        return
    if not part.value:
        yield part.fault("asserts nothing", "Say what is expected, or leave the key out.")
    for key in part.value:
        claim = _parsed(key)[1] if isinstance(key, str) else None
        if claim is None:
            yield unknown(part, key, known=(*CLAIMS, *(f"<name>{suffix}" for suffix in CLAIMS_BY_SUFFIX)))
        else:
            yield from claim.shape(part.at(key))


def _claim_of(key: str, outcome: Outcome) -> tuple[str, EventClaim | None]:
    name, claim = _parsed(key)
    return (name, claim) if not name or name in outcome.nodes | outcome.branches else (name, None)


def _parsed(key: str) -> tuple[str, EventClaim | None]:
    """The name that a key begins with, empty for none, and its claim; None if there is no such claim."""
    if key in CLAIMS:
        return "", CLAIMS[key]
    for suffix in sorted(CLAIMS_BY_SUFFIX, key=len, reverse=True):
        if key.endswith(suffix) and key != suffix:
            return key.removesuffix(suffix), CLAIMS_BY_SUFFIX[suffix]
    return "", None


def _as_set(values: Sequence[Any]) -> list[Any]:
    """Each value once, in an order that depends on nothing but the values."""
    return sorted({repr(value): value for value in values}.values(), key=repr)


EVENT_INVARIANTS: Final = _invariants_shape
"""The shape of such claims."""
