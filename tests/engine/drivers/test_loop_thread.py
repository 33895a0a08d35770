"""Waiting for asynchronous code from plain code, on a loop of another thread."""

import asyncio
import contextvars
import gc
import threading
import time
import warnings
from collections.abc import Callable

import pytest

from graphnb.engine.drivers import loop_thread
from graphnb.engine.drivers.loop_thread import close_unawaited, wait_on, wait_on_loop_thread
from graphnb.errors import GraphError

WORD: contextvars.ContextVar[str] = contextvars.ContextVar("WORD", default="unset")


def never() -> None:
    """A check that lets the wait go on."""


async def loop_here() -> asyncio.AbstractEventLoop:
    """The private loop."""
    return asyncio.get_running_loop()


def raising(error: BaseException, after: threading.Event | None = None) -> Callable[[], None]:
    """A check that ends the wait with the error, once the event is set."""

    def check() -> None:
        if after is None or after.is_set():
            raise error

    return check


def test_wait_gives_the_result():
    """The awaitable's result comes back."""

    async def answer() -> int:
        return 42

    assert 42 == wait_on_loop_thread(answer(), never)


def test_wait_raises_what_the_awaitable_raises():
    """Its exception comes back as the same object."""
    error = ValueError("no luck")

    async def fail() -> None:
        raise error

    with pytest.raises(ValueError, match="no luck") as caught:
        wait_on_loop_thread(fail(), never)

    assert caught.value is error


def test_wait_longer_than_one_look_goes_on_waiting():
    """Looks at the check do not end the wait."""
    looks: list[int] = []

    async def slow() -> str:
        while len(looks) < 2:
            await asyncio.sleep(0.01)
        return "done"

    assert "done" == wait_on_loop_thread(slow(), lambda: looks.append(1))


def test_awaitable_sees_the_callers_context_variables_and_cannot_change_them():
    """It runs in a copy of the caller's context."""

    async def read() -> str:
        seen = WORD.get()
        WORD.set("changed")
        return seen

    token = WORD.set("mine")
    try:
        assert "mine" == wait_on_loop_thread(read(), never)
        assert "mine" == WORD.get()
    finally:
        WORD.reset(token)


def test_several_threads_wait_at_once():
    """The private loop serves waiting threads at the same time: each answers only when all have come."""
    parties = 5
    come: list[int] = []

    async def meet(i: int) -> int:
        come.append(i)
        while len(come) < parties:
            await asyncio.sleep(0.001)
        return i

    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda i=i: answers.append(wait_on_loop_thread(meet(i), never))) for i in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert list(range(5)) == sorted(answers)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), asyncio.CancelledError()])
def test_check_that_raises_cancels_the_awaitable_and_lets_it_clean_up(error):
    """What the check raises is raised again, after the awaitable's `finally` block has run to its end."""
    started, cleaned = threading.Event(), threading.Event()

    async def sleep() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            cleaned.set()

    with pytest.raises(type(error)):
        wait_on_loop_thread(sleep(), raising(error, started))

    assert cleaned.is_set()


def test_error_in_the_cleanup_of_a_cancelled_awaitable_is_not_reported_later(caplog):
    """Nobody asks for it any more, so the loop must not complain that it was never retrieved."""
    started = threading.Event()

    async def sleep() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            raise ValueError("while cleaning up")

    with pytest.raises(KeyboardInterrupt):
        wait_on_loop_thread(sleep(), raising(KeyboardInterrupt(), started))
    gc.collect()

    assert [] == caplog.records


@pytest.mark.parametrize("error", [SystemExit(2), KeyboardInterrupt()])
def test_loop_survives_what_would_end_it(error):
    """SystemExit raised by the awaitable, or by a task that it started, reaches the caller and not the loop."""

    async def fail() -> None:
        raise error

    async def fail_in_a_task() -> None:
        await asyncio.get_running_loop().create_task(fail())

    for awaitable in (fail(), fail_in_a_task()):
        with pytest.raises(type(error)):
            wait_on_loop_thread(awaitable, never)

    assert "alive" == wait_on_loop_thread(asyncio.sleep(0, "alive"), never)


def test_loop_survives_being_stopped():
    """A node that stops the running loop does not leave other runs waiting for ever."""

    async def stop() -> None:
        asyncio.get_running_loop().stop()

    wait_on_loop_thread(stop(), never)

    assert "alive" == wait_on_loop_thread(asyncio.sleep(0, "alive"), never)


def test_wait_on_the_private_loop_itself_is_refused():
    """There it would wait for itself; the coroutine is closed, so that nothing warns of it."""

    async def inner() -> None:
        raise AssertionError("must not run")

    async def outer() -> None:
        wait_on_loop_thread(inner(), never)

    with pytest.raises(GraphError, match=r"Write: await graph\.arun"):
        wait_on_loop_thread(outer(), never)

    gc.collect()  # a coroutine that was not awaited would warn here, which the suite takes for an error


def test_wait_that_is_given_up_before_the_awaitable_has_begun_leaves_no_coroutine_behind():
    """Python would warn of one that was never awaited."""
    note: list[str] = []
    woken = threading.Event()
    woken.set()

    async def begin() -> None:
        note.append("begun")

    async def block() -> None:
        blocked.set()
        go.wait(20)

    blocked, go = threading.Event(), threading.Event()
    thread = threading.Thread(target=wait_on_loop_thread, args=(block(), never))
    thread.start()
    assert blocked.wait(20)  # so that the start and the cancellation come to the loop together
    threading.Timer(0.2, go.set).start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyboardInterrupt):
            wait_on_loop_thread(begin(), raising(KeyboardInterrupt()), woken=woken)
        gc.collect()
    thread.join(20)

    assert [] == note


def test_lost_loop_thread_is_replaced(monkeypatch):
    """After a fork the thread is gone: the next wait makes a new loop."""
    gone = threading.Thread(target=never)
    gone.start()
    gone.join()
    monkeypatch.setattr(loop_thread, "_running", (asyncio.new_event_loop(), gone))
    lost = loop_thread._running[0]

    assert wait_on_loop_thread(loop_here(), never) is not lost

    lost.close()


def test_wait_on_a_closed_loop_raises_and_closes_the_coroutine():
    """The loop of a caller who has gone takes no more work."""
    loop = asyncio.new_event_loop()
    loop.close()

    with pytest.raises(RuntimeError, match="closed"):
        wait_on(loop, asyncio.sleep(0), check=never, tasks=set())

    gc.collect()


@pytest.mark.parametrize("is_queued", [False, True])
def test_interruption_while_the_loop_is_told_leaves_nothing_running(is_queued):
    """An interruption may come in the very call that hands the coroutine over, before the loop has it or after."""
    loop = wait_on_loop_thread(loop_here(), never)
    began, ended = threading.Event(), threading.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    class Interrupted:
        """The loop as the calling thread meets it: its first call ends with an interruption."""

        is_first = True

        def call_soon_threadsafe(self, function: Callable[[], None]) -> None:
            if self.is_first and not is_queued:
                self.is_first = False
                raise KeyboardInterrupt
            loop.call_soon_threadsafe(function)
            if self.is_first:
                self.is_first = False
                began.wait()
                raise KeyboardInterrupt

        def create_task(self, coroutine, context):
            return loop.create_task(coroutine, context=context)

    given, tasks = work(), set()
    with pytest.raises(KeyboardInterrupt):
        wait_on(Interrupted(), given, check=never, tasks=tasks)

    assert is_queued is ended.is_set()
    assert set() == tasks
    assert given.cr_frame is None


def test_tasks_under_way_are_known():
    """The set holds the task while it runs, and not afterwards."""
    tasks: set[asyncio.Task[object]] = set()

    async def count() -> int:
        return len(tasks)

    async def main() -> int:
        loop = asyncio.get_running_loop()
        return await asyncio.to_thread(lambda: wait_on(loop, count(), check=never, tasks=tasks))

    assert 1 == asyncio.run(main())
    assert set() == tasks


def test_awaitable_without_close_is_left_alone():
    """A future has no `close`: there is nothing to end."""

    class Bare:
        def __await__(self):
            yield

    close_unawaited(Bare())


def test_interrupted_wait_does_not_outlast_a_cleanup_that_hangs(monkeypatch):
    """A `finally` block gets a time of grace and no more."""
    monkeypatch.setattr(loop_thread, "_GRACE", 0.05)
    started, release = threading.Event(), threading.Event()

    async def hang() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            while not release.is_set():
                await asyncio.sleep(0.01)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wait_on_loop_thread(hang(), raising(KeyboardInterrupt(), started))
    took = time.monotonic() - began
    release.set()

    assert took < 4
