"""What a driver needs from its surroundings: waiting for asynchronous code, and being told to stop."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from graphnb.engine.drivers.loop_thread import close_unawaited, wait_on_loop_thread
from graphnb.engine.work import Tell
from graphnb.graph.observer import Observer

if TYPE_CHECKING:
    from typing import Protocol

    from graphnb.trace.events import Event

    class Wait(Protocol):
        """How to block until something awaitable is done; `check` is called now and then, and when `woken` is set."""

        def __call__(self, awaitable: Awaitable[Any], check: Check, *, woken: threading.Event) -> Any:
            """What the awaitable gives."""


Check = Callable[[], None]
Put = Callable[["Event", Sequence[Observer]], None]
_TICK: Final = 0.002  # seconds between looks at what cleans up, which takes a moment as a rule
_LOOK: Final = 0.1  # seconds between looks at a pending KeyboardInterrupt, where a lock cannot be interrupted


class Host:
    """Where work is driven: how to wait there, and whether it was told to stop.

    `wait_with` blocks the calling thread until something awaitable is done; now and then, and when an event is set,
    it calls a function that raises once the work is to stop. `cancelled` is read by the drivers before every call.
    `put` sends an event on its way to observers, None if there are none.
    """

    __slots__ = ("_inner", "_put", "_wait_with", "_waiting", "cancelled")

    def __init__(self, wait_with: Wait = wait_on_loop_thread, *, put: Put | None = None) -> None:
        self._wait_with = wait_with
        self._put = put
        self._inner: list[Host] = []
        self._waiting: set[threading.Event] = set()
        self.cancelled = False

    def wait(self, awaitable: Awaitable[Any]) -> Any:
        """What the awaitable gives. Raises what it raises, and CancelledError once the work is to stop."""
        if self.cancelled:
            close_unawaited(awaitable)
        self.check()
        with self._wakeable() as woken:
            return self._wait_with(awaitable, self.check, woken=woken)

    def tell(self, request: Tell) -> None:
        """Sends an event on its way, and does not wait for it."""
        if self._put is not None:
            self._put(request.event, request.observers)

    def sleep(self, seconds: float) -> None:
        """Blocks the calling thread for so long. Raises CancelledError once the work is to stop."""
        end = time.monotonic() + seconds
        self.check()
        with self._wakeable() as woken:
            while (left := end - time.monotonic()) > 0:
                woken.wait(min(left, _LOOK))
                self.check()

    def check(self) -> None:
        """Raises CancelledError if the work was told to stop."""
        if self.cancelled:
            raise asyncio.CancelledError

    def cancel(self) -> None:
        """Tells the work to stop at its next call, and all work within it."""
        self.cancelled = True
        for woken in tuple(self._waiting):
            woken.set()
        for host in tuple(self._inner):
            host.cancel()

    def settle(self, check: Check) -> None:
        """Waits until nothing here waits for asynchronous code any more; `check` raises once that is to stop.

        What was told to stop cleans up meanwhile, for which it has a few seconds.
        """
        while self._is_waiting():
            check()
            time.sleep(_TICK)

    def _is_waiting(self) -> bool:
        return bool(self._waiting) or any(host._is_waiting() for host in tuple(self._inner))

    @contextmanager
    def _wakeable(self) -> Iterator[threading.Event]:
        """An event that is set once the work is to stop, for a thread that waits meanwhile."""
        woken = threading.Event()
        self._waiting.add(woken)
        if self.cancelled:  # read after it was put in: a thread may cancel this one meanwhile
            woken.set()
        try:
            yield woken
        finally:
            self._waiting.discard(woken)

    @contextmanager
    def inner(self, wait_with: Wait | None = None) -> Iterator[Host]:
        """A host for a part of the work, which can be stopped by itself and stops with this one."""
        host = Host(wait_with or self._wait_with, put=self._put)
        self._inner.append(host)
        host.cancelled = self.cancelled  # read after it was put in: a thread may cancel this one meanwhile
        try:
            yield host
        finally:
            self._inner.remove(host)
