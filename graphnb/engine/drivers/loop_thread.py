"""One private event loop on a daemon thread, so that a plain call can wait for asynchronous code anywhere.

In a notebook a loop is already running in every cell, and patching it would change it for everybody.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from graphnb.engine.drivers.holding import Holding, is_held_up
from graphnb.errors import GraphError

_LOOK = 0.1  # seconds between looks at a pending KeyboardInterrupt, and of checks that wake nobody
_GRACE = 5.0  # seconds for the `finally` blocks of an interrupted call

_lock = threading.Lock()
_running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None


def wait_on_loop_thread(
    awaitable: Awaitable[Any], check: Callable[[], None], *, woken: threading.Event | None = None
) -> Any:
    """The result of the awaitable, run on the private loop with the caller's context variables.

    Raises GraphError on the private loop itself and in threads for which it waits. Otherwise like `wait_on`.
    """
    try:
        check_may_wait()
    except GraphError:
        close_unawaited(awaitable)
        raise
    return wait_on(_ensure_loop()[0], awaitable, check=check, tasks=set(), woken=woken)


def is_private_held_up() -> bool:
    """True where waiting for what runs in the private loop is waiting for ever."""
    return _running is not None and is_held_up(_running[0])


def check_may_wait() -> None:
    """Raises GraphError where waiting for the private loop is waiting for ever."""
    if is_private_held_up():
        raise GraphError(
            "graph.run", "was called from an asynchronous node, which it would block", "Write: await graph.arun(...)"
        )


def wait_on(
    loop: asyncio.AbstractEventLoop,
    awaitable: Awaitable[Any],
    *,
    check: Callable[[], None],
    tasks: set[asyncio.Task[Any]],
    woken: threading.Event | None = None,
) -> Any:
    """The result of the awaitable, run on a loop of another thread with the caller's context variables.

    `check` is called now and then while waiting, and at once when `woken` is set. What it raises, and
    KeyboardInterrupt, cancels the awaitable, lets it clean up, and is raised again. `tasks` holds the task as long as
    it runs.
    """
    with Holding():
        call = _Awaited(loop, awaitable, tasks=tasks, woken=woken or threading.Event())
        try:
            loop.call_soon_threadsafe(call.start)  # within: an interruption may come when the loop has seen it already
            while not call.is_finished():
                check()
        except BaseException:
            call.give_up()
            raise
    return call.result()


class _Awaited:
    """Something awaitable that another thread waits for. Made there; `start` is called on the loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        awaitable: Awaitable[Any],
        *,
        tasks: set[asyncio.Task[Any]],
        woken: threading.Event,
    ) -> None:
        self._loop = loop
        self._awaitable = awaitable
        self._tasks = tasks
        self._woken = woken  # by whoever wants the check to be made, and at the end
        self._context = contextvars.copy_context()
        self._task: asyncio.Task[tuple[Any, BaseException | None]] | None = None
        self._finished = threading.Event()

    def start(self) -> None:
        self._task = self._loop.create_task(_outcome_of(self._awaitable), context=self._context)
        self._task.add_done_callback(self._settle)
        self._tasks.add(self._task)

    def give_up(self) -> None:
        """Cancels it, and lets it clean up; what has not begun never will."""
        try:
            self._loop.call_soon_threadsafe(self._cancel)
        except RuntimeError:  # the loop was closed
            close_unawaited(self._awaitable)
        else:
            self._finished.wait(_GRACE)

    def is_finished(self) -> bool:
        """Waits until the end, or a moment, or until woken; True at the end."""
        self._woken.wait(_LOOK)
        self._woken.clear()
        return self._finished.is_set()  # read after: what ends from now on wakes again

    def result(self) -> Any:
        """What the awaitable gave. Raises what it raised."""
        assert self._task is not None
        result, error = self._task.result()
        if error is not None:
            raise error
        return result

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
        else:  # the interruption came before the loop was told to start it
            close_unawaited(self._awaitable)
            self._finished.set()

    def _settle(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            close_unawaited(self._awaitable)  # it may not have begun
        else:
            task.exception()  # seen: nobody may be left to ask for it
        self._finished.set()
        self._woken.set()


def close_unawaited(awaitable: Awaitable[Any]) -> None:
    """Ends a coroutine that will not be awaited, so that Python does not warn of it."""
    close = getattr(awaitable, "close", None)
    if close is not None:
        close()


async def _outcome_of(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    try:
        return await awaitable, None
    except (KeyboardInterrupt, SystemExit) as error:  # out of a task these would end the whole loop
        return None, error


def _ensure_loop() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    global _running
    with _lock:
        if _running is None or not _running[1].is_alive():  # none yet, or lost in a fork
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_keep_running, args=(loop,), name="graphnb-loop", daemon=True)
            thread.start()
            _running = loop, thread
        return _running


def _keep_running(loop: asyncio.AbstractEventLoop) -> None:
    """Runs the loop for ever: a user's own task may stop it, or end it with SystemExit, under other runs."""
    while True:
        with suppress(KeyboardInterrupt, SystemExit):
            loop.run_forever()
