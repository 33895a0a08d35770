"""Why a run failed, in the words of the super-step contract. Source: super-steps, failure and retry."""

from __future__ import annotations

from typing import NamedTuple

from graphnb.errors import (
    EdgeException,
    GuardError,
    MaxSuperstepsExceeded,
    ReducerError,
    RunError,
    StateValidationError,
)
from graphnb.state.checking.reasons import all_reasons_of
from graphnb.trace.log import Log


class Fault(NamedTuple):
    """Why a run failed: `node` is at fault if exactly one is, `reasons` says all that was wrong with each of them."""

    code: str
    node: str | None
    reasons: dict[str, str]


def fault_of(log: Log) -> Fault | None:
    """Why the run failed, None if it did not."""
    failure = log.failure
    if failure is None:
        return None
    error = failure.error
    if isinstance(error, MaxSuperstepsExceeded):
        return Fault("max_supersteps_exceeded", None, {})
    if isinstance(error, (GuardError, EdgeException)):
        return Fault("guard_evaluation_failed", None, {})
    if isinstance(error, ReducerError) and isinstance(error.__cause__, ArithmeticError):
        return Fault("reduction_failed", None, {})
    lanes = failure.lanes
    reasons = {lane.failure.node: _told(lane.failure.error) for lane in lanes if lane.failure is not None}
    reasons = reasons or {failure.node: _told(error)}
    return Fault("node_failed", next(iter(reasons)) if len(reasons) == 1 else None, reasons)


def _told(error: RunError) -> str:
    return all_reasons_of(error) if isinstance(error, StateValidationError) else error.what
