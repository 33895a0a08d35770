"""Calling middleware that is a function: what follows is driven by the same driver, however it was declared.

Plain middleware in an event loop, and asynchronous middleware without one, need a thread beside; all others
are called where they are.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple

from graphnb.engine.carried import call_carrying, call_plainly
from graphnb.engine.drivers.beside import beside_loop
from graphnb.engine.drivers.holding import Holding
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.loop_thread import check_may_wait
from graphnb.engine.work import Around
from graphnb.errors import GraphError

Drive = Callable[[Any, Host], Any]
ADrive = Callable[[Any, Host], Awaitable[Any]]
_LOOK: Final = 0.1  # seconds between looks at a pending KeyboardInterrupt
_GRACE: Final = 6.0  # seconds for the `finally` blocks of interrupted middleware: more than it is given


class _NextCall(NamedTuple):
    """A call of `next` in a loop: what is done for it, until its `host` is told to stop, and who waits for that."""

    state: Any
    host: Host
    context: contextvars.Context
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]


def call_middleware(request: Around, host: Host, *, drive: Drive) -> Any:
    """What the middleware gives; what follows is driven in the calling thread."""
    if request.is_async:
        return _await_middleware(request, host, drive=drive)
    result = request.layer(request.state, lambda state: call_plainly(drive, request.following(state), host))
    return host.wait(result) if hasattr(result, "__await__") else result


async def acall_middleware(request: Around, host: Host, *, drive: Drive, adrive: ADrive) -> Any:
    """What the middleware gives; what follows is driven in the running event loop."""

    async def following(state: Any) -> Any:
        return await adrive(request.following(state), host)

    if request.is_async:
        return await call_carrying(request.layer, request.state, following)
    if request.is_quick:
        result = call_carrying(
            request.layer, request.state, lambda state: call_plainly(drive, request.following(state), host)
        )
    else:
        result = await beside_loop(
            host, lambda inner: request.layer(request.state, lambda state: call_plainly(inner.wait, following(state)))
        )
    return await result if hasattr(result, "__await__") else result


def _await_middleware(request: Around, host: Host, *, drive: Drive) -> Any:
    """Awaits asynchronous middleware on another thread, while this one does what follows whenever it is asked to."""
    check_may_wait()
    asked: queue.SimpleQueue[_NextCall | None] = queue.SimpleQueue()
    ended: list[tuple[Any, BaseException | None]] = []
    is_over = threading.Event()

    async def following(state: Any) -> Any:
        loop = asyncio.get_running_loop()
        with host.inner() as own:
            each = _NextCall(state, own, contextvars.copy_context(), loop, loop.create_future())
            asked.put(each)
            try:
                if is_over.is_set():  # read after it was put in: it may have come too late to be refused below
                    raise _error_of_lateness()
                return await each.answer
            finally:
                own.cancel()  # nobody waits any more, for instance after a timeout

    def wait(inner: Host) -> None:
        try:
            ended.append((inner.wait(request.layer(request.state, following)), None))
        except BaseException as error:  # noqa: BLE001  raised again below
            ended.append((None, error))
        asked.put(None)

    with Holding(), host.inner() as inner:
        run = contextvars.copy_context().run
        thread = threading.Thread(target=run, args=(wait, inner), name="graphnb-middleware", daemon=True)
        try:
            thread.start()  # within: an interruption may come while this waits for the thread to begin
            _serve(asked, request, host=host, drive=drive)
        except BaseException:
            inner.cancel()
            if thread.is_alive():
                _await_end(asked)
            raise
        finally:
            is_over.set()
            _refuse_rest(asked)
    result, error = ended[0]
    if error is not None:
        raise error
    return result


def _serve(asked: queue.SimpleQueue[_NextCall | None], request: Around, *, host: Host, drive: Drive) -> None:
    """Does what follows each time that it is asked for, until the middleware has ended."""
    while True:
        try:
            each = asked.get(timeout=_LOOK)
        except queue.Empty:
            host.check()
            continue
        if each is None:
            return
        result, error = None, None
        try:
            each.host.check()
            result = each.context.run(drive, request.following(each.state), each.host)
        except Exception as raised:  # noqa: BLE001  the middleware decides what becomes of it
            error = raised
        except asyncio.CancelledError:
            if host.cancelled or not each.host.cancelled:
                raise
        _answer(each, result, error=error)


def _error_of_lateness() -> GraphError:
    what = "awaited next when its own call had ended: nothing follows any more"
    return GraphError("middleware", what, "Await next within the call that was given it; let no task outlive that.")


def _await_end(asked: queue.SimpleQueue[_NextCall | None]) -> None:
    """Lets middleware that was interrupted clean up; nothing is done for it any more."""
    end = time.monotonic() + _GRACE
    with suppress(queue.Empty):
        while (each := asked.get(timeout=max(end - time.monotonic(), 0))) is not None:
            _answer(each, None, error=_error_of_lateness())


def _refuse_rest(asked: queue.SimpleQueue[_NextCall | None]) -> None:
    """Answers those who have asked when nobody looked any more."""
    with suppress(queue.Empty):
        while (each := asked.get_nowait()) is not None:
            _answer(each, None, error=_error_of_lateness())


def _answer(each: _NextCall, result: Any, *, error: BaseException | None) -> None:
    with suppress(RuntimeError):  # its loop was closed, and whoever waited with it
        each.loop.call_soon_threadsafe(_settle, each.answer, result, error)


def _settle(answer: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if answer.done():
        return
    if error is None:
        answer.set_result(result)
    else:
        answer.set_exception(error)
