"""Running with `graph.run`: where functions are called, and in which surroundings it works."""

import asyncio
import contextvars
import functools
import threading
from collections.abc import Callable
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.drivers.drive import drive
from graphnb.engine.run import begin
from tests.engine.works import Pressed

REQUEST: contextvars.ContextVar[str] = contextvars.ContextVar("REQUEST", default="nobody")


class Diary(gn.State):
    log: Annotated[list[str], gn.append] = []


def chain(*functions: Callable[..., Any]) -> gn.Graph:
    """A graph that calls the functions one after the other."""
    graph = gn.Graph(Diary, entry="n0")
    for i, function in enumerate(functions):
        graph.node(f"n{i}", function, to=f"n{i + 1}" if i + 1 < len(functions) else gn.END)
    return graph


def say(word: str) -> Callable[[Any], dict[str, list[str]]]:
    """A plain node that writes the word."""
    return lambda s: {"log": [word]}


def say_later(word: str) -> Callable[[Any], Any]:
    """An asynchronous node that writes the word."""

    async def node(s: Any) -> dict[str, list[str]]:
        await asyncio.sleep(0)
        return {"log": [word]}

    return node


MIXED = (say("a"), say_later("b"), say("c"), say_later("d"))


def test_run_mixes_plain_and_asynchronous_nodes():
    """`def` and `async def` nodes take turns in one graph, each update in its place."""
    run = chain(*MIXED).run()

    assert ["a", "b", "c", "d"] == run.state.log
    assert "done" == run.status


async def test_run_works_inside_a_running_event_loop():
    """Where a loop is already running, as in every notebook cell, the plain call works, and patches nothing."""
    loop_class, runner = type(asyncio.get_running_loop()), asyncio.run
    run = chain(*MIXED).run()

    assert ["a", "b", "c", "d"] == run.state.log
    assert (loop_class, runner) == (type(asyncio.get_running_loop()), asyncio.run)


def test_run_works_in_a_thread():
    """A thread without an event loop can run any graph."""
    runs: list[gn.Run] = []
    thread = threading.Thread(target=lambda: runs.append(chain(*MIXED).run()))
    thread.start()
    thread.join()

    assert ["a", "b", "c", "d"] == runs[0].state.log


def test_runs_of_one_graph_in_several_threads_do_not_meet():
    """Eight threads that run the same graph get eight equal runs."""
    graph = chain(*MIXED)
    runs: list[gn.Run] = []
    threads = [threading.Thread(target=lambda: runs.append(graph.run())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 8 == len(runs)
    assert all(each == runs[0] for each in runs)


def test_plain_graph_needs_no_event_loop_and_no_thread():
    """Where every function is plain, all of them run in the caller's thread and no loop is there."""
    seen: list[tuple[int, bool]] = []

    def look(s: Any) -> dict[str, Any]:
        seen.append((threading.get_ident(), asyncio._get_running_loop() is None))
        return {}

    chain(look, look).run()

    assert [(threading.get_ident(), True)] * 2 == seen


def test_plain_nodes_of_a_mixed_graph_run_in_the_callers_thread():
    """An asynchronous neighbour does not move plain nodes and routers off the caller's thread."""
    idents: dict[str, int] = {}

    def plain(s: Any) -> dict[str, Any]:
        idents["plain"] = threading.get_ident()
        return {}

    async def later(s: Any) -> dict[str, Any]:
        idents["later"] = threading.get_ident()
        return {}

    graph = gn.Graph(Diary, entry="later")
    graph.node(later, to="plain")
    graph.node(plain)

    @graph.branch("plain")
    def route(s):
        idents["route"] = threading.get_ident()
        return gn.END

    graph.run()

    assert idents["plain"] == idents["route"] == threading.get_ident()
    assert idents["later"] != threading.get_ident()


@pytest.mark.parametrize("wrap", [lambda node: node, functools.partial], ids=["bare", "partial"])
def test_context_variables_of_the_caller_are_seen_in_nodes(wrap):
    """What the caller has set is seen by plain and asynchronous nodes alike."""

    def plain(s: Any) -> dict[str, list[str]]:
        return {"log": [REQUEST.get()]}

    async def later(s: Any) -> dict[str, list[str]]:
        return {"log": [REQUEST.get()]}

    token = REQUEST.set("me")
    try:
        run = chain(wrap(plain), wrap(later)).run()
    finally:
        REQUEST.reset(token)

    assert ["me", "me"] == run.state.log


class Speaker:
    """An object that is called like a function."""

    def __call__(self, s: Any) -> dict[str, list[str]]:
        return {"log": ["object"]}


class LateSpeaker:
    """An object whose call has to be awaited."""

    async def __call__(self, s: Any) -> dict[str, list[str]]:
        return {"log": ["late object"]}


def with_word(word: str, s: Any) -> dict[str, list[str]]:
    """A function that lacks its first argument."""
    return {"log": [word]}


async def with_word_later(word: str, s: Any) -> dict[str, list[str]]:
    """The same, asynchronous."""
    return {"log": [word]}


CALLABLES = {
    "partial": (functools.partial(with_word, "partial"), "partial"),
    "partial of async def": (functools.partial(with_word_later, "late partial"), "late partial"),
    "partial of a partial": (functools.partial(functools.partial(with_word_later, "twice")), "twice"),
    "object": (Speaker(), "object"),
    "object with async call": (LateSpeaker(), "late object"),
    "partial of an object with async call": (functools.partial(LateSpeaker()), "late object"),
    "bound method": (Speaker().__call__, "object"),
    "plain function that returns a coroutine": (lambda s: LateSpeaker()(s), "late object"),
}


@pytest.mark.parametrize(("node", "word"), CALLABLES.values(), ids=CALLABLES.keys())
def test_anything_callable_can_be_a_node(node, word):
    """Partials, objects and functions that return an awaitable serve as nodes."""
    assert [word] == chain(node).run().state.log


@pytest.mark.parametrize(("node", "word"), CALLABLES.values(), ids=CALLABLES.keys())
async def test_anything_callable_can_be_a_node_in_a_loop(node, word):
    """The same under `arun`."""
    assert [word] == (await chain(node).arun()).state.log


class Later:
    """Something to be awaited that is no coroutine."""

    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return {"log": ["awaited"]}


def test_node_may_return_any_awaitable():
    """Whatever has `__await__` is awaited, not only coroutines."""
    assert ["awaited"] == chain(lambda s: Later()).run().state.log


def test_plain_node_may_run_another_graph():
    """A plain node calls `other.run()`, also where the other graph is asynchronous."""
    inner = chain(*MIXED)
    run = chain(lambda s: {"log": inner.run().state.log}).run()

    assert ["a", "b", "c", "d"] == run.state.log


def test_asynchronous_node_may_await_another_graph():
    """An asynchronous node writes `await other.arun()`."""
    inner = chain(*MIXED)

    async def node(s: Any) -> dict[str, list[str]]:
        return {"log": (await inner.arun()).state.log}

    assert ["a", "b", "c", "d"] == chain(node).run().state.log


def test_asynchronous_node_that_blocks_its_loop_is_told_to_await():
    """`graph.run()` inside an asynchronous node would wait for itself: the error says what to write."""
    inner = chain(*MIXED)

    async def node(s: Any) -> dict[str, list[str]]:
        return {"log": inner.run().state.log}

    with pytest.raises(gn.NodeException) as caught:
        chain(node).run()

    assert "Write: await graph.arun(...)" in str(caught.value)
    assert "node 'n1'" in str(caught.value.__cause__)


@pytest.mark.parametrize("kind", ["fan-out", "branches"])
def test_asynchronous_node_that_blocks_its_loop_with_threads_is_told_too(kind):
    """Threads that serve plain and asynchronous functions alike would wait for the very loop that is blocked."""

    class Batch(gn.State):
        out: Annotated[list[Any], gn.append] = []

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {}

    worker, inner = gn.Graph(Batch, entry="a", name="worker"), gn.Graph(Batch, entry="all", name="inner")
    worker.node("a", later, to="b")
    worker.node("b", lambda s: {}, to=gn.END)
    if kind == "fan-out":
        inner.fan_out("all", worker, count=2, collect="out", into="out", to=gn.END)
    else:
        inner.branches("all", {"left": later, "right": lambda s: {}}, to=gn.END)

    async def blocks(s: Any) -> dict[str, Any]:
        inner.run()
        return {}

    outer = gn.Graph(Batch, entry="a", name="outer")
    outer.node("a", blocks, to=gn.END)
    with pytest.raises(gn.NodeException, match="asynchronous node, which it would block") as caught:
        outer.run()

    assert "Write: await graph.arun(...)" in str(caught.value)


def test_run_within_a_fan_out_thread():
    """A plain worker in a thread of its own can run a graph with asynchronous nodes."""

    class Many(gn.State):
        words: list[str]
        out: Annotated[list[list[str]], gn.append] = []

    inner = chain(say("a"), say_later("b"))
    barrier = threading.Barrier(2, timeout=10)

    def worker(word: str) -> list[str]:
        barrier.wait()
        return [word, *inner.run().state.log]

    graph = gn.Graph(Many, entry="each")
    graph.fan_out("each", worker, over="words", into="out", to=gn.END)

    assert [["x", "a", "b"], ["y", "a", "b"]] == graph.run(words=["x", "y"]).state.out


def test_interruption_between_two_calls_stops_the_work_at_the_next_one():
    """It comes to the driver, not to a node: the work is closed, and the log tells which node would have been next."""
    execution = begin(chain(say("a"), say("b"), say("c")).compile().plan, {})
    with pytest.raises(KeyboardInterrupt):
        drive(Pressed(execution.work, 2), execution.host)

    trace = execution.trace("cancelled")
    assert (["n0", "n1"], ["n2"]) == ([step.path for step in trace.steps], [each.path for each in trace.open_steps])


@pytest.mark.parametrize("error", [KeyError("k"), StopIteration("s"), RuntimeError(), ExceptionGroup("g", [OSError()])])
def test_exception_of_a_node_is_wrapped_with_its_cause(error):
    """Whatever exception a node raises, StopIteration included, is the cause of a NodeException."""

    def node(s: Any) -> None:
        raise error

    with pytest.raises(gn.NodeException) as caught:
        chain(node).run()

    assert caught.value.__cause__ is error
    assert type(error).__name__ in str(caught.value)


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), asyncio.CancelledError(), KeyboardInterrupt()])
def test_interruption_raised_by_a_plain_node_leaves_as_it_is(error):
    """What is no Exception is not wrapped: it ends the run, which is kept on it, as cancelled."""

    def node(s: Any) -> None:
        raise error

    graph = chain(say("a"), node)
    with pytest.raises(type(error)) as caught:
        graph.run()

    assert caught.value is error
    assert ("cancelled", ["a"]) == (caught.value.run.status, caught.value.run.state.log)
    assert graph.last_run is caught.value.run


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), asyncio.CancelledError(), KeyboardInterrupt()])
def test_interruption_raised_by_an_asynchronous_node_leaves_as_it_is(error):
    """The same out of the private event loop, which goes on serving later runs."""

    async def node(s: Any) -> None:
        raise error

    graph = chain(say("a"), node)
    with pytest.raises(type(error)) as caught:
        graph.run()

    assert ("cancelled", ["a"]) == (caught.value.run.status, caught.value.run.state.log)
    assert ["a", "b", "c", "d"] == chain(*MIXED).run().state.log
