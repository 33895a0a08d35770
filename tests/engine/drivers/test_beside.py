"""Threads beside a running event loop."""

import asyncio
import gc
import threading
from collections.abc import Callable, Generator
from typing import Any

import pytest

from graphnb.engine.drivers.beside import spread_beside_loop
from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.work import Outcomes, Request, Spread, begin_outcomes

SECONDS = 20  # until a test that hangs gives up


def plain(one: Callable[[Any], Any], count: int, concurrency: int | None = 4) -> Spread:
    """A plain function for each of `count` numbers."""
    return Spread(
        one,
        iter(range(count)),
        outcomes=begin_outcomes(count),
        concurrency=concurrency,
        fail_fast=True,
        kind="plain",
        has_plain=True,
        has_async=False,
    )


async def spread(given: Spread, host: Host | None = None) -> Outcomes:
    """What became of it."""
    async with asyncio.timeout(SECONDS):
        return await spread_beside_loop(given, host or Host(), drive=drive)


async def test_loop_goes_on_while_functions_block():
    """The functions wait for something that only the running loop can do."""
    released = threading.Event()
    asyncio.get_running_loop().call_later(0.01, released.set)

    assert [True, True] == (await spread(plain(lambda i: released.wait(SECONDS), 2))).results


async def test_what_functions_await_runs_on_the_callers_loop():
    """A plain function that returns a coroutine has it awaited where the caller is."""

    async def loop_here() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    outcomes = await spread(plain(lambda i: loop_here(), 3))

    assert [asyncio.get_running_loop()] * 3 == outcomes.results


@pytest.mark.parametrize("error", [SystemExit(1), asyncio.CancelledError(), GeneratorExit()])
async def test_interruption_in_a_thread_is_raised_by_the_caller(error):
    """What is no Exception leaves as it is."""

    def one(i: int) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        await spread(plain(one, 3))

    assert caught.value is error


async def test_cancelling_the_caller_cancels_what_functions_await():
    """What the threads wait for on the loop is cancelled, and has cleaned up when the caller is told."""
    started, cleaned = asyncio.Event(), []

    async def sleep(i: int) -> None:
        started.set()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            await asyncio.sleep(0.01)
            cleaned.append(i)

    task = asyncio.create_task(spread(plain(lambda i: sleep(i), 1, 2)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [0] == cleaned
    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_cancelling_the_caller_stops_threads_at_their_next_call():
    """A function under way is not waited for; when it ends, its thread begins nothing else."""
    begun, release, over = asyncio.Event(), threading.Event(), threading.Event()
    loop = asyncio.get_running_loop()
    second: list[int] = []

    def first_call(i: int) -> None:
        loop.call_soon_threadsafe(begun.set)
        release.wait(SECONDS)

    def one(i: int) -> Generator[Request, Any, None]:
        try:
            yield first_call, i, False
            yield second.append, i, False
        finally:
            over.set()

    given = Spread(
        one,
        iter([0]),
        outcomes=begin_outcomes(1),
        concurrency=2,
        fail_fast=True,
        kind="work",
        has_plain=True,
        has_async=False,
    )
    task = asyncio.create_task(spread(given))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    over.wait(SECONDS)

    assert [] == second


def test_thread_that_outlives_the_callers_loop_ends_quietly():
    """When the sleeping function ends, the loop is closed: nothing is left to be told."""
    begun, release, ended = threading.Event(), threading.Event(), threading.Event()

    def one(i: int) -> None:
        begun.set()
        release.wait(SECONDS)

    async def main() -> None:
        task = asyncio.create_task(spread(plain(one, 2)))
        await asyncio.to_thread(begun.wait, SECONDS)
        task.cancel()

    def watch() -> None:
        for thread in threading.enumerate():
            if thread.name in ("graphnb-wait", "graphnb-fan-out"):
                thread.join(SECONDS)
        ended.set()

    asyncio.run(main())
    watcher = threading.Thread(target=watch)
    watcher.start()
    release.set()
    watcher.join(SECONDS)
    gc.collect()  # an exception in a thread would be reported by now, which the suite takes for an error

    assert ended.is_set()


async def test_settled_after_the_caller_has_left():
    """A thread may end between the cancellation of its caller and the close of the loop: nobody minds."""
    begun, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def one(i: int) -> int:
        loop.call_soon_threadsafe(begun.set)
        release.wait(SECONDS)
        return i

    task = asyncio.create_task(spread(plain(one, 1, 2)))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    for thread in threading.enumerate():
        if thread.name == "graphnb-wait":
            await asyncio.to_thread(thread.join, SECONDS)
    await asyncio.sleep(0)

    assert task.cancelled()
