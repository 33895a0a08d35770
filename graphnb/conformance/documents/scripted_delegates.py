"""Delegates that do what a case says, of every kind, and somebody who counts who was asked what."""

from __future__ import annotations

import asyncio
import copy
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.compare import differences
from graphnb.errors.text import shown
from graphnb.state.values.detach import detach

_SECONDS: Final = 5  # until a delegate that waits for the others gives up
_LINGER: Final = 0.02  # seconds: long enough that an engine without a bound would have asked the next one
KINDS: Final = ("plain", "async", "graph", "async graph")


class Asked(gn.State):
    """What a graph that is a delegate takes and gives."""

    brief: Any
    result: Any = None


class Unwanted(Exception):
    """Somebody was asked who should not have been."""


class Count:
    """Who was asked what, in one asking of one case, and who waits for whom.

    `faults` are texts of what must not be; `most` is how many were under way at once.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self.faults: list[str] = []
        self.most = 0
        self._names: list[str] = told["delegates"]
        self._briefs: list[Any] = told.get("asked", [])
        self._open = set(range(len(self._briefs)))
        self._meet: int = told.get("meet", 0)
        self._lingers = "at_most" in told
        self._under_way = self._begun = 0
        self._lock = threading.Lock()
        self._met = threading.Event()
        self._over: set[int] = set()
        self._ended = [threading.Event() for _ in self._names]
        order = told.get("ends", [])
        self._before = dict(zip(order[1:], order, strict=False))

    def begin(self, name: str, brief: Any) -> int:
        """The place whose delegate was asked: one of that name and brief of which it is the first time."""
        with self._lock:
            for i in sorted(self._open):
                if self._names[i] == name and not any(differences(self._briefs[i], brief, place="")):
                    self._open.remove(i)
                    self._begun += 1
                    self._under_way += 1
                    self.most = max(self.most, self._under_way)
                    if self._begun >= self._meet:
                        self._met.set()
                    return i
            self.faults.append(f"asked: {name!r} was asked {shown(brief)}, which it should not have been, or once more")
        for event in (self._met, *self._ended):
            event.set()  # nobody is to wait for what cannot come
        raise Unwanted(name)

    def wait(self, i: int) -> None:
        """Waits, in a thread, for those for whom the delegate at that place is to wait."""
        self._check(i, [event.wait(_SECONDS) for event in self._awaited_by(i)])
        if self._lingers:
            threading.Event().wait(_LINGER)

    async def awaited(self, i: int) -> None:
        """The same in a task."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _SECONDS
        for event in self._awaited_by(i):
            while not event.is_set() and loop.time() < until:
                await asyncio.sleep(0.0005)
        self._check(i, [event.is_set() for event in self._awaited_by(i)])
        await asyncio.sleep(_LINGER if self._lingers else 0)

    def end(self, i: int) -> None:
        """The delegate at that place has ended."""
        with self._lock:
            self._under_way -= 1
            self._over.add(i)
        self._ended[i].set()

    def unasked(self) -> list[str]:
        """A text for each place whose delegate was not asked, or has not ended."""
        return [
            f"asked: delegate {i} {name!r} was {'not asked' if i in self._open else 'not waited for'}"
            for i, name in enumerate(self._names)
            if self._briefs and i not in self._over
        ]

    def _awaited_by(self, i: int) -> list[threading.Event]:
        events = [self._met] if self._meet else []
        return [*events, self._ended[self._before[i]]] if i in self._before else events

    def _check(self, i: int, came: Sequence[bool]) -> None:
        if not all(came):
            self.faults.append(f"delegate {i} {self._names[i]!r} waited in vain for others that should have been asked")


def delegates_of(told: dict[str, Any], count: Count, mix: str) -> list[Any]:
    """The delegates of a case, all of one kind, or with "mixed" of one kind after the other."""
    made = {
        name: _delegate(KINDS[i % len(KINDS)] if mix == "mixed" else mix, name, does=does, count=count)
        for i, (name, does) in enumerate(told["functions"].items())
    }
    return [made[name] for name in told["delegates"]]


def _delegate(kind: str, name: str, *, does: dict[str, Any], count: Count) -> Any:
    def plain(brief: Any) -> Any:
        i = count.begin(name, brief)
        try:
            _change(does, brief)
            count.wait(i)
            return _give(does, brief)
        finally:
            count.end(i)

    async def waiting(brief: Any) -> Any:
        i = count.begin(name, brief)
        try:
            _change(does, brief)
            await count.awaited(i)
            return _give(does, brief)
        finally:
            count.end(i)

    plain.__name__ = waiting.__name__ = name
    if "graph" not in kind:
        return waiting if kind == "async" else plain
    graph = gn.Graph(Asked, entry="work", name=name)
    graph.node("work", _node(plain) if kind == "graph" else _waiting_node(waiting), to=gn.END)
    return graph


def _node(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda state: {"result": function(detach(state.brief))}


def _waiting_node(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    async def node(state: Any) -> dict[str, Any]:
        return {"result": await function(detach(state.brief))}

    return node


def _change(does: dict[str, Any], brief: Any) -> None:
    if "append" in does:
        brief.append(copy.deepcopy(does["append"]))
    elif "append_at" in does:
        brief[does["append_at"]["at"]].append(copy.deepcopy(does["append_at"]["value"]))
    elif "put" in does:
        brief.update(copy.deepcopy(does["put"]))


def _give(does: dict[str, Any], brief: Any) -> Any:
    if "raise" in does:
        raise ValueError(does["raise"])
    return copy.deepcopy(does["give"]) if "give" in does else brief
