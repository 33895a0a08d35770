"""What middleware of the harness noted of each dispatch, against what is expected. Source: fixture language §9.5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graphnb.conformance.compare import differences
from graphnb.conformance.expecting.claims import Assertion
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.reading.shapes import anything, each, flag, keyed, many, nullable, number, one_of, text

_NANOSECOND: Final = 1e-6  # milliseconds: less is a matter of how floats are rounded


def _trace_records(expected: dict[str, list[dict[str, Any]]], outcome: Outcome) -> Iterator[str]:
    """For each recorder all its dispatches in order; of a dispatch what is expected."""
    for name, records in expected.items():
        got = outcome.notes.dispatches.get(name, [])
        place = f"trace_records.{name}"
        if len(records) != len(got):
            yield f"{place}: expected {len(records)} dispatches, got {len(got)}"
            continue
        for i, (record, dispatch) in enumerate(zip(records, got, strict=True)):
            for key, value in record.items():
                if key not in dispatch:
                    yield f"{place}[{i}].{key}: nothing was returned"
                else:
                    yield from differences(value, dispatch[key], place=f"{place}[{i}].{key}")


def _timing_records(expected: list[dict[str, Any]], outcome: Outcome) -> Iterator[str]:
    """All records in order; a duration is compared as a number, whatever its type."""
    got = outcome.notes.timings
    if len(expected) != len(got):
        yield f"timing_records: expected {len(expected)} records, got {len(got)}"
        return
    for i, (wanted, record) in enumerate(zip(expected, got, strict=True)):
        place = f"timing_records[{i}]"
        for key, value in wanted.items():
            is_duration = key == "duration_ms"
            if is_duration and abs(record.duration_ms - value) > _NANOSECOND:
                yield f"{place}.duration_ms: expected {value}, got {record.duration_ms}"
            elif not is_duration:
                yield from differences(value, getattr(record, key), place=f"{place}.{key}")


_STATE: Final = each(anything)

DISPATCHES: Final[Mapping[str, Assertion]] = {
    "trace_records": Assertion(
        each(
            many(
                keyed(
                    {},
                    {
                        "state_in": _STATE,
                        "partial_update_returned": _STATE,
                        "pre_seen": flag,
                        "post_seen": flag,
                    },
                )
            ),
            some=True,
        ),
        _trace_records,
    ),
    "timing_records": Assertion(
        many(
            keyed(
                {},
                {
                    "node_name": text,
                    "duration_ms": number,
                    "outcome": one_of("success", "exception"),
                    "exception_category": nullable(text),
                },
            )
        ),
        _timing_records,
    ),
}
"""What may be expected of dispatches."""
