"""Waiting until observers were told of what has happened so far, or of everything."""

import asyncio
import math
import threading
import time
from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.drivers.loop_thread import wait_on_loop_thread
from graphnb.engine.invocation import Ids, Inside
from graphnb.engine.observers.delivery import Delivery
from graphnb.engine.observers.draining import DrainSummary, adrain, adrain_events, drain, drain_events
from graphnb.graph.observer import Observer
from graphnb.state.schema import schema_of, start_values

SECONDS = 20  # until a test that hangs gives up
DONE = DrainSummary(0, timeout_reached=False)

DRAINS = pytest.mark.parametrize(
    "wait",
    [
        lambda each, timeout=None: drain([each], timeout),
        lambda each, timeout=None: asyncio.run(adrain([each], timeout)),
    ],
    ids=["drain", "adrain"],
)
EVENTS = pytest.mark.parametrize(
    "wait",
    [drain_events, lambda each, timeout=None: asyncio.run(adrain_events(each, timeout))],
    ids=["drain_events", "adrain_events"],
)
ALL = pytest.mark.parametrize(
    "wait",
    [
        lambda each, timeout=None: drain([each], timeout),
        lambda each, timeout=None: asyncio.run(adrain([each], timeout)),
        lambda each, timeout=None: drain_events(each, timeout),
        lambda each, timeout=None: asyncio.run(adrain_events(each, timeout)),
    ],
    ids=["drain", "adrain", "drain_events", "adrain_events"],
)


class Empty(gn.State):
    pass


SCHEMA = schema_of(Empty)


def event(step: int) -> gn.NodeEvent:
    """An event that bears a number."""
    return gn.NodeEvent("started", step, gn.Lineage(("a",)), "i", "c", (SCHEMA, start_values(SCHEMA, {}, "")))


def held(count: int, release: threading.Event, *, ended: bool = True) -> Delivery:
    """A delivery of so many events, each of which waits."""
    delivery = Delivery("i")
    for i in range(count):
        delivery.put(event(i), [Observer(lambda each: release.wait(SECONDS), "holds")])
    if ended:
        delivery.end()
    return delivery


@ALL
def test_everything_that_was_emitted_is_waited_for(wait):
    """The summary is then empty."""
    release = threading.Event()
    delivery = held(3, release)
    threading.Timer(0.05, release.set).start()

    assert DONE == wait(delivery)
    assert 3 == delivery.delivered


@DRAINS
def test_drain_waits_for_the_end_of_the_run(wait):
    """Also if no event is outstanding at the moment."""
    delivery = Delivery("i")
    threading.Timer(0.05, delivery.end).start()

    assert DONE == wait(delivery, SECONDS)
    assert delivery.has_ended


@EVENTS
def test_events_so_far_are_waited_for_and_not_the_end(wait):
    """With nothing outstanding it returns at once, for an unknown invocation too."""
    assert DONE == wait(Delivery("i"), None)
    assert DONE == wait(None, None)


@DRAINS
def test_drain_that_runs_out_of_time_drops_the_rest(wait):
    """Queued events and the one under way are told; the delivery is over."""
    release = threading.Event()
    delivery = held(3, release)
    began = time.monotonic()

    assert DrainSummary(3, timeout_reached=True) == wait(delivery, 0.05)
    assert time.monotonic() - began < 5
    assert delivery.is_cancelled
    release.set()


@EVENTS
def test_drain_of_events_that_runs_out_of_time_leaves_them_under_way(wait):
    """It reports, and does not cancel."""
    release = threading.Event()
    delivery = held(3, release)

    assert DrainSummary(3, timeout_reached=True) == wait(delivery, 0.05)
    release.set()
    assert (DONE, 3) == (wait(delivery, SECONDS), delivery.delivered)


@pytest.mark.parametrize("wait", [drain, lambda each, timeout: asyncio.run(adrain(each, timeout))], ids=["drain", "a"])
def test_late_ones_alone_are_dropped(wait):
    """One that has delivered everything counts as done."""
    release = threading.Event()
    late, ready = held(2, release), held(0, release)

    assert DrainSummary(2, timeout_reached=True) == wait([late, ready], 0)
    assert (True, False) == (late.is_cancelled, ready.is_cancelled)
    release.set()


@ALL
@pytest.mark.parametrize(
    ("timeout", "error", "message"),
    [
        (-0.1, ValueError, "timeout is -0.1, want at least 0 seconds"),
        (math.nan, ValueError, "timeout is nan, want at least 0 seconds"),
        ("1", TypeError, r"timeout is '1' \(str\), want seconds or None"),
        (True, TypeError, r"timeout is True \(bool\), want seconds or None"),
    ],
)
def test_wrong_timeout_is_refused_before_anything_is_waited_for(wait, timeout, error, message):
    """With what is wanted."""
    with pytest.raises(error, match=message):
        wait(Delivery("i"), timeout)


@ALL
def test_timeout_of_nothing_looks_once(wait):
    """It is a question, not a wait."""
    delivery = Delivery("i")
    delivery.end()

    assert DONE == wait(delivery, 0)


async def test_blocking_in_the_loop_that_delivers_is_refused():
    """The error says what to write; nothing to wait for is no error."""
    delivery = Delivery("i")
    delivery.attach(asyncio.get_running_loop())

    assert DONE == drain_events(delivery, None)

    delivery.put(event(0), [])
    with pytest.raises(gn.GraphError, match=r"graph.drain: would block the event loop.*\nWrite: await graph.adrain\("):
        drain([delivery], None)
    with pytest.raises(gn.GraphError, match=r"Write: await graph.adrain_events_for\("):
        drain_events(delivery, None)

    assert DONE == await adrain_events(delivery, SECONDS)


def test_blocking_in_an_asynchronous_node_is_refused():
    """There observers that are asynchronous could never be awaited."""
    release = threading.Event()
    delivery = held(1, release, ended=False)

    async def node() -> None:
        drain_events(delivery, SECONDS)

    with pytest.raises(gn.GraphError, match=r"graph.drain_events_for: would block the event loop"):
        wait_on_loop_thread(node(), lambda: None)
    release.set()


@DRAINS
def test_run_that_waits_for_its_own_end_is_refused(wait):
    """Inside of a node only the events so far can be waited for; what has ended is no matter."""
    delivery, other = Delivery("own"), Delivery("other")
    other.end()
    with Inside(Ids("own", "c")):
        assert DONE == wait(other)
        with pytest.raises(gn.GraphError, match=r"inside of a run.*\n.*graph.drain_events_for\(gn.invocation\(\)"):
            wait(delivery)
        delivery.end()
        assert DONE == wait(delivery)


@ALL
def test_observer_that_waits_for_itself_is_refused(wait):
    """It holds up what it would wait for; the error is reported like any other of an observer."""
    delivery = Delivery("i")
    errors: list[Any] = []

    def waits(each: Any) -> None:
        try:
            wait(delivery)
        except gn.GraphError as error:
            errors.append(str(error))

    delivery.put(event(0), [Observer(waits, "waits")])
    delivery.end()

    assert delivery.wait(None, time.monotonic() + SECONDS)
    assert 1 == len(errors)
    assert "was called by an observer, which holds up the very events that it would wait for" in errors[0]
