"""One node through everything that may be around it: what is committed, and what observers are told."""

import asyncio
import contextlib
import threading
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.run import begin
from graphnb.engine.work import Tell
from graphnb.graph.observer import Observer
from tests.engine.driven import DRIVERS, drive, watch

SECONDS = 20


class Diary(gn.State):
    n: int = 0
    item: int = 0
    items: list[int] = []
    log: Annotated[list[str], gn.append] = []
    box: Any = None


def noting(name: str, *, is_async: bool = False) -> Any:
    """A node that writes its name."""

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"log": [name]}

    return later if is_async else lambda s: {"log": [name]}


def line(*names: str, name: str = "line", is_async: bool = False) -> gn.Graph:
    """A graph of nodes that write their names."""
    graph = gn.Graph(Diary, entry=names[0], name=name)
    for each, following in zip(names, [*names[1:], gn.END], strict=True):
        graph.node(each, noting(each, is_async=is_async), to=following)
    return graph


def failing(s: Any) -> Any:
    """A node, or a router, that fails."""
    raise LookupError("lost")


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_each_node_starts_and_completes(how, is_async):
    """In order, with a step each, and the states before and after."""
    driven = watch(line("a", "b", is_async=is_async), how)

    assert [("started", "a"), ("completed", "a"), ("started", "b"), ("completed", "b")] == driven.told
    assert [0, 0, 1, 1] == [each.step for each in driven.events]
    assert [[], [], ["a"], ["a"]] == [each.pre_state.log for each in driven.events]
    assert [["a"], ["a", "b"]] == [each.post_state.log for each in driven.of("completed")]
    assert {(0, None, None, (), (), ())} == {
        (
            each.attempt_index, each.fan_out_index, each.branch_name,
            each.fan_out_index_chain, each.branch_name_chain, each.parent_states,
        )
        for each in driven.events
    }  # fmt: skip


@pytest.mark.parametrize("how", DRIVERS)
def test_ids_are_on_every_event(how):
    """Those that were given, or drawn for the run and told by it."""
    given = watch(line("a", "b"), how, invocation_id="i", correlation_id="c")
    drawn = watch(line("a"), how)

    assert {("i", "c")} == {(each.invocation_id, each.correlation_id) for each in given.events}
    assert {(drawn.run.invocation_id, drawn.run.correlation_id)} == {
        (each.invocation_id, each.correlation_id) for each in drawn.events
    }


@pytest.mark.parametrize("how", DRIVERS)
def test_subgraph_takes_no_step_and_has_no_events(how):
    """Its nodes have, with a path through it and the state in which it was entered."""
    outer = gn.Graph(Diary, entry="a", name="outer")
    outer.node("a", noting("a"), to="sub")
    outer.subgraph("sub", line("x", "y", name="inner"), to="b")
    outer.node("b", noting("b"), to=gn.END)
    driven = watch(outer, how)

    assert ["a", "sub/x", "sub/y", "b"] == [path for phase, path in driven.told if phase == "started"]
    assert [0, 1, 2, 3] == [each.step for each in driven.of("started")]
    assert [[], [["a"]], [["a"]], []] == [
        [state.log for state in each.parent_states] for each in driven.of("completed")
    ]
    assert [(), (None,), (None,), ()] == [each.fan_out_index_chain for each in driven.of("started")]
    assert [(), (None,), (None,), ()] == [each.branch_name_chain for each in driven.of("started")]


@pytest.mark.parametrize("how", DRIVERS)
def test_edge_that_fails_is_told_by_the_node_before_it(how):
    """Its attempt then has an error and no state after; so has one whose router returned no target."""
    for router, category in ((failing, "edge_exception"), (lambda s: "nowhere", "routing_error")):
        graph = gn.Graph(Diary, entry="a")
        graph.node("a", noting("a"))
        graph.branch("a", router)
        driven = watch(graph, how)
        completed = driven.events[-1]

        assert [("started", "a"), ("completed", "a")] == driven.told
        assert (category, None) == (completed.error.category, completed.post_state)
        assert ["a"] == driven.error.recoverable_state.log == completed.error.recoverable_state.log


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize(
    ("node", "category"),
    [
        (failing, "node_exception"),
        (lambda s: {"log": "no list"}, "reducer_error"),
        (lambda s: {"n": "many"}, "state_validation_error"),
        (lambda s: {"m": 1}, "state_validation_error"),
        (lambda s: 5, "node_exception"),
        (lambda s: s.log.append("x"), "node_exception"),
    ],
    ids=["raises", "refused", "unfit", "undeclared", "no update", "mutates"],
)
def test_node_that_fails_completes_with_an_error_like_the_runs(how, node, category):
    """Class, category, place, cause and recoverable state agree."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node, to=gn.END)
    driven = watch(graph, how, n=3)
    told = driven.events[-1].error

    assert (["started", "completed"], None) == ([each.phase for each in driven.events], driven.events[-1].post_state)
    assert (category, type(driven.error)) == (told.category, type(told))
    assert str(driven.error) == str(told)
    assert driven.error.__cause__ is told.__cause__
    assert 3 == told.recoverable_state.n == driven.error.recoverable_state.n


@pytest.mark.parametrize("how", DRIVERS)
def test_error_within_a_subgraph_is_told_with_its_whole_path(how):
    """Once, by the inner node."""
    inner, outer = gn.Graph(Diary, entry="x", name="inner"), gn.Graph(Diary, entry="sub", name="outer")
    inner.node("x", failing, to=gn.END)
    outer.subgraph("sub", inner, to=gn.END)
    driven = watch(outer, how)

    assert [("started", "sub/x"), ("completed", "sub/x")] == driven.told
    assert (("sub", "x"), "x") == (driven.events[-1].error.path, driven.events[-1].error.node)
    assert driven.error.path == driven.events[-1].error.path
    assert isinstance(driven.error.__cause__, LookupError)


@pytest.mark.parametrize("how", DRIVERS)
def test_observers_are_told_from_the_outermost_graph_inwards(how):
    """Each graph's in the order in which they were declared, then the run's; an inner graph's inner events alone."""
    note: list[str] = []

    def named(name: str) -> Any:
        return lambda event: note.append(f"{name} {event.phase} {event.node_name}")

    inner, outer = line("x", name="inner"), gn.Graph(Diary, entry="a", name="outer")
    inner.observer(named("inner"), phases="started", name="inner")
    outer.node("a", noting("a"), to="sub")
    outer.subgraph("sub", inner, to=gn.END)
    outer.observer(named("second"), phases={"started"}, name="second")
    outer.observer(named("first"), phases=["started"], name="first")
    watch(outer, how, observers=[named("run's")])
    started = [each for each in note if "completed" not in each]

    assert [
        "second started a", "first started a", "run's started a",
        "second started x", "first started x", "inner started x", "run's started x",
    ] == started  # fmt: skip


@pytest.mark.parametrize("how", DRIVERS)
def test_inner_graph_alone_may_be_observed(how):
    """Steps are counted over the whole invocation all the same."""
    seen: list[Any] = []
    inner, outer = line("x", name="inner"), gn.Graph(Diary, entry="a", name="outer")
    inner.observer(seen.append)
    outer.node("a", noting("a"), to="sub")
    outer.subgraph("sub", inner, to=gn.END)
    if how == "arun":

        async def here() -> None:
            await outer.arun()
            await outer.adrain()

        asyncio.run(here())
    else:
        outer.run()
        outer.drain()

    assert [(1, ("sub", "x"))] * 2 == [(each.step, each.namespace) for each in seen]


@pytest.mark.parametrize("how", DRIVERS)
def test_observers_that_are_declared_during_a_run_are_told_of_the_next(how):
    """The run goes on with those it began with."""
    seen: list[str] = []
    graph = gn.Graph(Diary, entry="a")

    def node(s: Any) -> dict[str, Any]:
        if not graph.spec().observers:
            graph.observer(lambda event: seen.append(event.phase), name="late")
        return {}

    graph.node("a", node, to="b")
    graph.node("b", noting("b"), to=gn.END)
    watch(graph, how)
    during = list(seen)
    watch(graph, how)

    assert ([], ["started", "completed"] * 2) == (during, seen)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize(
    "change",
    [
        lambda state: setattr(state, "n", 5),
        lambda state: state.log.append("x"),
        lambda state: state.items.sort(),
        lambda state: delattr(state, "n"),
    ],
)
def test_observers_cannot_change_a_state(how, change):
    """They are refused like a node, which is reported; the run is as it was."""
    with pytest.warns(gn.ObserverWarning, match="raised MutatedState"):
        driven = watch(line("a"), how, observers=[lambda event: change(event.pre_state)])

    assert (0, ["a"]) == (driven.state.n, driven.state.log)


@pytest.mark.parametrize("how", DRIVERS)
def test_observers_have_copies_of_what_cannot_refuse(how):
    """What they do to them is seen by nobody."""

    def fill(event: Any) -> None:
        event.pre_state.box.add("x")
        if event.post_state is not None:
            event.post_state.box.add("x")

    driven = watch(line("a", "b"), how, observers=[fill], box={"mine"})

    assert [{"mine"}] * 4 == [each.pre_state.box for each in driven.events]
    assert {"mine"} == driven.state.box


@pytest.mark.parametrize("how", DRIVERS)
def test_events_stay_as_they_were(how):
    """A list that goes on growing in the run does not grow in an event."""
    driven = watch(line(*"abcdefgh"), how)

    assert [list("abcdefgh"[:i]) for i in range(8)] == [each.pre_state.log for each in driven.of("started")]
    assert [list("abcdefgh"[: i + 1]) for i in range(8)] == [each.post_state.log for each in driven.of("completed")]


@pytest.mark.parametrize("how", DRIVERS)
def test_slow_and_broken_observers_do_not_hold_up_the_run(how):
    """The result is there before they are done, and the same as without them."""
    release = threading.Event()
    plain = line("a", "b").run()

    def slow(event: Any) -> None:
        assert release.wait(SECONDS)
        raise LookupError("lost")

    async def slow_later(event: Any) -> None:
        await asyncio.to_thread(slow, event)

    graph = line("a", "b")

    async def here() -> Any:
        run = await graph.arun(observers=[slow_later])
        release.set()
        await graph.adrain()
        return run

    def plainly() -> Any:
        run = drive(graph, how, observers=[slow])
        release.set()
        graph.drain()
        return run

    with pytest.warns(gn.ObserverWarning, match="raised LookupError"):
        run = asyncio.run(here()) if how == "arun" else plainly()

    assert plain.trace == run.trace


def told_by_hand(graph: gn.Graph, *, observers: tuple[Observer, ...] = ()) -> list[object]:
    """All requests of a run that are no calls, the work driven by hand."""
    work = begin(graph.compile().plan, {}, observers=observers).work
    asked: list[object] = []
    try:
        request = next(work)
        while True:
            if isinstance(request, tuple):
                request = work.send(request[0](request[1]))
            else:
                asked.append(request)
                request = work.send(None)
    except StopIteration:
        return asked


def test_events_cost_nothing_without_observers():
    """Nobody is asked to be told: there is no such request in the whole run, with middleware or without."""
    outer = gn.Graph(Diary, entry="sub", name="outer", middleware=[gn.retry(), gn.timing(print, clock=lambda: 0.0)])
    outer.subgraph("sub", line("x", "y", name="inner"), to=gn.END)
    watched = told_by_hand(outer, observers=(Observer(print, "print"),))

    assert [] == told_by_hand(outer)
    assert [Tell] * 4 == [type(each) for each in watched]


def test_run_that_nobody_watches_draws_no_ids():
    """Those are drawn when they are first asked for."""
    execution = begin(line("a").compile().plan, {})

    assert (None, {}) == (execution.delivery, execution.ids._drawn)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_interrupted_node_is_never_completed(error):
    """An interruption is no outcome of an attempt: it started, and nothing is said of its end."""

    def node(s: Any) -> Any:
        raise error

    events: list[Any] = []
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", noting("a"), to="b")
    graph.node("b", node, to=gn.END)
    with pytest.raises(error):
        graph.run(observers=[events.append])
    graph.drain()

    assert [("started", "a"), ("completed", "a"), ("started", "b")] == [(each.phase, each.node_name) for each in events]


async def test_cancelled_node_is_never_completed():
    """The same for a task that is cancelled; middleware that cleans up makes no difference."""
    events: list[Any] = []
    started, cleaned = asyncio.Event(), []

    async def node(s: Any) -> Any:
        started.set()
        await asyncio.sleep(SECONDS)

    async def layer(s: Any, following: Any) -> Any:
        try:
            return await following(s)
        finally:
            cleaned.append(1)

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node, middleware=[layer, gn.retry(backoff=0)], to=gn.END)
    task = asyncio.create_task(graph.arun(observers=[events.append]))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await graph.adrain()

    assert ([1], ["started"]) == (cleaned, [each.phase for each in events])


def test_interrupted_edge_leaves_its_node_uncompleted_too():
    """The node's fold is committed, and the run says that it was stopped there."""

    def router(s: Any) -> Any:
        raise KeyboardInterrupt

    events: list[Any] = []
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", noting("a"))
    graph.branch("a", router)
    with pytest.raises(KeyboardInterrupt) as caught:
        graph.run(observers=[events.append])
    graph.drain()

    assert (["started"], ["a"]) == ([each.phase for each in events], caught.value.run.state.log)


def test_failed_node_keeps_what_ran_inside_although_it_is_watched():
    """The trace of a watched run is that of one that nobody watches."""
    inner, outer = gn.Graph(Diary, entry="x", name="inner"), gn.Graph(Diary, entry="sub", name="outer")
    inner.node("x", noting("x"), to="y")
    inner.node("y", failing, to=gn.END)
    outer.subgraph("sub", inner, to=gn.END)
    with pytest.raises(gn.NodeException) as caught:
        outer.run()
    driven = watch(outer)

    assert ["sub/x"] == [step.path for step in driven.run.steps]
    assert caught.value.trace == driven.error.trace


def test_session_tells_as_it_goes():
    """A step at a time; what is told of a step does not wait for the next."""
    events: list[Any] = []
    graph = line("a", "b")
    session = graph.session(observers=[events.append])
    session.step()
    graph.drain_events_for(session.run.invocation_id)

    assert [("started", "a"), ("completed", "a")] == [(each.phase, each.node_name) for each in events]
    session.close()
    graph.drain()
    assert 2 == len(events)


def test_limit_of_steps_is_no_failure_of_the_node_before():
    """It was completed before the limit was found to be passed."""
    graph = gn.Graph(Diary, entry="a")
    graph.node("a", noting("a"), to="a")
    driven = watch(graph, max_steps=2)

    assert isinstance(driven.error, gn.MaxSuperstepsExceeded)
    assert [None, None] == [each.error for each in driven.of("completed")]


@pytest.mark.parametrize("how", DRIVERS)
def test_call_that_is_followed_by_another_completes_with_what_it_alone_has_made(how):
    """Through the reducers, from the state before the node; the last call with what middleware has made of it."""
    calls: list[int] = []

    def node(s: Any) -> dict[str, Any]:
        calls.append(1)
        return {"log": [f"call {len(calls)}"]}

    def again(s: Any, following: Any) -> Any:
        following(s)
        return {"log": [*following(s)["log"], "more"]}

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", node, middleware=[again], to=gn.END)
    driven = watch(graph, how, log=["old"])

    assert [["old", "call 1"], ["old", "call 2", "more"]] == [each.post_state.log for each in driven.of("completed")]


def test_update_of_a_call_before_one_that_failed_is_the_nodes_own():
    """Middleware may ask twice and keep the first answer: nothing was put in its place."""
    calls = []

    def flaky(s: Any) -> dict[str, Any]:
        calls.append(1)
        if len(calls) == 2:
            raise LookupError("lost")
        return {"log": ["first"]}

    def twice(s: Any, following: Any) -> Any:
        first = following(s)
        with contextlib.suppress(LookupError):
            following(s)
        return first

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", flaky, middleware=twice, to=gn.END)
    run = graph.run()

    assert (["first"], False) == (run.state.log, run.trace.log.commits[0].is_degraded)


def test_update_in_place_of_a_second_call_that_failed_is_told_as_one():
    """What the first call has made is not what the node has made in the end."""
    calls = []

    def flaky(s: Any) -> dict[str, Any]:
        calls.append(1)
        if len(calls) == 2:
            raise LookupError("lost")
        return {"log": ["first"]}

    def again(s: Any, following: Any) -> Any:
        following(s)
        return following(s)

    graph = gn.Graph(Diary, entry="a")
    graph.node("a", flaky, middleware=[gn.failure_isolation({"log": ["none"]}, event_name="x"), again], to=gn.END)
    run = graph.run()

    assert (["none"], True) == (run.state.log, run.trace.log.commits[0].is_degraded)
