"""Spreading work over tasks: a bounded set of them pulls items from one iterator, so that no item costs a task."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from graphnb.engine.host import Host
from graphnb.engine.work import Outcomes, Spread


class _Stop(Exception):
    """One instance ended the whole spread, so that the others are to be cancelled."""


async def spread_over_tasks(spread: Spread, host: Host) -> Outcomes:
    """The outcomes in item order.

    With `fail_fast` a failure cancels the rest, which is awaited before this returns; so does an interruption,
    which is then raised. Plain functions are called in the event loop.
    """
    with host.inner() as inner:
        pull = _Pull(spread, inner)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(spread.workers):
                    group.create_task(pull.work())
        except* _Stop:
            pass
    if pull.interruption is not None:
        raise pull.interruption
    return pull.outcomes


class _Pull:
    """The iterator that the tasks share, and what came of its items."""

    def __init__(self, spread: Spread, host: Host) -> None:
        self._call = _call_of(spread, host)
        self._source = enumerate(spread.items)
        self._fail_fast = spread.fail_fast
        self._stopped = False
        self.outcomes = Outcomes([None] * spread.count, {})
        self.interruption: BaseException | None = None

    async def work(self) -> None:
        """Takes items until none is left. Raises _Stop for what ends the whole spread."""
        results, errors = self.outcomes
        for i, item in self._source:
            if self._stopped:  # reached by a function that has swallowed its cancellation
                return
            try:
                results[i] = await self._call(item)
            except Exception as error:  # noqa: BLE001  user code
                errors[i] = error
                if self._fail_fast:
                    self._stop()
            except BaseException as error:
                if _is_cancelled(error):
                    raise
                self.interruption = error  # carried by hand: out of a task it would end the event loop
                self._stop()

    def _stop(self) -> None:
        self._stopped = True
        raise _Stop


def _is_cancelled(error: BaseException) -> bool:
    """True for the cancellation of the running task, False for a CancelledError that user code came by."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _call_of(spread: Spread, host: Host) -> Callable[[Any], Awaitable[Any]]:
    one = spread.one
    if spread.kind == "async":
        return one
    if spread.kind == "work":
        from graphnb.engine.adrive import adrive  # the two drive each other: work spreads, and what it spreads is work

        return lambda item: adrive(one(item), host)

    async def call(item: Any) -> Any:
        result = one(item)
        return await result if hasattr(result, "__await__") else result

    return call
