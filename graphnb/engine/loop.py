"""Driving work inside an event loop, whichever loop that is and however the work is spread there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from graphnb.engine.host import Host
from graphnb.engine.work import Outcomes, Spread, T, Work


async def drive_in_loop(work: Work[T], host: Host, spread: Callable[[Spread, Host], Awaitable[Outcomes]]) -> T | None:
    """The result of the work, None where it pauses: call again to go on. `spread` does what the work spreads.

    Raises what the work raises; a cancellation is thrown into it first.
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
                    result = await spread(request, host)  # type: ignore[arg-type]  # the one kind that is left
            except BaseException as error:  # noqa: BLE001  user code: the work decides what becomes of it
                request = throw(error)
            else:
                request = send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    except BaseException:
        work.close()  # it may not know yet of an interruption that came between two calls
        raise
    return None
