"""Calling middleware that is a function, whatever is interrupted meanwhile."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from graphnb.engine.drivers import around as module
from graphnb.engine.drivers.adrive import adrive
from graphnb.engine.drivers.around import acall_middleware, call_middleware
from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.loop_thread import wait_on_loop_thread
from graphnb.engine.work import Around
from graphnb.errors import GraphError

SECONDS = 20  # until a test that hangs gives up


def calling(function: Callable[[Any], Any], *, is_async: bool = False) -> Callable[[Any], Any]:
    """Work that calls the function with its state."""

    def work(state: Any) -> Any:
        return (yield function, state, is_async)

    return work


def asked(layer: Any, following: Callable[[Any], Any], *, is_async: bool, is_quick: bool = False) -> Around:
    """The request to call a layer with the state 1."""
    return Around(layer, 1, following=following, is_async=is_async, is_quick=is_quick)


def plain_driver(request: Around, host: Host | None = None) -> Any:
    """What the plain driver makes of it."""
    return call_middleware(request, host or Host(), drive=drive)


async def loop_driver(request: Around, host: Host | None = None) -> Any:
    """What the driver in a loop makes of it."""
    async with asyncio.timeout(SECONDS):
        return await acall_middleware(request, host or Host(), drive=drive, adrive=adrive)


def within_loop(request: Around) -> Any:
    """The same from a test without a loop."""
    return asyncio.run(loop_driver(request))


@pytest.mark.parametrize("call", [plain_driver, within_loop])
@pytest.mark.parametrize("is_quick", [False, True])
def test_plain_layer_may_return_something_to_be_awaited(call, is_quick):
    """A function that is not declared asynchronous and yet gives a coroutine is awaited in the end."""

    async def later(update: Any) -> Any:
        return update + 1

    request = asked(
        lambda s, following: later(following(s)), calling(lambda s: s * 10), is_async=False, is_quick=is_quick
    )

    assert 11 == call(request)


def test_calls_that_asynchronous_middleware_makes_at_once_are_done_one_by_one_without_a_loop():
    """In the calling thread there is no other way; each answer reaches the call that asked for it."""
    threads: list[int] = []

    def double(state: Any) -> Any:
        threads.append(threading.get_ident())
        return state * 2

    async def thrice(s: Any, following: Any) -> Any:
        return await asyncio.gather(following(1), following(2), following(3))

    assert [2, 4, 6] == plain_driver(asked(thrice, calling(double), is_async=True))
    assert [threading.get_ident()] * 3 == threads


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, asyncio.CancelledError, SystemExit])
def test_interruption_of_what_follows_lets_asynchronous_middleware_clean_up(interruption):
    """It is raised again when the `finally` blocks have run, awaits in them included."""
    cleaned: list[str] = []

    def interrupted(state: Any) -> Any:
        raise interruption

    async def layer(s: Any, following: Any) -> Any:
        try:
            return await following(s)
        finally:
            await asyncio.sleep(0.01)
            cleaned.append("cleaned")

    with pytest.raises(interruption):
        plain_driver(asked(layer, calling(interrupted), is_async=True))

    assert ["cleaned"] == cleaned


def test_middleware_that_takes_its_time_is_waited_for():
    """The driver looks now and then whether to stop, and goes on."""

    async def layer(s: Any, following: Any) -> Any:
        await asyncio.sleep(0.25)
        return await following(s)

    assert 10 == plain_driver(asked(layer, calling(lambda s: s * 10), is_async=True))


def test_middleware_that_does_not_end_is_left_behind_after_an_interruption(monkeypatch):
    """It has a while for its clean-up, and gets no answer to further calls."""
    monkeypatch.setattr(module, "_GRACE", 0.3)
    asked_again = threading.Event()
    over = threading.Event()

    def interrupted(state: Any) -> Any:
        raise KeyboardInterrupt

    async def layer(s: Any, following: Any) -> Any:
        try:
            return await following(s)
        finally:
            asked_again.set()
            try:
                await asyncio.wait_for(following(s), 0.6)
            finally:
                over.set()

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        plain_driver(asked(layer, calling(interrupted), is_async=True))

    assert time.monotonic() - began < 5
    assert asked_again.is_set()
    assert over.wait(SECONDS)


def test_host_that_is_cancelled_stops_middleware_where_it_awaits():
    """Nothing follows meanwhile, so that the driver has to look by itself."""
    host, started, cleaned = Host(), threading.Event(), []

    async def layer(s: Any, following: Any) -> Any:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(1)

    def cancel() -> None:
        started.wait(SECONDS)
        host.cancel()

    threading.Thread(target=cancel).start()
    with pytest.raises(asyncio.CancelledError):
        plain_driver(asked(layer, calling(lambda s: s), is_async=True), host)

    assert [1] == cleaned


def test_host_that_is_cancelled_while_something_follows_stops_all_of_it():
    """A cancellation of the run is none of a single call: it is raised, not handed to the middleware as an answer."""
    host = Host()

    def cancelling(state: Any) -> Any:
        host.cancel()

    def twice(state: Any) -> Any:
        yield cancelling, state, False
        yield cancelling, state, False

    async def layer(s: Any, following: Any) -> Any:
        try:
            return await following(s)
        except Exception:
            return "caught"

    with pytest.raises(asyncio.CancelledError):
        plain_driver(asked(layer, twice, is_async=True), host)


def test_call_that_middleware_gives_up_is_stopped_and_the_next_one_is_done():
    """After a timeout what follows is cancelled at its next call; middleware may try again."""
    calls: list[Any] = []

    async def slow(state: Any) -> Any:
        calls.append(state)
        if len(calls) == 1:
            await asyncio.sleep(60)
        return state

    async def layer(s: Any, following: Any) -> Any:
        try:
            return await asyncio.wait_for(following("first"), 0.05)
        except TimeoutError:
            return await following("second")

    assert "second" == plain_driver(asked(layer, calling(slow, is_async=True), is_async=True))
    assert ["first", "second"] == calls


def test_call_that_is_given_up_before_its_turn_is_not_begun():
    """Of two calls made at once the second is dropped while the first is done."""
    done: list[Any] = []

    def slow(state: Any) -> Any:
        time.sleep(0.2)
        done.append(state)
        return state

    async def layer(s: Any, following: Any) -> Any:
        first, second = asyncio.ensure_future(following("first")), asyncio.ensure_future(following("second"))
        await asyncio.sleep(0.05)
        second.cancel()
        return await first

    assert "first" == plain_driver(asked(layer, calling(slow), is_async=True))
    assert ["first"] == done


def test_cancelled_error_that_user_code_raises_itself_is_an_interruption():
    """It is not taken for the stop of a call that nobody waits for any more."""

    def raising(state: Any) -> Any:
        raise asyncio.CancelledError

    async def layer(s: Any, following: Any) -> Any:
        return await following(s)

    with pytest.raises(asyncio.CancelledError):
        plain_driver(asked(layer, calling(raising), is_async=True))


def test_middleware_cannot_be_awaited_from_the_private_loop_itself():
    """It would wait for itself for ever; the error says what to write."""

    async def layer(s: Any, following: Any) -> Any:
        return await following(s)

    async def node() -> Any:
        return plain_driver(asked(layer, calling(lambda s: s), is_async=True))

    with pytest.raises(GraphError, match=r"asynchronous node, which it would block\nWrite: await graph.arun"):
        wait_on_loop_thread(node(), lambda: None)


async def test_cancellation_reaches_plain_middleware_beside_the_loop():
    """What it awaits through `next` is cancelled and cleans up, and the layer's `finally` runs on its thread."""
    started, note = asyncio.Event(), []
    left = threading.Event()

    async def slow(state: Any) -> Any:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            note.append("node cleaned")

    def layer(s: Any, following: Any) -> Any:
        try:
            return following(s)
        finally:
            left.set()

    task = asyncio.create_task(loop_driver(asked(layer, calling(slow, is_async=True), is_async=False)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert ["node cleaned"] == note
    assert left.wait(SECONDS)


async def test_cancellation_of_asynchronous_middleware_in_a_loop_is_its_own():
    """It is a coroutine like any other: the cancellation is raised where it awaits."""
    started, cleaned = asyncio.Event(), []

    async def layer(s: Any, following: Any) -> Any:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(1)

    task = asyncio.create_task(loop_driver(asked(layer, calling(lambda s: s), is_async=True)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [1] == cleaned


@pytest.mark.parametrize("call", [plain_driver, within_loop])
@pytest.mark.parametrize("is_async", [False, True])
def test_error_of_the_layer_comes_back(call, is_async):
    """Whatever thread it was raised on."""

    def plain(s: Any, following: Any) -> Any:
        raise LookupError("lost")

    async def later(s: Any, following: Any) -> Any:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        call(asked(later if is_async else plain, calling(lambda s: s), is_async=is_async))


def test_middleware_for_which_there_is_no_thread_fails_at_once(monkeypatch):
    """There is nothing to wait for: the error is told, and the middleware's coroutine is not left behind."""

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def layer(state: Any, following: Any) -> Any:
        return await following(state)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    began = time.monotonic()
    with pytest.raises(RuntimeError, match="can't start new thread"):
        plain_driver(asked(layer, calling(lambda state: state), is_async=True))

    assert time.monotonic() - began < module._GRACE


def test_next_awaited_after_its_call_has_ended_is_refused():
    """Nobody would ever answer it."""
    kept: list[Any] = []

    async def keep(state: Any, following: Any) -> Any:
        kept.append(following)
        return await following(state)

    assert 2 == plain_driver(asked(keep, calling(lambda state: state + 1), is_async=True))

    with pytest.raises(GraphError, match="its own call had ended"):
        asyncio.run(asyncio.wait_for(kept[0](1), SECONDS))


def test_next_awaited_when_its_call_is_just_over_is_refused(monkeypatch):
    """A task that outlives the call may ask when the calling thread does not look any more."""
    kept: list[Any] = []
    late: list[Any] = []
    serve = module._serve

    async def keep(state: Any, following: Any) -> Any:
        kept.append((following, asyncio.get_running_loop()))
        return 5

    def serve_and_be_late(given: Any, request: Around, **rest: Any) -> None:
        serve(given, request, **rest)
        following, loop = kept[0]
        late.append(asyncio.run_coroutine_threadsafe(following(1), loop))
        while given.empty():
            time.sleep(0.001)

    monkeypatch.setattr(module, "_serve", serve_and_be_late)

    assert 5 == plain_driver(asked(keep, calling(lambda state: state + 1), is_async=True))

    with pytest.raises(GraphError, match="its own call had ended"):
        late[0].result(SECONDS)


def test_next_awaited_beside_what_is_interrupted_is_refused():
    """The calling thread is interrupted in one thing that follows when it is asked for another."""
    tasks: list[Any] = []

    async def twice(state: Any, following: Any) -> Any:
        tasks.extend(asyncio.create_task(following(i)) for i in range(2))
        await asyncio.sleep(0)
        return await tasks[0]

    def interrupt(state: Any) -> Any:
        while len(tasks) < 2:
            time.sleep(0.001)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plain_driver(asked(twice, calling(interrupt), is_async=True))

    async def ends() -> list[type]:
        done, _ = await asyncio.wait(tasks, timeout=SECONDS)
        return sorted((type(task.exception()) for task in done if not task.cancelled()), key=str)

    assert [GraphError] == wait_on_loop_thread(ends(), lambda: None)
