"""Calls that may not take longer than so many seconds, and nodes that ask for more than the host allows."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import math
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from graphnb.errors import IncompatibleExecutionPolicy
from graphnb.graph.plan import Plan


def check_timeouts(plan: Plan) -> None:
    """Raises IncompatibleExecutionPolicy if a node asks for more time than the host allows any node."""
    most = None if plan.rules is None else plan.rules.timeout
    if most is None:
        return
    for node in plan.nodes.values():
        if node.policy is not None and node.policy.timeout is not None and node.policy.timeout > most:
            is_endless = node.policy.timeout == math.inf
            asked = "more seconds than a clock can hold" if is_endless else f"{node.policy.timeout:g} seconds"
            what = f"asks for a timeout of {asked}, and {most:g} are the most that are allowed"
            mend = "Lower timeout_ms in its policies, or allow more: graph_of(..., timeout=...)."
            raise IncompatibleExecutionPolicy(node.place, what, mend)


def limit_seconds(function: Callable[[Any], Any], seconds: float, *, is_async: bool) -> Callable[[Any], Any]:
    """The function, but its call raises TimeoutError after so many seconds.

    An asynchronous function is cancelled then. A plain one runs on a thread of its own, is left behind, and what it
    gives is dropped: nothing can stop it. One that gives something to be awaited has what is left of the time for it.
    Infinity is no limit.
    """
    if seconds == math.inf:
        return function
    if is_async:
        return lambda view: _await_for(function(view), seconds, left=seconds)

    def limited(view: Any) -> Any:
        end = time.monotonic() + seconds
        given = _wait_for(function, view, seconds=seconds)
        return _await_for(given, seconds, left=end - time.monotonic()) if hasattr(given, "__await__") else given

    return limited


async def _await_for(given: Awaitable[Any], seconds: float, *, left: float) -> Any:
    """What it gives within the seconds that are `left` of all of them."""
    task = asyncio.ensure_future(given)
    try:
        return await asyncio.wait_for(task, left)
    except TimeoutError:
        if not task.cancelled():  # it is the function's own
            raise
        raise _error_of_lateness(seconds) from None


def _wait_for(function: Callable[[Any], Any], view: Any, *, seconds: float) -> Any:
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def run() -> None:
        try:
            future.set_result(function(view))
        except BaseException as error:  # noqa: BLE001  raised again by whoever waits
            future.set_exception(error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(run,), name="graphnb-timeout", daemon=True).start()
    done, _ = concurrent.futures.wait((future,), seconds)
    if not done:
        raise _error_of_lateness(seconds)
    return future.result()


def _error_of_lateness(seconds: float) -> TimeoutError:
    return TimeoutError(f"took longer than {seconds:g} seconds")
