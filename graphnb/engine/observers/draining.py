"""Waiting until observers were told what has happened. Source: graph-engine §6, drain."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from graphnb.engine.deadlines import deadline_of
from graphnb.engine.invocation import find_enclosing
from graphnb.engine.observers.delivery import Delivery
from graphnb.errors import GraphError

_LOOK: Final = 0.005  # seconds between looks while other tasks of the loop go on


@dataclass(frozen=True, slots=True)
class DrainSummary:
    """How a drain ended: how many events were not delivered, and whether that is because time ran out."""

    undelivered_count: int
    timeout_reached: bool


def drain(deliveries: Iterable[Delivery], timeout: float | None) -> DrainSummary:
    """Waits until these invocations have ended or stand still, and all their events are delivered.

    At most `timeout` seconds; then what was not delivered is dropped. Raises ValueError, TypeError for a wrong
    timeout, and GraphError where it would wait for itself.
    """
    deadline = deadline_of(timeout)
    waiting = tuple(deliveries)
    _check_has_ended(waiting, "drain")
    _check_may_block(waiting, "drain")
    late = [each for each in waiting if not each.wait(None, deadline)]
    return DrainSummary(sum(each.cancel() for each in late), bool(late))


async def adrain(deliveries: Iterable[Delivery], timeout: float | None) -> DrainSummary:
    """The same in the running event loop."""
    deadline = deadline_of(timeout)
    waiting = tuple(deliveries)
    _check_has_ended(waiting, "adrain")
    late = [each for each in waiting if not await _await_done(each, None, deadline=deadline)]
    return DrainSummary(sum(each.cancel() for each in late), bool(late))


def drain_events(delivery: Delivery | None, timeout: float | None) -> DrainSummary:
    """Waits for the events that one invocation has emitted so far; when time runs out they stay under way."""
    deadline = deadline_of(timeout)
    if delivery is None:
        return DrainSummary(0, timeout_reached=False)
    count = delivery.emitted
    _check_is_not_told(delivery, "drain_events_for")
    if not delivery.is_done(count):
        _check_may_block((delivery,), "drain_events_for")
    return _summary_of(delivery, count, is_done=delivery.wait(count, deadline))


async def adrain_events(delivery: Delivery | None, timeout: float | None) -> DrainSummary:
    """The same in the running event loop."""
    deadline = deadline_of(timeout)
    if delivery is None:
        return DrainSummary(0, timeout_reached=False)
    count = delivery.emitted
    _check_is_not_told(delivery, "adrain_events_for")
    return _summary_of(delivery, count, is_done=await _await_done(delivery, count, deadline=deadline))


def _summary_of(delivery: Delivery, count: int, *, is_done: bool) -> DrainSummary:
    return DrainSummary(0 if is_done else count - delivery.delivered, timeout_reached=not is_done)


async def _await_done(delivery: Delivery, count: int | None, *, deadline: float) -> bool:
    while not delivery.wait(count, -math.inf):
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        await asyncio.sleep(min(left, _LOOK))
    return True


def _check_has_ended(deliveries: Iterable[Delivery], name: str) -> None:
    own = find_enclosing()
    for each in deliveries:
        _check_is_not_told(each, name)
        if each.invocation_id in own and not each.has_ended:
            what = "was called inside of a run, for whose end it would wait"
            mend = "There wait for its events so far: graph.drain_events_for(gn.invocation().invocation_id)."
            raise GraphError(f"graph.{name}", what, mend)


def _check_is_not_told(delivery: Delivery, name: str) -> None:
    if delivery.is_told_here():
        what = "was called by an observer, which holds up the very events that it would wait for"
        raise GraphError(f"graph.{name}", what, "Call it where the run was started, or in a node.")


def _check_may_block(deliveries: Iterable[Delivery], name: str) -> None:
    if any(each.blocks_here() for each in deliveries):
        what = "would block the event loop in which the observers are called"
        raise GraphError(f"graph.{name}", what, f"Write: await graph.a{name}(...)")
