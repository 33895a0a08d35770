"""The plain driver: runs work in the calling thread, without an event loop where every function is plain."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from graphnb.engine.carried import carry
from graphnb.engine.drivers.holding import Holding, find_running_loop
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.loop_thread import check_may_wait
from graphnb.engine.work import Outcomes, Sleep, Spread, T, Tell, Work


def drive(work: Work[T], host: Host) -> T | None:
    """The result of the work, or None where it pauses: call again to go on.

    Raises what the work raises; an interruption is thrown into it first.
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
                        result = host.wait(result)
                else:
                    result = _answer(request, host)
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


def _answer(request: Any, host: Host) -> Any:
    if type(request) is Spread:
        return _spread(request, host)
    if type(request) is Tell:
        return host.tell(request)
    if type(request) is Sleep:
        return host.sleep(request.seconds)
    from graphnb.engine.drivers.around import call_middleware

    return call_middleware(request, host, drive=drive)


def _spread(spread: Spread, host: Host) -> Outcomes:
    if spread.has_async and not spread.has_plain:
        return host.wait(_spread_in_loop(spread, host))  # type: ignore[no-any-return]
    if spread.has_async:
        check_may_wait()  # before anything has begun
    with_help, over_threads = _spreading()
    with Holding():
        takes_part = spread.is_apart or (_is_free() and not spread.leaves)
        return (with_help if takes_part else over_threads)(spread, host, drive=drive)


@functools.cache
def _spreading() -> tuple[Callable[..., Outcomes], Callable[..., Outcomes]]:
    """The two ways to do plain things several at a time, loaded when a run first comes to it."""
    from graphnb.engine.drivers.sharing import spread_with_help
    from graphnb.engine.drivers.threads import spread_over_threads

    return spread_with_help, spread_over_threads


def _is_free() -> bool:
    """True if the calling thread may do items itself: a key can interrupt it there, and no event loop waits for it."""
    return find_running_loop() is None and threading.current_thread() is threading.main_thread()


def _spread_in_loop(spread: Spread, host: Host) -> Coroutine[Any, Any, Outcomes]:
    """Where nothing is plain, nothing within is either: tasks do for all of it."""
    from graphnb.engine.drivers.tasks import spread_over_tasks

    return spread_over_tasks(spread, host, drive=_drive_in_loop)


def _drive_in_loop(work: Work[T], host: Host) -> Coroutine[Any, Any, T | None]:
    from graphnb.engine.drivers.loop import drive_in_loop

    return drive_in_loop(work, host, spread=_spread_in_loop, drive=drive)
