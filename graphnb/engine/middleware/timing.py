"""Timing: how long a dispatch took, told to a callback. Source: pipeline-utilities §6.2."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from graphnb.engine.carried import call_carrying
from graphnb.engine.middleware.dispatch import Dispatch, Following, check_function
from graphnb.engine.work import Call, Work
from graphnb.errors import InvalidDeclaration, category_of
from graphnb.errors.text import kind_of, shown
from graphnb.graph.plan import is_async

Outcome = Literal["success", "exception"]


@dataclass(frozen=True, slots=True)
class TimingRecord:
    """One dispatch: how many milliseconds it took, and how it ended.

    `exception_category` is the error's own category, None if it has none or if nothing failed.
    """

    node_name: str
    duration_ms: float
    outcome: Outcome
    exception_category: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Timing:
    """Made by `timing`."""

    on_complete: Callable[[TimingRecord], Any]
    node_name: str | None
    clock: Callable[[], float]

    def around(self, state: Any, following: Following, dispatch: Dispatch) -> Work[Any]:
        """What follows gives or raises; the clock is read once before it and once after."""
        began = call_carrying(self.clock)
        try:
            update = yield from following(state)
        except Exception as error:
            yield self._call_of(dispatch, began, outcome="exception", category=category_of(error))
            raise
        yield self._call_of(dispatch, began, outcome="success", category=None)
        return update

    def _call_of(self, dispatch: Dispatch, began: float, *, outcome: Outcome, category: str | None) -> Call:
        record = TimingRecord(
            self.node_name or dispatch.node, (call_carrying(self.clock) - began) * 1000, outcome, category
        )
        return self.on_complete, record, is_async(self.on_complete)

    def __repr__(self) -> str:
        return "timing()" if self.node_name is None else f"timing(node_name={self.node_name!r})"


def timing(
    on_complete: Callable[[TimingRecord], Any],
    *,
    node_name: str | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Timing:
    """Middleware that tells `on_complete`, plain or asynchronous, how long each dispatch took and how it ended.

    `node_name` is what records say; without it, the name of the node that is wrapped. `clock` gives seconds and
    is read exactly twice for each dispatch. What `on_complete` raises is an error of the node.
    """
    if node_name is not None and not isinstance(node_name, str):
        raise InvalidDeclaration("timing", f"node_name is {shown(node_name)} ({kind_of(node_name)})", "Give a text.")
    for option, given in (("on_complete", on_complete), ("clock", clock)):
        if not callable(given):
            raise InvalidDeclaration("timing", f"{option} is {shown(given)} ({kind_of(given)})", "Give a function.")
    check_function("timing", "clock", given=clock)
    return Timing(on_complete, node_name, clock)
