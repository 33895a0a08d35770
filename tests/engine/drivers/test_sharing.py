"""Spreading a few items that are mostly quick: the calling thread does them, and has help when one makes it wait."""

import asyncio
import contextvars
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from graphnb.engine.drivers import sharing
from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.sharing import spread_with_help
from graphnb.engine.work import Outcomes, Spread, Work, begin_outcomes
from graphnb.trace.instances import PENDING

WORD: contextvars.ContextVar[str] = contextvars.ContextVar("WORD", default="unset")
SECONDS = 20  # until a test that hangs gives up


def shared(one: Callable[[int], Any], count: int) -> Spread:
    """Work for each of so many numbers that calls the function."""

    def work(i: int) -> Work[Any]:
        return (yield one, i, False)

    outcomes = begin_outcomes(count)
    return Spread(
        work, iter(range(count)), outcomes=outcomes, concurrency=None, fail_fast=False, kind="work", has_plain=True,
        has_async=True, is_apart=True,
    )  # fmt: skip


def spread(given: Spread, host: Host | None = None) -> Outcomes:
    """What became of it."""
    return spread_with_help(given, host or Host(), drive=drive)


def test_quick_items_are_done_by_the_calling_thread():
    """In order, and without any further thread."""
    seen = []

    def one(i: int) -> int:
        seen.append((i, threading.current_thread() is threading.main_thread()))
        return i * 2

    assert ([0, 2, 4], {}) == spread(shared(one, 3))
    assert [(0, True), (1, True), (2, True)] == seen


def test_items_that_wait_overlap():
    """Each waits for all others."""
    barrier = threading.Barrier(4, timeout=SECONDS)
    results, errors = spread(shared(lambda i: barrier.wait() and i, 4))

    assert {} == errors
    assert PENDING not in results


def test_caller_waits_for_threads_as_long_as_they_take(monkeypatch):
    """Looking now and then whether it was told to stop."""
    monkeypatch.setattr(sharing, "LOOK", 0.001)
    looks = threading.Semaphore(0)

    class Looked(Host):
        def check(self) -> None:
            looks.release()

    def one(i: int) -> int:
        barrier.wait()
        if threading.current_thread() is not threading.main_thread():
            for _ in range(5):
                assert looks.acquire(timeout=SECONDS)
        return i

    barrier = threading.Barrier(2, timeout=SECONDS)
    assert ([0, 1], {}) == spread(shared(one, 2), Looked())


def test_error_leaves_the_others_alone():
    """All items are done, whatever became of one."""

    def one(i: int) -> int:
        if i == 1:
            raise LookupError("lost")
        return i

    results, errors = spread(shared(one, 3))
    assert [0, PENDING, 2] == results
    assert ["lost"] == [str(each) for each in errors.values()]
    assert [1] == list(errors)


def test_awaitables_are_awaited():
    """Also of functions that do not say that they are asynchronous."""

    async def later(i: int) -> int:
        await asyncio.sleep(0)
        return i

    assert ([0, 1], {}) == spread(shared(lambda i: later(i), 2))


def test_each_item_has_context_variables_of_its_own():
    """Those of the caller; what one sets is seen by nobody else, on whichever thread."""
    barrier = threading.Barrier(3, timeout=SECONDS)
    seen = []

    def one(i: int) -> None:
        seen.append(WORD.get())
        WORD.set(str(i))
        if i < 3:
            barrier.wait()

    token = WORD.set("caller")
    try:
        spread(shared(one, 6))
        assert ["caller"] * 6 == seen
        assert "caller" == WORD.get()
    finally:
        WORD.reset(token)


def test_without_further_threads_items_come_one_after_the_other(monkeypatch):
    """The system may have no more threads to give."""

    def refuse(self: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    lookout = sharing._Lookout()
    monkeypatch.setattr(sharing, "_LOOKOUT", lookout)

    assert ([0, 1, 2], {}) == spread(shared(lambda i: i, 3))


def test_lookout_goes_to_sleep_and_wakes_again(monkeypatch):
    """A spread that begins after a pause has help as well."""
    monkeypatch.setattr(sharing, "_IDLE", 1)
    monkeypatch.setattr(sharing, "_LOOKOUT", lookout := sharing._Lookout())
    for _ in range(3):
        barrier = threading.Barrier(2, timeout=SECONDS)
        assert {} == spread(shared(lambda i, barrier=barrier: barrier.wait(), 2)).errors
        for _ in range(1000):
            if not lookout._begun.is_set():
                break
            threading.Event().wait(0.01)
        assert not lookout._begun.is_set()


@pytest.mark.parametrize("is_late", [False, True])
def test_spread_that_begins_as_the_lookout_goes_to_sleep_is_seen(is_late, monkeypatch):
    """It looks once more when it has said that it sleeps, and then stays awake."""
    monkeypatch.setattr(sharing, "_IDLE", 2)
    lookout = sharing._Lookout()
    answers = iter([True, False, False, is_late])
    monkeypatch.setattr(lookout, "look", lambda: next(answers))
    lookout._begun.set()
    lookout.attend()

    assert is_late is lookout._begun.is_set()


def test_forked_process_has_a_lookout_of_its_own():
    """Threads are not inherited."""
    before = sharing._LOOKOUT
    try:
        sharing._renew()
        assert before is not sharing._LOOKOUT
        barrier = threading.Barrier(2, timeout=SECONDS)
        assert {} == spread(shared(lambda i: barrier.wait(), 2)).errors
    finally:
        sharing._LOOKOUT = before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_items_overlap_in_a_forked_process():
    """The child has no thread of its parent that looks on, and starts one."""
    code = """
import os, threading, graphnb as gn
def run():
    class S(gn.State): n: int = 0
    barrier = threading.Barrier(2, timeout=20)
    g = gn.Graph(S, entry="a")
    g.node("a", lambda s: {}, to=("b", "c"))
    g.node("b", lambda s: barrier.wait() and {} or {}, to=gn.END)
    g.node("c", lambda s: barrier.wait() and {} or {}, to=gn.END)
    return g.run().status
print(run(), flush=True)
child = os.fork()
if child == 0:
    print(run(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert ("done\ndone\n", "") == (done.stdout, done.stderr)


@pytest.mark.parametrize("at", [0, 1])
def test_interruption_by_an_item_ends_the_spread(at):
    """It is raised, and items that had not begun stay unbegun."""
    begun = []

    def one(i: int) -> int:
        begun.append(i)
        if i == at:
            raise KeyboardInterrupt
        return i

    given = shared(one, 3)
    with pytest.raises(KeyboardInterrupt):
        spread(given)

    assert list(range(at + 1)) == begun
    assert [*range(at), *[PENDING] * (3 - at)] == given.outcomes.results


def test_interruption_by_an_item_waits_only_a_moment_for_others(monkeypatch):
    """What sleeps in a thread cannot be woken."""
    monkeypatch.setattr(sharing, "GRACE", 0.01)
    sleeping, release = threading.Event(), threading.Event()

    def one(i: int) -> None:
        if threading.current_thread() is threading.main_thread():
            assert sleeping.wait(SECONDS)
            raise KeyboardInterrupt
        sleeping.set()
        release.wait(SECONDS)

    with pytest.raises(KeyboardInterrupt):
        spread(shared(one, 2))
    release.set()


def test_interruption_on_another_thread_is_raised_here(monkeypatch):
    """The caller, which waits for that thread, does not wait for what else sleeps."""
    monkeypatch.setattr(sharing, "GRACE", 0.01)
    monkeypatch.setattr(sharing, "LOOK", 0.01)
    both, release = threading.Barrier(3, timeout=SECONDS), threading.Event()

    def one(i: int) -> None:
        both.wait()
        if threading.current_thread() is threading.main_thread():
            return
        if not lock.acquire(blocking=False):
            release.wait(SECONDS)
            return
        raise KeyboardInterrupt

    lock = threading.Lock()
    with pytest.raises(KeyboardInterrupt):
        spread(shared(one, 3))
    release.set()


def test_interrupted_caller_stops_the_threads(monkeypatch):
    """Pressed while it waits for them: what it has done itself is kept."""
    monkeypatch.setattr(sharing, "LOOK", 0.01)
    monkeypatch.setattr(sharing, "GRACE", 0.01)
    both, release = threading.Barrier(2, timeout=SECONDS), threading.Event()

    class Pressed(Host):
        def check(self) -> None:
            raise KeyboardInterrupt

    def one(i: int) -> int:
        both.wait()
        if threading.current_thread() is not threading.main_thread():
            release.wait(SECONDS)
        return i

    given = shared(one, 2)
    with pytest.raises(KeyboardInterrupt):
        spread(given, Pressed())

    assert [PENDING, 1] == given.outcomes.results or [0, PENDING] == given.outcomes.results
    release.set()


def test_cancelled_host_raises_instead_of_giving_holes():
    """An item that was left out must not pass for a result."""
    host = Host()

    def one(i: int) -> int:
        host.cancel()
        return i

    with pytest.raises(asyncio.CancelledError):
        spread(shared(one, 3), host)
