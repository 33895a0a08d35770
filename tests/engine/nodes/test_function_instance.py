"""One instance of a fan-out over a function, and the middleware around the call."""

import asyncio
import threading
from typing import Annotated, Any

import pytest

import graphnb as gn
from tests.engine.driven import DRIVERS, drive, watch

SECONDS = 20


class Batch(gn.State):
    items: list[Any] = []
    numbers: list[int] = []
    base: int = 100
    out: Annotated[list[Any], gn.append] = []
    notes: Annotated[list[Any], gn.append] = []


def batch(worker: Any, *layers: Any, **options: Any) -> gn.Graph:
    """A graph whose one node calls the worker within the layers, for each item."""
    graph = gn.Graph(Batch, entry="each", name="batch")
    defaults = {"over": "numbers", "into": "out"}
    graph.fan_out("each", worker, **{**defaults, **options}, instance_middleware=layers, to=gn.END)
    return graph


def double(item: Any) -> Any:
    """Twice the item."""
    return item * 2


async def double_later(item: Any) -> Any:
    """The same, asynchronous."""
    await asyncio.sleep(0)
    return item * 2


HOW = pytest.mark.parametrize("how", DRIVERS)
WORKERS = pytest.mark.parametrize(
    "worker", [double, double_later, lambda item: double_later(item)], ids=["plain", "async", "gives a coroutine"]
)
LAYERS = pytest.mark.parametrize("is_async", [False, True], ids=["plain layer", "async layer"])
BOUNDS = pytest.mark.parametrize("concurrency", [1, 2, None])


def changing(change: Any, *, is_async: bool) -> Any:
    """A layer that passes something else on, and marks what comes back."""

    async def later(item: Any, following: Any) -> Any:
        return await following(change(item)) + 0.5

    return later if is_async else lambda item, following: following(change(item)) + 0.5


@HOW
@WORKERS
@LAYERS
@BOUNDS
def test_middleware_gets_item_and_value(how, worker, is_async, concurrency):
    """What it passes on is what the worker gets, what it gives is collected, in item order."""
    layer = changing(lambda item: item + 10, is_async=is_async)
    run = drive(batch(worker, layer, concurrency=concurrency), how, numbers=[3, 1, 2])

    assert [26.5, 22.5, 24.5] == run.state.out


@HOW
@LAYERS
def test_worker_of_named_values_gives_a_dict_through_middleware(how, is_async):
    """With `collect` and extra outputs it is read after the chain: what is missing is a null."""

    def named(item: int) -> dict[str, int]:
        return {"value": item, "note": -item}

    def edited(update: dict[str, int]) -> dict[str, int]:
        return {"value": update["value"] * 10} if update["value"] % 2 else update

    async def later(item: Any, following: Any) -> Any:
        return edited(await following(item))

    layer = later if is_async else lambda item, following: edited(following(item))
    graph = batch(named, layer, collect="value", extra_outputs={"notes": "note"})
    run = drive(graph, how, numbers=[1, 2])

    assert ([10, 2], [None, -2]) == (run.state.out, run.state.notes)


@HOW
def test_worker_that_lacks_a_value_fails_within_the_chain(how):
    """So that a retry or an isolation can deal with it."""
    layer = gn.failure_isolation({"value": -1}, event_name="lost")
    graph = batch(lambda item: {"other": item}, layer, collect="value")

    assert [-1] == drive(graph, how, numbers=[1]).state.out


@HOW
def test_middleware_that_gives_no_dict_for_named_values_is_refused(how):
    """The error names the instance."""
    graph = batch(lambda item: {"value": item}, lambda item, following: 5, collect="value")
    with pytest.raises(gn.NodeException, match="instance 0: middleware gave int, want a dict"):
        drive(graph, how, numbers=[1])


@HOW
@WORKERS
def test_instances_are_retried_by_themselves(how, worker):
    """As often as each needs."""
    calls: list[int] = []
    lock = threading.Lock()

    def failing(item: int, following: Any) -> Any:
        with lock:
            calls.append(item)
            if calls.count(item) < item:
                raise LookupError("lost")
        return following(item)

    graph = batch(worker, gn.retry(5, classifier=lambda error, item: True, backoff=0), failing)
    run = drive(graph, how, numbers=[1, 3, 2])

    assert ([2, 6, 4], [1, 2, 2, 3, 3, 3]) == (run.state.out, sorted(calls))


@HOW
@WORKERS
@BOUNDS
def test_isolated_instances_tell_their_number(how, worker, concurrency):
    """A worker function has no events of its own, but failures that were isolated are told."""

    def picky(item: int, following: Any) -> Any:
        if item < 0:
            raise LookupError("negative")
        return following(item)

    layer = gn.failure_isolation(lambda item: {"kept": item}, event_name="lost")
    driven = watch(batch(worker, layer, picky, concurrency=concurrency), how, numbers=[1, -1, 2, -2])
    lost = driven.of("lost")

    assert [2, {"kept": -1}, 4, {"kept": -2}] == driven.state.out
    assert {(("each",), 1, (1,), (None,), -1), (("each",), 3, (3,), (None,), -2)} == {
        (
            each.lineage.namespace, each.lineage.fan_out_index, each.lineage.fan_out_index_chain,
            each.lineage.branch_name_chain, each.pre_state,
        )
        for each in lost
    }  # fmt: skip
    assert ("started", "completed") == (driven.events[0].phase, driven.events[-1].phase)


@HOW
@LAYERS
@pytest.mark.parametrize("worker", [lambda item: item, lambda item, base: item], ids=["item", "item and input"])
def test_middleware_cannot_change_an_item_in_place(how, is_async, worker):
    """A list refuses, what cannot refuse is compared afterwards; the run's own is as it was."""
    options = {"over": "items", "inputs": {"base": "base"} if worker.__code__.co_argcount > 1 else {}}

    def grow(item: Any) -> Any:
        (item.add if isinstance(item, set) else item.append)(9)
        return item

    async def later(item: Any, following: Any) -> Any:
        return await following(grow(item))

    layer = later if is_async else lambda item, following: following(grow(item))
    with pytest.raises(gn.NodeException, match="tried to change field 'items' in place") as caught:
        drive(batch(worker, layer, **options), how, items=[[1]])
    with pytest.raises(gn.NodeException, match=r"value differs after the (middleware|worker) has run") as other:
        drive(batch(worker, layer, **options), how, items=[{1}])

    assert ([[1]], [{1}]) == (caught.value.recoverable_state.items, other.value.recoverable_state.items)


@HOW
@BOUNDS
def test_middleware_may_pass_on_a_changed_copy(how, concurrency):
    """Of a list as of anything."""
    graph = batch(
        lambda item: list(item), lambda item, following: following([*item, 9]), over="items", concurrency=concurrency
    )

    assert [[1, 9], [2, 9]] == drive(graph, how, items=[[1], [2]]).state.out


@HOW
def test_inputs_reach_the_worker_through_middleware(how):
    """They are no part of what middleware sees."""
    graph = batch(lambda item, base: item + base, lambda item, following: following(item * 2), inputs={"base": "base"})

    assert [102] == drive(graph, how, numbers=[1]).state.out


@HOW
def test_middleware_runs_beside_other_instances(how):
    """Instances that wait in their middleware meet."""
    barrier = threading.Barrier(3, timeout=SECONDS)

    def meet(item: Any, following: Any) -> Any:
        barrier.wait()
        return following(item)

    async def meet_later(item: Any, following: Any) -> Any:
        await asyncio.to_thread(barrier.wait)
        return await following(item)

    for worker in (double, double_later):
        for layer in (meet, meet_later):
            graph = batch(worker, layer, concurrency=None)
            assert [2, 4, 6] == drive(graph, how, numbers=[1, 2, 3]).state.out


@HOW
@WORKERS
def test_policies_count_what_leaves_the_chain(how, worker):
    """An error of middleware is one of its instance."""

    def picky(item: int, following: Any) -> Any:
        if item < 0:
            raise LookupError("negative")
        return following(item)

    collected = drive(batch(worker, picky, error_policy="collect"), how, numbers=[1, -1, 2])
    with pytest.raises(gn.NodeException, match="instance 1 failed with LookupError: negative") as caught:
        drive(batch(worker, picky), how, numbers=[1, -1, 2])

    assert [2, 4] == collected.state.out
    assert isinstance(caught.value.__cause__, LookupError)


@HOW
def test_fan_out_of_functions_has_one_pair_of_events(how):
    """Its instances have none."""
    driven = watch(batch(double), how, numbers=[1, 2, 3])

    assert [("started", "each"), ("completed", "each")] == driven.told
    assert gn.FanOutConfig(3, 10, "fail_fast", "each") == driven.events[1].fan_out_config


def test_count_and_middleware_go_together():
    """The item is then the number of the instance."""
    graph = batch(double, lambda item, following: following(item + 1), over=None, count=3)

    assert [2, 4, 6] == graph.run().state.out
