"""Spreading items of which most are quick: the calling thread does them, and has help once one of them waits.

One thread for the whole process looks on. Where nothing was finished for a moment it starts a thread for each further
item. So quick items cost no thread, and slow ones overlap.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Final

from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.threads import GRACE, LOOK, Drive, Pull, outcomes_of
from graphnb.engine.work import Outcomes, Spread

_WATCH: Final = 0.001  # seconds without a finished item after which threads are started
_IDLE: Final = 50  # looks at nothing before the thread that looks on goes to sleep
_NEVER: Final = -2  # items finished before the first look: no number of one


def spread_with_help(spread: Spread, host: Host, *, drive: Drive) -> Outcomes:
    """The outcomes in item order.

    An interruption stops all items at their next call, and waits for them no longer than a moment.
    """
    helpers = spread.workers - 1
    with host.inner() as inner:
        pull = Pull(spread, inner, drive=drive)
        if not helpers:
            pull.work()
            return outcomes_of(pull, host)
        try:
            pull.enter()
            try:
                _LOOKOUT.watch(pull, helpers)
                pull.work()
            finally:
                _LOOKOUT.forget(pull)
                pull.leave()
            while not pull.finished.wait(LOOK if pull.interruption is None else GRACE):
                host.check()
                if pull.interruption is not None:
                    break
        except BaseException:
            pull.stop()
            pull.finished.wait(GRACE)
            raise
    return outcomes_of(pull, host)


class _Lookout:
    """Watches spreads that are under way until one of their items makes them wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[Pull, tuple[int, int]] = {}  # how many threads are to help; the last item, when last seen
        self._begun = threading.Event()
        self._is_running = False

    def watch(self, pull: Pull, helpers: int) -> None:
        """Watches it from now on."""
        with self._lock:
            self._watched[pull] = helpers, _NEVER
            if not self._is_running:
                self._is_running = _start_thread(self._look_on)
        if not self._begun.is_set():
            self._begun.set()

    def forget(self, pull: Pull) -> None:
        """Watches it no more."""
        with self._lock:
            self._watched.pop(pull, None)

    def look(self) -> bool:
        """Starts threads where nothing has been finished since the last look; False if there is nothing to look at."""
        waiting: list[tuple[Pull, int]] = []
        with self._lock:
            for pull, (helpers, seen) in tuple(self._watched.items()):
                if pull.last == seen:
                    del self._watched[pull]
                    waiting.append((pull, helpers))
                else:
                    self._watched[pull] = helpers, pull.last
            is_busy = bool(self._watched or waiting)
        for pull, helpers in waiting:
            pull.start_threads(helpers)
        return is_busy

    def attend(self) -> None:
        """Looks on until there was nothing to look at for a while."""
        idle = 0
        while idle < _IDLE:
            time.sleep(_WATCH)
            idle = 0 if self.look() else idle + 1
        self._begun.clear()
        if self.look():  # begun after the last look, by a thread that found the event still set
            self._begun.set()

    def _look_on(self) -> None:
        while True:
            self._begun.wait()
            self.attend()


def _start_thread(function: Callable[[], None]) -> bool:
    """True if there is a thread now that calls the function; else items have no help and come one after the other."""
    try:
        threading.Thread(target=function, name="graphnb-lookout", daemon=True).start()
    except RuntimeError:  # the system has no more threads to give
        return False
    return True


def _renew() -> None:
    """A process that was forked has none of the threads of its parent, and locks may be held for ever."""
    global _LOOKOUT
    _LOOKOUT = _Lookout()


_LOOKOUT = _Lookout()
getattr(os, "register_at_fork", lambda **_: None)(after_in_child=_renew)  # there is none where nothing can be forked
