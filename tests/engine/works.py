"""Pieces of work made by hand, for drivers."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from graphnb.engine.work import Request


class Pressed:
    """Work during which the stop button is pressed at a bad moment: right after it was sent so many results."""

    def __init__(self, work: Generator[Request, Any, Any], sends: int) -> None:
        self.work = work
        self.sends = sends
        self.throw = work.throw
        self.close = work.close

    def __next__(self) -> Request:
        return next(self.work)

    def send(self, result: Any) -> Request:
        """The next request, unless the button is pressed."""
        request = self.work.send(result)
        self.sends -= 1
        if self.sends == 0:
            raise KeyboardInterrupt
        return request
