"""Collecting what the instances of a fan-out gave into one update. Source: pipeline-utilities §9.4 and §9.5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from graphnb.engine.failing import recorded_category_of
from graphnb.engine.work import Outcomes
from graphnb.graph.spec import FanOutNode
from graphnb.trace.instances import Spreading
from graphnb.trace.log import Log


def fan_in(spec: FanOutNode, outcomes: Outcomes, *, slots: Sequence[int], count: int, bare: bool) -> dict[str, Any]:
    """The update: each target receives a list in item order, even an extra one; failures leave no slot.

    `slots` are the instances that gave something; `bare` tells that a contribution is the value itself.
    """
    errors, kept = outcomes.errors, _kept(outcomes, slots)
    update: dict[str, Any] = {}
    if spec.into is not None and (bare or spec.collect is not None):
        update[spec.into] = kept if bare else [each[0] for each in kept]
    for column, parent in enumerate(spec.extra_outputs, start=1):
        update[parent] = [each[column] for each in kept]
    if spec.errors_into is not None and spec.error_policy == "collect":
        update[spec.errors_into] = [_record_of(i, errors[i]) for i in sorted(errors)]
    if spec.count_into is not None:
        update[spec.count_into] = count
    return update


def results_of(outcomes: Outcomes, *, slots: Sequence[int], bare: bool) -> list[Any]:
    """What the instances gave that is collected first, in item order, as a list of the caller's own."""
    return [each if bare else each[0] for each in _kept(outcomes, slots)]


def _kept(outcomes: Outcomes, slots: Sequence[int]) -> list[Any]:
    results = outcomes.results
    return results if len(slots) == len(results) else [results[i] for i in slots]


def spreading_of(
    spec: FanOutNode, outcomes: Outcomes, *, ahead: Iterator[Any], logs: list[Log | None], bare: bool
) -> Spreading:
    """The instances while they are under way, for the log; `ahead` gives the items of those that have not begun."""
    into = (spec.into, *spec.extra_outputs) if spec.into is not None else tuple(spec.extra_outputs)
    results, errors = outcomes
    return Spreading(results, errors, ahead, logs, spec.over, into, None if bare else int(spec.into is None), {})


def _record_of(index: int, error: Exception) -> dict[str, str]:
    """Both values are text, and there are no other keys: decision D-11 on the specification."""
    return {"fan_out_index": str(index), "category": recorded_category_of(error)}
