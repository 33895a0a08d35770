"""Waiting until observers were told: of all runs of a graph, of one invocation, from everywhere."""

import asyncio
import contextvars
import copy
import gc
import threading
import time
from collections.abc import Iterator
from typing import Annotated, Any

import pytest

import graphnb as gn

SECONDS = 20  # until a test that hangs gives up
DONE = gn.DrainSummary(undelivered_count=0, timeout_reached=False)


class Diary(gn.State):
    n: int = 0
    log: Annotated[list[Any], gn.append] = []


def write(s: Any) -> dict[str, Any]:
    """A node that writes its mark."""
    return {"log": ["write"]}


def graph_of(node: Any = write) -> gn.Graph:
    """A graph of one node, which has two events."""
    graph = gn.Graph(Diary, entry="a", name="g")
    graph.node("a", node, to=gn.END)
    return graph


def ignore(event: Any) -> None:
    """An observer that does nothing."""


class Gate:
    """An observer that holds up the first event until it is opened, and keeps all of them."""

    def __init__(self) -> None:
        self.opened, self.reached, self.passed = threading.Event(), threading.Event(), threading.Event()
        self.seen: list[str] = []

    def __call__(self, event: Any) -> None:
        self.reached.set()
        assert self.opened.wait(SECONDS)
        self.seen.append(event.phase)
        self.passed.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    """A gate that is open at the end, so that no thread is left behind."""
    gate = Gate()
    yield gate
    gate.opened.set()


@pytest.fixture(params=[lambda graph: graph, lambda graph: graph.compile()], ids=["graph", "compiled"])
def of(request: pytest.FixtureRequest) -> Any:
    """What is asked to drain: the graph itself, or what it was compiled to."""
    return request.param


def run_and_drain(graph: gn.Graph, way: str, observers: list[Any]) -> None:
    """Runs a graph and waits for its observers, all in one loop or all without one."""

    async def both() -> None:
        await graph.arun(observers=observers)
        await graph.adrain(SECONDS)

    if way == "arun":
        asyncio.run(both())
    else:
        graph.run(observers=observers)
        graph.drain(SECONDS)


WAYS = {
    "drain": lambda graph, timeout=None: graph.drain(timeout),
    "drain_events_for": lambda graph, timeout=None: graph.drain_events_for("of-mine", timeout=timeout),
    "adrain": lambda graph, timeout=None: asyncio.run(graph.adrain(timeout)),
    "adrain_events_for": lambda graph, timeout=None: asyncio.run(graph.adrain_events_for("of-mine", timeout=timeout)),
}


@pytest.fixture(params=WAYS.values(), ids=WAYS.keys())
def wait(request: pytest.FixtureRequest) -> Any:
    """Every way to wait for the run of the id `of-mine`."""
    return request.param


# --- what is waited for ----------------------------------------------------------------------------------------------


def test_every_way_waits_for_slow_observers(of, wait, gate):
    """The run has not waited; afterwards everything is delivered, in order."""
    graph = graph_of()
    graph.run(observers=[gate], invocation_id="of-mine")
    before = list(gate.seen)
    threading.Timer(0.05, gate.opened.set).start()

    assert DONE == wait(of(graph))
    assert ([], ["started", "completed"]) == (before, gate.seen)


def test_every_way_has_nothing_to_wait_for_without_observers(of, wait):
    """Before a run and after one."""
    graph = graph_of()

    assert DONE == wait(of(graph))

    graph.run(invocation_id="of-mine")

    assert DONE == wait(of(graph))


def test_every_way_gives_up_when_time_runs_out(of, wait, gate):
    """The summary tells how many events were not delivered, the one that is under way among them."""
    graph = graph_of()
    graph.run(observers=[gate], invocation_id="of-mine")
    gate.reached.wait(SECONDS)

    assert gn.DrainSummary(undelivered_count=2, timeout_reached=True) == wait(of(graph), 0.02)


@pytest.mark.parametrize("way", ["drain", "adrain"])
def test_drain_that_gave_up_has_dropped_the_rest_and_harms_no_later_run(way, gate):
    """What was not delivered stays so; the next run is told in full."""
    graph = graph_of()
    graph.run(observers=[gate], invocation_id="of-mine")
    gate.reached.wait(SECONDS)
    WAYS[way](graph, 0)
    gate.opened.set()
    later = Gate()
    later.opened.set()
    graph.run(observers=[later])

    assert DONE == graph.drain(SECONDS)
    assert gate.passed.wait(SECONDS)
    assert (["started"], ["started", "completed"]) == (gate.seen, later.seen)


@pytest.mark.parametrize("way", ["drain_events_for", "adrain_events_for"])
def test_drain_of_events_that_gave_up_leaves_them_under_way(way, gate):
    """They are delivered all the same, and can be waited for again."""
    graph = graph_of()
    graph.run(observers=[gate], invocation_id="of-mine")
    gate.reached.wait(SECONDS)
    WAYS[way](graph, 0)
    gate.opened.set()

    assert DONE == WAYS[way](graph, SECONDS)
    assert ["started", "completed"] == gate.seen


def test_drain_of_events_waits_for_its_own_invocation_alone(of, gate):
    """Another run of the same graph may be held up; an id that is not known is no run to wait for."""
    graph = graph_of()
    graph.run(observers=[gate], invocation_id="other")
    other = Gate()
    other.opened.set()
    run = graph.run(observers=[other])

    assert DONE == of(graph).drain_events_for(run.invocation_id, timeout=SECONDS)
    assert DONE == of(graph).drain_events_for("unknown", timeout=SECONDS)
    assert (["started", "completed"], []) == (other.seen, gate.seen)


def test_drain_waits_for_runs_however_they_were_begun(of):
    """Plain, awaited, in the background, in steps; through the graph or what it was compiled to."""
    graph = graph_of()
    seen: list[Any] = []
    graph.observer(seen.append)
    for each in (graph, graph.compile()):
        each.run()
        asyncio.run(each.arun())
        each.start().result(SECONDS)
        each.session().finish()

    assert DONE == of(graph).drain(SECONDS)
    assert 16 == len(seen)


def test_drain_waits_for_a_run_that_goes_on(of):
    """Also for what it has yet to tell."""
    graph, release, seen = graph_of(lambda s: release.wait(SECONDS) and {}), threading.Event(), []
    handle = graph.start(observers=[seen.append])

    assert of(graph).drain_events_for(handle.run.invocation_id, timeout=SECONDS) == DONE

    threading.Timer(0.05, release.set).start()

    assert DONE == of(graph).drain(SECONDS)
    assert ["started", "completed"] == [event.phase for event in seen]


@pytest.mark.parametrize("end", ["failed", "closed", "cancelled", "forgotten"])
def test_drain_does_not_wait_for_a_run_that_ended_early(end):
    """A failed node, a closed session, a cancelled handle, a session that nobody holds any more."""
    entered, release = threading.Event(), threading.Event()

    def node(s: Any) -> dict[str, Any]:
        entered.set()
        assert release.wait(SECONDS)
        return {"n": 1 // s.n}

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node, to="b")
    graph.node("b", write, to=gn.END)
    graph.observer(ignore)
    if end == "cancelled":
        handle = graph.start(n=1)
        entered.wait(SECONDS)
        handle.cancel()
    release.set()
    if end == "failed":
        with pytest.raises(gn.NodeException):
            graph.run()
    elif end != "cancelled":
        session = graph.session(n=1)
        session.step()
        if end == "closed":
            session.close()
        del session
        gc.collect()

    assert DONE == graph.drain(SECONDS)


@pytest.mark.parametrize("way", ["drain", "drain_events_for", "adrain", "adrain_events_for"])
def test_session_that_stands_still_is_waited_for_until_its_events_so_far_are_delivered(way):
    """It is quiet until somebody asks it to go on, before its first step too; what comes then is waited for as well."""
    seen: list[str] = []

    def see(event: Any) -> None:
        time.sleep(0.02)
        seen.append(f"{event.node_name} {event.phase}")

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", write, to="b")
    graph.node("b", write, to=gn.END)
    session = graph.session(observers=[see], invocation_id="of-mine")
    assert DONE == WAYS[way](graph, SECONDS)
    session.step()
    assert DONE == WAYS[way](graph, SECONDS)
    assert ["a started", "a completed"] == seen
    session.finish()

    assert DONE == WAYS[way](graph, SECONDS)
    assert ["a started", "a completed", "b started", "b completed"] == seen


def test_session_that_is_under_way_is_waited_for_until_it_stands_still():
    """While it is asked for a step, in another thread, its events are not all there yet."""
    entered, go = threading.Event(), threading.Event()
    seen: list[str] = []

    def hold(s: Any) -> dict[str, Any]:
        entered.set()
        go.wait(SECONDS)
        return {}

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", hold, to="b")
    graph.node("b", write, to=gn.END)
    session = graph.session(observers=[lambda event: seen.append(event.phase)])
    thread = threading.Thread(target=session.step)
    thread.start()
    assert entered.wait(SECONDS)
    threading.Timer(0.05, go.set).start()

    assert DONE == graph.drain(SECONDS)
    assert ["started", "completed"] == seen
    thread.join(SECONDS)


def test_copy_does_not_wait_for_the_runs_of_its_original(gate):
    """It has not run."""
    graph = graph_of()
    graph.run(observers=[gate])

    assert DONE == copy.deepcopy(graph).drain(SECONDS)
    assert [] == gate.seen


# --- inside of a run -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["run", "start", "session"])
def test_plain_node_waits_for_the_events_so_far(way):
    """Its own start is among them, its end is not."""
    seen: list[str] = []
    told: list[Any] = []

    def node(s: Any) -> dict[str, Any]:
        told.append(graph.drain_events_for(gn.invocation().invocation_id, timeout=SECONDS))
        return {"log": list(seen)}

    graph = graph_of(node)
    graph.observer(lambda event: seen.append(event.phase), name="see")
    ways = {
        "run": lambda: graph.run(),
        "start": lambda: graph.start().result(SECONDS),
        "session": lambda: graph.session().finish(),
    }
    run = ways[way]()

    assert ([DONE], ["started"]) == (told, run.state.log)


@pytest.mark.parametrize("way", ["run", "arun"])
def test_asynchronous_node_waits_for_the_events_so_far(way):
    """Under either driver, beside the observer, which may be asynchronous too."""
    seen: list[str] = []

    async def node(s: Any) -> dict[str, Any]:
        await graph.adrain_events_for(gn.invocation().invocation_id, timeout=SECONDS)
        return {"log": list(seen)}

    async def see(event: Any) -> None:
        await asyncio.sleep(0.02)
        seen.append(event.phase)

    graph = graph_of(node)
    graph.observer(see)
    run = graph.run() if way == "run" else asyncio.run(graph.arun())

    assert ["started"] == run.state.log


@pytest.mark.parametrize("timeout", [None, 1])
@pytest.mark.parametrize("way", ["drain", "adrain"])
def test_drain_inside_of_the_run_that_it_would_wait_for_is_refused(way, timeout):
    """It would never come back; the message shows what does. The run is told to the end all the same."""
    seen: list[str] = []
    node: Any = lambda s: graph.drain(timeout)  # noqa: E731  beside its asynchronous twin
    if way == "adrain":

        async def node(s: Any) -> Any:
            return await graph.adrain(timeout)

    graph = graph_of(node)
    told = rf"graph\.{way}: was called inside of a run, .*\n.* graph\.drain_events_for\(gn\.invocation\(\)"
    with pytest.raises(gn.NodeException, match=told):
        graph.start(observers=[lambda event: seen.append(event.phase)]).result(SECONDS)

    assert DONE == graph.drain(SECONDS)
    assert ["started", "completed"] == seen


@pytest.mark.parametrize("way", ["run", "start", "arun", "fan_out"])
def test_drain_inside_of_a_run_within_the_run_that_it_would_wait_for_is_refused(way):
    """However deep inside: the run outside ends when the one within has."""
    errors: list[str] = []

    def drain(s: Any) -> dict[str, Any]:
        try:
            graph.drain(SECONDS)
        except gn.GraphError as error:
            errors.append(str(error))
        return {}

    async def drain_later(s: Any) -> dict[str, Any]:
        try:
            await graph.adrain(SECONDS)
        except gn.GraphError as error:
            errors.append(str(error))
        return {}

    within = graph_of(drain_later if way == "arun" else drain)
    middle = graph_of(lambda s: within.run() and {})
    each = gn.Graph(Diary, entry="all")
    each.fan_out("all", drain, count=1, into="log", to=gn.END)

    async def node(s: Any) -> dict[str, Any]:
        await within.arun()
        return {}

    plain = {"run": middle.run, "start": lambda: middle.start().result(SECONDS), "fan_out": each.run, "arun": None}[way]
    graph = graph_of(node if plain is None else lambda s: plain() and {})
    graph.start(observers=[ignore]).result(SECONDS)

    assert 1 == len(errors)
    assert f"graph.{'adrain' if way == 'arun' else 'drain'}: was called inside of a run, for whose end" in errors[0]


def test_node_may_drain_another_graph():
    """Whose runs it does not wait for to end."""
    seen: list[Any] = []
    inner = graph_of()

    def node(s: Any) -> dict[str, Any]:
        inner.run(observers=[seen.append])
        assert inner.drain(SECONDS) == DONE
        return {"n": len(seen)}

    assert 2 == graph_of(node).run(observers=[ignore]).state.n


@pytest.mark.parametrize(
    "wait",
    [lambda graph, event: graph.drain(), lambda graph, event: graph.drain_events_for(event.invocation_id)],
    ids=["drain", "drain_events_for"],
)
@pytest.mark.parametrize("way", ["run", "arun"])
def test_observer_that_would_wait_for_itself_is_refused(way, wait):
    """The next event comes when it has returned: it is reported, and told of all events."""
    seen: list[str] = []

    def see(event: Any) -> None:
        seen.append(event.phase)
        wait(graph, event)

    graph = graph_of()
    with pytest.warns(gn.ObserverWarning, match="was called by an observer, which holds up the very events") as caught:
        run_and_drain(graph, way, [see])

    assert ["started", "completed"] == seen
    assert 2 == len(caught)


@pytest.mark.parametrize("way", ["run", "arun"])
def test_asynchronous_observer_that_would_wait_for_itself_is_refused(way):
    """In words too, whatever loop it is called in."""

    async def see(event: Any) -> None:
        await graph.adrain_events_for(event.invocation_id)

    graph = graph_of()
    with pytest.warns(gn.ObserverWarning, match="was called by an observer") as caught:
        run_and_drain(graph, way, [see])

    assert 2 == len(caught)


# --- event loops -----------------------------------------------------------------------------------------------------


async def test_plain_drain_works_in_a_running_loop_after_a_plain_run():
    """A thread delivers: to block the loop blocks nobody else."""
    seen: list[Any] = []
    graph = graph_of()
    graph.run(observers=[seen.append])

    assert DONE == graph.drain(SECONDS)
    assert 2 == len(seen)


async def test_plain_drain_of_what_the_same_loop_delivers_is_refused():
    """The message shows the form that can be awaited, which works; with nothing left to deliver both do."""
    graph = graph_of()
    run = await graph.arun(observers=[ignore])
    with pytest.raises(gn.GraphError, match=r"^graph\.drain: would block .*\nWrite: await graph\.adrain\("):
        graph.drain()
    with pytest.raises(gn.GraphError, match=r"^graph\.drain_events_for: .*\nWrite: await graph\.adrain_events_for\("):
        graph.drain_events_for(run.invocation_id)

    assert DONE == await graph.adrain_events_for(run.invocation_id)
    assert DONE == await graph.adrain()
    assert DONE == graph.drain()
    assert DONE == graph.drain_events_for(run.invocation_id)


async def test_awaited_drain_leaves_the_loop_to_others():
    """A node, an observer or a task that the drain depends on goes on meanwhile."""
    ticks: list[int] = []

    async def tick() -> None:
        while True:
            ticks.append(1)
            await asyncio.sleep(0)

    async def see(event: Any) -> None:
        await asyncio.sleep(0.02)

    graph = graph_of()
    ticker = asyncio.create_task(tick())
    await graph.arun(observers=[see])
    before = len(ticks)
    await graph.adrain()
    ticker.cancel()

    assert len(ticks) > before + 5


@pytest.mark.parametrize("seconds", [0, 0.05])
def test_events_outlive_the_loop_of_their_run(seconds):
    """`asyncio.run` ends its loop with the run: what was not delivered by then is delivered beside, each event once."""
    seen: list[str] = []

    async def see(event: Any) -> None:
        await asyncio.sleep(seconds)
        seen.append(event.phase)

    graph = graph_of()
    told: list[str] = []
    asyncio.run(graph.arun(observers=[lambda event: told.append(event.phase), see]))

    assert DONE == graph.drain(SECONDS)
    assert ["started", "completed"] == told
    assert "completed" in seen


@pytest.mark.parametrize("way", ["drain", "adrain"])
def test_events_outlive_a_loop_that_never_came_to_them(way):
    """A loop that is closed at once, with the task that delivers still ahead."""
    seen: list[str] = []
    graph = graph_of()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(graph.arun(observers=[lambda event: seen.append(event.phase)]))
    loop.close()

    assert DONE == WAYS[way](graph, SECONDS)
    assert ["started", "completed"] == seen


async def test_observer_that_cancels_itself_stops_nobody_else():
    """Neither the rest of the events nor the other observers."""
    seen: list[str] = []

    async def cancel(event: Any) -> None:
        raise asyncio.CancelledError

    graph = graph_of()

    async def both() -> gn.DrainSummary:
        await graph.arun(observers=[cancel, lambda event: seen.append(event.phase)])
        return await graph.adrain(SECONDS)

    with pytest.warns(gn.ObserverWarning, match="observer 'cancel': raised CancelledError"):
        assert DONE == await both()

    assert ["started", "completed"] == seen


@pytest.mark.parametrize("way", ["run", "arun"])
def test_observer_that_wants_to_exit_stops_nobody_else(way):
    """On a thread of its own that would end the thread, in a loop all that runs there."""
    seen: list[str] = []
    graph = graph_of()

    def leave(event: Any) -> None:
        raise SystemExit(1)

    with pytest.warns(gn.ObserverWarning, match="observer 'leave': raised SystemExit: 1") as caught:
        run_and_drain(graph, way, [leave, lambda event: seen.append(event.phase)])

    assert ["started", "completed"] == seen
    assert 2 == len(caught)


# --- wrong arguments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("timeout", "error", "told"),
    [
        (-1, ValueError, r"^timeout is -1, want at least 0 seconds$"),
        (float("nan"), ValueError, r"^timeout is nan, want at least 0 seconds$"),
        ("1", TypeError, r"^timeout is '1' \(str\), want seconds or None$"),
        (True, TypeError, r"^timeout is True \(bool\), want seconds or None$"),
        ([1], TypeError, r"^timeout is \[1\] \(list\), want seconds or None$"),
    ],
)
def test_every_way_refuses_a_wrong_timeout(of, wait, timeout, error, told):
    """Whether there is something to wait for or not."""
    graph = graph_of()
    for _ in range(2):
        with pytest.raises(error, match=told):
            wait(of(graph), timeout)
        graph.session(observers=[ignore], invocation_id="of-mine").step()


@pytest.mark.parametrize("timeout", [0, 0.5, float("inf"), None])
def test_every_way_takes_any_number_of_seconds(of, wait, timeout):
    """None and infinity wait for as long as it takes."""
    graph = graph_of()
    graph.run(invocation_id="of-mine")

    assert DONE == wait(of(graph), timeout)


def test_id_that_is_no_text_is_refused(of):
    """A run in place of its id would else be one that is not known."""
    graph = graph_of()
    run = graph.run(observers=[ignore])
    told = r"^invocation_id is <Run of 'g': done, 1 step> \(Run\), want a text such as run\.invocation_id$"
    with pytest.raises(TypeError, match=told):
        of(graph).drain_events_for(run)
    with pytest.raises(TypeError, match=told):
        asyncio.run(of(graph).adrain_events_for(run))


def around(inner: Any) -> gn.Graph:
    """A graph whose one node runs the other graph."""
    outer = gn.Graph(Diary, entry="inner", name="outer")
    outer.subgraph("inner", inner, to=gn.END)
    return outer


@pytest.mark.parametrize("make", [lambda graph: graph, lambda graph: graph.compile(), copy.deepcopy])
def test_graph_within_another_one_waits_for_the_events_that_its_observer_is_owed(make, gate):
    """They are told of in runs of the outer graph."""
    graph = graph_of()
    graph.observer(lambda event: gate(event), name="gate")
    inner = make(graph)
    middle = around(inner)
    around(middle).run()
    threading.Timer(0.02, gate.opened.set).start()

    assert DONE == inner.drain(SECONDS)
    assert ["started", "completed"] == gate.seen
    assert DONE == middle.drain(SECONDS)


def test_graph_within_a_compiled_one_waits_for_the_events_that_its_observer_is_owed(gate):
    """What was compiled is pinned, and its runs are those of the graphs that it was made of as well."""
    graph = graph_of()
    graph.observer(lambda event: gate(event), name="gate")
    around(around(around(graph).compile()).compile()).run()
    threading.Timer(0.02, gate.opened.set).start()

    assert DONE == graph.drain(SECONDS)
    assert ["started", "completed"] == gate.seen


def test_inner_graph_finds_the_invocation_within_which_it_runs(gate):
    """Inside of its own node it waits for what was told before."""
    told = []

    def ask(s: Any) -> dict[str, Any]:
        threading.Timer(0.02, gate.opened.set).start()
        told.append((inner.drain_events_for(gn.invocation().invocation_id, timeout=SECONDS), gate.seen[:]))
        with pytest.raises(gn.GraphError, match="inside of a run"):
            inner.drain(SECONDS)
        return {}

    inner = graph_of(ask)
    around(inner).run(observers=[gate])

    assert [(DONE, ["started"])] == told


def test_graph_that_stands_beside_is_not_waited_for(gate):
    """A run of another graph is no run of this one."""
    other = graph_of()
    graph_of().run(observers=[gate], invocation_id="one")

    assert DONE == other.drain(SECONDS)
    assert DONE == other.drain_events_for("one")


@pytest.mark.parametrize("has_context", [True, False])
def test_thread_that_a_node_starts_waits_for_itself_unless_it_has_its_context(has_context: bool) -> None:
    """A bare thread cannot be told from one outside of the run: it waits as long as it was told to."""
    told: list[Any] = []

    def waits() -> None:
        try:
            told.append(graph.drain(0.2))
        except gn.GraphError as error:
            told.append(error)

    def node(s: Any) -> dict[str, Any]:
        context = contextvars.copy_context() if has_context else contextvars.Context()
        thread = threading.Thread(target=context.run, args=(waits,))
        thread.start()
        thread.join()
        return {}

    graph = gn.Graph(gn.State, entry="a", name="g")
    graph.node("a", node, to=gn.END)
    graph.observer(lambda event: None, name="looks")
    graph.run()

    if has_context:
        assert "was called inside of a run, for whose end it would wait" in str(told[0])
    else:
        assert told[0].timeout_reached
