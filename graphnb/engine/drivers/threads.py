"""Spreading plain functions: threads pull items from one iterator, and are added only when items make them wait.

One thread works through quick items without a hop each. The caller watches; when nothing has been finished
for a moment, the functions are waiting for something, and the other threads are started.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from graphnb.engine.carried import raised_of
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.in_order import InOrder, begin_work
from graphnb.engine.work import Outcomes, Spread, Work

_WATCH = 0.001  # seconds without a finished item after which more threads are started
LOOK = 0.1  # seconds between looks at a pending KeyboardInterrupt once all threads run
_AT_ONCE = 0.001  # seconds within which what ends a spread counts as coming at once
GRACE = 0.25  # seconds for threads that can be woken to end after an interruption

Drive = Callable[[Any, Host], Any]


def spread_over_threads(spread: Spread, host: Host, *, drive: Drive) -> Outcomes:
    """The outcomes in item order; a single worker stays in the calling thread.

    With `fail_fast` no further item is started after a failure, and those under way are stopped at their next call and
    awaited, unless the spread leaves them. An interruption stops likewise, but waits no longer than a moment: what
    sleeps in a thread cannot be woken.
    """
    with host.inner() as inner:
        pull = Pull(spread, inner, drive=drive)
        try:
            if spread.workers == 1 or not pull.start_thread():
                pull.work()
            else:
                _watch(pull, spread.workers, host=host)
                if spread.leaves:
                    pull.close()
                    inner.settle(host.check)  # what can be woken cleans up
        except BaseException:
            pull.stop()
            pull.finished.wait(GRACE)
            raise
    return outcomes_of(pull, host)


def outcomes_of(pull: Pull, host: Host) -> Outcomes:
    """What came of the items, once all threads have ended. Raises the interruption that has ended them early."""
    if pull.interruption is not None:
        raise pull.interruption
    host.check()  # what a stopped thread left out must not pass for a result
    return pull.outcomes


def _watch(pull: Pull, workers: int, *, host: Host) -> None:
    """Waits until all threads have ended or may be left, and starts more of them once items make the first one wait."""
    seen = -1
    while not pull.released.wait(_WATCH):
        host.check()
        if pull.last == seen:
            pull.start_threads(workers - 1)
            break
        seen = pull.last
    while not pull.released.wait(LOOK):
        host.check()


class Pull:
    """The iterator that the threads share, and how far they are."""

    def __init__(self, spread: Spread, host: Host, *, drive: Drive) -> None:
        self._context = contextvars.copy_context()
        self._one: Callable[[Any], Any]
        self._source: Iterator[tuple[int, Any]] = enumerate(spread.items)  # `next` on it is atomic
        if spread.kind == "plain":
            self._one = spread.one
        elif spread.is_apart:
            self._one = lambda begun: begun[0].run(drive, begun[1], host)
            self._source = InOrder(spread.items, lambda item: self._begin(spread.one(item)))
        else:
            self._one = lambda item: drive(spread.one(item), host)
        self.outcomes = spread.outcomes
        self._host = host
        self._fail_fast = spread.fail_fast
        self._lock = threading.Lock()
        self._threads = 0
        self._leaves = spread.leaves
        self.finished = threading.Event()
        self.released = threading.Event() if spread.leaves else self.finished  # the caller may go on
        self.last = -1
        self.is_closed = False  # nothing that fails any more is noted
        self.is_over = False  # nothing is left to be started
        self.interruption: BaseException | None = None

    def start_thread(self) -> bool:
        """Starts one more thread; False if there can be no more."""
        self.enter()
        try:
            threading.Thread(target=self._work_in_thread, name="graphnb-fan-out", daemon=True).start()
        except RuntimeError:  # the system has no more threads to give: those that run do all the work
            self.leave()
            return False
        return True

    def start_threads(self, count: int) -> None:
        """Starts so many, fewer where nothing is left to be started or there can be no more."""
        for _ in range(count):
            if self.is_over or not self.start_thread():
                break

    def enter(self) -> None:
        """One thread more takes items."""
        with self._lock:
            self._threads += 1

    def leave(self) -> None:
        """It takes none any more."""
        with self._lock:
            self._threads -= 1
            if self._threads == 0:
                self.finished.set()
                self.released.set()

    def stop(self) -> None:
        """Lets nothing more be started, here or inside the items that are under way."""
        self.is_over = True
        self._host.cancel()
        if self._leaves:
            self.released.set()

    def close(self) -> None:
        """Nothing that comes from now on counts; what came at once does, whichever thread was the quicker one."""
        time.sleep(_AT_ONCE)
        self.is_closed = True

    def work(self) -> None:
        """Takes items until none is left or something stops all of them.

        Each item has a copy of the caller's context variables: what one sets, no other one sees.
        """
        results, errors = self.outcomes
        one, host, copied, known = self._one, self._host, self._context.copy, None
        try:
            if host.cancelled:
                return
            for i, item in self._source:  # what is taken is begun: the log counts on it
                try:
                    value = (context := copied()).run(one, item)
                    if type(value) is not known:  # as a rule all are of one type, which is looked at once
                        if hasattr(value, "__await__"):
                            value = context.run(host.wait, value)
                        else:
                            known = type(value)
                    results[i] = value
                except Exception as error:  # noqa: BLE001  user code
                    if not self.is_closed:
                        errors[i] = raised_of(error)
                    if self._fail_fast:
                        self.stop()
                self.last = i
                if host.cancelled:
                    return
            self.is_over = True
        except BaseException as error:  # noqa: BLE001  raised again by the caller
            if not (isinstance(error, asyncio.CancelledError) and host.cancelled):  # it follows from a stop
                self.interruption = error
            self.stop()

    def _begin(self, work: Work[Any]) -> tuple[contextvars.Context, Work[Any]]:
        context = self._context.copy()
        return context, context.run(begin_work, work, self._host)

    def _work_in_thread(self) -> None:
        self.work()
        self.leave()
