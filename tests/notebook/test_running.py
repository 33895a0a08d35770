"""What `run`, `arun`, `start` and `session` of a graph have in common."""

import asyncio
import sys
import types
from typing import Any

import pytest

import graphnb as gn
from tests.notebook.ways import START, Diary, graph_of


@pytest.fixture(params=START.values(), ids=START.keys())
def start(request):
    """Every way to run a graph to its end."""
    return request.param


def test_every_way_gives_the_same_run_and_keeps_it(start):
    """Equal runs; `last_run` is the one that was given."""
    graph = graph_of(Diary, lambda s: {"log": ["a"]})
    run = start(graph, n=2)

    assert run == graph_of(Diary, lambda s: {"log": ["a"]}).run(n=2)
    assert run is graph.last_run


def test_every_way_shows_the_run_from_its_beginning(start):
    """While it goes on `last_run` is the run so far, under the id that it keeps."""
    seen: list[gn.Run] = []
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: seen.append(graph.last_run) or {"n": 1}, to="b")
    graph.node("b", lambda s: seen.append(graph.last_run) or {"n": 2}, to=gn.END)
    run = start(graph, n=0)

    assert [("running", 0, 0), ("running", 1, 1)] == [(each.status, len(each.steps), each.state.n) for each in seen]
    assert [run.run_id] * 2 == [each.run_id for each in seen]
    assert ("done", 2) == (run.status, run.state.n)


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyboardInterrupt(), SystemExit(1)], ids=lambda error: error.__class__.__name__
)
def test_every_way_that_ends_early_keeps_the_run_and_its_id(start, error):
    """The error has the run that `last_run` gives, with the id that it had before."""
    seen: list[gn.Run] = []

    def fail(s: Any) -> None:
        seen.append(graph.last_run)
        raise error

    graph = graph_of(Diary, fail)
    with pytest.raises((gn.NodeException, type(error))) as caught:
        start(graph)

    assert caught.value.run is graph.last_run
    assert ("failed" if isinstance(error, ValueError) else "cancelled", ()) == (
        *(graph.last_run.status, graph.last_run.steps),
    )
    assert seen[0].run_id == graph.last_run.run_id


def test_every_way_that_cannot_start_leaves_the_last_run_alone(start):
    """A start that is refused is no run."""
    graph = graph_of(Diary)
    run = start(graph)
    with pytest.raises(gn.StateValidationError):
        start(graph, n="x")

    assert run is graph.last_run


@pytest.mark.parametrize("way", ["run", "arun"])
def test_interruption_while_the_engine_is_not_looking_has_the_run_as_well(monkeypatch, way):
    """The stop button may be pressed at any moment."""

    def interrupted(execution: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graphnb.notebook.running.execute", interrupted)
    monkeypatch.setattr("graphnb.notebook.running.aexecute", interrupted)
    graph = graph_of(Diary)
    with pytest.raises(KeyboardInterrupt) as caught:
        START[way](graph)

    assert caught.value.run is graph.last_run
    assert ("cancelled", ()) == (graph.last_run.status, graph.last_run.steps)


async def test_cancelled_task_leaves_the_run():
    """A task that awaits `arun` and is cancelled: the steps so far are at the graph."""
    entered = asyncio.Event()

    async def sleep(s: Any) -> None:
        entered.set()
        await asyncio.sleep(60)

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {"n": 1}, to="b")
    graph.node("b", sleep, to=gn.END)
    task = asyncio.create_task(graph.arun())
    await entered.wait()
    early = graph.last_run
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task

    assert caught.value.run is graph.last_run
    assert ("running", "cancelled", 1) == (early.status, graph.last_run.status, graph.last_run.state.n)


async def cancels_its_own(s: Any) -> None:
    """A node that awaits a task of its own, which was cancelled."""
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task


def raises_it(s: Any) -> None:
    """A plain node whose code raises it."""
    raise asyncio.CancelledError("own")


@pytest.mark.parametrize("node", [cancels_its_own, raises_it])
@pytest.mark.parametrize("way", ["run", "arun", "session"])
def test_cancellation_of_a_nodes_own_tells_where(way, node):
    """It stops the run as any interruption does, and has the run with the node in which that was."""
    graph = gn.Graph(Diary, entry="a", name="g")
    graph.node("a", lambda s: {"n": 1}, to="b")
    graph.node("b", node, to=gn.END)
    with pytest.raises(asyncio.CancelledError) as caught:
        START[way](graph)

    run: Any = caught.value.run  # type: ignore[attr-defined]  # given to it
    assert caught.value.trace is run.trace  # type: ignore[attr-defined]  # given to it
    assert ("cancelled", 1) == (run.status, run.state.n)
    assert [("b", "stopped")] == [(each.node, each.fate) for each in run.trace.open_steps]
    assert "stopped at node 'b'" in run._repr_mimebundle_()["text/plain"]


def test_every_way_knows_the_limit(start):
    """`max_steps` is an option, not a field."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", lambda s: {}, to="a")
    with pytest.raises(gn.MaxSuperstepsExceeded, match="within 3 super-steps"):
        start(graph, max_steps=3)


def test_graph_with_faults_does_not_start(start):
    """Compiling comes first."""
    with pytest.raises(gn.NoDeclaredEntry):
        start(gn.Graph(Diary))


def ticking(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The naps that other tasks take, in a process that looks like a kernel."""
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    naps: list[float] = []
    sleep = asyncio.sleep

    async def nap(seconds: float, result: Any = None) -> Any:
        naps.append(seconds)
        return await sleep(0, result)

    monkeypatch.setattr("graphnb.notebook.running.asyncio.sleep", nap)
    return naps


async def test_timer_runs_beside_a_run_in_a_kernel(monkeypatch):
    """There the stop button does not wake a sleeping loop: short naps do, and end with the run."""
    naps = ticking(monkeypatch)
    wait = asyncio.Event()

    async def node(s: Any) -> dict[str, Any]:
        while len(naps) < 5:
            wait.clear()
            asyncio.get_running_loop().call_soon(wait.set)
            await wait.wait()
        return {}

    await graph_of(Diary, node).arun()
    taken = len(naps)
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert {0.05} == set(naps[:taken])
    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_timer_ends_with_a_failed_run(monkeypatch):
    """Whatever ends the run."""
    ticking(monkeypatch)
    with pytest.raises(gn.NodeException):
        await graph_of(Diary, lambda s: 1 / 0).arun()
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_no_timer_runs_outside_a_kernel(monkeypatch):
    """A script needs none."""
    naps = ticking(monkeypatch)
    monkeypatch.delitem(sys.modules, "ipykernel")

    async def node(s: Any) -> dict[str, Any]:
        assert 1 == len(asyncio.all_tasks())
        return {}

    await graph_of(Diary, node).arun()

    assert [] == naps


# --- observers and ids -----------------------------------------------------------------------------------------------


def test_ids_and_observers_make_no_difference_to_a_run(start):
    """They are no part of what is compared or shown."""
    graph = graph_of(Diary, lambda s: {"log": ["a"]})
    bare, told = start(graph), start(graph, invocation_id="mine", correlation_id="ours", observers=[str])

    assert bare == told
    assert bare._repr_mimebundle_() == told._repr_mimebundle_()


def test_run_that_ended_early_has_its_ids(start):
    """Those that were given."""

    def fail(s: Any) -> None:
        raise ValueError("no")

    with pytest.raises(gn.NodeException) as caught:
        start(graph_of(Diary, fail), invocation_id="mine", correlation_id="ours")

    assert ("mine", "ours") == (caught.value.run.invocation_id, caught.value.run.correlation_id)


def test_ids_of_handle_and_session_are_those_of_the_run():
    """From their beginning on."""
    graph = graph_of(Diary)
    handle, session = graph.start(invocation_id="one"), graph.session(invocation_id="two")

    assert "one" == handle.run.invocation_id == handle.result(20).invocation_id
    assert "two" == session.run.invocation_id == session.finish().invocation_id


def test_code_outside_of_a_run_knows_of_none():
    """Neither before nor after one; a run within another one's node is a run of its own."""
    inner = graph_of(Diary, lambda s: {"log": [gn.invocation().invocation_id]})

    def node(s: Any) -> dict[str, Any]:
        return {"log": [*inner.run(invocation_id="inner").state.log, gn.invocation().invocation_id]}

    run = graph_of(Diary, node).run(invocation_id="outer")

    assert ["inner", "outer"] == run.state.log
    assert gn.invocation() is None
