"""Awaiting in a context of its own."""

import asyncio
import contextvars
from typing import Any

import pytest

from graphnb.engine.drivers.apart import Apart

WORD: contextvars.ContextVar[str] = contextvars.ContextVar("WORD", default="unset")


def apart(awaitable: Any) -> Apart:
    """The awaitable in a copy of the context variables of here."""
    return Apart(contextvars.copy_context(), awaitable)


def test_variables_set_within_stay_within():
    """Before and after a real wait alike."""

    async def work() -> list[str]:
        WORD.set("first")
        await asyncio.sleep(0)
        seen = [WORD.get()]
        WORD.set("second")
        await asyncio.sleep(0)
        return [*seen, WORD.get()]

    async def main() -> tuple[Any, str]:
        return await apart(work()), WORD.get()

    assert (["first", "second"], "unset") == asyncio.run(main())


def test_what_is_no_coroutine_is_awaited_as_well():
    """A future, and whatever else has `__await__`."""

    class Twice:
        def __await__(self):
            yield from asyncio.sleep(0).__await__()
            return "twice"

    async def main() -> tuple[Any, Any]:
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        loop.call_soon(future.set_result, "once")
        return await apart(future), await apart(Twice())

    assert ("once", "twice") == asyncio.run(main())


def test_error_comes_out_as_it_was_raised():
    """The same object, whether anything was awaited before or not."""
    error = LookupError("lost")

    async def fail(*, at_once: bool) -> None:
        if not at_once:
            await asyncio.sleep(0)
        raise error

    async def main(*, at_once: bool) -> None:
        await apart(fail(at_once=at_once))

    for at_once in (False, True):
        with pytest.raises(LookupError) as caught:
            asyncio.run(main(at_once=at_once))
        assert error is caught.value


def test_cancellation_reaches_what_is_awaited_in_its_context():
    """It may clean up, and even go on."""

    async def stubborn() -> str:
        WORD.set("own")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return WORD.get()
        raise AssertionError

    async def main() -> tuple[Any, str]:
        async def wait() -> Any:
            return await apart(stubborn())

        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        return await task, WORD.get()

    assert ("own", "unset") == asyncio.run(main())


def test_what_nobody_awaits_to_its_end_is_closed():
    """Its `finally` block runs in its context."""
    cleaned: list[str] = []

    async def work() -> None:
        WORD.set("own")
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(WORD.get())

    async def main() -> None:
        steps = apart(work()).__await__()
        next(steps)
        steps.close()

    asyncio.run(main())

    assert ["own"] == cleaned
