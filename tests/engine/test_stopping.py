"""What becomes of an interruption while threads inside the node cannot be woken."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.trace.reading.walking import walk
from graphnb.trace.trace import Trace

SECONDS = 20  # until a test that hangs gives up


class Item(gn.State):
    item: int = 0
    out: Annotated[list[Any], gn.append] = []


class Batch(gn.State):
    items: list[int] = []
    out: Annotated[list[Any], gn.append] = []


class Hold:
    """Where instances wait that nothing can wake, until the test is over."""

    def __init__(self) -> None:
        self.held, self.released = threading.Semaphore(0), threading.Event()

    def wait(self) -> None:
        """Tell that one more waits, and wait."""
        self.held.release()
        self.released.wait(SECONDS)


@pytest.fixture
def hold() -> Iterator[Hold]:
    """Releases what waits when the test is over."""
    hold = Hold()
    yield hold
    hold.released.set()


def each_of(worker: gn.Graph, **options: Any) -> gn.Graph:
    """A fan-out over the worker, all instances at once."""
    graph = gn.Graph(Batch, entry="each")
    collected = {"item": "item", "collect": "out", "into": "out", "concurrency": None}
    graph.fan_out("each", worker, over="items", **collected, **options, to=gn.END)
    return graph


def stopped(graph: gn.Graph, hold: Hold, *, waiting: int = 2) -> Trace:
    """The trace of a run over two items that was cancelled once so many calls wait."""
    handle = graph.start(items=[0, 1])
    for _ in range(waiting):
        assert hold.held.acquire(timeout=SECONDS)
    handle.cancel()
    return handle.result(SECONDS).trace


def stops_of(trace: Trace) -> list[tuple[str, bool]]:
    """Where the run was stopped, and whether at an edge."""
    return [(each.path, each.at_edge) for each in trace.open_steps if each.stopped]


@pytest.mark.parametrize("entry", ["work", "before"])
def test_node_that_threads_go_on_running_is_told_as_stopped(entry, hold):
    """The entry of its graph, or where the last edge led."""
    worker = gn.Graph(Item, entry=entry)
    worker.node("work", lambda s: hold.wait(), to=gn.END)
    if entry == "before":
        worker.node("before", lambda s: {}, to="work")
    told = stops_of(stopped(each_of(worker), hold))

    assert [("each", False), ("each[0]/work", False), ("each[1]/work", False)] == told


def test_router_that_threads_go_on_asking_is_told_as_stopped(hold):
    """Its node has completed."""
    worker = gn.Graph(Item, entry="work")
    worker.node("work", lambda s: {})
    worker.branch("work", lambda s: hold.wait(), to=(gn.END,))
    told = stops_of(stopped(each_of(worker), hold))

    assert [("each", False), ("each[0]/work", True), ("each[1]/work", True)] == told


@pytest.mark.parametrize("kind", ["subgraph", "fan-out"])
def test_graph_within_a_thread_is_told_as_stopped_on_every_level(kind, hold):
    """What it has in it too, as far down as there are graphs."""
    inner = gn.Graph(Item, entry="work")
    inner.node("work", lambda s: hold.wait(), to=gn.END)
    worker = gn.Graph(Item, entry="in")
    if kind == "subgraph":
        worker.subgraph("in", inner, to=gn.END)
        expected = ["each", "each[0]/in", "each[0]/in/work", "each[1]/in", "each[1]/in/work"]
    else:
        worker.fan_out("in", inner, count=1, collect="item", into="out", to=gn.END)
        expected = ["each", "each[0]/in", "each[0]/in[0]/work", "each[1]/in", "each[1]/in[0]/work"]

    assert expected == sorted(path for path, _ in stops_of(stopped(each_of(worker), hold)))


def test_function_within_a_thread_is_told_with_what_its_siblings_gave(hold):
    """A fan-out over a plain function has no graphs in it."""
    worker = gn.Graph(Item, entry="in")
    worker.fan_out("in", lambda i: hold.wait() if i == 1 else i, count=3, into="out", concurrency=1, to=gn.END)
    trace = stopped(each_of(worker), hold)
    inside = [each.instances for each in trace.open_steps if each.node == "in"]

    assert [(((0, (0,)),), 2)] * 2 == [(made.given, made.begun) for made in inside]


def test_instances_that_have_ended_are_left_alone(hold):
    """One has finished, another has failed under `collect`: neither was stopped."""
    worker = gn.Graph(Item, entry="work")
    worker.node("work", lambda s: hold.wait() if s.item == 0 else {"out": [1 // (s.item - 2)]}, to=gn.END)
    handle = each_of(worker, error_policy="collect").start(items=[0, 1, 2])
    hold.held.acquire(timeout=SECONDS)
    while not (handle.run.trace.steps and handle.run.trace.failures):
        time.sleep(0.001)
    handle.cancel()
    trace = handle.result(SECONDS).trace

    assert ["each", "each[0]/work"] == [path for path, _ in stops_of(trace)]
    assert ["each[1]/work"] == [step.path for step in trace.steps]
    assert ["each[2]/work"] == [failure.path for failure in trace.failures]


def test_child_that_has_been_stopped_tells_it_itself(hold):
    """A subgraph in which a thread waits beside one that an interruption has reached already."""
    inner = gn.Graph(Item, entry="in")
    inner.fan_out("in", lambda i: hold.wait(), count=2, into="out", concurrency=None, to=gn.END)
    trace = stopped(each_of(inner), hold, waiting=4)

    assert ["each", "each[0]/in", "each[1]/in"] == [path for path, _ in stops_of(trace)]


def test_record_does_not_change_when_threads_go_on(hold):
    """What they do after the stop is not seen in the run that was stopped; they begin no other node."""
    worker = gn.Graph(Item, entry="work")
    worker.node("work", lambda s: hold.wait() or {}, to="finish")
    worker.node("finish", lambda s: hold.held.release() or {}, to=gn.END)
    trace = stopped(each_of(worker), hold)
    before = [(each.path, type(each)) for each in walk(trace.log)]
    hold.released.set()
    for thread in threading.enumerate():
        if thread.name == "graphnb-fan-out":
            thread.join(SECONDS)

    assert before == [(each.path, type(each)) for each in walk(trace.log)]
    assert not hold.held.acquire(blocking=False)


# --- super-steps of several nodes ------------------------------------------------------------


def fates(trace: Trace) -> list[tuple[int, str, str]]:
    """Number, path and fate of each node that came to no end."""
    return [(each.number, each.path, each.fate) for each in trace.open_steps]


def fork(*nodes: Any, **options: Any) -> gn.Graph:
    """A graph whose entry leads to all of these nodes, named by their numbers."""
    graph = gn.Graph(Item, entry="first", name="fork", **options)
    names = tuple(str(i) for i in range(len(nodes)))
    graph.node("first", lambda s: {"out": ["first"]}, to=names)
    for name, node in zip(names, nodes, strict=True):
        graph.node(name, node, to=gn.END)
    return graph


def presses(s: Any) -> Any:
    """The stop button, as if pressed in this very node."""
    raise KeyboardInterrupt


async def presses_later(s: Any) -> Any:
    """The same in an asynchronous node."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("how", ["run", "arun", "session", "start"])
def test_interruption_of_one_node_drops_the_whole_step(how):
    """Finished siblings are told as dropped; nothing is committed."""
    graph = fork(lambda s: {"out": ["0"]}, presses, lambda s: {"out": ["2"]})
    calls = {
        "run": graph.run,
        "arun": lambda: asyncio.run(graph.arun()),
        "start": lambda: graph.start().result(SECONDS),
        "session": lambda: list(graph.session()),
    }
    with pytest.raises(KeyboardInterrupt) as caught:
        calls[how]()

    run = caught.value.run
    assert ("cancelled", ["first"]) == (run.status, run.state.out)
    assert [(1, "0", "dropped"), (1, "1", "stopped")] == fates(run.trace)[:2]
    assert graph.last_run == run


@pytest.mark.parametrize("node", [presses, presses_later])
def test_interruption_inside_a_forked_subgraph_is_told_on_every_level(node):
    """The subgraph, and the nodes of its step."""
    inner = fork(lambda s: {"out": ["0"]}, node)
    outer = gn.Graph(Item, entry="a", name="outer")
    outer.subgraph("a", inner, to=gn.END)
    with pytest.raises(KeyboardInterrupt) as caught:
        outer.run()

    told = fates(caught.value.run.trace)
    assert (1, "a/1", "stopped") in told
    assert [path for _, path, _ in told if path == "a"] == ["a"]


def test_interruption_of_a_reducer_drops_the_step():
    """All nodes had finished."""

    def reduces(prior: Any, update: Any) -> Any:
        if update == "1":
            raise KeyboardInterrupt
        return update

    class Word(gn.State):
        word: Annotated[str, reduces] = ""

    graph = gn.Graph(Word, entry="first")
    graph.node("first", lambda s: {}, to=("0", "1"))
    graph.node("0", lambda s: {"word": "0"}, to=gn.END)
    graph.node("1", lambda s: {"word": "1"}, to=gn.END)
    with pytest.raises(KeyboardInterrupt) as caught:
        graph.run()

    assert [(1, "0", "dropped"), (1, "1", "dropped")] == fates(caught.value.run.trace)
    assert "" == caught.value.run.state.word


def test_interruption_of_a_guard_leaves_the_commit():
    """The step is kept; the node whose edge was asked is told."""
    graph = fork(lambda s: {"out": ["0"]}, lambda s: {"out": ["1"]})
    graph.remove("1")
    graph.node("1", lambda s: {"out": ["1"]})
    graph.edge("1", "0", when=presses)
    with pytest.raises(KeyboardInterrupt) as caught:
        graph.run()

    run = caught.value.run
    assert ["first", "0", "1"] == run.state.out
    assert [("1", True)] == stops_of(run.trace)


def test_cancelled_run_stops_asynchronous_nodes_of_a_step():
    """They are cancelled where they await, and clean up; what had finished is dropped."""
    begun, cleaned = threading.Semaphore(0), []

    async def waits(s):
        begun.release()
        try:
            await asyncio.sleep(SECONDS)
        finally:
            cleaned.append(1)

    async def ends(s):
        begun.release()
        return {"out": ["2"]}

    handle = fork(waits, waits, ends).start()
    for _ in range(3):
        assert begun.acquire(timeout=SECONDS)
    handle.cancel()
    run = handle.result(SECONDS)

    assert ("cancelled", 2, ["first"]) == (run.status, len(cleaned), run.state.out)
    assert [(1, "0", "stopped"), (1, "1", "stopped"), (1, "2", "dropped")] == fates(run.trace)


def test_cancelled_task_leaves_plain_nodes_behind(hold):
    """A task that awaits `arun` and is cancelled does not wait for what cannot be woken; nothing more is committed."""

    async def main():
        task = asyncio.ensure_future(fork(lambda s: hold.wait() or {}, lambda s: hold.wait() or {}).arun())
        for _ in range(2):
            assert await asyncio.to_thread(hold.held.acquire, timeout=SECONDS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        return caught.value.run

    run = asyncio.run(main())
    assert ("cancelled", ["first"]) == (run.status, run.state.out)
    assert [(1, "0", "stopped"), (1, "1", "stopped")] == fates(run.trace)


def test_run_is_seen_while_nodes_of_a_step_are_under_way(hold):
    """Who looks sees which have finished and which are running; the snapshot does not grow."""
    handle = fork(lambda s: {"out": ["0"]}, lambda s: hold.wait() or {"out": ["1"]}).start()
    assert hold.held.acquire(timeout=SECONDS)
    run = handle.run

    assert ("running", ["first"]) == (run.status, run.state.out)
    assert [(1, "0", "finished"), (1, "1", "running")] == fates(run.trace)
    hold.released.set()
    assert ["first", "0", "1"] == handle.result(SECONDS).state.out
    assert [(1, "0", "finished"), (1, "1", "running")] == fates(run.trace)


@pytest.mark.parametrize("kind", ["one", "several", "join", "router", "end"])
def test_forked_graph_within_a_thread_is_told_where_it_was_stopped(kind, hold):
    """In an instance of a fan-out whose thread cannot be woken: in a node, in several, behind a join, at an edge."""

    def waits(s):
        hold.wait()
        return {}

    inner = gn.Graph(Item, entry="first", name="inner")
    inner.node("first", lambda s: {}, to=("x", "y"))
    inner.node("x", waits if kind == "several" else lambda s: {})
    inner.node("y", waits if kind in ("several", "one") else lambda s: {})
    if kind == "one":
        inner.edge("x", gn.END)
        inner.edge("y", gn.END)
    elif kind == "end":
        inner.edge("x", gn.END)
        inner.edge("y", "z")
        inner.node("z", waits, to=gn.END)
    elif kind == "router":
        inner.edge("x", gn.END)
        inner.edge("y", gn.END, when=waits)
    else:
        inner.edge(("x", "y"), "z")
        inner.node("z", waits, to=gn.END)
    trace = stopped(each_of(inner), hold, waiting=4 if kind == "several" else 2)

    where = {"one": ["y"], "several": ["x", "y"], "join": ["z"], "router": ["y"], "end": ["z"]}[kind]
    expected = ["each", *(f"each[{i}]/{name}" for i in range(2) for name in (["x", "y"] if kind == "one" else where))]
    assert expected == [path for path, _ in stops_of(trace)]
    assert (kind == "router") == any(at_edge for _, at_edge in stops_of(trace))
