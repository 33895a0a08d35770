"""Delegates of every kind, asked in every way: by a plain call, and by a node under each driver."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import graphnb as gn
from graphnb.state.values.detach import detach
from tests.engine.driven import DRIVERS, drive

SECONDS = 5  # until a delegate that waits in vain gives up
CALLS = ("delegate", "delegate within a loop", "adelegate")
WAYS = (*CALLS, *DRIVERS)
KINDS = ("plain", "async", "graph", "async graph")
MIXES = (*KINDS, "mixed")
"""All delegates of one kind, or one kind after the other."""

Work = Callable[[Any], Any]


class Asked(gn.State):
    brief: Any
    result: Any = None


class Board(gn.State):
    briefs: Any = None
    answers: Any = None
    failed: Any = None


class Gate:
    """Opens once so many have arrived."""

    def __init__(self, parties: int = 1) -> None:
        self._missing, self._lock, self._open = parties, threading.Lock(), threading.Event()

    def arrive(self) -> None:
        """One more is here."""
        with self._lock:
            self._missing -= 1
            if self._missing == 0:
                self._open.set()

    def wait(self) -> None:
        """Wait in this thread until it is open."""
        if not self._open.wait(SECONDS):
            raise TimeoutError("the gate stays shut")

    async def awaited(self) -> None:
        """Wait in this task until it is open."""
        async with asyncio.timeout(SECONDS):
            while not self._open.is_set():
                await asyncio.sleep(0.001)


def delegate_of(kind: str, work: Work, *, name: str = "work", behind: Gate | None = None, opens: Any = None) -> Any:
    """A delegate of that kind that arrives at the gate it opens, waits behind the other one, and then does the work."""

    def plain(brief: Any) -> Any:
        if opens is not None:
            opens.arrive()
        if behind is not None:
            behind.wait()
        return work(brief)

    async def waiting(brief: Any) -> Any:
        if opens is not None:
            opens.arrive()
        await (asyncio.sleep(0) if behind is None else behind.awaited())
        return work(brief)

    def step(s: Any) -> Any:
        return {"result": plain(detach(s.brief))}

    async def later(s: Any) -> Any:
        return {"result": await waiting(detach(s.brief))}

    plain.__name__ = waiting.__name__ = name
    if kind in ("plain", "async"):
        return plain if kind == "plain" else waiting
    graph = gn.Graph(Asked, entry="work", name=name)
    graph.node("work", step if kind == "graph" else later, to=gn.END)
    return graph


def kinds_of(mix: str, count: int) -> list[str]:
    """The kind of each delegate."""
    return [KINDS[i % len(KINDS)] if mix == "mixed" else mix for i in range(count)]


def delegates_of(mix: str, works: list[Work], *, behind: list[Gate] | None = None, opens: Any = None) -> list[Any]:
    """One delegate for each work, named `d0`, `d1` and so on; gates as in `delegate_of`, one for each."""
    kinds, shut, own = kinds_of(mix, len(works)), behind or [None] * len(works), opens or [None] * len(works)
    return [
        delegate_of(kind, work, name=f"d{i}", behind=shut[i], opens=own[i])
        for i, (kind, work) in enumerate(zip(kinds, works, strict=True))
    ]


def board(delegates: list[Any], briefs: Any, **options: Any) -> gn.Graph:
    """A graph whose one node asks the delegates."""
    graph = gn.Graph(Board, entry="ask", name="board")
    graph.delegates("ask", delegates, **{"briefs": briefs, "into": "answers", **options}, to=gn.END)
    return graph


def ask(way: str, delegates: list[Any], briefs: Any, **options: Any) -> list[Any]:
    """What the delegates give, asked in one of `WAYS`. Raises what this raises."""

    async def here() -> Any:
        if way == "adelegate":
            return await gn.adelegate(delegates, briefs, **options)
        return gn.delegate(delegates, briefs, **options)

    if way not in CALLS:
        return drive(board(delegates, lambda s: briefs, **options), way).state.answers
    given = gn.delegate(delegates, briefs, **options) if way == "delegate" else asyncio.run(here())
    return given.results
