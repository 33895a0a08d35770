"""Middleware that is a function: one dispatch of a node through the chain around it, under every driver."""

import asyncio
import contextvars
import dataclasses
import threading
import time
from typing import Annotated, Any, TypedDict

import pytest

import graphnb as gn
from graphnb.engine.middleware.dispatch import Dispatch, chain_layers
from graphnb.engine.observers.scope import Scope
from graphnb.engine.work import Around
from graphnb.trace.reading.visits import visits_of
from tests.engine.driven import DRIVERS, drive, watch

WORD: contextvars.ContextVar[str] = contextvars.ContextVar("WORD", default="unset")


class Count(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []
    box: Any = None


def line(node: Any, *layers: Any, state: Any = Count, **options: Any) -> gn.Graph:
    """A graph of one node within the layers."""
    graph = gn.Graph(state, entry="a", name="line", **options)
    graph.node("a", node, middleware=layers, to=gn.END)
    return graph


def more(s: Any) -> dict[str, Any]:
    """A plain node that counts."""
    return {"n": s.n + 1}


async def more_later(s: Any) -> dict[str, Any]:
    """The same as an asynchronous node."""
    await asyncio.sleep(0)
    return {"n": s.n + 1}


def broken(s: Any) -> dict[str, Any]:
    """A plain node that fails."""
    raise LookupError("lost")


async def broken_later(s: Any) -> dict[str, Any]:
    """An asynchronous node that fails."""
    await asyncio.sleep(0)
    raise LookupError("lost")


def passing(note: list[str], name: str, *, is_async: bool) -> Any:
    """A layer that notes when it is entered and left."""

    def plain(s: Any, following: Any) -> Any:
        note.append(f"{name} in")
        update = following(s)
        note.append(f"{name} out")
        return update

    async def later(s: Any, following: Any) -> Any:
        note.append(f"{name} in")
        update = await following(s)
        note.append(f"{name} out")
        return update

    return later if is_async else plain


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("node", [more, more_later])
@pytest.mark.parametrize("outer", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_layers_nest_however_each_is_declared(how, node, outer, inner):
    """The first in the list is outermost; plain and asynchronous layers and nodes mix freely."""
    note: list[str] = []
    run = drive(line(node, passing(note, "outer", is_async=outer), passing(note, "inner", is_async=inner)), how, n=4)

    assert ["outer in", "inner in", "inner out", "outer out"] == note
    assert 5 == run.state.n


@pytest.mark.parametrize("how", DRIVERS)
def test_layers_of_the_graph_are_outside_of_the_nodes_own(how):
    """Those given to Graph come first, then those declared on it, then the node's."""
    note: list[str] = []
    graph = line(more, passing(note, "node's", is_async=True), middleware=[passing(note, "given", is_async=True)])
    graph.middleware(passing(note, "declared", is_async=False))
    drive(graph, how)

    assert ["given in", "declared in", "node's in", "node's out", "declared out", "given out"] == note


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("node", [more, more_later])
@pytest.mark.parametrize("is_async", [False, True])
def test_changed_state_reaches_the_node_and_not_the_merge(how, node, is_async):
    """The body sees what middleware passes on; its update is folded into the state from before the node."""

    def plain(s: Any, following: Any) -> Any:
        return following(s.model_copy(update={"n": 10, "log": ["for the node alone"]}))

    async def later(s: Any, following: Any) -> Any:
        return await following(s.model_copy(update={"n": 10, "log": ["for the node alone"]}))

    run = drive(line(node, later if is_async else plain), how, n=1, log=["kept"])

    assert (11, ["kept"]) == (run.state.n, run.state.log)


@dataclasses.dataclass
class Record:
    n: int = 0


class Typed(TypedDict):
    n: int


@pytest.mark.parametrize(
    ("state", "change"),
    [
        (Count, lambda s: s.model_copy(update={"n": 7})),
        (Count, lambda s: Count(n=7)),
        (Count, lambda s: {"n": 7}),
        (Record, lambda s: dataclasses.replace(s, n=7)),
        (Typed, lambda s: {**s, "n": 7}),
    ],
    ids=["model_copy", "a new one", "fields by name", "replace", "a dict"],
)
def test_changed_state_may_be_made_in_the_way_of_its_class(state, change):
    """Whatever a run can start from can be passed on."""
    seen = []

    def node(s: Any) -> dict[str, Any]:
        seen.append(s["n"] if state is Typed else s.n)
        return {}

    drive(line(node, lambda s, following: following(change(s)), state=state), n=1)

    assert [7] == seen


@pytest.mark.parametrize("how", DRIVERS)
def test_changed_state_that_does_not_fit_is_refused_before_the_node(how):
    """The error says that middleware gave it; the node has not run."""
    called: list[Any] = []
    graph = line(called.append, lambda s, following: following(s.model_copy(update={"n": "many"})))
    with pytest.raises(gn.StateValidationError, match="node 'a', step 0, state given by middleware: n: ") as caught:
        drive(graph, how, n=1)

    assert ([], 1) == (called, caught.value.recoverable_state.n)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_partial_may_be_edited(how, is_async):
    """Fields may be changed, added and left out on the way back."""

    def edited(update: dict[str, Any]) -> dict[str, Any]:
        return {"n": update["n"] * 10, "box": "added"}

    async def later(s: Any, following: Any) -> Any:
        return edited(await following(s))

    layer = later if is_async else lambda s, following: edited(following(s))
    run = drive(line(lambda s: {"n": 2, "log": ["left out"]}, layer), how)

    assert (20, [], "added") == (run.state.n, run.state.log, run.state.box)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_node_that_middleware_does_not_ask_leaves_no_sign(how, is_async):
    """What middleware gives is folded; the node has not run, took part in no order, and nobody is told of it."""

    async def later(s: Any, following: Any) -> Any:
        return {"n": 42}

    called: list[Any] = []
    layer = later if is_async else lambda s, following: {"n": 42}
    driven = watch(line(called.append, layer), how)

    assert ([], 42, []) == (called, driven.state.n, driven.told)
    assert () == driven.run.trace.execution_order


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_node_may_be_asked_twice(how, is_async):
    """It runs twice within one step; what middleware gives in the end is folded, once."""
    calls: list[int] = []

    def node(s: Any) -> dict[str, Any]:
        calls.append(s.n)
        return {"log": [f"call {len(calls)}"]}

    async def later(s: Any, following: Any) -> Any:
        first = await following(s)
        await following(s.model_copy(update={"n": 9}))
        return first

    def plain(s: Any, following: Any) -> Any:
        first = following(s)
        following(s.model_copy(update={"n": 9}))
        return first

    run = drive(line(node, later if is_async else plain), how)

    assert ([0, 9], ["call 1"], 1) == (calls, run.state.log, len(run.steps))
    assert ("a",) == run.trace.execution_order


@pytest.mark.parametrize("how", DRIVERS)
async def test_asynchronous_middleware_may_ask_twice_at_once(how):
    """Both answers come, whether the node can run beside itself or not."""

    async def both(s: Any, following: Any) -> Any:
        one, other = await asyncio.gather(following(s), following(s.model_copy(update={"n": 10})))
        return {"n": one["n"] + other["n"]}

    run = await asyncio.to_thread(drive, line(more_later, both), how)

    assert 1 + 11 == run.state.n


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("node", [broken, broken_later])
@pytest.mark.parametrize("is_async", [False, True])
def test_error_travels_raw_and_may_be_caught(how, node, is_async):
    """Middleware sees what the node raised, not a wrapper; an update in its place counts, and the log has both."""
    seen: list[BaseException] = []

    def plain(s: Any, following: Any) -> Any:
        try:
            return following(s)
        except Exception as error:
            seen.append(error)
            return {"n": -1}

    async def later(s: Any, following: Any) -> Any:
        try:
            return await following(s)
        except Exception as error:
            seen.append(error)
            return {"n": -1}

    run = drive(line(node, later if is_async else plain), how)

    assert ([LookupError], -1, "done") == ([type(each) for each in seen], run.state.n, run.status)
    assert tuple(seen) == run.trace.log.commits[0].failures
    assert ("a",) == run.trace.execution_order


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_error_of_middleware_is_one_of_the_node(how, is_async):
    """It is wrapped once, outside of the chain, with the error as its cause; a body that was not asked has not run."""

    def plain(s: Any, following: Any) -> Any:
        raise OSError("closed")

    async def later(s: Any, following: Any) -> Any:
        raise OSError("closed")

    called: list[Any] = []
    with pytest.raises(gn.NodeException, match="node 'a', step 0: raised OSError: closed") as caught:
        drive(line(called.append, later if is_async else plain), how, n=3)

    error = caught.value
    assert ("a", 3, OSError) == (error.node, error.recoverable_state.n, type(error.__cause__))
    assert ([], ()) == (called, error.trace.execution_order)


def test_error_that_middleware_puts_in_place_of_another_has_it_as_its_cause():
    """The chain of causes leads from the node's wrapper to the first error, which is no attempt before this one."""

    def layer(s: Any, following: Any) -> Any:
        try:
            return following(s)
        except LookupError as error:
            raise OSError("closed") from error

    with pytest.raises(gn.NodeException) as caught:
        line(broken, layer).run()

    causes = gn.causes_of(caught.value)
    assert ["closed", "lost"] == [each.message for each in causes.links[1:]]
    assert () == caught.value.trace.log.failure.failures


def test_update_that_cannot_be_folded_leaves_the_attempts_before_it_in_the_log():
    """The last attempt did not raise: what the one before it raised is not taken for the end of the node."""
    calls: list[Any] = []

    def node(s: Any) -> dict[str, Any]:
        calls.append(s)
        if len(calls) == 1:
            raise LookupError("lost")
        return {"log": "no list"}

    def again(s: Any, following: Any) -> Any:
        try:
            return following(s)
        except LookupError:
            return following(s)

    with pytest.raises(gn.ReducerError) as caught:
        line(node, again).run()

    assert [LookupError] == [type(each) for each in caught.value.trace.log.failure.failures]


@pytest.mark.parametrize("given", [None, 5, ["n"]])
def test_what_is_no_update_is_refused_from_middleware_too(given):
    """As if the node had returned it."""
    with pytest.raises(gn.InvalidUpdate, match="node 'a', step 0: returned"):
        line(more, lambda s, following: given).run()


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("who", ["middleware", "node"])
def test_update_that_was_not_awaited_is_refused_with_what_to_write(how, who):
    """In asynchronous middleware `next(state)` is to be awaited; a node may forget it as well."""
    made: list[Any] = []

    async def forgetful(s: Any, following: Any) -> Any:
        made.append(following(s))
        return made[-1]

    async def node(s: Any) -> Any:
        made.append(asyncio.sleep(0))
        return made[-1]

    with pytest.raises(gn.InvalidUpdate, match="returned coroutine, want a dict") as caught:
        drive(line(more, forgetful) if who == "middleware" else line(node), how)
    made[0].close()  # so that Python does not warn of it, too

    assert caught.value.mend.endswith("return await ..., which in middleware is: return await next(state).")


def test_middleware_that_changes_the_state_in_place_is_stopped():
    """Lists refuse; what cannot refuse is compared once the chain has ended, and nothing is committed."""

    def grow(s: Any, following: Any) -> Any:
        s.log.append("x")
        return following(s)

    def fill(s: Any, following: Any) -> Any:
        s.box.add("x")
        return following(s)

    with pytest.raises(gn.MutatedState, match="tried to change field 'log' in place"):
        line(more, grow).run()
    with pytest.raises(gn.MutatedState, match="field 'box'") as caught:
        line(more, fill).run(box={"mine"})

    assert {"mine"} == caught.value.recoverable_state.box


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("node", [lambda s: {"log": [WORD.get()]}, None])
@pytest.mark.parametrize("is_async", [False, True])
def test_node_sees_the_context_variables_that_middleware_has_set(how, node, is_async):
    """So a tracing span that is opened around a node is the current one inside of it."""

    async def node_later(s: Any) -> dict[str, Any]:
        return {"log": [WORD.get()]}

    def plain(s: Any, following: Any) -> Any:
        token = WORD.set("set")
        try:
            return following(s)
        finally:
            WORD.reset(token)

    async def later(s: Any, following: Any) -> Any:
        token = WORD.set("set")
        try:
            return await following(s)
        finally:
            WORD.reset(token)

    run = drive(line(node or node_later, later if is_async else plain), how)

    assert (["set"], "unset") == (run.state.log, WORD.get())


@pytest.mark.parametrize("how", ["run", "arun"])
def test_timeout_of_asynchronous_middleware_stops_the_node(how):
    """The node is cancelled where it awaits and cleans up; what middleware gives in its place counts."""
    cleaned: list[int] = []

    async def slow(s: Any) -> dict[str, Any]:
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(1)
        return {}

    async def limited(s: Any, following: Any) -> Any:
        try:
            return await asyncio.wait_for(following(s), 0.05)
        except TimeoutError:
            return {"n": -1}

    began = time.monotonic()
    driven = watch(line(slow, limited), how)

    assert (-1, [1]) == (driven.state.n, cleaned)
    assert time.monotonic() - began < 20
    assert [("started", "a"), ("completed", "a")] == driven.told


def test_plain_middleware_around_a_plain_node_stays_in_the_thread_of_the_loop():
    """Where neither waits for anything, no thread is needed."""
    threads: list[int] = []

    def node(s: Any) -> dict[str, Any]:
        threads.append(threading.get_ident())
        return {}

    def layer(s: Any, following: Any) -> Any:
        threads.append(threading.get_ident())
        return following(s)

    drive(line(node, layer, layer), "arun")

    assert [threading.get_ident()] * 3 == threads


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_loop_goes_on_while_a_node_waits_within_plain_middleware(how, is_async):
    """Plain middleware around an asynchronous node holds up nobody else; the node is awaited either way."""
    note: list[str] = []

    async def node(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0.02)
        note.append("node")
        return {"n": 1}

    async def beside() -> None:
        await asyncio.sleep(0.001)
        note.append("beside")

    graph = line(node if is_async else lambda s: node(s), lambda s, following: following(s))

    async def here() -> Any:
        _, run = await asyncio.gather(beside(), graph.arun())
        return run

    run = asyncio.run(here()) if how == "arun" else drive(graph, how)

    assert 1 == run.state.n
    assert "node" in note
    assert how != "arun" or not is_async or ["beside", "node"] == note


def child_of(note: list[str]) -> gn.Graph:
    """A graph of two nodes within middleware of its own."""
    child = gn.Graph(Count, entry="x", name="child", middleware=[passing(note, "child's", is_async=False)])
    child.node("x", lambda s: {"n": 5}, to="y")
    child.node("y", lambda s: {"log": ["y"]}, to=gn.END)
    return child


@pytest.mark.parametrize("how", DRIVERS)
def test_chains_do_not_cross_the_boundary_of_a_subgraph(how):
    """The parent's middleware sees one dispatch with the projected update, the child's the child's nodes alone."""
    note: list[str] = []
    given: list[Any] = []

    def seeing(s: Any, following: Any) -> Any:
        given.append(following(s))
        return given[-1]

    graph = gn.Graph(Count, entry="sub", middleware=[passing(note, "parent's", is_async=True)])
    graph.subgraph("sub", child_of(note), outputs={"n": "n", "log": "log"}, middleware=seeing, to=gn.END)
    run = drive(graph, how)

    assert ["parent's in", *["child's in", "child's out"] * 2, "parent's out"] == note
    assert [{"n": 5, "log": ["y"]}] == given
    assert (5, ["y"]) == (run.state.n, run.state.log)


@pytest.mark.parametrize("how", DRIVERS)
def test_middleware_around_a_subgraph_sees_the_inner_nodes_error(how):
    """An error leaves a subgraph as it is: it names the inner node, and the original is its cause."""
    seen: list[Any] = []
    child = gn.Graph(Count, entry="x", name="child")
    child.node("x", broken, to=gn.END)

    def catching(s: Any, following: Any) -> Any:
        try:
            return following(s)
        except gn.NodeException as error:
            seen.append((error.node, type(error.__cause__)))
            return {}

    graph = gn.Graph(Count, entry="sub")
    graph.subgraph("sub", child, middleware=catching, to=gn.END)
    drive(graph, how)

    assert [("x", LookupError)] == seen


@pytest.mark.parametrize("how", DRIVERS)
def test_subgraph_may_be_given_another_state(how):
    """What goes in comes from the state that middleware has passed on."""
    child = gn.Graph(Count, entry="x", name="child")
    child.node("x", lambda s: {"n": s.n + 1}, to=gn.END)
    graph = gn.Graph(Count, entry="sub")
    graph.subgraph(
        "sub", child, inputs={"n": "n"}, outputs={"n": "n"},
        middleware=lambda s, following: following(s.model_copy(update={"n": 100})), to=gn.END,
    )  # fmt: skip

    assert 101 == drive(graph, how, n=1).state.n


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("is_async", [False, True])
def test_middleware_wraps_a_fan_out_as_a_whole(how, is_async):
    """It is entered once, sees the collected lists, and may edit them: the log then no longer calls them instances'."""
    note: list[str] = []

    async def worker_later(item: int) -> int:
        return item * 2

    worker = worker_later if is_async else lambda item: item * 2

    class Batch(gn.State):
        items: list[int] = []
        out: Annotated[list[int], gn.append] = []
        count: int = 0

    def anew(update: Any) -> Any:
        return {**update, "out": update["out"][:1]}

    def in_place(update: Any) -> Any:
        update["out"] = update["out"][:1]
        return update

    def longer(update: Any) -> Any:
        update["out"].append(9)
        return update

    def alone(update: Any) -> Any:
        update["count"] = 7
        return update

    edits = {anew: ([2], 2, ()), in_place: ([2], 2, ()), longer: ([2, 4, 9], 2, ()), alone: ([2, 4], 7, ("out",))}
    for edit, expected in edits.items():

        def layer(s: Any, following: Any, edit: Any = edit) -> Any:
            update = following(s)
            note.append(repr(update))
            return edit(update)

        graph = gn.Graph(Batch, entry="each")
        graph.fan_out("each", worker, over="items", into="out", count_into="count", middleware=layer, to=gn.END)
        run = drive(graph, how, items=[1, 2])

        assert "{'out': [2, 4], 'count': 2}" == note[-1]
        assert expected == (run.state.out, run.state.count, run.steps[-1].instances.into)

    assert 4 == len(note)


def requests(layers: list[Any], *, is_quick: bool) -> list[Around]:
    """The requests of a chain, each answered by doing what follows."""
    made: list[Around] = []

    def body(state: Any) -> Any:
        return {"n": state}
        yield

    def drained(work: Any) -> Any:
        try:
            request = next(work)
            while True:
                made.append(request)
                request = work.send(drained(request.following(request.state)))
        except StopIteration as stop:
            return stop.value

    drained(chain_layers(layers, body, dispatch=Dispatch("a", Scope(10)), is_quick=is_quick)(1))
    return made


def test_chain_tells_the_driver_how_each_layer_is_called():
    """What is quick stays so within plain layers only: a pause of a retry, or an await, is no quick work."""

    def plain(s: Any, following: Any) -> Any: ...
    async def later(s: Any, following: Any) -> Any: ...

    assert [(False, True), (False, True)] == [
        (each.is_async, each.is_quick) for each in requests([plain, plain], is_quick=True)
    ]
    assert [(False, False), (True, True)] == [
        (each.is_async, each.is_quick) for each in requests([plain, later], is_quick=True)
    ]
    assert [(False, False), (False, True)] == [
        (each.is_async, each.is_quick) for each in requests([plain, gn.retry(), plain], is_quick=True)
    ]
    assert [(False, False)] == [(each.is_async, each.is_quick) for each in requests([plain], is_quick=False)]


def test_dispatch_knows_what_came_before_the_end():
    """The error that ended the node is told by itself, with what it came of; other failures are attempts before it."""
    first, last = ValueError("first"), ValueError("last")
    dispatch = Dispatch("a", Scope(10))

    assert () == dispatch.earlier_failures_of(last)

    dispatch.note_raised(first)
    dispatch.note_raised(last)

    assert (first,) == dispatch.earlier_failures_of(last)
    assert (first,) == dispatch.earlier_failures_of(KeyError("another"))

    dispatch.has_made = True  # the last attempt has given something
    assert (first, last) == dispatch.earlier_failures_of(KeyError("another"))
    for name in ("__cause__", "__context__"):
        ring, within = KeyError("ring"), KeyError("within")
        setattr(ring, name, within)
        within.__context__ = ring
        assert (first, last) == dispatch.earlier_failures_of(ring)
        within.__cause__ = last
        assert (first,) == dispatch.earlier_failures_of(ring)


def fails_after(s: Any, following: Any) -> Any:
    """A layer that fails though what it is around has given something."""
    following(s)
    raise LookupError("lost")


def replaces(s: Any, following: Any) -> Any:
    """A layer that raises another error in place of one."""
    try:
        return following(s)
    except LookupError as error:
        raise OSError("closed") from error


@pytest.mark.parametrize(("node", "within"), [(broken, []), (more, [fails_after])], ids=["node", "middleware"])
def test_attempt_whose_error_middleware_replaces_counts_once(node, within):
    """In the log, the table and the drawing, whoever has raised, and within a retry as around it."""
    again = gn.retry(3, classifier=lambda error, s: True, backoff=0)
    for layers, attempts in (([replaces], 1), ([again, replaces], 3), ([replaces, again], 3)):
        with pytest.raises(gn.NodeException, match="closed") as caught:
            line(node, *layers, *within).run()

        run = caught.value.run
        (failed,) = run.trace.failures
        assert (attempts, attempts - 1) == (failed.attempts, len(failed.failures))
        assert (f"after {attempts} attempts" in str(run.diff())) == (attempts > 1)
        assert ("2 attempts failed" in str(run.diff())) == (attempts > 1)
        assert ({"a": 2} if attempts > 1 else {}) == visits_of(run.trace.log).retries


def test_branch_whose_error_middleware_replaces_counts_once():
    """As a node does."""
    graph = gn.Graph(Count, entry="a", name="branching")
    branch = gn.ParallelBranch(broken, middleware=(replaces,))
    graph.branches("a", {"x": branch}, error_policy="collect", errors_into="box", to=gn.END)

    table = str(graph.run().diff())
    assert "closed" in table
    assert "attempt" not in table
