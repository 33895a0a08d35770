"""Spreading work over asyncio tasks."""

import asyncio
from collections.abc import Callable, Generator
from typing import Any

import pytest

from graphnb.engine.drivers.adrive import adrive
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.tasks import spread_over_tasks
from graphnb.engine.work import Outcomes, Request, Spread, begin_outcomes
from graphnb.trace.instances import PENDING

SECONDS = 20  # until a test that hangs gives up


def asynchronous(
    one: Callable[[Any], Any], count: int, concurrency: int | None = 4, *, fail_fast: bool = True
) -> Spread:
    """An asynchronous function for each of `count` numbers."""
    return Spread(
        one,
        iter(range(count)),
        outcomes=begin_outcomes(count),
        concurrency=concurrency,
        fail_fast=fail_fast,
        kind="async",
        has_plain=False,
        has_async=True,
    )


def few(one: Callable[[Any], Any], count: int, concurrency: int | None) -> Spread:
    """The same for a few that are begun in order."""
    given = asynchronous(one, count, concurrency, fail_fast=False)
    given.is_apart = True
    return given


async def spread(given: Spread, host: Host | None = None) -> Outcomes:
    """What became of it."""
    async with asyncio.timeout(SECONDS):
        return await spread_over_tasks(given, host or Host(), drive=adrive)


class Barrier:
    """Lets nobody through before all have come."""

    def __init__(self, parties: int) -> None:
        self._left = parties
        self._all = asyncio.Event()

    async def wait(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._all.set()
        await self._all.wait()


async def test_results_are_in_item_order_whatever_finishes_first():
    """Later items finish first; the results keep the order of the items."""
    done: list[int] = []

    async def one(i: int) -> int:
        while len(done) < 4 - i:
            await asyncio.sleep(0)
        done.append(i)
        return i * 2

    outcomes = await spread(asynchronous(one, 5, None))

    assert [4, 3, 2, 1, 0] == done
    assert ([0, 2, 4, 6, 8], {}) == outcomes


@pytest.mark.parametrize("concurrency", [1, 3, 8, None])
async def test_bound_is_reached_and_kept(concurrency):
    """As many as allowed are under way at once, and never more."""
    parties = concurrency or 12
    barrier = Barrier(parties)
    under_way = most = 0

    async def one(i: int) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await barrier.wait()
        under_way -= 1

    await spread(asynchronous(one, 12, concurrency))

    assert parties == most


async def test_no_item_costs_a_task():
    """A thousand items at concurrency 3 are pulled by three tasks."""
    tasks: set[Any] = set()

    async def one(i: int) -> None:
        tasks.add(asyncio.current_task())

    await spread(asynchronous(one, 1000, 3))

    assert len(tasks) <= 3


async def test_collect_goes_on_after_failures():
    """Without `fail_fast` every item is tried."""

    async def one(i: int) -> int:
        if i % 2:
            raise ValueError(i)
        return i

    results, errors = await spread(asynchronous(one, 5, 2, fail_fast=False))

    assert [0, PENDING, 2, PENDING, 4] == results
    assert [1, 3] == sorted(errors)


async def test_fail_fast_cancels_siblings_and_starts_nothing_more():
    """Those under way are cancelled and their `finally` blocks awaited; the rest is never begun."""
    started, cleaned = [], []
    barrier = Barrier(3)

    async def one(i: int) -> None:
        started.append(i)
        await barrier.wait()
        if i == 1:
            raise ValueError("no luck")
        try:
            await asyncio.sleep(SECONDS)
        finally:
            await asyncio.sleep(0)
            cleaned.append(i)

    _, errors = await spread(asynchronous(one, 30, 3))

    assert [0, 1, 2] == sorted(started)
    assert [0, 2] == sorted(cleaned)
    assert [1] == list(errors)


async def test_fail_fast_at_once_begins_no_sibling():
    """A task whose turn comes after the failure takes no item."""
    started = []

    async def one(i: int) -> None:
        started.append(i)
        raise ValueError("no luck")

    given = asynchronous(one, 5, 3)
    await spread(given)

    assert [0] == started
    assert [1, 2, 3, 4] == list(given.items)


async def test_sibling_that_finishes_at_the_same_moment_starts_nothing_more():
    """Its value counts, though nobody had the time to cancel it."""
    started = []
    both = asyncio.Event()

    async def one(i: int) -> str:
        started.append(i)
        if i == 1:
            asyncio.get_running_loop().call_soon(both.set)
        await both.wait()
        if i == 0:
            raise ValueError("no luck")
        return "done"

    results, _ = await spread(asynchronous(one, 10, 2))

    assert [0, 1] == started
    assert [PENDING, "done", PENDING] == results[:3]


async def test_failures_while_being_cancelled_are_kept():
    """A sibling whose cleanup fails adds its error."""
    barrier = Barrier(2)

    async def one(i: int) -> None:
        await barrier.wait()
        if i == 0:
            raise ValueError("no luck")
        try:
            await asyncio.sleep(SECONDS)
        finally:
            raise OSError("cleaning up")

    _, errors = await spread(asynchronous(one, 2, 2))

    assert {0: ValueError, 1: OSError} == {i: type(error) for i, error in errors.items()}


async def test_sibling_that_swallows_its_cancellation_starts_nothing_more():
    """It may finish its item, and then takes no other."""
    started = []
    barrier = Barrier(2)

    async def one(i: int) -> str:
        started.append(i)
        await barrier.wait()
        if i == 0:
            raise ValueError("no luck")
        try:
            await asyncio.sleep(SECONDS)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            return "stubborn"
        return "awake"

    results, _ = await spread(asynchronous(one, 10, 2))

    assert [0, 1] == sorted(started)
    assert "stubborn" == results[1]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError(), GeneratorExit()])
async def test_interruption_in_an_instance_is_raised_by_the_caller(error):
    """What is no Exception cancels the others and leaves as it is, without ending the event loop."""
    cancelled = []
    barrier = Barrier(2)

    async def one(i: int) -> None:
        await barrier.wait()
        if i == 0:
            raise error
        try:
            await asyncio.sleep(SECONDS)
        except asyncio.CancelledError:
            cancelled.append(i)
            raise

    with pytest.raises(type(error)) as caught:
        await spread(asynchronous(one, 2, 2, fail_fast=False))

    assert caught.value is error
    assert [1] == cancelled


async def test_cancelling_the_caller_cancels_all_instances():
    """A cancellation from outside reaches every instance and leaves no task behind."""
    cleaned = []
    barrier = Barrier(3)

    async def one(i: int) -> None:
        await barrier.wait()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            cleaned.append(i)

    task = asyncio.create_task(spread(asynchronous(one, 2, 2, fail_fast=False)))
    await barrier.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [0, 1] == sorted(cleaned)
    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_work_is_driven_in_the_loop():
    """An instance that is a piece of work has its calls made and awaited."""

    async def later(i: int) -> int:
        return i + 1

    def one(i: int) -> Generator[Request, Any, int]:
        more = yield later, i, True
        return more * 10

    given = Spread(
        one,
        iter(range(3)),
        outcomes=begin_outcomes(3),
        concurrency=2,
        fail_fast=True,
        kind="work",
        has_plain=False,
        has_async=True,
    )

    assert [10, 20, 30] == (await spread(given)).results


async def test_plain_functions_are_called_in_the_loop():
    """Their results count as they are, or are awaited if they have to be."""

    async def later(i: int) -> int:
        return -i

    given = Spread(
        lambda i: later(i) if i % 2 else i,
        iter(range(4)),
        outcomes=begin_outcomes(4),
        concurrency=1,
        fail_fast=True,
        kind="plain",
        has_plain=True,
        has_async=False,
    )

    assert [0, -1, 2, -3] == (await spread(given)).results


async def test_work_of_a_cancelled_host_is_not_begun():
    """An instance looks at its host before every call."""
    called = []

    def one(i: int) -> Generator[Request, Any, None]:
        yield called.append, i, False

    host = Host()
    host.cancel()
    given = Spread(
        one,
        iter(range(3)),
        outcomes=begin_outcomes(3),
        concurrency=2,
        fail_fast=True,
        kind="work",
        has_plain=False,
        has_async=True,
    )
    with pytest.raises(asyncio.CancelledError):
        await spread(given, host)

    assert [] == called


@pytest.mark.parametrize("concurrency", [None, 1, 2, 5, 9])
async def test_items_begun_in_order_are_all_done(concurrency):
    """Also where there are fewer tasks than items."""
    begun: list[int] = []

    async def one(i: int) -> int:
        begun.append(i)
        await asyncio.sleep(0)
        return i * i

    outcomes = await spread(few(one, 5, concurrency))

    assert [0, 1, 4, 9, 16] == outcomes.results
    assert [0, 1, 2, 3, 4] == begun
