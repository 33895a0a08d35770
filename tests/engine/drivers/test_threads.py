"""Spreading plain functions over threads."""

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import pytest

from graphnb.engine.drivers import threads
from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.threads import spread_over_threads
from graphnb.engine.work import Outcomes, Request, Spread, begin_outcomes
from graphnb.trace.instances import PENDING

WORD: contextvars.ContextVar[str] = contextvars.ContextVar("WORD", default="unset")
SECONDS = 20  # until a test that hangs gives up


def plain(one: Callable[[Any], Any], count: int, concurrency: int | None = 4, *, fail_fast: bool = True) -> Spread:
    """A plain function for each of `count` numbers."""
    return Spread(
        one,
        iter(range(count)),
        outcomes=begin_outcomes(count),
        concurrency=concurrency,
        fail_fast=fail_fast,
        kind="plain",
        has_plain=True,
        has_async=False,
    )


def work(one: Callable[[Any], Any], count: int, concurrency: int | None = 4, *, fail_fast: bool = True) -> Spread:
    """A piece of work for each of `count` numbers."""
    return Spread(
        one,
        iter(range(count)),
        outcomes=begin_outcomes(count),
        concurrency=concurrency,
        fail_fast=fail_fast,
        kind="work",
        has_plain=True,
        has_async=True,
    )


def spread(given: Spread, host: Host | None = None) -> Outcomes:
    """What became of it."""
    return spread_over_threads(given, host or Host(), drive=drive)


def test_results_are_in_item_order():
    """One result per item, in the order of the items."""
    assert ([0, 2, 4, 6, 8], {}) == spread(plain(lambda i: i * 2, 5))


@pytest.mark.parametrize("concurrency", [2, 7, None])
def test_instances_that_wait_overlap(concurrency):
    """As many as allowed are under way at once: each waits until all of them have come."""
    parties = concurrency or 9
    barrier = threading.Barrier(parties, timeout=SECONDS)

    assert list(range(parties)) == sorted(spread(plain(lambda i: barrier.wait(), parties, concurrency)).results)


@pytest.mark.parametrize("concurrency", [1, 2, 5])
def test_never_more_than_the_bound_are_under_way(concurrency):
    """Of twenty instances that wait, at most so many are ever under way."""
    lock, under_way, most = threading.Lock(), 0, 0
    full = threading.Event()

    def one(i: int) -> None:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
            if under_way == concurrency:
                full.set()
        full.wait(SECONDS)
        with lock:
            under_way -= 1

    spread(plain(one, 20, concurrency))

    assert concurrency == most


def test_quick_items_cost_no_thread_each(monkeypatch):
    """As long as items are finished at every look, one thread works through all of them."""
    monkeypatch.setattr(threads, "_WATCH", 5.0)
    idents = spread(plain(lambda i: threading.get_ident(), 5000, 50)).results

    assert 1 == len(set(idents))
    assert threading.get_ident() not in idents


def test_items_that_are_finished_between_two_looks_cost_no_thread_each(monkeypatch):
    """A look that finds something finished starts no thread, however long all of them take."""
    monkeypatch.setattr(threads, "_WATCH", 0.2)

    def one(i: int) -> int:
        time.sleep(0.01)
        return threading.get_ident()

    assert 1 == len(set(spread(plain(one, 30, 50)).results))


def test_one_at_a_time_stays_in_the_calling_thread():
    """Concurrency 1, and a single item, need no thread at all."""
    for given in (plain(lambda i: threading.get_ident(), 5, 1), plain(lambda i: threading.get_ident(), 1, 10)):
        assert {threading.get_ident()} == set(spread(given).results)


def test_threads_see_the_callers_context_variables():
    """Each thread has its own copy of the caller's context, untouched by the other threads."""
    barrier = threading.Barrier(3, timeout=SECONDS)

    def one(i: int) -> str:
        seen = WORD.get()
        WORD.set(f"changed by {i}")
        barrier.wait()
        return seen

    token = WORD.set("mine")
    try:
        assert ["mine"] * 3 == spread(plain(one, 3)).results
        assert "mine" == WORD.get()
    finally:
        WORD.reset(token)


def test_collect_goes_on_after_failures():
    """Without `fail_fast` every item is tried, and each failure is kept under its number."""

    def one(i: int) -> int:
        if i % 2:
            raise ValueError(i)
        return i

    results, errors = spread(plain(one, 6, fail_fast=False))

    assert [0, PENDING, 2, PENDING, 4, PENDING] == results
    assert {1: "1", 3: "3", 5: "5"} == {i: str(error) for i, error in errors.items()}


def test_fail_fast_starts_nothing_more():
    """After a failure what is under way is awaited, and no further item is begun."""
    started: list[int] = []
    both = threading.Barrier(2, timeout=SECONDS)
    failed = threading.Event()

    def one(i: int) -> int:
        started.append(i)
        both.wait()
        if i == 0:
            failed.set()
            raise ValueError("no luck")
        failed.wait(SECONDS)
        return i

    results, errors = spread(plain(one, 50, 2))

    assert [0, 1] == sorted(started)
    assert [PENDING, 1] == results[:2]
    assert [0] == list(errors)


def test_fail_fast_in_the_calling_thread_starts_nothing_more():
    """The same with one at a time."""
    started: list[int] = []

    def one(i: int) -> None:
        started.append(i)
        raise ValueError(i)

    spread(plain(one, 5, 1))

    assert [0] == started


def test_fail_fast_stops_siblings_at_their_next_call():
    """A sibling that runs a graph does not run its next node."""
    both = threading.Barrier(2, timeout=SECONDS)
    failed = threading.Event()
    second: list[int] = []

    def first_call(i: int) -> None:
        both.wait()
        if i == 0:
            failed.set()
            raise ValueError("no luck")
        failed.wait(SECONDS)
        stopped.wait(SECONDS)

    def one(i: int) -> Generator[Request, Any, int]:
        yield first_call, i, False
        yield second.append, i, False
        return i

    host = Host()
    stopped = _set_when_cancelled(host)
    results, errors = spread(work(one, 2), host)

    assert [] == second
    assert ([PENDING, PENDING], [0]) == (results, list(errors))


def _set_when_cancelled(host: Host) -> threading.Event:
    """An event that is set once the hosts within this one have been stopped."""
    event = threading.Event()

    class Watched(list[Host]):
        def append(self, inner: Host) -> None:
            super().append(inner)
            threading.Thread(target=watch, args=(inner,), daemon=True).start()

    def watch(inner: Host) -> None:
        while not inner.cancelled:
            event.wait(0.001)
        event.set()

    host._inner = Watched()
    return event


def test_fail_fast_cancels_what_siblings_await():
    """A sibling that waits for asynchronous code is cancelled, and its `finally` block runs."""
    sleeping = threading.Event()
    cleaned: list[int] = []

    async def sleep(i: int) -> None:
        sleeping.set()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            await asyncio.sleep(0)
            cleaned.append(i)

    def one(i: int) -> Generator[Request, Any, None]:
        if i == 0:
            sleeping.wait(SECONDS)
            raise ValueError("no luck")
        yield sleep, i, True

    errors = spread(work(one, 2)).errors

    assert [0] == list(errors)
    assert [1] == cleaned


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError(), GeneratorExit()])
def test_interruption_in_an_instance_is_raised_by_the_caller(concurrency, error):
    """What is no Exception stops all instances and leaves as it is."""
    started: list[int] = []

    def one(i: int) -> None:
        started.append(i)
        if i == 0:
            raise error

    with pytest.raises(type(error)) as caught:
        spread(plain(one, 5000, concurrency, fail_fast=False))

    assert caught.value is error
    assert len(started) < 5000


def test_interruption_in_an_instance_stops_the_others():
    """A thread whose item is done takes no other."""
    started: list[int] = []
    both = threading.Barrier(2, timeout=SECONDS)
    host = Host()
    stopped = _set_when_cancelled(host)

    def one(i: int) -> None:
        started.append(i)
        both.wait()
        if i == 0:
            raise KeyboardInterrupt
        stopped.wait(SECONDS)

    with pytest.raises(KeyboardInterrupt):
        spread(plain(one, 50, 2, fail_fast=False), host)

    assert [0, 1] == sorted(started)


def test_plain_function_may_return_an_awaitable():
    """What it returns is awaited on the host."""

    async def later(i: int) -> int:
        return i * 10

    assert [0, 10, 20] == spread(plain(lambda i: later(i), 3)).results


def test_system_without_threads_is_served_by_the_caller(monkeypatch):
    """Where no thread can be started, the caller does the work."""

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)

    assert [threading.get_ident()] * 3 == spread(plain(lambda i: threading.get_ident(), 3)).results


def test_threads_that_run_do_the_work_of_those_that_cannot_start(monkeypatch):
    """When the system gives no more threads, the first one works through all items."""
    start, started = threading.Thread.start, []

    def refuse_the_second(self: threading.Thread) -> None:
        if started:
            asked.set()
            raise RuntimeError("can't start new thread")
        started.append(self)
        start(self)

    asked = threading.Event()
    monkeypatch.setattr(threading.Thread, "start", refuse_the_second)

    assert [True] * 5 == spread(plain(lambda i: asked.wait(SECONDS), 5)).results
    assert 1 == len(started)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_cancelled_host_stops_the_spread(concurrency):
    """A run that is told to stop begins no further instance, and what was left out does not pass for a result."""
    host = Host()
    started: list[int] = []

    def one(i: int) -> None:
        started.append(i)
        host.cancel()

    with pytest.raises(asyncio.CancelledError):
        spread(plain(one, 5000, concurrency), host)

    assert len(started) <= concurrency


@pytest.mark.parametrize("concurrency", [1, 3])
def test_host_that_was_cancelled_before_begins_nothing(concurrency):
    """No item is taken, since what is taken counts as begun."""
    host = Host()
    host.cancel()
    given = plain(lambda i: i, 3, concurrency)
    with pytest.raises(asyncio.CancelledError):
        spread(given, host)

    assert [0, 1, 2] == list(given.items)


def test_cancelled_host_does_not_wait_for_a_sleeping_function():
    """What sleeps in a thread cannot be woken: the caller leaves at once."""
    host = Host()
    release, ended = threading.Event(), threading.Event()
    both = threading.Barrier(3, timeout=SECONDS)

    def one(i: int) -> None:
        both.wait()
        release.wait(SECONDS)
        if i == 0:
            ended.set()

    def cancel() -> None:
        both.wait()
        host.cancel()

    threading.Thread(target=cancel, daemon=True).start()
    with pytest.raises(asyncio.CancelledError):
        spread(plain(one, 2, 2), host)

    assert not ended.is_set()

    release.set()


class Interrupted(Host):
    """A host that interrupts whoever watches, as the stop button does, once the event is set."""

    def __init__(self, pressed: threading.Event) -> None:
        super().__init__()
        self.pressed = pressed

    def check(self) -> None:
        if self.pressed.is_set():
            raise KeyboardInterrupt


def test_interrupted_caller_leaves_and_nothing_more_is_begun():
    """Threads under way end after their item, and not with the next one."""
    pressed, release = threading.Event(), threading.Event()
    begun: list[int] = []

    def one(i: int) -> None:
        begun.append(i)
        if len(begun) == 2:
            pressed.set()
        release.wait(SECONDS)

    with pytest.raises(KeyboardInterrupt):
        spread(plain(one, 50, 2), Interrupted(pressed))
    release.set()
    for thread in threading.enumerate():
        if thread.name == "graphnb-fan-out":
            thread.join(SECONDS)

    assert [0, 1] == sorted(begun)


def test_interrupted_caller_waits_a_moment_for_what_can_be_woken(monkeypatch):
    """What the threads await is cancelled and has cleaned up when the caller leaves."""
    monkeypatch.setattr(threads, "GRACE", SECONDS)
    pressed, cleaned = threading.Event(), []

    async def sleep(i: int) -> None:
        pressed.set()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            cleaned.append(i)

    with pytest.raises(KeyboardInterrupt):
        spread(plain(lambda i: sleep(i) if i == 0 else pressed.wait(SECONDS), 2, 2), Interrupted(pressed))

    assert [0] == cleaned


def test_host_cancelled_during_quick_items_stops_the_watch():
    """While items are finished at every look, the watching caller sees a cancellation too."""
    host = Host()

    def one(i: int) -> None:
        if i == 100:
            host.cancel()

    with pytest.raises(asyncio.CancelledError):
        spread(plain(one, 10**6, 2), host)
