"""Fan-outs that are under way, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphnb.trace.instances import Spreading
from graphnb.trace.log import Log


def spreading(
    *results: Any,
    errors: Mapping[int, Exception] | None = None,
    begun: int | None = None,
    logs: Sequence[Log | None] = (),
    over: str | None = None,
    into: tuple[str, ...] = ("log",),
    first: int | None = None,
) -> Spreading:
    """A fan-out whose instances have given these results, PENDING for those that have not finished."""
    ahead = iter(range(len(results) - (len(results) if begun is None else begun)))
    return Spreading(list(results), dict(errors or {}), ahead, list(logs), over, into, first, {})
