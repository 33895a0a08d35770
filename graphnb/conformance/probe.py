"""What the harness itself sees of one run: which bodies were entered, how many at once, how often a mock was called."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class Probe:
    """The records of one run; bodies may be entered from several threads.

    `entered` holds (graph, node) in order; `most_at_once` is the highest number of watched bodies that were
    under way together; `faults` are texts of what the harness itself could not do.
    """

    def __init__(self) -> None:
        self.entered: list[tuple[str, str]] = []
        self.most_at_once = 0
        self.faults: list[str] = []
        self._at_once = 0
        self._calls: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def body(self, graph: str, node: str, *, is_watched: bool) -> Iterator[None]:
        """Around the body of a node."""
        with self._lock:
            self.entered.append((graph, node))
            self._at_once += is_watched
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= is_watched

    def call(self, mock: Hashable) -> int:
        """Counts a call of a mock and tells how many came before it."""
        with self._lock:
            self._calls[mock] += 1
            return self._calls[mock] - 1

    @property
    def calls(self) -> int:
        """How often mocks were called, all together."""
        return sum(self._calls.values())
