"""Threads beside a running event loop: plain functions may block there, and what they await runs on the loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from graphnb.engine.carried import carry
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.loop_thread import wait_on
from graphnb.engine.drivers.sharing import spread_with_help
from graphnb.engine.drivers.threads import Drive, spread_over_threads
from graphnb.engine.work import Outcomes, Spread, T


async def spread_beside_loop(spread: Spread, host: Host, *, drive: Drive) -> Outcomes:
    """The outcomes in item order, as `spread_over_threads` gives them, without blocking the running loop."""
    over_threads = spread_with_help if spread.is_apart else spread_over_threads
    return await beside_loop(host, lambda inner: over_threads(spread, inner, drive=drive))


async def beside_loop(host: Host, run: Callable[[Host], T]) -> T:
    """What the function gives or raises, called on a thread with a host that waits by the running loop.

    A cancellation stops the thread at its next call, cancels what it awaits and lets that clean up; it does not
    wait for plain functions, which nothing can wake.
    """
    loop = asyncio.get_running_loop()
    awaited: set[asyncio.Task[Any]] = set()

    def wait(awaitable: Awaitable[Any], check: Callable[[], None], *, woken: threading.Event) -> Any:
        return wait_on(loop, awaitable, check=check, tasks=awaited, woken=woken)

    with host.inner(wait) as inner:
        try:
            return await _in_thread(lambda: run(inner))
        except asyncio.CancelledError:
            inner.cancel()  # each thread sees it, and cancels what it waits for
            if awaited:
                await asyncio.wait(awaited)
            raise


async def _in_thread(run: Callable[[], T]) -> T:
    """What the function gives or raises, called on a thread of its own."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if not ended.cancelled():
            ended.set_result((result, error))

    def work() -> None:
        try:
            result, error = run(), None
        except BaseException as ended_by:  # noqa: BLE001  raised again where the result is awaited
            result, error = None, carry(ended_by)
        with suppress(RuntimeError):  # nobody waits any more, and the loop is closed
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=contextvars.copy_context().run, args=(work,), name="graphnb-wait", daemon=True).start()
    result, error = await ended
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # one of the two is set
