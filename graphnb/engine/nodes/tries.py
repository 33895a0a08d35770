"""What the log is to tell of the attempts at one instance or branch, which middleware around it has made."""

from __future__ import annotations

from graphnb.engine.middleware.dispatch import Dispatch
from graphnb.engine.work import T, Work
from graphnb.trace.instances import Spreading, Tries


def note_tries(work: Work[T], unit: Dispatch, *, spreading: Spreading, i: int) -> Work[T]:
    """The work of an instance through the middleware around it, after which the log has its attempts."""
    try:
        given = yield from work
    except Exception as error:
        if (failures := unit.earlier_failures_of(error)) or not unit.is_entered:
            spreading.tries[i] = Tries(failures, unit.is_entered)
        raise
    if unit.failures or not unit.is_entered:
        is_degraded = unit.is_entered and not unit.has_made
        spreading.tries[i] = Tries(tuple(unit.failures), unit.is_entered, is_degraded)
    return given
