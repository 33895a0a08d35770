"""Fan-outs: starting them, running their instances, and what becomes of failures."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphnb as gn
from graphnb.trace.instances import Fates, fates_of
from tests.engine.driven import DRIVERS, drive

USER: contextvars.ContextVar[str] = contextvars.ContextVar("USER", default="nobody")
SECONDS = 20  # until a test that hangs gives up


class Batch(gn.State):
    items: list[Any] = []
    out: Annotated[list[Any], gn.append] = []
    errors: list[dict[str, str]] = []
    count: int = -1
    limit: int = 2


class Child(gn.State):
    item: Any = None
    result: Any = None


def batch(worker: Any, **options: Any) -> gn.Graph:
    """A graph whose one node runs the worker over `items` and collects in `out`."""
    graph = gn.Graph(Batch, entry="each")
    defaults = {"into": "out"} if "count" in options else {"over": "items", "into": "out"}
    if isinstance(worker, gn.Graph):
        defaults |= {"collect": "result"} | ({} if "count" in options else {"item": "item"})
    graph.fan_out("each", worker, **{**defaults, **options}, to=gn.END)
    return graph


def as_graph(function: Callable[[Any], Any], name: str = "child") -> gn.Graph:
    """A worker graph of one node that calls the function on its item."""
    graph = gn.Graph(Child, entry="work", name=name)
    if asyncio.iscoroutinefunction(function):

        async def later(s: Any) -> dict[str, Any]:
            return {"result": await function(s.item)}

        graph.node("work", later, to=gn.END)
    else:
        graph.node("work", lambda s: {"result": function(s.item)}, to=gn.END)
    return graph


def double(item: Any) -> Any:
    """Twice the item."""
    return item * 2


async def double_later(item: Any) -> Any:
    """The same, asynchronous."""
    await asyncio.sleep(0)
    return item * 2


WORKERS = {
    "function": double,
    "async function": double_later,
    "plain function that returns a coroutine": lambda item: double_later(item),
    "graph": as_graph(double),
    "async graph": as_graph(double_later),
}


@pytest.mark.parametrize("concurrency", [1, 2, None, lambda s: s.limit], ids=["1", "2", "None", "callable"])
@pytest.mark.parametrize("worker", WORKERS.values(), ids=WORKERS.keys())
def test_results_are_collected_in_item_order(worker, concurrency):
    """Every kind of worker, at every kind of bound, gives one value per item, in order."""
    run = batch(worker, concurrency=concurrency).run(items=[3, 1, 2])

    assert [6, 2, 4] == run.state.out


@pytest.mark.parametrize("concurrency", [1, 2, None])
@pytest.mark.parametrize("worker", WORKERS.values(), ids=WORKERS.keys())
async def test_results_are_collected_in_item_order_in_a_loop(worker, concurrency):
    """The same under `arun`."""
    run = await batch(worker, concurrency=concurrency).arun(items=[3, 1, 2])

    assert [6, 2, 4] == run.state.out


@given(order=st.permutations(range(5)))
def test_order_of_completion_never_shows(order):
    """Whichever instance finishes first: values, steps and trace are those of the item order."""
    finished: list[int] = []
    turn = threading.Condition()

    def plain(item: int) -> int:
        with turn:
            turn.wait_for(lambda: order[len(finished)] == item, SECONDS)
            finished.append(item)
            turn.notify_all()
        return item * 2

    async def later(item: int) -> int:
        while order[len(finished)] != item:
            await asyncio.sleep(0)
        finished.append(item)
        return item * 2

    for worker, same in ((plain, double), (later, double_later), (as_graph(plain), as_graph(double))):
        finished.clear()
        run = batch(worker, concurrency=None).run(items=[0, 1, 2, 3, 4])

        assert list(order) == finished
        assert [0, 2, 4, 6, 8] == run.state.out
        assert batch(same, concurrency=1).run(items=[0, 1, 2, 3, 4]) == run


@pytest.mark.parametrize("concurrency", [50, None])
def test_plain_functions_that_wait_overlap(concurrency):
    """Two hundred instances of which fifty at a time meet: impossible one after the other."""
    barrier = threading.Barrier(50, timeout=SECONDS)
    run = batch(lambda item: barrier.wait() * 0 + item, concurrency=concurrency).run(items=list(range(200)))

    assert list(range(200)) == run.state.out


@pytest.mark.parametrize("concurrency", [50, None])
def test_asynchronous_functions_that_wait_overlap(concurrency):
    """The same for `async def`."""
    come = 0

    async def meet(item: int) -> int:
        nonlocal come
        come += 1
        fifty_of_mine = -(-come // 50) * 50
        while come < fifty_of_mine:
            await asyncio.sleep(0)
        return item

    run = batch(meet, concurrency=concurrency).run(items=list(range(200)))

    assert list(range(200)) == run.state.out


async def test_plain_nodes_of_a_mixed_graph_overlap_too():
    """A worker graph with both kinds of nodes runs in threads: its plain nodes wait for each other there."""
    barrier = threading.Barrier(3, timeout=SECONDS)

    async def later(s: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"result": s.item * 2}

    def meet(s: Any) -> dict[str, Any]:
        barrier.wait()
        return {}

    worker = gn.Graph(Child, entry="meet")
    worker.node(meet, to="later")
    worker.node(later, to=gn.END)
    graph = batch(worker, concurrency=None)

    assert [2, 4, 6] == graph.run(items=[1, 2, 3]).state.out
    assert [2, 4, 6] == (await graph.arun(items=[1, 2, 3])).state.out


@pytest.mark.parametrize("make", [lambda f: f, as_graph], ids=["function", "graph"])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_bound_holds_for_instances_of_graphs_and_functions(make, concurrency):
    """Never more than the bound are under way, and the bound is reached."""
    lock, full = threading.Lock(), threading.Event()
    under_way: set[int] = set()
    most = 0

    def one(item: int) -> int:
        nonlocal most
        with lock:
            under_way.add(item)
            most = max(most, len(under_way))
            if len(under_way) == concurrency:
                full.set()
        full.wait(SECONDS)
        with lock:
            under_way.remove(item)
        return item

    batch(make(one), concurrency=concurrency).run(items=list(range(10)))

    assert concurrency == most


@pytest.mark.parametrize(
    ("worker", "expected"), [(lambda i: i * i, [0, 1, 4]), (as_graph(lambda item: "none"), ["none"] * 3)]
)
@pytest.mark.parametrize("count", [3, lambda s: s.limit + 1], ids=["int", "callable"])
def test_count_says_how_many(worker, expected, count):
    """With `count` a function gets the number of its instance, and a graph starts from its defaults."""
    assert expected == batch(worker, count=count).run().state.out


def test_option_given_as_an_asynchronous_function_is_awaited():
    """A count that has to be fetched."""

    async def count(s: Any) -> int:
        return s.limit

    assert [0, 2] == batch(double, count=count).run().state.out


@pytest.mark.parametrize("count", [-1, 2.0, "3", True, None])
def test_count_that_is_no_count_raises(count):
    """The error says what came out, and bears the specification's secondary category."""
    with pytest.raises(gn.FanOutError, match=r"must be an int of at least 0") as caught:
        batch(double, count=lambda s: count).run()

    assert "fan_out_invalid_count" == caught.value.fan_out_category
    assert "node_exception" == caught.value.category
    assert f"count is {count!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("concurrency", "given_as"),
    [(0, lambda value: value), *((each, lambda value: lambda s: value) for each in (0, -2, "many", False, 1.5))],
)
def test_concurrency_that_is_no_bound_raises(concurrency, given_as):
    """Zero and less, and what is no int, start nothing."""
    with pytest.raises(gn.FanOutError, match=r"at least 1, or None") as caught:
        batch(double, concurrency=given_as(concurrency)).run(items=[1])

    assert "fan_out_invalid_concurrency" == caught.value.fan_out_category


@pytest.mark.parametrize("option", ["count", "concurrency"])
def test_option_function_that_raises_is_named(option):
    """The error names the option, and has the cause."""

    def fail(s: Any) -> int:
        raise StopIteration("no luck")

    with pytest.raises(gn.NodeException, match=f"its function for {option} raised StopIteration: no luck") as caught:
        batch(double, **{option: fail}).run(items=[1])

    assert isinstance(caught.value.__cause__, StopIteration)


@pytest.mark.parametrize("option", ["count", "concurrency"])
@pytest.mark.parametrize(
    ("function", "items"),
    [(lambda s: s.items.append(1), [1]), (lambda s: s.items[0].add(2) or 1, [{1}])],
    ids=["a list that refuses", "a copy that is compared afterwards"],
)
def test_option_function_that_changes_the_state_is_found_out(option, function, items):
    """As a node is, by the same error; it names node, step and option."""
    with pytest.raises(gn.MutatedState, match="tried to change field 'items'") as caught:
        batch(double, **{option: function}).run(items=items)

    assert f"graph 'Batch', node 'each', step 0, function for {option}" == caught.value.where
    assert ("each", ("each",)) == (caught.value.node, caught.value.path)
    assert caught.value.where in str(caught.value)


def test_option_function_of_a_state_that_refuses_changes_is_asked():
    """Nothing has to be compared afterwards."""

    class Plain(gn.State):
        many: int = 2
        out: Annotated[list[int], gn.append] = []

    graph = gn.Graph(Plain, entry="each")
    graph.fan_out("each", double, count=lambda s: s.many, into="out", to=gn.END)

    assert [0, 2] == graph.run().state.out


def test_option_function_that_reads_an_unset_field_is_told_so():
    """As a node is; the error names node, step and option."""

    class Late(gn.State):
        many: int = gn.UNSET
        out: Annotated[list[int], gn.append] = []

    graph = gn.Graph(Late, entry="each", name="late")
    graph.fan_out("each", double, count=lambda s: s.many, into="out", to=gn.END)
    with pytest.raises(gn.UnsetField, match="read field 'many', which nothing has written yet") as caught:
        graph.run()

    assert "graph 'late', node 'each', step 0, function for count" == caught.value.where


def test_error_of_a_run_inside_an_option_function_is_the_cause():
    """Another graph's error about its own state says nothing about this one."""
    inner = gn.Graph(Batch, entry="bad")
    inner.node("bad", lambda s: s.items.append(1), to=gn.END)
    with pytest.raises(gn.NodeException, match="its function for count raised MutatedState") as caught:
        batch(double, count=lambda s: inner.run().state.count).run()

    assert type(caught.value) is gn.NodeException
    assert isinstance(caught.value.__cause__, gn.MutatedState)


@pytest.mark.parametrize("over", [{"items": []}, {}], ids=["empty", "default"])
def test_nothing_to_do_raises_unless_it_may_happen(over):
    """An empty list is an error that says how to allow it."""
    with pytest.raises(
        gn.FanOutError, match=r"field 'items' is empty\nIf that may happen, .*on_empty='noop'"
    ) as caught:
        batch(double, count_into="count").run(**over)

    assert "fan_out_empty" == caught.value.fan_out_category
    assert -1 == caught.value.recoverable_state.count


def test_count_of_nothing_raises_unless_it_may_happen():
    """So is a count of zero."""
    with pytest.raises(gn.FanOutError, match="has nothing to do: count is 0") as caught:
        batch(double, count=0).run()

    assert "fan_out_empty" == caught.value.fan_out_category


@pytest.mark.parametrize("worker", WORKERS.values(), ids=WORKERS.keys())
def test_nothing_to_do_may_be_allowed(worker):
    """With `on_empty="noop"` empty lists are written, the count is 0, and the step is there."""
    run = batch(worker, on_empty="noop", error_policy="collect", errors_into="errors", count_into="count").run()

    assert ([], [], 0) == (run.state.out, run.state.errors, run.state.count)
    assert ["out", "errors", "count"] == [delta.field for delta in run.steps[0].deltas]
    assert 0 == run.steps[0].instances.count


def test_unset_list_raises():
    """A fan-out over what nothing has written names the field."""

    class Late(gn.State):
        items: list[int] = gn.UNSET
        out: Annotated[list[int], gn.append] = []

    graph = gn.Graph(Late, entry="each")
    graph.fan_out("each", double, over="items", into="out", to=gn.END)

    with pytest.raises(gn.UnsetField, match="goes over field 'items', which nothing has written yet"):
        graph.run()


def failing(item: Any) -> Any:
    """Fails for odd items."""
    if item % 2:
        raise ValueError(f"odd: {item}")
    return item


async def failing_later(item: Any) -> Any:
    """The same, asynchronous."""
    return failing(item)


@pytest.mark.parametrize("worker", [failing, failing_later, as_graph(failing), as_graph(failing_later)])
def test_collect_keeps_successes_and_records_of_failures(worker):
    """Failures leave no slot, and a record with exactly the two texts that the specification names."""
    run = batch(worker, error_policy="collect", errors_into="errors", count_into="count").run(items=[0, 1, 2, 3])

    assert [0, 2] == run.state.out
    assert [
        {"fan_out_index": "1", "category": "node_exception"},
        {"fan_out_index": "3", "category": "node_exception"},
    ] == run.state.errors
    assert 4 == run.state.count
    assert "done" == run.status


def test_collect_survives_that_all_fail():
    """Even then the node does not raise; without `errors_into` the errors leave no field."""
    run = batch(failing, error_policy="collect").run(items=[1, 3])

    assert ([], []) == (run.state.out, run.state.errors)
    assert [0, 1] == [i for i, _ in run.steps[0].instances.errors]


@pytest.mark.parametrize("worker", [failing, failing_later, as_graph(failing), as_graph(failing_later)])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_fail_fast_raises_after_the_fan_out_with_the_instances_error_as_cause(worker, concurrency):
    """The error is named after the fan-out, says which instance, and leaves the state as it was."""
    with pytest.raises(gn.NodeException) as caught:
        batch(worker, concurrency=concurrency, count_into="count").run(items=[0, 1, 2, 4])

    error = caught.value
    assert ("each", ("each",)) == (error.node, error.path)
    assert "instance 1 failed with" in str(error)
    assert "ValueError: odd: 1" in str(error)
    assert error.__cause__ is not None
    assert (-1, []) == (error.recoverable_state.count, error.recoverable_state.out)


def test_fail_fast_keeps_what_the_instances_did():
    """The steps of finished and failed instances are in the trace on the error."""
    with pytest.raises(gn.NodeException) as caught:
        batch(as_graph(failing), concurrency=1).run(items=[0, 2, 1, 4])

    trace = caught.value.trace
    assert ["each[0]/work", "each[1]/work"] == [step.path for step in trace.steps]
    assert ["each", "each[2]/work"] == [failure.path for failure in trace.failures]
    assert "failed" == trace.status


FATES = pytest.mark.parametrize(
    "make",
    [lambda f: f, lambda f: later_of(f), as_graph, lambda f: as_graph(later_of(f))],
    ids=["function", "async function", "graph", "async graph"],
)


def later_of(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function as one that has to be awaited."""

    async def later(item: Any) -> Any:
        return function(item)

    return later


@FATES
def test_fail_fast_keeps_what_finished_instances_gave(make):
    """By instance, beside those that failed and those that never started."""
    with pytest.raises(gn.NodeException) as caught:
        batch(make(failing), concurrency=1).run(items=[0, 2, 1, 4])

    made = caught.value.trace.failures[0].instances
    assert ((0, (0,)), (1, (2,))) == made.given
    assert Fates((0, 1), (2,), (), range(3, 4)) == fates_of(made)


@FATES
@pytest.mark.parametrize("error", [KeyboardInterrupt(), asyncio.CancelledError()], ids=["stop", "cancellation"])
def test_interruption_keeps_what_finished_instances_gave(make, error):
    """The node is told as stopped, with what its instances had done."""

    def one(item: int) -> int:
        if item == 1:
            raise error
        return item

    with pytest.raises(type(error)) as caught:
        batch(make(one), concurrency=1).run(items=[0, 2, 1, 4])

    stop = caught.value.trace.open_steps[0]
    assert ("each", True, ((0, (0,)), (1, (2,)))) == (stop.path, stop.stopped, stop.instances.given)
    assert Fates((0, 1), (), (2,), range(3, 4)) == fates_of(stop.instances)


@pytest.mark.parametrize("kind", ["threads", "tasks"])
async def test_cancellation_keeps_what_finished_instances_gave(kind):
    """In threads and in tasks: two have finished, two are under way and are told as stopped."""
    begun = [asyncio.Event() for _ in range(4)]
    loop = asyncio.get_running_loop()
    released = threading.Event()

    def plain(item: int) -> int:
        loop.call_soon_threadsafe(begun[item].set)
        if item > 1:
            released.wait(SECONDS)
        return item

    async def later(item: int) -> int:
        begun[item].set()
        if item > 1:
            await asyncio.sleep(SECONDS)
        return item

    graph = batch(plain if kind == "threads" else later, concurrency=2)
    task = asyncio.create_task(graph.arun(items=[0, 1, 2, 3, 3, 3]))
    for each in begun:
        await each.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    made = caught.value.trace.open_steps[0].instances
    released.set()

    assert ((0, (0,)), (1, (1,))) == made.given
    assert Fates((0, 1), (), (2, 3), range(4, 6)) == fates_of(made)


def test_values_kept_of_a_failed_fan_out_are_own_copies():
    """What a worker does to its value later does not change the record."""
    given: list[list[int]] = []

    def one(item: int) -> list[int]:
        if item == 2:
            raise ValueError("no luck")
        given.append([item])
        return given[-1]

    with pytest.raises(gn.NodeException) as caught:
        batch(one, concurrency=1).run(items=[1, 2])
    given[0].append(9)

    assert ((0, ([1],)),) == caught.value.trace.failures[0].instances.given


def test_fan_out_that_is_running_tells_what_its_instances_have_done():
    """The run so far has the values of those that have finished, and says which are under way."""
    begun, released = threading.Event(), threading.Event()

    def one(item: int) -> int:
        if item == 1:
            begun.set()
            released.wait(SECONDS)
        return item

    handle = batch(one, concurrency=1).start(items=[0, 1, 2])
    begun.wait(SECONDS)
    (step,) = handle.run.trace.open_steps
    released.set()
    handle.result(SECONDS)

    assert ("each", False, ((0, (0,)),)) == (step.path, step.stopped, step.instances.given)
    assert Fates((0,), (), (1,), range(2, 3)) == fates_of(step.instances)


def test_sibling_that_a_failure_stops_is_told():
    """The instance that was under way is cancelled, and its log says at which node."""
    both = asyncio.Event()

    async def meet(s: Any) -> dict[str, Any]:
        if s.item == 1:
            await both.wait()
            raise ValueError("no luck")
        both.set()
        await asyncio.sleep(SECONDS)
        return {}

    worker = gn.Graph(Child, entry="meet")
    worker.node(meet, to=gn.END)
    with pytest.raises(gn.NodeException) as caught:
        batch(worker, concurrency=2).run(items=[0, 1, 2])

    assert ["each[0]/meet"] == [step.path for step in caught.value.trace.open_steps]
    assert Fates((), (1,), (0,), range(2, 3)) == fates_of(caught.value.trace.failures[0].instances)


def test_instance_that_cannot_start_is_an_instance_that_failed():
    """An item that does not fit the worker's field is refused under the instance's number."""

    class Strict(gn.State):
        item: int
        result: int = 0

    worker = gn.Graph(Strict, entry="work")
    worker.node("work", lambda s: {"result": s.item}, to=gn.END)
    run = batch(worker, error_policy="collect", errors_into="errors").run(items=[1, "two", 3])

    assert [1, 3] == run.state.out
    assert [{"fan_out_index": "1", "category": "state_validation_error"}] == run.state.errors
    error = run.steps[0].instances.errors[0][1]
    assert "node 'each', instance 1, graph 'Strict'" in str(error)


def test_fan_in_that_is_refused_keeps_what_the_instances_did():
    """A reducer that cannot take the list fails after all instances have run, whose steps are kept."""

    class Merged(gn.State):
        items: list[int] = []
        out: Annotated[dict[str, int], gn.merge] = {}

    graph = gn.Graph(Merged, entry="each")
    graph.fan_out("each", as_graph(double), over="items", item="item", collect="result", into="out", to=gn.END)
    with pytest.raises(gn.ReducerError) as caught:
        graph.run(items=[1, 2])

    assert ("out", "merge", "each") == (caught.value.field, caught.value.reducer, caught.value.node)
    assert ["each[0]/work", "each[1]/work"] == [step.path for step in caught.value.trace.steps]


def test_fan_in_that_is_refused_keeps_what_the_instances_gave():
    """Also of plain functions, which have no steps."""

    class Merged(gn.State):
        out: Annotated[dict[str, int], gn.merge] = {}

    graph = gn.Graph(Merged, entry="each")
    graph.fan_out("each", double, count=2, into="out", to=gn.END)
    with pytest.raises(gn.ReducerError) as caught:
        graph.run()

    assert ((0, (0,)), (1, (2,))) == caught.value.trace.failures[0].instances.given


def test_fan_out_in_a_fan_out_keeps_every_instance_apart():
    """Nested instances are told apart by the whole path, each inner result under its outer item."""

    class Outer(gn.State):
        names: list[str]
        out: Annotated[list[list[str]], gn.append] = []

    class Middle(gn.State):
        name: str = ""
        numbers: list[int] = [0, 1]
        pairs: Annotated[list[str], gn.append] = []

    class Inner(gn.State):
        name: str = ""
        number: int = 0
        pair: str = ""

    inner = gn.Graph(Inner, entry="join")
    inner.node("join", lambda s: {"pair": f"{s.name}{s.number}"}, to=gn.END)
    middle = gn.Graph(Middle, entry="inner")
    middle.fan_out(
        "inner", inner, over="numbers", item="number", inputs={"name": "name"}, collect="pair", into="pairs", to=gn.END
    )
    outer = gn.Graph(Outer, entry="outer")
    outer.fan_out("outer", middle, over="names", item="name", collect="pairs", into="out", concurrency=3, to=gn.END)
    run = outer.run(names=["a", "b", "c"])

    assert [["a0", "a1"], ["b0", "b1"], ["c0", "c1"]] == run.state.out
    joins = [step for step in run.steps if step.node == "join"]
    assert [f"outer[{i}]/inner[{j}]/join" for i in range(3) for j in range(2)] == [step.path for step in joins]
    assert ["a0", "a1", "b0", "b1", "c0", "c1"] == [step.after.pair for step in joins]


def test_fan_out_in_a_loop_starts_anew_each_time():
    """The second round goes over what the first has left."""

    class Rounds(gn.State):
        todo: list[int] = [1, 2]
        out: Annotated[list[int], gn.append] = []

    graph = gn.Graph(Rounds, entry="each")
    graph.fan_out("each", double, over="todo", into="out", to="next")
    graph.node("next", lambda s: {"todo": s.out[-2:]})
    graph.branch("next", lambda s: "each" if len(s.out) < 6 else gn.END, to=("each", gn.END))

    assert [2, 4, 4, 8, 8, 16] == graph.run().state.out


@pytest.mark.parametrize("make", [lambda f: f, as_graph], ids=["function", "graph"])
def test_instances_see_the_callers_context_variables(make):
    """Also those on other threads."""
    barrier = threading.Barrier(3, timeout=SECONDS)

    def look(item: int) -> str:
        barrier.wait()
        return USER.get()

    token = USER.set("me")
    try:
        run = batch(make(look), concurrency=None).run(items=[1, 2, 3])
    finally:
        USER.reset(token)

    assert ["me"] * 3 == run.state.out


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError(), GeneratorExit()])
@pytest.mark.parametrize("make", [lambda f: f, as_graph], ids=["function", "graph"])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_interruption_in_an_instance_ends_the_run(make, error, concurrency):
    """What is no Exception ends the run even under `collect`, and the run so far is on it."""

    def one(item: int) -> int:
        if item == 2:
            raise error
        return item

    with pytest.raises(type(error)) as caught:
        batch(make(one), concurrency=concurrency, error_policy="collect").run(items=[1, 2, 3])

    assert caught.value is error
    assert "cancelled" == caught.value.run.status


def test_interrupted_fan_out_of_graphs_shows_its_finished_instances():
    """What was done before the interruption can be read from the run on the error."""

    def one(item: int) -> int:
        if item == 3:
            raise KeyboardInterrupt
        return item

    with pytest.raises(KeyboardInterrupt) as caught:
        batch(as_graph(one), concurrency=1).run(items=[1, 2, 3, 4])

    assert ["each[0]/work", "each[1]/work"] == [step.path for step in caught.value.run.steps]


@pytest.mark.parametrize("items", [[None], [[1, [2]]], [{"a": {1, 2}}], [float("nan")], [b"x", (1, [2])], [print]])
def test_odd_items_come_through(items):
    """Nothing is asked of an item: not to be hashable, comparable or true."""
    run = batch(lambda item: repr(item)).run(items=items)

    assert [repr(item) for item in items] == run.state.out


WORD: contextvars.ContextVar[str] = contextvars.ContextVar("WORD", default="unset")


def word_before(item: Any) -> str:
    """The word that was set before this instance set its own."""
    seen = WORD.get()
    WORD.set(f"set by {item}")
    return seen


async def word_before_later(item: Any) -> str:
    """The same from a coroutine."""
    return word_before(item)


@pytest.mark.parametrize("how", DRIVERS)
@pytest.mark.parametrize("concurrency", [None, 1, 2])
@pytest.mark.parametrize("make", [lambda function: function, as_graph])
@pytest.mark.parametrize("worker", [word_before, word_before_later])
def test_no_instance_sees_context_variables_that_another_one_set(how, concurrency, make, worker):
    """However quick they are: each has a copy of its own, and the caller's stay as they were."""
    graph = batch(make(worker), concurrency=concurrency)

    assert ["unset"] * 3 == drive(graph, how, items=[1, 2, 3]).state.out
    assert "unset" == WORD.get()


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("wrap", [lambda worker: worker, as_graph])
def test_failure_of_a_clean_up_does_not_hide_what_it_cleans_up_after(wrap, driver):
    """The instance that failed by itself is named, whatever its number."""

    async def worker(item: int) -> int:
        if item == 1:
            raise ValueError("true")
        try:
            await asyncio.sleep(SECONDS)
        finally:
            raise KeyError("clean-up")
        return item

    with pytest.raises(gn.NodeException, match=r"instance 1 failed with .*true") as caught:
        drive(batch(wrap(worker)), driver, items=[0, 1, 2])
    told = [error for error in (caught.value.__cause__, caught.value.__cause__.__cause__) if error is not None]
    assert ValueError in [type(error) for error in told]


def test_time_out_that_ends_the_rest_is_named():
    """It follows a cancellation of its own, which is no clean-up after another one."""

    async def worker(item: int) -> None:
        if item == 1:
            await asyncio.wait_for(asyncio.sleep(SECONDS), 0.01)
        try:
            await asyncio.sleep(SECONDS)
        finally:
            raise KeyError("clean-up")

    with pytest.raises(gn.NodeException, match="instance 1 failed with TimeoutError"):
        batch(worker).run(items=[0, 1])
