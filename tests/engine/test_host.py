"""Where work is driven: waiting, and being told to stop."""

import asyncio
import gc

import pytest

from graphnb.engine.host import Host


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
    host = Host(lambda awaitable, check: (awaitable, check))
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
    outer = Host(lambda awaitable, check: "outer")
    with outer.inner() as same, outer.inner(lambda awaitable, check: "own") as own:
        assert "outer" == same.wait(object())  # type: ignore[arg-type]
        assert "own" == own.wait(object())  # type: ignore[arg-type]
