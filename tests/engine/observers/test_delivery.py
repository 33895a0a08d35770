"""Taking events to their observers: on a thread, in an event loop, and from one to the other."""

import asyncio
import contextvars
import math
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.drivers.loop_thread import wait_on_loop_thread
from graphnb.engine.observers import delivery as module
from graphnb.engine.observers.delivery import Delivery
from graphnb.errors import Causes
from graphnb.graph.observer import Observer
from graphnb.state.schema import schema_of, start_values

SECONDS = 20  # until a test that hangs gives up
WORD: contextvars.ContextVar[str] = contextvars.ContextVar("WORD", default="unset")


class Empty(gn.State):
    pass


SCHEMA = schema_of(Empty)
KEPT = SCHEMA, start_values(SCHEMA, {}, "")


def event(step: int, phase: Any = "started") -> gn.NodeEvent:
    """An event that bears a number."""
    return gn.NodeEvent(phase, step, gn.Lineage(("a",)), "i", "c", KEPT)


def isolated() -> gn.FailureIsolated:
    """An event without a phase."""
    return gn.FailureIsolated("lost", gn.Lineage(("a",)), "i", "c", None, {}, Causes((), None, ""))


def observer(function: Callable[[Any], Any], *phases: str) -> Observer:
    """One of these phases, of both without any."""
    return Observer(function, "mine", frozenset(phases or ("started", "completed")))


def done(delivery: Delivery) -> bool:
    """Whether all is delivered before a test gives up."""
    return delivery.wait(None, time.monotonic() + SECONDS)


def send(observers: list[Observer], events: list[Any]) -> Delivery:
    """A delivery on a thread that has delivered everything."""
    delivery = Delivery("i")
    for each in events:
        delivery.put(each, observers)
    delivery.end()
    assert done(delivery)
    return delivery


def send_in_loop(observers: list[Observer], events: list[Any]) -> Delivery:
    """The same in an event loop."""

    async def here() -> Delivery:
        delivery = Delivery("i")
        delivery.attach(asyncio.get_running_loop())
        for each in events:
            delivery.put(each, observers)
        delivery.end()
        async with asyncio.timeout(SECONDS):
            while not delivery.is_done(None):
                await asyncio.sleep(0.001)
        return delivery

    return asyncio.run(here())


SENDS = pytest.mark.parametrize("send", [send, send_in_loop], ids=["thread", "loop"])


@SENDS
def test_every_observer_has_an_event_before_any_has_the_next(send):
    """In the order in which they were given, slow ones too, plain and asynchronous mixed."""
    note: list[str] = []

    def slow(each: Any) -> None:
        time.sleep(0.005)
        note.append(f"slow {each.step}")

    async def later(each: Any) -> None:
        await asyncio.sleep(0.002)
        note.append(f"later {each.step}")

    def quick(each: Any) -> None:
        note.append(f"quick {each.step}")

    delivery = send([observer(slow), observer(later), observer(quick)], [event(i) for i in range(3)])

    assert [f"{name} {i}" for i in range(3) for name in ("slow", "later", "quick")] == note
    assert (3, 3) == (delivery.emitted, delivery.delivered)


@SENDS
def test_phases_are_filtered_at_delivery(send):
    """An event that nobody wants is delivered all the same; one without a phase reaches everybody."""
    starts: list[Any] = []
    ends: list[Any] = []
    events = [event(0), event(0, "completed"), isolated()]
    delivery = send([observer(starts.append, "started"), observer(ends.append, "completed")], events)

    assert ([events[0], events[2]], [events[1], events[2]]) == (starts, ends)
    assert 3 == delivery.delivered


@SENDS
@pytest.mark.parametrize("is_async", [False, True])
def test_observer_that_raises_is_reported_and_concerns_nobody_else(send, is_async):
    """A warning names observer, error and event; the others get that event, and all get the next."""
    seen: list[int] = []

    def wrong(each: Any) -> None:
        raise LookupError("lost")

    async def wrong_later(each: Any) -> None:
        await asyncio.sleep(0)
        wrong(each)

    with pytest.warns(gn.ObserverWarning) as caught:
        send(
            [observer(wrong_later if is_async else wrong), observer(lambda each: seen.append(each.step))],
            [event(0), event(1)],
        )

    assert [0, 1] == seen
    assert [
        "observer 'mine': raised LookupError: lost on NodeEvent(0, 'a', started).",
        "observer 'mine': raised LookupError: lost on NodeEvent(1, 'a', started).",
    ] == [str(each.message) for each in caught]


@SENDS
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
def test_observer_that_raises_what_would_end_more_is_reported_like_any_other(send, is_async, error):
    """On a thread and in a loop: neither of them ends, nobody else misses anything, the caller gets nothing of it."""
    seen: list[int] = []

    def wrong(each: Any) -> None:
        raise error("mine")

    async def wrong_later(each: Any) -> None:
        await asyncio.sleep(0)
        wrong(each)

    with pytest.warns(gn.ObserverWarning, match=f"raised {error.__name__}: mine on NodeEvent") as caught:
        send(
            [observer(wrong_later if is_async else wrong), observer(lambda each: seen.append(each.step))],
            [event(0), event(1)],
        )

    assert [0, 1] == seen
    assert 2 == len(caught)


@SENDS
def test_warning_that_is_an_error_ends_no_delivery(send, monkeypatch):
    """With `-W error` the failing observer is told like any error of a thread, and the next event comes."""
    seen: list[int] = []
    told: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: told.append(str(arguments.exc_value)))

    def wrong(each: Any) -> None:
        raise LookupError("lost")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        send([observer(wrong), observer(lambda each: seen.append(each.step))], [event(0), event(1)])

    assert [0, 1] == seen
    assert 2 == len(told)
    assert "observer 'mine': raised LookupError: lost on NodeEvent(0, 'a', started)." == told[0]


@SENDS
@pytest.mark.parametrize("is_hook_broken", [False, True])
def test_hook_that_cannot_show_a_warning_ends_no_delivery(send, monkeypatch, is_hook_broken):
    """Where warnings go is the user's affair: a closed stream, or logging that fails, holds up no event."""
    seen: list[int] = []
    told: list[Any] = []

    def show(*_: Any) -> None:
        raise OSError("closed")

    def hook(arguments: Any) -> None:
        told.append(str(arguments.exc_value))
        if is_hook_broken:
            raise OSError("closed too")

    def wrong(each: Any) -> None:
        raise LookupError("lost")

    monkeypatch.setattr(threading, "excepthook", hook)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", show)
        send([observer(wrong), observer(lambda each: seen.append(each.step))], [event(0), event(1)])

    assert ([0, 1], ["closed"] * 2) == (seen, told)


@pytest.mark.parametrize("within", ["thread", "loop"])
def test_observers_see_the_context_of_whoever_began(within):
    """Not that of the code that happened to cause an event; what they set there stays with them."""
    seen: list[str] = []

    def look(each: Any) -> None:
        seen.append(WORD.get())
        WORD.set("observer's")

    async def here() -> None:
        WORD.set("begun")
        delivery = Delivery("i")
        if within == "loop":
            delivery.attach(asyncio.get_running_loop())
        WORD.set("later")
        delivery.put(event(0), [observer(look)])
        while not delivery.is_done(1):
            await asyncio.sleep(0.001)
        assert "later" == WORD.get()

    asyncio.run(here())

    assert ["begun"] == seen


def test_putting_never_waits():
    """However slow the observers are; the thread ends when nothing comes for a while, and a new one goes on."""
    release = threading.Event()
    threads: list[Any] = []

    def slow(each: Any) -> None:
        threads.append(threading.current_thread())
        release.wait(SECONDS)

    delivery = Delivery("i")
    began = time.monotonic()
    delivery.put(event(0), [observer(slow)])
    delivery.put(event(1), [observer(slow)])

    assert time.monotonic() - began < 5
    release.set()
    assert delivery.wait(2, time.monotonic() + SECONDS)
    threads[0].join(SECONDS)
    assert not threads[0].is_alive()
    delivery.put(event(2), [observer(slow)])
    delivery.end()
    assert done(delivery)
    assert threads[0] is threads[1] is not threads[2]


def test_waiting_gives_up_at_its_deadline():
    """What is under way stays so; waiting for less may succeed at the same time."""
    release = threading.Event()
    delivery = Delivery("i")
    delivery.put(event(0), [])
    delivery.put(event(1), [observer(lambda each: release.wait(SECONDS))])

    assert delivery.wait(1, time.monotonic() + SECONDS)
    assert not delivery.wait(2, time.monotonic() + 0.02)
    assert not delivery.wait(None, time.monotonic())
    release.set()
    assert delivery.wait(2, math.inf)
    assert not delivery.is_done(None)
    delivery.end()
    assert delivery.is_done(None)


@pytest.mark.parametrize("is_async", [False, True])
def test_cancelled_delivery_drops_what_is_left(is_async):
    """It tells how many events that is, the one under way among them; what comes later is dropped too."""
    begun, release, seen = threading.Event(), threading.Event(), []

    def hold(each: Any) -> None:
        begun.set()
        release.wait(SECONDS)

    async def hold_later(each: Any) -> None:
        begun.set()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            release.set()

    delivery = Delivery("i")
    for i in range(3):
        delivery.put(event(i), [observer(hold_later if is_async else hold), observer(seen.append)])
    assert begun.wait(SECONDS)

    assert (3, 0) == (delivery.cancel(), delivery.cancel())
    if not is_async:
        release.set()
    assert release.wait(SECONDS)
    delivery.put(event(3), [observer(seen.append)])
    time.sleep(0.05)

    assert ([], 3, True) == (seen, delivery.emitted, delivery.is_done(None))


def test_cancelled_delivery_on_a_thread_cancels_the_observer_at_once():
    """What was counted as undelivered is not delivered after all, however soon that would have been."""
    begun, note = threading.Event(), []

    async def hold(each: Any) -> None:
        begun.set()
        await asyncio.sleep(0.05)
        note.append("told")

    delivery = Delivery("i")
    delivery.put(event(0), [observer(hold)])
    assert begun.wait(SECONDS)
    assert 1 == delivery.cancel()
    time.sleep(0.2)

    assert [] == note


def test_observer_that_swallows_the_cancellation_is_cancelled_again():
    """It holds up nobody for long."""
    begun, note = threading.Event(), []

    async def hold(each: Any) -> None:
        for _ in range(2):
            begun.set()
            try:
                await asyncio.sleep(SECONDS)
            except asyncio.CancelledError:
                note.append("cancelled")

    delivery = Delivery("i")
    delivery.put(event(0), [observer(hold)])
    assert begun.wait(SECONDS)
    delivery.cancel()
    for thread in threading.enumerate():
        if thread.name == "graphnb-observers":
            thread.join(SECONDS)

    assert ["cancelled", "cancelled"] == note


async def test_cancelled_delivery_in_a_loop_cancels_the_observer():
    """It cleans up; what comes later is dropped."""
    begun, note = asyncio.Event(), []

    async def hold(each: Any) -> None:
        begun.set()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            note.append("cleaned")

    delivery = Delivery("i")
    delivery.attach(asyncio.get_running_loop())
    delivery.put(event(0), [observer(hold), observer(note.append)])
    async with asyncio.timeout(SECONDS):
        await begun.wait()
        assert 1 == delivery.cancel()
        await asyncio.sleep(0.01)
    delivery.put(event(1), [observer(note.append)])
    await asyncio.sleep(0.01)

    assert ["cleaned"] == note


def test_delivery_that_loses_its_loop_goes_on_on_a_thread():
    """The event under way goes to those who have not had it; nobody gets one twice."""
    note: list[str] = []

    async def begins(each: Any) -> None:
        note.append(f"first {each.step}")

    async def held(each: Any) -> None:
        note.append(f"second {each.step}")
        await asyncio.sleep(0.1)

    def last(each: Any) -> None:
        note.append(f"last {each.step}")

    delivery = Delivery("i")

    async def here() -> None:
        delivery.attach(asyncio.get_running_loop())
        for i in range(2):
            delivery.put(event(i), [observer(begins), observer(held), observer(last)])
        delivery.end()
        while len(note) < 2:
            await asyncio.sleep(0)

    asyncio.run(here())

    assert done(delivery)
    assert ["first 0", "second 0", "last 0", "first 1", "second 1", "last 1"] == note


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize("puts", ["before", "after"])
def test_loop_that_was_closed_is_noticed(puts):
    """At the next event, or by whoever waits: the events go to their observers on a thread."""
    seen: list[int] = []
    delivery = Delivery("i")
    loop = asyncio.new_event_loop()
    delivery.attach(loop)
    if puts == "before":
        delivery.put(event(0), [observer(lambda each: seen.append(each.step))])  # the loop never runs
    loop.close()
    delivery.put(event(1), [observer(lambda each: seen.append(each.step))])
    delivery.end()

    assert done(delivery)
    assert ([0, 1] if puts == "before" else [1]) == seen


def test_what_an_observer_gives_after_a_cancellation_is_not_awaited():
    """It was called before; nothing of it happens after, nor is anything else delivered."""
    note: list[str] = []
    delivery = Delivery("i")

    async def late() -> None:
        note.append("begun")

    def cancels(each: Any) -> Any:
        delivery.cancel()
        return late()

    delivery.put(event(0), [observer(cancels), observer(lambda each: note.append("next"))])
    for thread in threading.enumerate():
        if thread.name == "graphnb-observers":
            thread.join(SECONDS)

    assert [] == note


class Closing(asyncio.SelectorEventLoop):
    """A loop that is closed right when it is asked for something, if it is told to be."""

    is_closing = False

    def call_soon_threadsafe(self, *given: Any, **options: Any) -> Any:
        """Raises as a closed loop does."""
        if self.is_closing:
            raise RuntimeError("Event loop is closed")
        return super().call_soon_threadsafe(*given, **options)


def test_delivery_may_be_cancelled_while_its_loop_is_being_closed():
    """Nothing is left to be cancelled there; whoever drains is told as usual."""
    delivery = Delivery("i")

    async def hold(each: Any) -> None:
        await asyncio.sleep(SECONDS)

    async def begin() -> None:
        delivery.attach(asyncio.get_running_loop())
        delivery.put(event(0), [observer(hold)])
        await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=Closing) as runner:
        runner.run(begin())
        loop = runner.get_loop()
        assert isinstance(loop, Closing)
        loop.is_closing = True

        assert (1, True) == (delivery.cancel(), delivery.is_done(None))
        loop.is_closing = False


def test_delivery_whose_task_was_left_in_a_closed_loop_goes_on():
    """The task never runs again; the event that it held is told to those who have not had it."""
    note: list[str] = []
    delivery = Delivery("i")
    loop = asyncio.new_event_loop()

    async def held(each: Any) -> None:
        note.append("held")
        await asyncio.sleep(60)

    async def here() -> None:
        delivery.attach(loop)
        delivery.put(event(0), [observer(held), observer(lambda each: note.append("last"))])
        delivery.end()
        while not note:
            await asyncio.sleep(0)

    loop.run_until_complete(here())
    loop.close()

    assert done(delivery)
    assert ["held", "last"] == note


def test_observer_that_cannot_end_with_its_loop_is_reported():
    """Its clean-up would have to await something, for which there is no loop any more; the others are told."""
    note: list[str] = []
    delivery = Delivery("i")
    loop = asyncio.new_event_loop()

    async def stubborn(each: Any) -> None:
        note.append("held")
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)

    async def also(each: Any) -> None:
        await asyncio.sleep(0)

    async def here() -> None:
        delivery.attach(loop)
        delivery.put(event(0), [observer(stubborn), observer(also), observer(lambda each: note.append("last"))])
        delivery.end()
        while not note:
            await asyncio.sleep(0)

    loop.run_until_complete(here())
    loop.close()
    with pytest.warns(gn.ObserverWarning, match="coroutine ignored GeneratorExit"):
        assert done(delivery)

    assert ["held", "last"] == note


def test_observer_on_a_thread_may_await_for_long():
    """The thread looks now and then whether the delivery was cancelled, and goes on waiting."""
    note: list[str] = []

    async def slow(each: Any) -> None:
        await asyncio.sleep(0.25)
        note.append("done")

    send([observer(slow)], [event(0)])

    assert ["done"] == note


def test_system_without_threads_drops_the_events(monkeypatch):
    """Nobody is left to tell: the run goes on, and nobody waits for ever."""

    def refuse(self: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(module.threading.Thread, "start", refuse)
    delivery = Delivery("i")
    delivery.put(event(0), [observer(print)])
    delivery.end()

    assert delivery.is_done(None)


def test_waiting_blocks_where_observers_are_awaited():
    """In the loop of the delivery, and on the private loop; nowhere else."""
    delivery = Delivery("i")

    async def blocks(*, attached: bool) -> bool:
        own = Delivery("i")
        if attached:
            own.attach(asyncio.get_running_loop())
        return own.blocks_here()

    assert (False, False) == (delivery.blocks_here(), asyncio.run(blocks(attached=False)))
    assert asyncio.run(blocks(attached=True))
    assert wait_on_loop_thread(blocks(attached=False), lambda: None)


@SENDS
def test_observer_knows_that_it_is_told(send):
    """By which delivery: to wait for that one from here would be to wait for itself."""
    seen: list[tuple[bool, bool]] = []
    other = Delivery("i")
    deliveries: list[Delivery] = []
    put = Delivery.put

    def noting(self: Delivery, each: Any, observers: Any) -> None:
        deliveries.append(self)
        put(self, each, observers)

    def look(each: Any) -> None:
        seen.append((deliveries[0].is_told_here(), other.is_told_here()))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Delivery, "put", noting)
        send([observer(look)], [event(0)])

    assert [(True, False)] == seen
    assert not deliveries[0].is_told_here()


LEFT_BEHIND = """
import asyncio, time
import graphnb as gn

class Empty(gn.State):
    pass

graph = gn.Graph(Empty, entry="a")
graph.node("a", lambda s: {}, to=gn.END)
graph.run(observers=[lambda event: time.sleep(60)])
print("done")
"""


def test_slow_observers_do_not_keep_a_program_alive():
    """Who wants to wait calls drain."""
    began = time.monotonic()
    process = subprocess.run([sys.executable, "-c", LEFT_BEHIND], capture_output=True, text=True, timeout=SECONDS)

    assert ("done\n", "") == (process.stdout, process.stderr)
    assert time.monotonic() - began < SECONDS


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    """Threads of a test end with it, so that none disturbs the next."""
    yield
    end = time.monotonic() + SECONDS
    while any(each.name == "graphnb-observers" for each in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.005)


async def test_delivery_that_is_cancelled_in_a_loop_tells_nobody_else():
    """Observers that never await cannot be cancelled where they are, and the next one is not told any more."""
    delivery, told = Delivery("i"), []
    delivery.attach(asyncio.get_running_loop())

    def stop(given: Any) -> None:
        told.append("first")
        delivery.cancel()

    delivery.put(event(0), (Observer(stop, "first"), Observer(lambda given: told.append("second"), "second")))
    await asyncio.sleep(0.05)

    assert ["first"] == told
