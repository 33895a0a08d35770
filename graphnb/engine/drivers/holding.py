"""Which event loops are held up: one whose thread waits for other threads serves nobody, these threads least of all."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Final

find_running_loop: Final = asyncio._get_running_loop
"""The event loop of this thread, None without one: `get_running_loop` says that by an error, which takes long."""


class Holding:
    """A context manager around what waits for other threads: so long the loop of this thread, if any, is held up.

    Whatever has the context variables of here then knows that it must not wait for that loop.
    """

    __slots__ = ("_loop", "_outer", "is_over")

    def __init__(self) -> None:
        self._loop = find_running_loop()
        self._outer = _held.get()
        self.is_over = False

    def __enter__(self) -> None:
        if self._loop is not None:
            _held.set(self)

    def __exit__(self, *error: object) -> None:
        self.is_over = True
        _held.set(self._outer)

    def holds(self, loop: asyncio.AbstractEventLoop) -> bool:
        """True as long as this, or one around it, holds up the loop."""
        each: Holding | None = self
        while each is not None:
            if each._loop is loop and not each.is_over:
                return True
            each = each._outer
        return False


_held: Final[ContextVar[Holding | None]] = ContextVar("graphnb_holding", default=None)


def forget_holding() -> None:
    """Says that nobody waits for this thread, whatever context variables it was begun with."""
    _held.set(None)


def is_held_up(loop: asyncio.AbstractEventLoop) -> bool:
    """True where waiting for what runs in the loop is waiting for ever: in it, and in threads that hold it up."""
    held = _held.get()
    return find_running_loop() is loop or (held is not None and held.holds(loop))
