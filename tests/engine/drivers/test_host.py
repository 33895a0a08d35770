"""Where work is driven: waiting, and being told to stop."""

import asyncio
import gc
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from graphnb.engine.drivers import host as host_module
from graphnb.engine.drivers import loop_thread
from graphnb.engine.drivers.host import Host
from graphnb.engine.work import Tell

SECONDS = 20  # until a test that hangs gives up


def test_new_host_lets_work_go_on():
    """Nobody has told it to stop."""
    host = Host()
    host.check()

    assert host.cancelled is False


def test_cancelled_host_refuses_to_go_on():
    """After `cancel` every check raises."""
    host = Host()
    host.cancel()

    with pytest.raises(asyncio.CancelledError):
        host.check()


def test_wait_uses_what_the_host_was_made_with():
    """The function gets the awaitable and the check of this very host."""
    host = Host(lambda awaitable, check, woken: (awaitable, check))
    awaitable = object()

    assert (awaitable, host.check) == host.wait(awaitable)  # type: ignore[arg-type]


def test_cancelled_host_does_not_wait():
    """The awaitable is not started, and closed so that nothing warns of it."""

    async def work() -> None:
        raise AssertionError("must not run")

    host = Host()
    host.cancel()
    with pytest.raises(asyncio.CancelledError):
        host.wait(work())

    gc.collect()


def test_cancelling_reaches_hosts_within():
    """A run that stops stops all of its parts, at any depth."""
    outer = Host()
    with outer.inner() as inner, inner.inner() as innermost:
        outer.cancel()

        assert inner.cancelled
        assert innermost.cancelled


def test_cancelling_a_part_leaves_the_rest_alone():
    """A fan-out that stops its instances does not stop the run."""
    outer = Host()
    with outer.inner() as inner, outer.inner() as other:
        inner.cancel()

        assert not outer.cancelled
        assert not other.cancelled


def test_part_of_a_cancelled_host_is_cancelled_from_the_start():
    """A thread that comes late finds its work stopped."""
    outer = Host()
    outer.cancel()
    with outer.inner() as inner:
        assert inner.cancelled


def test_part_that_has_ended_is_forgotten():
    """A long run does not collect the hosts of its fan-outs."""
    outer = Host()
    with outer.inner():
        pass

    assert [] == outer._inner


def test_part_waits_like_the_whole_unless_told_otherwise():
    """The way to wait is handed down."""
    outer = Host(lambda awaitable, check, woken: "outer")
    with outer.inner() as same, outer.inner(lambda awaitable, check, woken: "own") as own:
        assert "outer" == same.wait(object())  # type: ignore[arg-type]
        assert "own" == own.wait(object())  # type: ignore[arg-type]


def test_host_without_observers_tells_nobody():
    """A request to tell is answered all the same."""
    told: list[Any] = []
    event: Any = object()
    request = Tell(event, ())
    Host().tell(request)
    Host(put=lambda *given: told.append(given)).tell(request)

    assert [(event, ())] == told


def test_part_tells_like_the_whole():
    """Its events are on the same way."""
    told: list[Any] = []
    event: Any = object()
    with Host(put=lambda event, observers: told.append(event)).inner() as inner, inner.inner() as innermost:
        innermost.tell(Tell(event, ()))

    assert [event] == told


def test_sleep_lasts_as_long_as_it_is_told_to():
    """And no time at all for what is no pause."""
    began = time.monotonic()
    Host().sleep(0.12)
    took = time.monotonic() - began
    for seconds in (0, -1):
        Host().sleep(seconds)

    assert 0.12 <= took < 5
    assert time.monotonic() - began < 5


def test_sleep_ends_when_the_work_is_told_to_stop():
    """Within a moment; one that begins afterwards does not even begin."""
    host = Host()
    threading.Timer(0.05, host.cancel).start()
    began = time.monotonic()
    for _ in range(2):
        with pytest.raises(asyncio.CancelledError):
            host.sleep(60)

    assert time.monotonic() - began < 5


@pytest.mark.parametrize("when", ["before", "while"])
def test_cancelled_host_wakes_at_once_whoever_waits(when, monkeypatch):
    """In a sleep and for something awaitable, also in a part of the work: nobody waits for the next look."""
    monkeypatch.setattr(host_module, "_LOOK", 10 * SECONDS)
    monkeypatch.setattr(loop_thread, "_LOOK", 10 * SECONDS)
    outer, stopped = Host(), queue.SimpleQueue[str]()

    def waiting(name: str, wait: Callable[[Host], Any]) -> None:
        with outer.inner() as inner:
            begun.put(name)
            try:
                wait(inner)
            except asyncio.CancelledError:
                stopped.put(name)

    begun = queue.SimpleQueue[str]()
    waits = {
        "sleep": lambda host: host.sleep(10 * SECONDS),
        "wait": lambda host: host.wait(asyncio.sleep(10 * SECONDS)),
    }
    if when == "before":
        outer.cancel()
    for given in waits.items():
        threading.Thread(target=waiting, args=given, daemon=True).start()
    assert {"sleep", "wait"} == {begun.get(timeout=SECONDS) for _ in waits}
    if when == "while":
        outer.cancel()

    assert {"sleep", "wait"} == {stopped.get(timeout=SECONDS) for _ in waits}


def test_host_that_is_cancelled_just_before_a_wait_begins_wakes_it():
    """Between the look at whether to stop and the wait itself."""

    class Late(Host):
        """Cancelled right after it was found to go on."""

        def check(self) -> None:
            super().check()
            self.cancelled = True

    with pytest.raises(asyncio.CancelledError):
        Late(lambda awaitable, check, woken: woken.wait(SECONDS) and check()).wait(None)
