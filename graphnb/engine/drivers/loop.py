"""Driving work inside an event loop, whichever loop that is and however the work is spread there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from graphnb.engine.carried import carry
from graphnb.engine.drivers.around import acall_middleware
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.threads import Drive
from graphnb.engine.work import Outcomes, Sleep, Spread, T, Tell, Work

SpreadInLoop = Callable[[Spread, Host], Awaitable[Outcomes]]


async def drive_in_loop(work: Work[T], host: Host, *, spread: SpreadInLoop, drive: Drive) -> T | None:
    """The result of the work, None where it pauses: call again to go on.

    `spread` does what the work spreads, `drive` is the plain driver. Raises what the work raises; a cancellation
    is thrown into it first.
    """
    send, throw = work.send, work.throw
    try:
        request = next(work)
        while request is not None:
            try:
                if host.cancelled:
                    host.check()
                if type(request) is tuple:  # the hot path: one call per step
                    function, argument, is_async = request
                    result = function(argument)
                    if is_async or (type(result) is not dict and hasattr(result, "__await__")):
                        result = await result
                else:
                    result = await _answer(request, host, spread=spread, drive=drive)
            except BaseException as error:  # noqa: BLE001  user code: the work decides what becomes of it
                request = throw(carry(error))
            else:
                request = send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    except BaseException:
        work.close()  # it may not know yet of an interruption that came between two calls
        raise
    return None


async def _answer(request: Any, host: Host, *, spread: SpreadInLoop, drive: Drive) -> Any:
    if type(request) is Spread:
        return await spread(request, host)
    if type(request) is Tell:
        return host.tell(request)
    if type(request) is Sleep:
        return await asyncio.sleep(request.seconds)

    def drive_here(work: Work[Any], host: Host) -> Coroutine[Any, Any, Any]:
        return drive_in_loop(work, host, spread=spread, drive=drive)

    return await acall_middleware(request, host, drive=drive, adrive=drive_here)
