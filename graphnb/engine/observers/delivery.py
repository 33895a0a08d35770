"""Taking events to their observers: one event after the other, beside the run, which never waits for it."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections import deque
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import Final

from graphnb.engine.drivers.holding import forget_holding, is_held_up
from graphnb.engine.drivers.loop_thread import close_unawaited, is_private_held_up, wait_on_loop_thread
from graphnb.engine.observers.telling import atell, wants, warn_of
from graphnb.graph.observer import Observer
from graphnb.trace.events import Event

_LINGER: Final = 0.2  # seconds for which a thread waits for the next event before it ends

Queued = tuple[Event, Iterator[Observer]]


class Delivery:
    """The events of one invocation on their way to its observers.

    Strictly one after the other: all observers have finished an event before any sees the next. An observer that
    raises, whatever it is, is reported with a warning and concerns nobody else: an exit or an interruption of an
    observer's own ends neither the run nor the loop nor the thread, wherever it is told. They are called on a thread
    that lives as long as there are events, or in the event loop given to `attach`; what is left when that loop ends
    goes on on a thread. Either way they see the context variables of whoever began the run. Source: graph-engine §6.
    """

    def __init__(self, invocation_id: str, *, is_paused: bool = False) -> None:
        self.invocation_id = invocation_id
        self.emitted = 0
        self.delivered = 0
        self.has_ended = False
        self.is_cancelled = False
        self._is_paused = is_paused
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ahead: deque[Queued] = deque()
        self._under_way: Queued | None = None  # with the observers that are still to be told
        self._changed = threading.Condition()
        self._is_working = False
        self._task: asyncio.Task[None] | None = None
        self._awaited: asyncio.Task[object] | None = None  # an asynchronous observer that the thread waits for
        self._context = contextvars.copy_context()

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Has observers called in this event loop from now on."""
        self._loop = loop

    def put(self, event: Event, observers: Sequence[Observer]) -> None:
        """Queues the event; may be called from any thread."""
        with self._changed:
            if self.is_cancelled:
                return
            self._ahead.append((event, iter(observers)))
            self.emitted += 1
            self._changed.notify_all()
            if self._is_working:
                return
            self._is_working, loop = True, self._loop
        self._start(loop)

    def pause(self, *, is_paused: bool) -> None:
        """Says whether the run stands still, so that no event comes until it is told to go on."""
        with self._changed:
            self._is_paused = is_paused
            self._changed.notify_all()

    def end(self) -> None:
        """No more events will come."""
        with self._changed:
            self.has_ended = True
            self._changed.notify_all()

    def cancel(self) -> int:
        """Drops what was not delivered, now and later; gives how many events that is so far."""
        with self._changed:
            undelivered = 0 if self.is_cancelled else self.emitted - self.delivered
            self.is_cancelled = True
            self._ahead.clear()
            self._under_way = None
            self._changed.notify_all()
            tasks = [each for each in (self._task, self._awaited) if each is not None]
        for task in tasks:  # at once, since what is counted as undelivered must not be delivered after all
            with suppress(RuntimeError):  # the loop was closed, and runs nothing any more
                task.get_loop().call_soon_threadsafe(task.cancel)
        return undelivered

    def is_done(self, count: int | None) -> bool:
        """True once so many events are delivered; for None all of them, with no more to come by themselves."""
        if self.is_cancelled:
            return True
        if count is not None:
            return self.delivered >= count
        return (self.has_ended or self._is_paused) and self.delivered == self.emitted

    @property
    def is_over(self) -> bool:
        """True once there is nothing left to be delivered, now or later."""
        return self.is_cancelled or (self.has_ended and self.delivered == self.emitted)

    def wait(self, count: int | None, deadline: float) -> bool:
        """Blocks until `is_done`; False if the deadline, of the monotonic clock, comes first."""
        while not self.is_done(count):
            self._leave_closed_loop()
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            with self._changed:
                self._changed.wait_for(lambda: self.is_done(count), min(left, 1.0))
        return True

    def blocks_here(self) -> bool:
        """True where waiting would block the very event loop that delivers, or in which observers are awaited."""
        loop = self._loop
        return is_private_held_up() or (loop is not None and is_held_up(loop))

    def is_told_here(self) -> bool:
        """True within an observer that is being told by this delivery, which goes on when the observer returns."""
        return _telling.get() is self

    def _start(self, loop: asyncio.AbstractEventLoop | None) -> None:
        if loop is None:
            self._start_thread()
            return
        try:
            loop.call_soon_threadsafe(self._start_task, loop)
        except RuntimeError:
            self._leave_closed_loop()

    def _start_thread(self) -> None:
        run = self._context.copy().run
        try:
            threading.Thread(target=run, args=(self._work_in_thread,), name="graphnb-observers", daemon=True).start()
        except RuntimeError:  # the system has no more threads to give: nobody is left to tell
            self.cancel()

    def _start_task(self, loop: asyncio.AbstractEventLoop) -> None:
        task = loop.create_task(self._work_in_loop(), context=self._context.copy())
        task.add_done_callback(self._end_task)
        with self._changed:  # of one that was cancelled before it takes nothing any more
            self._task = task

    def _end_task(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or task.exception() is not None:
            self._leave_loop()

    def _leave_closed_loop(self) -> None:
        loop, task = self._loop, self._task
        if loop is not None and loop.is_closed():
            if task is not None:
                with suppress(RuntimeError):  # an observer may refuse to end without an await
                    task.get_coro().close()  # it never runs again
            self._leave_loop()

    def _leave_loop(self) -> None:
        """Goes on on a thread if the loop's work has come to no end: the loop ends, as that of `asyncio.run` does."""
        with self._changed:
            if self._loop is None or not self._is_working or self.is_cancelled:
                return
            self._loop = None
        self._start(None)

    def _work_in_thread(self) -> None:
        forget_holding()
        _telling.set(self)
        while (taken := self._take(_LINGER)) is not None:
            event, observers = taken
            for observer in observers:
                if not self.is_cancelled and wants(observer, event):
                    self._tell(observer, event)
            self._count()

    async def _work_in_loop(self) -> None:
        _telling.set(self)
        own = asyncio.current_task()
        assert own is not None  # this is what it runs
        while (taken := self._take(0)) is not None:
            event, observers = taken
            for observer in observers:
                if not self.is_cancelled and wants(observer, event):
                    await atell(observer, event, task=own)
            self._count()

    def _take(self, linger: float) -> Queued | None:
        with self._changed:
            if self._under_way is not None:  # the loop has ended in the midst of it
                return self._under_way
            if linger:
                self._changed.wait_for(lambda: self._ahead or self.is_cancelled or self.has_ended, linger)
            if self._ahead:
                self._under_way = self._ahead.popleft()
                return self._under_way
            self._is_working = False
            return None

    def _count(self) -> None:
        with self._changed:
            self._under_way = None
            self.delivered += 1
            self._changed.notify_all()

    def _tell(self, observer: Observer, event: Event) -> None:
        try:
            result = observer.function(event)
            if hasattr(result, "__await__"):
                wait_on_loop_thread(self._await_result(result), self._check)
        except BaseException as error:  # noqa: BLE001  user code: even an exit ends nothing else
            if not (isinstance(error, asyncio.CancelledError) and self.is_cancelled):
                warn_of(observer, event, error=error)

    async def _await_result(self, result: Awaitable[object]) -> None:
        with self._changed:
            self._awaited = asyncio.current_task()
            is_late = self.is_cancelled
        try:
            if is_late:
                close_unawaited(result)
            else:
                await result
        finally:
            with self._changed:
                self._awaited = None

    def _check(self) -> None:
        if self.is_cancelled:
            raise asyncio.CancelledError


_telling: Final[ContextVar[Delivery | None]] = ContextVar("graphnb_delivery", default=None)
