"""What becomes of an interruption while threads inside the node cannot be woken."""

import threading
import time
from collections.abc import Iterator
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.trace.steps import walk
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
