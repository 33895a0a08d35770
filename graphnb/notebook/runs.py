"""What a graph remembers of its runs: the last one, and events that are still on their way to observers."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from graphnb.errors.text import kind_of, shown

if TYPE_CHECKING:
    from graphnb.engine.observers.delivery import Delivery
    from graphnb.engine.observers.draining import DrainSummary
    from graphnb.engine.run import Execution
    from graphnb.notebook.progress import Progress

    Begun = tuple[Delivery, weakref.ref[object]]
    """What takes a run's events to observers, and what drives it as long as somebody can."""


class Runs:
    """The runs of one graph and of everything compiled from it, within other graphs too; a copy has had none.

    `within` gives those of the graphs that this one's nodes run.
    """

    def __init__(self, within: Callable[[], Iterable[Runs]] = tuple) -> None:
        self._within = within
        self.last: Progress | None = None
        self._begun: list[Begun] = []
        self._lock = threading.Lock()

    def keep(self, progress: Progress, execution: Execution) -> None:
        """Remembers a run that is about to be driven."""
        self.last = progress
        if execution.delivery is not None:
            begun: Begun = execution.delivery, weakref.ref(execution.work)
            for runs in self._and_within():
                runs._follow(begun)

    def drain(self, timeout: float | None) -> DrainSummary:
        """See `Graph.drain`."""
        from graphnb.engine.observers.draining import drain

        return drain(self._deliveries(), timeout)

    async def adrain(self, timeout: float | None) -> DrainSummary:
        """See `Graph.drain`."""
        from graphnb.engine.observers.draining import adrain

        return await adrain(self._deliveries(), timeout)

    def drain_events_for(self, invocation_id: str, timeout: float | None) -> DrainSummary:
        """See `Graph.drain_events_for`."""
        from graphnb.engine.observers.draining import drain_events

        return drain_events(self._delivery(invocation_id), timeout)

    async def adrain_events_for(self, invocation_id: str, timeout: float | None) -> DrainSummary:
        """See `Graph.drain_events_for`."""
        from graphnb.engine.observers.draining import adrain_events

        return await adrain_events(self._delivery(invocation_id), timeout)

    def _and_within(self) -> list[Runs]:
        """These, and those of the graphs within at any depth, each once; of a compiled graph within its graph tells."""
        found = [self]
        for runs in found:
            found += [each for each in dict.fromkeys(runs._within()) if each not in found]
        return found

    def _follow(self, begun: Begun) -> None:
        with self._lock:
            self._begun = [*self._under_way(), begun]

    def _delivery(self, invocation_id: object) -> Delivery | None:
        if not isinstance(invocation_id, str):
            what = f"invocation_id is {shown(invocation_id)} ({kind_of(invocation_id)})"
            raise TypeError(f"{what}, want a text such as run.invocation_id")
        return next((each for each in self._deliveries() if each.invocation_id == invocation_id), None)

    def _deliveries(self) -> list[Delivery]:
        return [delivery for delivery, _ in self._under_way()]

    def _under_way(self) -> list[Begun]:
        """Those of runs that go on, or of which observers were not told everything yet."""
        for delivery, work in self._begun:
            if work() is None:  # nobody can drive the run any more
                delivery.end()
        return [each for each in self._begun if not each[0].is_over]

    def __reduce__(self) -> tuple[type[Runs], tuple[()]]:
        return Runs, ()
