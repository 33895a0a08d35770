"""A run that goes on in the background."""

import asyncio
import contextvars
import gc
import threading
import time
from typing import Annotated, Any

import pytest

import graphnb as gn

SECONDS = 20  # until a test that hangs gives up
USER: contextvars.ContextVar[str] = contextvars.ContextVar("USER", default="nobody")


class Diary(gn.State):
    n: int = 0
    items: list[int] = []
    log: Annotated[list[Any], gn.append] = []


def line(*nodes: Any) -> gn.Graph:
    """A graph of the nodes in a line, called n0, n1 and so on."""
    graph = gn.Graph(Diary, entry="n0", name="line")
    for i, each in enumerate(nodes):
        graph.node(f"n{i}", each, to=f"n{i + 1}" if i + 1 < len(nodes) else gn.END)
    return graph


class Gate:
    """A node that waits until it is let through."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()

    def __call__(self, s: Any) -> dict[str, Any]:
        self.entered.set()
        assert self.opened.wait(SECONDS)
        return {"log": ["gate"]}


def test_handle_comes_at_once_and_gives_the_run():
    """The caller goes on while the nodes run on a thread of their own."""
    gate = Gate()
    graph = line(gate, lambda s: {"log": [threading.get_ident() != caller]})
    caller = threading.get_ident()
    handle = graph.start()
    gate.entered.wait(SECONDS)

    assert (False, "running") == (handle.is_finished, handle.run.status)
    assert ("running", handle.run.run_id) == (graph.last_run.status, graph.last_run.run_id)

    early = handle.run
    gate.opened.set()
    run = handle.result(SECONDS)

    assert early.run_id == run.run_id

    assert ("done", ["gate", True]) == (run.status, run.state.log)
    assert handle.is_finished
    assert run is handle.run is handle.result() is graph.last_run


def test_wrong_start_is_refused_at_once():
    """Before a thread is started."""
    with pytest.raises(gn.StateValidationError):
        line(Gate()).start(n="x")


async def test_handle_can_be_awaited():
    """Also more than once, and by several tasks."""
    handle = line(lambda s: {"log": ["a"]}).start()
    runs = await asyncio.gather(_awaited(handle), _awaited(handle))

    assert runs[0] is runs[1] is await handle


async def _awaited(handle: gn.RunHandle) -> gn.Run:
    return await handle


async def test_to_stop_waiting_leaves_the_run_alone():
    """A timeout while awaiting does not cancel the run, which can be awaited again."""
    gate = Gate()
    handle = line(gate).start()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(_awaited(handle), 0.01)
    gate.opened.set()

    assert "done" == (await handle).status


def test_waiting_has_a_timeout():
    """TimeoutError, and the run goes on."""
    gate = Gate()
    handle = line(gate).start()
    with pytest.raises(TimeoutError, match="has not ended within"):
        handle.result(timeout=0.01)
    gate.opened.set()

    assert "done" == handle.result(SECONDS).status


@pytest.mark.parametrize("timeout", [float("inf"), 10**10, 10**400])
def test_timeout_of_ages_waits_for_the_end(timeout):
    """However long: longer than any lock can wait is no error."""
    assert "done" == line(lambda s: {}).start().result(timeout).status


@pytest.mark.parametrize(("timeout", "error"), [(-1, ValueError), (float("nan"), ValueError), ("1", TypeError)])
def test_timeout_that_is_none_raises(timeout, error):
    """As of `graph.drain`, and the run goes on."""
    handle = line(lambda s: {}).start()
    with pytest.raises(error, match="timeout is"):
        handle.result(timeout)

    assert "done" == handle.result(SECONDS).status


def test_failure_is_raised_where_the_result_is_asked_for():
    """With the run on the error, which the handle shows too."""
    graph = line(lambda s: {"log": ["a"]}, lambda s: 1 / 0)
    handle = graph.start()
    with pytest.raises(gn.NodeException) as caught:
        handle.result(SECONDS)

    assert handle.run is caught.value.run is graph.last_run
    assert ("failed", ["a"]) == (handle.run.status, handle.run.state.log)


async def test_failure_is_raised_where_the_handle_is_awaited():
    """The same for `await`."""
    with pytest.raises(gn.NodeException):
        await line(lambda s: 1 / 0).start()


def test_interruption_in_a_node_is_raised_where_the_result_is_asked_for():
    """SystemExit in the background ends nothing but the run."""

    def leave(s: Any) -> None:
        raise SystemExit(1)

    handle = line(leave).start()
    with pytest.raises(SystemExit):
        handle.result(SECONDS)

    assert "cancelled" == handle.run.status


def finished_soon(handle: gn.RunHandle) -> gn.Run:
    """The run after it was cancelled; it must not take as long as what it was sleeping for."""
    began = time.monotonic()
    handle.cancel()
    run = handle.result(SECONDS)

    assert time.monotonic() - began < SECONDS / 2
    return run


def test_cancel_ends_a_sleeping_asynchronous_node():
    """Promptly, and its `finally` block has run; the cancelled run is the result."""
    entered, cleaned = threading.Event(), []

    async def sleep(s: Any) -> None:
        entered.set()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    graph = line(lambda s: {"log": ["a"]}, sleep)
    handle = graph.start()
    entered.wait(SECONDS)
    run = finished_soon(handle)

    assert [True] == cleaned
    assert ("cancelled", ["a"], None) == (run.status, run.state.log, run.error)
    assert run is graph.last_run


def test_cancel_is_noticed_by_an_asynchronous_node_where_it_awaits():
    """Long before what it awaits is over."""
    entered, noticed = threading.Event(), []

    async def sleep(s: Any) -> None:
        entered.set()
        try:
            await asyncio.sleep(SECONDS)
        except asyncio.CancelledError:
            noticed.append(time.monotonic())
            raise

    handle = line(sleep).start()
    entered.wait(SECONDS)
    began = time.monotonic()
    handle.cancel()
    handle.result(SECONDS)

    assert noticed[0] - began < SECONDS / 2


def test_asynchronous_node_that_swallows_its_cancellation_has_not_completed():
    """Its update comes too late: the run was cancelled."""
    entered = threading.Event()

    async def stubborn(s: Any) -> dict[str, Any]:
        entered.set()
        try:
            await asyncio.sleep(SECONDS)
        except asyncio.CancelledError:
            return {"log": ["late"]}
        return {}

    handle = line(stubborn).start()
    entered.wait(SECONDS)
    run = finished_soon(handle)

    assert ("cancelled", []) == (run.status, run.state.log)


def test_cancel_during_a_plain_node_lets_it_end():
    """Its update is kept and no other node is called; a run that has no call left is done."""
    for following, status in (([lambda s: {"log": ["next"]}], "cancelled"), ([], "done")):
        gate = Gate()
        handle = line(gate, *following).start()
        gate.entered.wait(SECONDS)
        handle.cancel()
        gate.opened.set()

        assert (status, ["gate"]) == (handle.result(SECONDS).status, handle.run.state.log)


def test_cancel_does_not_wait():
    """The run is still going on when it returns."""
    gate = Gate()
    handle = line(gate, lambda s: {}).start()
    gate.entered.wait(SECONDS)
    handle.cancel()

    assert (False, "running") == (handle.is_finished, handle.run.status)

    gate.opened.set()

    assert "cancelled" == handle.result(SECONDS).status


def test_cancel_ends_a_loop_of_plain_nodes_between_two_of_them():
    """A plain node runs to its end, and the next one is not called."""
    entered = threading.Event()
    graph = gn.Graph(Diary, entry="a")

    def count(s: Any) -> dict[str, Any]:
        entered.set()
        return {"n": s.n + 1}

    graph.node("a", count, to="a")
    handle = graph.start(max_steps=10**9)
    entered.wait(SECONDS)
    run = finished_soon(handle)

    assert "cancelled" == run.status
    assert run.state.n == len(run.steps) >= 1


@pytest.mark.parametrize("kind", ["def", "async def", "def that returns a coroutine"])
@pytest.mark.parametrize("concurrency", [2, None])
def test_cancel_ends_a_fan_out(kind, concurrency):
    """Asynchronous instances are cancelled; plain ones that sleep are left behind. Nothing else is begun."""
    begun, both, release = [], threading.Event(), threading.Event()

    def begin(i: int) -> None:
        begun.append(i)
        if len(begun) == (concurrency or 5):
            both.set()

    def plain(i: int) -> None:
        begin(i)
        release.wait(SECONDS)

    async def later(i: int) -> None:
        begin(i)
        await asyncio.sleep(SECONDS)

    worker = {"def": plain, "async def": later}.get(kind, lambda i: later(i))
    graph = gn.Graph(Diary, entry="each")
    graph.fan_out("each", worker, count=5, into="log", concurrency=concurrency, to=gn.END)
    handle = graph.start()
    both.wait(SECONDS)
    run = finished_soon(handle)
    release.set()

    assert "cancelled" == run.status
    assert (concurrency or 5) == len(begun)


def test_cancel_ends_a_fan_out_in_the_calling_thread():
    """One at a time: the instance under way ends, and no other is begun."""
    gate, begun = Gate(), []

    def one(i: int) -> None:
        begun.append(i)
        gate(None)

    graph = gn.Graph(Diary, entry="each")
    graph.fan_out("each", one, count=5, into="log", concurrency=1, to=gn.END)
    handle = graph.start()
    gate.entered.wait(SECONDS)
    handle.cancel()
    gate.opened.set()

    assert ("cancelled", [0]) == (handle.result(SECONDS).status, begun)


def test_cancel_after_the_end_changes_nothing():
    """The run was done."""
    handle = line(lambda s: {}).start()
    run = handle.result(SECONDS)
    handle.cancel()

    assert (run, "done") == (handle.result(), handle.run.status)


async def test_cancelled_run_can_be_awaited():
    """It is given, not raised: the caller asked for it."""
    gate = Gate()
    handle = line(gate, lambda s: {}).start()
    handle.cancel()
    gate.opened.set()

    assert "cancelled" == (await handle).status


def test_cancelled_run_keeps_its_id():
    """It is the run that was looked at before."""
    gate = Gate()
    graph = line(gate, lambda s: {})
    handle = graph.start()
    early = handle.run.run_id
    handle.cancel()
    gate.opened.set()

    assert early == handle.result(SECONDS).run_id == graph.last_run.run_id


def test_last_run_is_the_one_begun_last():
    """Also when an earlier one ends after it."""
    gate = Gate()
    graph = line(lambda s: gate(s) if s.n else {})
    handle = graph.start(n=1)
    gate.entered.wait(SECONDS)
    run = graph.run(n=0)
    gate.opened.set()
    handle.result(SECONDS)

    assert run is graph.last_run


def test_run_whose_thread_cannot_be_started_is_cancelled(monkeypatch):
    """The system may have no thread to give: the graph does not tell that something is running."""

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    graph = line(lambda s: {})
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            graph.start()
    gc.collect()

    assert ("cancelled", ()) == (graph.last_run.status, graph.last_run.steps)


def test_run_seen_on_the_way_does_not_change():
    """What was looked at stays as it was."""
    gate = Gate()
    handle = line(lambda s: {"log": ["a"]}, gate).start()
    gate.entered.wait(SECONDS)
    early = handle.run
    gate.opened.set()
    handle.result(SECONDS)

    assert ("running", ["a"]) == (early.status, early.state.log)


def test_nodes_see_the_callers_context_variables():
    """Those at the moment of the start."""
    token = USER.set("me")
    handle = line(lambda s: {"log": [USER.get()]}).start()
    USER.reset(token)

    assert ["me"] == handle.result(SECONDS).state.log


def test_several_runs_of_one_graph_at_once():
    """Handles do not share anything: all gates are held at the same time."""
    barrier = threading.Barrier(3, timeout=SECONDS)
    graph = line(lambda s: barrier.wait() * 0 or {"log": [s.n]})
    handles = [graph.start(n=i) for i in range(3)]

    assert [[0], [1], [2]] == [handle.result(SECONDS).state.log for handle in handles]


@pytest.mark.parametrize("ended", [True, False])
def test_text_and_display_tell_the_status(ended):
    """A handle looks like its run."""
    gate = Gate()
    handle = line(gate).start()
    gate.entered.wait(SECONDS)
    if ended:
        gate.opened.set()
        handle.result(SECONDS)

    assert f"<RunHandle of 'line': {'done' if ended else 'running'}>" == repr(handle)
    assert handle.run._repr_mimebundle_() == handle._repr_mimebundle_()

    gate.opened.set()


def test_cancellation_that_a_node_raises_is_raised():
    """Nobody has asked for it: as `run` does it the handle raises it, with the run."""

    def gives_up(s: Any) -> None:
        raise asyncio.CancelledError("by itself")

    handle = line(gives_up).start()
    with pytest.raises(asyncio.CancelledError) as caught:
        handle.result(SECONDS)

    assert "cancelled" == caught.value.run.status == handle.run.status
