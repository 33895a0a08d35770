"""Event loops whose thread waits for other threads."""

import asyncio
import contextvars
import itertools
import queue
import threading
import time
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.drivers import loop_thread

SECONDS = 20  # until a test that hangs gives up


class Batch(gn.State):
    out: Annotated[list[Any], gn.append] = []


async def later(s: Any) -> dict[str, Any]:
    """An asynchronous node."""
    await asyncio.sleep(0)
    return {"out": ["later"]}


PLAIN, LATER = gn.Graph(Batch, entry="a"), gn.Graph(Batch, entry="a")
PLAIN.node("a", lambda s: {"out": ["plain"]}, to=gn.END)
LATER.node("a", later, to=gn.END)


@pytest.fixture(autouse=True)
def _own_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A private loop for each test: one that is blocked for good does not hang the next test."""
    monkeypatch.setattr(loop_thread, "_running", None)


def blocked(inner: gn.Graph) -> gn.Graph:
    """A graph whose asynchronous node runs another one without awaiting it."""

    async def blocks(s: Any) -> dict[str, Any]:
        inner.run()
        return {}

    outer = gn.Graph(Batch, entry="a", name="outer")
    outer.node("a", blocks, to=gn.END)
    return outer


async def note(*given: Any) -> None:
    """An asynchronous callback of middleware."""
    await asyncio.sleep(0)


def fail_once() -> Any:
    """A worker of which the first call fails."""
    calls = itertools.count()

    def worker(i: int) -> int:
        if next(calls) == 0:
            raise OSError("busy")
        return i

    return worker


@pytest.mark.parametrize(
    "given",
    [
        (None, {"instance_middleware": [gn.timing(note)]}),
        (None, {"instance_middleware": [gn.retry(2, classifier=lambda e, s: True, backoff=0, on_retry=note)]}),
        (lambda i: note(), {}),
        (lambda i: LATER.run().state.out, {}),
    ],
    ids=["timing", "retry", "awaitable", "run"],
)
def test_thread_that_would_wait_for_the_loop_that_waits_for_it_is_told_too(given):
    """Wherever that is found out: in a callback, for what a worker returned, in a run that a worker began."""
    inner = gn.Graph(Batch, entry="all", name="inner")
    worker, options = given
    inner.fan_out("all", worker or fail_once(), count=3, into="out", to=gn.END, **options)
    with pytest.raises(gn.NodeException, match="asynchronous node, which it would block") as caught:
        blocked(inner).start().result(SECONDS)

    assert "Write: await graph.arun(...)" in str(caught.value)


def test_threads_may_wait_for_the_loop_again_that_nobody_holds_up_any_more():
    """What a worker has left behind is no longer in anybody's way."""
    go, told = threading.Event(), queue.SimpleQueue[Any]()

    def left() -> None:
        go.wait(SECONDS)
        told.put(LATER.run().state.out)

    def worker(i: int) -> int:
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(left,), daemon=True).start()
        return i

    inner = gn.Graph(Batch, entry="all", name="inner")
    inner.fan_out("all", worker, count=2, concurrency=1, into="out", to=gn.END)
    blocked(inner).start().result(SECONDS)
    go.set()

    assert [["later"], ["later"]] == [told.get(timeout=SECONDS) for _ in range(2)]


def test_observers_of_a_run_that_holds_up_the_loop_are_told_when_it_goes_on():
    """Nobody waits for them, so that they may wait."""
    seen: list[str] = []

    async def see(event: Any) -> None:
        await asyncio.sleep(0)
        seen.append(event.phase)

    def worker(i: int) -> int:
        PLAIN.run(observers=[see])
        return i

    inner = gn.Graph(Batch, entry="all", name="inner")
    inner.fan_out("all", worker, count=2, into="out", to=gn.END)
    blocked(inner).start().result(SECONDS)
    for _ in range(SECONDS * 100):
        if len(seen) == 4:
            break
        time.sleep(0.01)

    assert ["completed", "completed", "started", "started"] == sorted(seen)


def test_asynchronous_node_may_hold_up_another_loop():
    """Under `arun` the private loop is free: what would block it there is only slow here."""
    inner = gn.Graph(Batch, entry="all", name="inner")
    middleware = [gn.retry(2, classifier=lambda e, s: True, backoff=0, on_retry=note)]
    inner.fan_out("all", fail_once(), count=3, into="out", instance_middleware=middleware, to=gn.END)
    seen: list[Any] = []

    async def blocks(s: Any) -> dict[str, Any]:
        seen.append(inner.run().state.out)
        return {}

    outer = gn.Graph(Batch, entry="a", name="outer")
    outer.node("a", blocks, to=gn.END)
    asyncio.run(outer.arun())

    assert [[0, 1, 2]] == seen


def test_worker_is_refused_to_wait_for_observers_of_a_loop_that_waits_for_it():
    """A node of a run under `arun` blocks its loop, in which the observers of the run are told."""
    errors: list[str] = []

    def worker(i: int) -> int:
        try:
            outer.drain_events_for("outer", timeout=SECONDS)
        except gn.GraphError as error:
            errors.append(str(error))
        return i

    inner = gn.Graph(Batch, entry="all", name="inner")
    inner.fan_out("all", worker, count=2, into="out", to=gn.END)
    outer = blocked(inner)
    asyncio.run(outer.arun(observers=[lambda event: None], invocation_id="outer"))

    assert 2 == len(errors)
    assert "graph.drain_events_for: would block the event loop in which the observers are called" in errors[0]
