"""Spreading work over tasks: a bounded set of them pulls items from one iterator, so that no item costs a task."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from typing import Any

from graphnb.engine.carried import call_carrying, raised_of
from graphnb.engine.drivers.apart import Apart
from graphnb.engine.drivers.host import Host
from graphnb.engine.work import Outcomes, Spread

Drive = Callable[[Any, Host], Awaitable[Any]]


class _Stop(Exception):
    """One instance ended the whole spread, so that the others are to be cancelled."""


async def spread_over_tasks(spread: Spread, host: Host, *, drive: Drive) -> Outcomes:
    """The outcomes in item order; pieces of work are driven by `drive`.

    With `fail_fast` a failure cancels the rest, which is awaited before this returns; so does an interruption,
    which is then raised. Plain functions are called in the event loop.
    """
    with host.inner() as inner:
        pull = _TaskPull(spread, inner, drive=drive)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(spread.workers):
                    group.create_task(pull.work())
        except* _Stop:
            pass
    if pull.interruption is not None:
        raise pull.interruption
    return pull.outcomes


class _TaskPull:
    """The iterator that the tasks share, and what came of its items."""

    def __init__(self, spread: Spread, host: Host, *, drive: Drive) -> None:
        self._call = _call_of(spread, host, drive=drive)
        self._context = contextvars.copy_context()
        self._source = enumerate(spread.items)
        self.outcomes = spread.outcomes
        self._fail_fast = spread.fail_fast
        self._has_own = spread.is_apart and spread.workers == len(spread.outcomes.results)  # each item its own task
        self._stopped = False
        self.interruption: BaseException | None = None

    async def work(self) -> None:
        """Takes items until none is left, each with a copy of the caller's context variables.

        Raises _Stop for what ends the whole spread.
        """
        results, errors = self.outcomes
        if self._stopped:
            return
        for i, item in self._source:  # what is taken is begun: the log counts on it
            try:
                context = self._context.copy()
                results[i] = await Apart(context, context.run(self._call, item))
            except Exception as error:  # noqa: BLE001  user code
                errors[i] = raised_of(error)
                if self._fail_fast:
                    self._stop()
            except BaseException as error:
                if _is_cancelled(error):
                    raise
                self.interruption = error  # carried by hand: out of a task it would end the event loop
                self._stop()
            if self._stopped or self._has_own:  # stopped: by a function that has swallowed its cancellation
                return

    def _stop(self) -> None:
        self._stopped = True
        raise _Stop


def _is_cancelled(error: BaseException) -> bool:
    """True for the cancellation of the running task, False for a CancelledError that user code came by."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _call_of(spread: Spread, host: Host, *, drive: Drive) -> Callable[[Any], Awaitable[Any]]:
    one = spread.one
    if spread.kind == "async":
        return one
    if spread.kind == "work":
        return lambda item: drive(one(item), host)

    async def call(item: Any) -> Any:
        result = call_carrying(one, item)
        return await result if hasattr(result, "__await__") else result

    return call
