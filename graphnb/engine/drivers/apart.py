"""Awaiting with context variables of its own: what one instance sets, no other one sees, however quick they are."""

from __future__ import annotations

import contextvars
import inspect
from collections.abc import Awaitable, Generator
from typing import Any


class Apart:
    """Something awaitable, awaited in this context; that takes no task of its own."""

    __slots__ = ("_awaitable", "_context")

    def __init__(self, context: contextvars.Context, awaitable: Awaitable[Any]) -> None:
        self._context = context
        self._awaitable = awaitable

    def __await__(self) -> Generator[Any, Any, Any]:
        """Each step of the coroutine is made in the context, and what it waits for is waited for here."""
        given, run = self._awaitable, self._context.run
        coroutine = given if inspect.iscoroutine(given) else _await(given)
        try:
            waited_for = run(coroutine.send, None)
            while True:
                try:
                    answer = yield waited_for
                except BaseException as error:  # noqa: BLE001  a cancellation for instance: the coroutine decides
                    waited_for = run(coroutine.throw, error)
                else:
                    waited_for = run(coroutine.send, answer)
        except StopIteration as stop:
            return stop.value
        finally:
            coroutine.close()


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
