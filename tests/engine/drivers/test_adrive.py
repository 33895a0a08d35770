"""Running with `await graph.arun`: in the caller's own event loop."""

import asyncio
import contextvars
import threading
from typing import Annotated, Any

import pytest

import graphnb as gn

REQUEST: contextvars.ContextVar[str] = contextvars.ContextVar("REQUEST", default="nobody")
SECONDS = 20  # until a test that hangs gives up


class Diary(gn.State):
    items: list[int] = []
    log: Annotated[list[Any], gn.append] = []


def chain(*functions: Any) -> gn.Graph:
    """A graph that calls the functions one after the other."""
    graph = gn.Graph(Diary, entry="n0")
    for i, function in enumerate(functions):
        graph.node(f"n{i}", function, to=f"n{i + 1}" if i + 1 < len(functions) else gn.END)
    return graph


async def test_nodes_run_in_the_callers_loop_and_thread():
    """Plain and asynchronous nodes alike, with the caller's context variables."""
    seen: list[Any] = []

    def plain(s: Any) -> dict[str, Any]:
        seen.append((threading.get_ident(), asyncio.get_running_loop(), REQUEST.get()))
        return {}

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return plain(s)

    REQUEST.set("me")
    await chain(plain, later, plain).arun()

    assert [(threading.get_ident(), asyncio.get_running_loop(), "me")] * 3 == seen


async def test_run_and_arun_give_equal_runs():
    """The driver leaves no mark on what happened."""

    def plain(s: Any) -> dict[str, Any]:
        return {"log": [len(s.log)]}

    async def later(s: Any) -> dict[str, Any]:
        return {"log": ["later"]}

    graph = chain(plain, later, plain)

    assert graph.run() == await graph.arun()


async def test_cancelling_the_task_cancels_the_node():
    """The node's `finally` block runs, and the run so far is on the error and in `last_run`."""
    started, cleaned = asyncio.Event(), []

    async def sleep(s: Any) -> None:
        started.set()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            cleaned.append(True)

    graph = chain(lambda s: {"log": ["before"]}, sleep)
    task = asyncio.create_task(graph.arun())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [True] == cleaned
    assert graph.last_run is not None
    assert ("cancelled", ["before"]) == (graph.last_run.status, graph.last_run.state.log)


async def test_many_runs_share_one_loop():
    """Twenty runs wait for each other, which only works at the same time."""
    left = 20
    everybody = asyncio.Event()

    async def meet(s: Any) -> dict[str, Any]:
        nonlocal left
        left -= 1
        if not left:
            everybody.set()
        await everybody.wait()
        return {"log": ["met"]}

    graph = chain(meet)
    async with asyncio.timeout(SECONDS):
        runs = await asyncio.gather(*(graph.arun() for _ in range(20)))

    assert all(run == runs[0] for run in runs)


@pytest.mark.parametrize("concurrency", [2, None])
async def test_plain_worker_does_not_block_the_loop(concurrency):
    """While plain instances block in threads, other tasks of the loop go on: the instances wait for them."""
    ticks = 0
    enough = threading.Event()

    async def tick() -> None:
        nonlocal ticks
        while not enough.is_set():
            await asyncio.sleep(0)
            ticks += 1
            if ticks == 50:
                enough.set()

    graph = gn.Graph(Diary, entry="each")
    graph.fan_out("each", lambda i: enough.wait(SECONDS), over="items", into="log", concurrency=concurrency, to=gn.END)
    ticker = asyncio.create_task(tick())
    run = await graph.arun(items=[1, 2])
    await ticker

    assert [True, True] == run.state.log


async def test_one_at_a_time_stays_in_the_callers_thread():
    """With concurrency 1 plain workers are called where the caller is, as plain nodes are."""
    graph = gn.Graph(Diary, entry="each")
    graph.fan_out("each", lambda i: threading.get_ident(), over="items", into="log", concurrency=1, to=gn.END)

    assert [threading.get_ident()] * 3 == (await graph.arun(items=[1, 2, 3])).state.log


async def test_what_a_plain_worker_returns_is_awaited_on_the_callers_loop():
    """Also from a thread beside it."""

    async def loop_here(i: int) -> bool:
        return asyncio.get_running_loop() is loop

    loop = asyncio.get_running_loop()
    graph = gn.Graph(Diary, entry="each")
    graph.fan_out("each", lambda i: loop_here(i), over="items", into="log", to=gn.END)

    assert [True, True] == (await graph.arun(items=[1, 2])).state.log


async def test_nested_plain_fan_outs_in_threads_beside_a_loop_do_not_wait_for_each_other():
    """Every outer instance holds its thread while its inner instances need theirs: there is no pool to run dry."""

    class Inner(gn.State):
        item: int = 0
        numbers: list[int] = [0, 1, 2]
        out: Annotated[list[int], gn.append] = []

    barrier = threading.Barrier(9, timeout=SECONDS)
    inner = gn.Graph(Inner, entry="each")
    inner.fan_out("each", lambda i: barrier.wait() * 0 + i, over="numbers", into="out", concurrency=None, to=gn.END)
    outer = gn.Graph(Diary, entry="each")
    outer.fan_out("each", inner, over="items", item="item", collect="out", into="log", concurrency=None, to=gn.END)

    assert [[0, 1, 2]] * 3 == (await outer.arun(items=[7, 8, 9])).state.log


async def test_run_of_an_asynchronous_graph_within_arun():
    """A plain node under `arun` calls `other.run()`, whose nodes run on the private loop meanwhile."""

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"log": ["inner"]}

    inner = chain(later)

    assert ["inner"] == (await chain(lambda s: {"log": inner.run().state.log}).arun()).state.log


@pytest.mark.parametrize("error", [SystemExit(1), asyncio.CancelledError(), GeneratorExit()])
async def test_interruption_raised_by_a_node_leaves_as_it_is(error):
    """What is no Exception ends the run, which is kept on it."""

    async def node(s: Any) -> None:
        raise error

    graph = chain(lambda s: {"log": ["before"]}, node)
    with pytest.raises(type(error)) as caught:
        await graph.arun()

    assert ("cancelled", ["before"]) == (caught.value.run.status, caught.value.run.state.log)
