"""One instance of a fan-out over a graph, and the middleware around its whole run."""

import asyncio
import threading
from typing import Annotated, Any

import pytest

import graphnb as gn
from tests.engine.driven import DRIVERS, drive, watch

SECONDS = 20


class Batch(gn.State):
    items: list[int] = []
    base: int = 100
    out: Annotated[list[Any], gn.append] = []
    notes: Annotated[list[Any], gn.append] = []
    errors: list[Any] = []


class Child(gn.State):
    item: int = 0
    base: int = 0
    result: int = gn.UNSET
    note: str = ""
    box: Any = None


def child(node: Any, *more: Any) -> gn.Graph:
    """A worker graph of these nodes in a line."""
    graph = gn.Graph(Child, entry="n0", name="child")
    nodes = [node, *more]
    for i, each in enumerate(nodes):
        graph.node(f"n{i}", each, to=f"n{i + 1}" if i + 1 < len(nodes) else gn.END)
    return graph


def batch(worker: Any, *layers: Any, **options: Any) -> gn.Graph:
    """A graph whose one node runs the worker within the layers, for each item."""
    graph = gn.Graph(Batch, entry="each", name="batch")
    defaults = {"over": "items", "item": "item", "inputs": {"base": "base"}, "collect": "result", "into": "out"}
    graph.fan_out("each", worker, **{**defaults, **options}, instance_middleware=layers, to=gn.END)
    return graph


def add(s: Any) -> dict[str, Any]:
    """A node that adds, and says so."""
    return {"result": s.base + s.item, "note": f"{s.item}"}


async def add_later(s: Any) -> dict[str, Any]:
    """The same as an asynchronous node."""
    await asyncio.sleep(0)
    return add(s)


NODES = pytest.mark.parametrize("node", [add, add_later], ids=["plain", "async"])
LAYERS = pytest.mark.parametrize("is_async", [False, True], ids=["plain layer", "async layer"])
BOUNDS = pytest.mark.parametrize("concurrency", [1, 2, None])
HOW = pytest.mark.parametrize("how", DRIVERS)


@HOW
@NODES
@LAYERS
@BOUNDS
def test_middleware_wraps_each_instance_by_itself(how, node, is_async, concurrency):
    """It gets the instance's first state, and `next` gives what is collected, by the child's field names."""
    seen: dict[int, Any] = {}

    def plain(s: Any, following: Any) -> Any:
        seen[s.item] = (s.base, following(s))
        return seen[s.item][1]

    async def later(s: Any, following: Any) -> Any:
        seen[s.item] = (s.base, await following(s))
        return seen[s.item][1]

    graph = batch(
        child(node), later if is_async else plain, extra_outputs={"notes": "note"}, concurrency=concurrency
    )  # fmt: skip
    run = drive(graph, how, items=[3, 1, 2])

    assert ([103, 101, 102], ["3", "1", "2"]) == (run.state.out, run.state.notes)
    assert {i: (100, {"result": 100 + i, "note": str(i)}) for i in (1, 2, 3)} == seen


@HOW
@LAYERS
def test_instance_may_be_given_another_state(how, is_async):
    """The child starts from it; the log of the instance begins there."""

    def changed(s: Any) -> Any:
        return s.model_copy(update={"base": s.base * 2})

    async def later(s: Any, following: Any) -> Any:
        return await following(changed(s))

    layer = later if is_async else lambda s, following: following(changed(s))
    run = drive(batch(child(add), layer), how, items=[1, 2])

    assert [201, 202] == run.state.out
    assert [200, 200] == [step.before.base for step in run.steps if step.node == "n0"]


@HOW
def test_state_that_does_not_fit_the_child_is_refused(how):
    """The error says which instance, and that middleware gave it."""
    graph = batch(child(add), lambda s, following: following({"item": "many"}))
    with pytest.raises(gn.NodeException, match="instance 0, state given by middleware: item: ") as caught:
        drive(graph, how, items=[1])

    assert isinstance(caught.value.__cause__, gn.StateValidationError)


@HOW
@LAYERS
def test_contribution_may_be_edited_or_made_without_asking(how, is_async):
    """A field that is missing leaves a null; an instance that was not asked has no log."""

    def edited(s: Any, update: Any) -> Any:
        return {"result": update["result"] * 10} if update else {"note": "not asked"}

    def plain(s: Any, following: Any) -> Any:
        return edited(s, following(s) if s.item else None)

    async def later(s: Any, following: Any) -> Any:
        return edited(s, await following(s) if s.item else None)

    run = drive(batch(child(add), later if is_async else plain, extra_outputs={"notes": "note"}), how, items=[0, 1])

    assert ([None, 1010], ["not asked", None]) == (run.state.out, run.state.notes)
    assert [True, False] == [each is None for each in run.steps[0].instances.logs]


@HOW
@pytest.mark.parametrize("given", [None, 7, [1]])
def test_contribution_that_is_none_is_refused(how, given):
    """The error names the instance and says what to return."""
    with pytest.raises(gn.NodeException, match=r"instance 0: middleware gave .*, want a dict of the worker's fields"):
        drive(batch(child(add), lambda s, following: given), how, items=[1])


@HOW
def test_layers_nest_around_every_instance(how):
    """The first is outermost."""
    note: list[str] = []

    def named(name: str) -> Any:
        def layer(s: Any, following: Any) -> Any:
            note.append(f"{name} in")
            update = following(s)
            note.append(f"{name} out")
            return update

        return layer

    drive(batch(child(add), named("outer"), named("inner"), concurrency=1), how, items=[1, 2])

    assert ["outer in", "inner in", "inner out", "outer out"] * 2 == note


@HOW
@NODES
def test_field_that_was_never_written_is_a_failure_that_may_be_caught(how, node):
    """Middleware sees it like an error of the child."""

    def catch(s: Any, following: Any) -> Any:
        try:
            return following(s)
        except gn.UnsetField:
            return {"result": -1}

    run = drive(batch(child(lambda s: {}), catch), how, items=[1])

    assert [-1] == run.state.out


@HOW
@NODES
@BOUNDS
def test_each_instance_is_retried_by_itself(how, node, concurrency):
    """From the beginning of the child, as often as it needs; all others run once."""
    calls: list[int] = []
    lock = threading.Lock()

    def flaky(s: Any) -> dict[str, Any]:
        with lock:
            calls.append(s.item)
            if calls.count(s.item) < s.item:
                raise LookupError("lost")
        return {}

    layer = gn.retry(5, classifier=lambda error, s: True, backoff=0)
    driven = watch(batch(child(node, flaky), layer, concurrency=concurrency), how, items=[1, 3, 2])

    assert [101, 103, 102] == driven.state.out
    assert [1, 2, 2, 3, 3, 3] == sorted(calls)
    last = {i: max(each.attempt_index for each in driven.of("started") if each.fan_out_index == i) for i in range(3)}
    assert {0: 0, 1: 2, 2: 1} == last
    first_nodes = [each for each in driven.of("started") if each.node_name == "n0"]
    assert [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)] == sorted(
        (each.fan_out_index, each.attempt_index) for each in first_nodes
    )


@HOW
@NODES
@BOUNDS
def test_inner_events_know_their_instance(how, node, concurrency):
    """Namespace without the number, the number beside it, and the parent's state as it was."""
    driven = watch(batch(child(node), concurrency=concurrency), how, items=[7, 8], base=5)
    inner = [each for each in driven.events if each.node_name == "n0"]
    own = [each for each in driven.events if each.node_name == "each"]

    assert {("each", "n0")} == {each.namespace for each in inner}
    assert {(0, (0,), (None,), 5), (1, (1,), (None,), 5)} == {
        (each.fan_out_index, each.fan_out_index_chain, each.branch_name_chain, each.parent_states[0].base)
        for each in inner
    }
    assert {(None, (), ())} == {(each.fan_out_index, each.fan_out_index_chain, each.parent_states) for each in own}
    assert [0, 0] == [each.step for each in own]
    assert [1, 1, 2, 2] == sorted(each.step for each in inner)
    assert {gn.FanOutConfig(2, concurrency, "fail_fast", "each")} == {each.fan_out_config for each in own}
    assert {None} == {each.fan_out_config for each in inner}


@HOW
def test_retry_around_the_whole_counts_for_all_inside(how):
    """Each inner event bears the index of the attempt of the fan-out, unless an inner retry counts itself."""
    calls: list[int] = []

    def flaky(s: Any) -> dict[str, Any]:
        calls.append(s.item)
        if len(calls) == 1:
            raise LookupError("lost")
        return add(s)

    layer = gn.retry(2, classifier=lambda error, s: True, backoff=0)
    outer = watch(batch(child(flaky), middleware=layer, concurrency=1), how, items=[1, 2])
    calls.clear()
    inner = watch(batch(child(add), layer, middleware=layer), how, items=[1])

    assert [(0, 0), (1, 0), (1, 1)] == [
        (each.attempt_index, each.fan_out_index) for each in outer.of("started") if each.node_name == "n0"
    ]
    assert {0} == {each.attempt_index for each in inner.events}


@HOW
@pytest.mark.parametrize("is_async", [False, True])
def test_failure_cancels_instances_that_await(how, is_async):
    """They clean up; instances that had not begun never do; what was cancelled is never completed."""
    note: list[str] = []
    begun = threading.Semaphore(0)

    async def node(s: Any) -> dict[str, Any]:
        if s.item == 0:
            await asyncio.to_thread(begun.acquire)
            raise LookupError("lost")
        note.append(f"began {s.item}")
        begun.release()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            note.append(f"cleaned {s.item}")
        return {}

    more = [] if is_async else [lambda s: {}]
    driven = watch(batch(child(node, *more), concurrency=2), how, items=[0, 1, 2, 3])

    assert "instance 0 failed" in str(driven.error)
    assert ["began 1", "cleaned 1"] == note
    assert [("each", "n0"), ("each",)] == [each.namespace for each in driven.of("completed")]
    assert {0, 1} == {each.fan_out_index for each in driven.of("started") if each.node_name == "n0"}


@HOW
def test_collecting_fan_out_tells_of_every_failure_and_succeeds(how):
    """The inner event has the error, the node's own has a state."""

    def odd(s: Any) -> dict[str, Any]:
        if s.item % 2:
            raise LookupError("odd")
        return add(s)

    driven = watch(batch(child(odd), error_policy="collect", errors_into="errors"), how, items=[1, 2, 3])
    completed = {(each.namespace, each.fan_out_index): each for each in driven.of("completed")}

    assert ([102], ["0", "2"]) == (driven.state.out, [each["fan_out_index"] for each in driven.state.errors])
    assert [True, False, True] == [completed[("each", "n0"), i].error is not None for i in range(3)]
    assert completed[("each",), None].error is None
    assert [102] == completed[("each",), None].post_state.out


@HOW
@pytest.mark.parametrize(
    ("options", "category", "has_config"),
    [
        ({"items": []}, "fan_out_empty", True),
        ({"items": [1], "concurrency": 0}, "fan_out_invalid_concurrency", False),
        ({"count": -1}, "fan_out_invalid_count", False),
    ],
)
def test_fan_out_that_cannot_start_has_its_pair_nonetheless(how, options, category, has_config):
    """With the configuration as far as that is known."""
    given = {name: options[name] for name in ("items",) if name in options}
    declared = {name: each for name, each in options.items() if name != "items"}
    if "count" in declared:
        declared |= {"over": None, "item": None, "count": lambda s: options["count"]}
    driven = watch(batch(child(add), **declared), how, **given)

    assert [("started", "each"), ("completed", "each")] == driven.told
    assert (category, category) == (driven.error.fan_out_category, driven.events[1].error.fan_out_category)
    assert has_config is (driven.events[0].fan_out_config is not None)


@HOW
def test_nested_fan_outs_have_chains(how):
    """One entry for each that encloses the node; the composite's own events tell the outer instance."""

    class Middle(gn.State):
        item: int = 0
        numbers: list[int] = [0, 1]
        result: Annotated[list[int], gn.append] = []

    middle = gn.Graph(Middle, entry="inner", name="middle")
    middle.fan_out("inner", child(add), over="numbers", item="item", collect="result", into="result", to=gn.END)
    driven = watch(batch(middle, inputs={}), how, items=[5, 6])
    innermost = {each.fan_out_index_chain for each in driven.events if each.node_name == "n0"}
    own = {(each.fan_out_index, each.fan_out_index_chain) for each in driven.events if each.node_name == "inner"}

    assert [[0, 1], [0, 1]] == driven.state.out
    assert {(i, j) for i in range(2) for j in range(2)} == innermost
    assert {(0, (0,)), (1, (1,))} == own
    assert {(2, 2)} == {
        (len(each.parent_states), len(each.branch_name_chain)) for each in driven.events if each.node_name == "n0"
    }


def test_middleware_cannot_spoil_what_the_instance_starts_from():
    """A copy of what cannot refuse is its own."""
    seen: list[Any] = []

    def fill(s: Any, following: Any) -> Any:
        s.box.add("x")
        return following(s)

    def look(s: Any) -> dict[str, Any]:
        seen.append(sorted(s.box))
        return {"result": 1}

    class Boxed(gn.State):
        box: Any = None
        out: Annotated[list[int], gn.append] = []

    graph = gn.Graph(Boxed, entry="each")
    graph.fan_out(
        "each", child(look), count=1, inputs={"box": "box"}, collect="result", into="out",
        instance_middleware=fill, to=gn.END,
    )  # fmt: skip
    run = graph.run(box={"mine"})

    assert ([["mine"]], {"mine"}) == (seen, run.state.box)


@HOW
def test_fan_out_with_retries_ends_like_one_without_failures(how):
    """The trace of the steps tells nothing else than that there were attempts."""
    failed: set[int] = set()

    def flaky(s: Any) -> dict[str, Any]:
        if s.item not in failed:
            failed.add(s.item)
            raise LookupError("lost")
        return add(s)

    layer = gn.retry(2, classifier=lambda error, s: True, backoff=0)
    plain, retried = drive(batch(child(add)), how, items=[2, 1]), drive(batch(child(flaky), layer), how, items=[2, 1])

    assert plain.state == retried.state
    assert [step.path for step in plain.steps] == [step.path for step in retried.steps]
