"""One claim of a case: what it looks like, and how an outcome is held against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from graphnb.conformance.compare import differences
from graphnb.conformance.outcomes import Outcome
from graphnb.conformance.reading.shapes import Shape
from graphnb.errors.text import shown

Check = Callable[[Any, Outcome], Iterator[str]]
Finds = Callable[[Outcome], str]
"""Says what is wrong with an outcome; empty if nothing is."""

ABSENT: Final = object()
"""What a reader gives where there is nothing to read."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One key under which something is expected; `check` gets the expected value and yields reasons.

    `reads_events` tells that the harness's own observer must have been there, `needs_further` that the graph is
    to be run once more at the end.
    """

    shape: Shape
    check: Check
    reads_events: bool = False
    needs_further: bool = False


def found(name: str, read: Callable[[BaseException], Any]) -> Check:
    """A check that what `read` finds on the error is what is expected, to the type."""

    def check(expected: Any, outcome: Outcome) -> Iterator[str]:
        if outcome.error is None:
            return  # said once, for the whole of expected_error
        got = read(outcome.error)
        if got is ABSENT:
            yield f"{name}: expected {shown(expected)}, but the error has none"
        else:
            yield from differences(expected, got, place=name)

    return check


def attribute(name: str) -> Callable[[BaseException], Any]:
    """A reader of one attribute."""
    return lambda error: getattr(error, name, ABSENT)
