"""What the harness itself sees of one case: bodies, how many at once, how often a mock was called, which invocation."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

import graphnb as gn
from graphnb.conformance.building.notes import Notes


class Probe:
    """The records of one case that is run in one way; bodies may be entered from several threads.

    `notes` are those of the invocation that is under way, the `invocation`-th one. `most_at_once` is the highest
    number of watched bodies that were under way together; `faults` are texts of what the harness could not do.
    `graph` is the outermost graph once it is built; an `is_hurried` harness lets no observer sleep.
    """

    def __init__(self, advance_ms: float | None = None) -> None:
        self.notes = Notes()
        self.invocation = 0
        self.most_at_once = 0
        self.faults: list[str] = []
        self.graph: gn.Graph | None = None
        self.is_hurried = False
        self._advance_ms = advance_ms
        self._reads = 0
        self._at_once = 0
        self._calls: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def begin(self) -> None:
        """The next invocation begins. What is delivered from now on is noted with it, wherever it comes from."""
        self.notes = Notes()
        self.invocation += 1

    @contextmanager
    def body(self, graph: str, node: str, *, is_watched: bool) -> Iterator[None]:
        """Around the body of a node."""
        notes = self.notes
        with self._lock:
            notes.entered.append((graph, node))
            self._at_once += is_watched
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        except BaseException as error:
            notes.raised.append(error)
            raise
        finally:
            with self._lock:
                self._at_once -= is_watched

    def call(self, mock: Hashable) -> int:
        """Counts a call of a mock and tells how many came before it."""
        with self._lock:
            self._calls[mock] += 1
            return self._calls[mock] - 1

    def clock(self) -> float:
        """Seconds for timing: of the case's clock, which goes on by the same at every look, or of the real one."""
        if self._advance_ms is None:
            return time.monotonic()
        with self._lock:
            self._reads += 1
            return self._reads * self._advance_ms / 1000

    @property
    def calls(self) -> int:
        """How often mocks were called, all together."""
        return sum(self._calls.values())
