"""What a fan-out does for one item."""

import asyncio
import threading
from typing import Annotated, Any

import pytest

import graphnb as gn

SECONDS = 20


class Batch(gn.State):
    items: list[Any] = []
    factor: int = 10
    words: list[str] = ["a", "b"]
    tags: Any = None
    late: int = gn.UNSET
    out: Annotated[list[Any], gn.append] = []
    more: Annotated[list[Any], gn.append] = []


class Child(gn.State):
    item: Any = None
    factor: int = 1
    result: Any = gn.UNSET
    note: str = ""


def batch(worker: Any, **options: Any) -> gn.Graph:
    """A graph whose one node runs the worker over `items` and collects in `out`."""
    graph = gn.Graph(Batch, entry="each")
    graph.fan_out("each", worker, **{"over": "items", "into": "out", **options}, to=gn.END)
    return graph


def child(function: Any) -> gn.Graph:
    """A worker graph of one node."""
    graph = gn.Graph(Child, entry="work", name="child")
    graph.node("work", function, to=gn.END)
    return graph


def test_inputs_reach_a_worker_graph_as_fields():
    """`inputs` maps fields of the child to fields of the parent; the rest are defaults."""
    worker = child(lambda s: {"result": (s.item * s.factor, s.note)})
    run = batch(worker, item="item", inputs={"factor": "factor"}, collect="result").run(items=[1, 2])

    assert [(10, ""), (20, "")] == run.state.out


def test_inputs_reach_a_worker_function_as_parameters():
    """For a function they are named parameters beside the item."""
    run = batch(lambda item, by: item * by, inputs={"by": "factor"}).run(items=[1, 2])

    assert [10, 20] == run.state.out


@pytest.mark.parametrize("is_set", [False, True])
def test_input_that_is_unset_is_left_out(is_set):
    """Then the child's default, or the function's, serves."""
    given = {"late": 7} if is_set else {}
    graph = batch(child(lambda s: {"result": s.factor}), item="item", inputs={"factor": "late"}, collect="result")
    function = batch(lambda item, late=1: late, inputs={"late": "late"})

    assert [7 if is_set else 1] == graph.run(items=[0], **given).state.out
    assert [7 if is_set else 1] == function.run(items=[0], **given).state.out


def test_extra_outputs_are_lists_in_item_order_too():
    """Each parent field receives one list, from graphs and from the dicts of functions."""
    graph = child(lambda s: {"result": s.item, "note": f"n{s.item}"})
    for worker, item in ((graph, {"item": "item"}), (lambda item: {"result": item, "note": f"n{item}"}, {})):
        run = batch(worker, collect="result", extra_outputs={"more": "note"}, **item).run(items=[1, 2])

        assert ([1, 2], ["n1", "n2"]) == (run.state.out, run.state.more)


def test_extra_outputs_without_collect_collect_nothing_else():
    """A graph without `collect` gives its extra outputs alone."""
    worker = child(lambda s: {"note": "n"})
    run = batch(worker, item="item", into=None, extra_outputs={"more": "note"}).run(items=[1, 2])

    assert ([], ["n", "n"]) == (run.state.out, run.state.more)


def test_function_that_names_its_value_may_be_asynchronous_in_any_way():
    """With `collect` the dict of an `async def`, or of a plain function that returns a coroutine, is read."""

    async def later(item: Any) -> dict[str, Any]:
        return {"result": item, "unused": 0}

    for worker in (later, lambda item: later(item)):
        assert [1, 2] == batch(worker, collect="result").run(items=[1, 2]).state.out


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([1], r"the worker returned list, want a dict with \['result'\]: \[1\]"),
        (None, r"the worker returned None, want a dict"),
        ({"resul": 1}, r"the worker's dict has no 'result'\. It has: \['resul'\]\. Did you mean 'resul'\?"),
    ],
)
def test_function_that_does_not_name_its_value_fails(returned, message):
    """With `collect` a worker function has to return a dict that holds it."""
    with pytest.raises(gn.NodeException, match=message):
        batch(lambda item: returned, collect="result").run(items=[1])


def test_field_to_collect_that_was_never_written_is_named():
    """An instance that leaves the collected field unset has failed."""
    with pytest.raises(gn.NodeException, match="instance 0: has nothing to collect: field 'result' was never"):
        batch(child(lambda s: {}), item="item", collect="result").run(items=[1])


def test_item_field_that_the_worker_lacks_is_ignored():
    """The specification tolerates it: the child then starts from its defaults, and a warning says so."""
    with pytest.warns(gn.GraphWarning, match="'nothing' is no field of the worker"):
        graph = batch(child(lambda s: {"result": s.item}), item="nothing", collect="result")

    assert [None] == graph.run(items=[1]).state.out


@pytest.mark.parametrize("concurrency", [1, 4])
def test_worker_that_changes_its_item_in_place_is_stopped(concurrency):
    """A list refuses, and the error names the field; the parent's list is as it was."""
    mine = [[1], [2]]
    with pytest.raises(gn.NodeException, match="tried to change field 'items' in place") as caught:
        batch(lambda item: item.append(9), concurrency=concurrency).run(items=mine)

    assert [[1], [2]] == mine == caught.value.recoverable_state.items


class Box:
    """Something that cannot refuse to be changed."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self.value == other.value


def test_worker_that_changes_what_cannot_refuse_is_found_out():
    """It has a copy, which is compared afterwards; so has an asynchronous worker, after the await."""

    def change(item: Any) -> None:
        item.value = 9

    async def change_later(item: Any) -> None:
        await asyncio.sleep(0)
        item[0].value = 9

    box = Box(1)
    for worker, item in ((change, box), (change_later, [box])):
        with pytest.raises(gn.NodeException, match="the value differs after the worker has run"):
            batch(worker).run(items=[item])

    assert 1 == box.value


def test_worker_may_change_what_it_has_made_and_read_what_it_was_given():
    """Copies that are as they were raise nothing."""

    def read(item: Any) -> list[int]:
        values = [box.value for box in item]
        values.append(3)
        return values

    assert [[1, 2, 3]] == batch(read).run(items=[[Box(1), Box(2)]]).state.out


def test_worker_that_changes_an_input_in_place_is_stopped():
    """Inputs are guarded like items: those that refuse and those that are copied."""
    with pytest.raises(gn.NodeException, match="tried to change field 'words' in place"):
        batch(lambda item, words: words.append("c"), inputs={"words": "words"}).run(items=[1])
    with pytest.raises(gn.NodeException, match=r"field 'tags'.*differs after the worker"):
        batch(lambda item, tags: tags.add("c"), inputs={"tags": "tags"}).run(items=[1], tags={"a"})


def test_input_of_flat_values_is_copied_once_for_all_instances():
    """A long list that every instance reads costs one copy, not one for each."""
    run = batch(lambda item, words: id(words), inputs={"words": "words"}, concurrency=1).run(items=[1, 2, 3])

    assert 1 == len(set(run.state.out))


def test_worker_function_may_return_its_item():
    """What was guarded comes back as a plain value of its own."""
    run = batch(lambda item: item).run(items=[[1, [2]], {"a": [3]}])

    assert [[1, [2]], {"a": [3]}] == run.state.out
    assert {list, dict} == {type(each) for each in run.state.out}
    assert type(run.state.out[0][1]) is list


def test_instances_of_a_graph_start_from_fresh_defaults():
    """What one instance writes is not seen by the next one."""

    class Own(gn.State):
        item: int = 0
        seen: Annotated[list[int], gn.append] = []

    worker = gn.Graph(Own, entry="work")
    worker.node("work", lambda s: {"seen": [s.item]}, to=gn.END)
    run = batch(worker, item="item", collect="seen", concurrency=1).run(items=[1, 2, 3])

    assert [[1], [2], [3]] == run.state.out


def test_parent_does_not_change_before_the_fan_in():
    """All instances see the state from before the fan-out, however late they start."""
    barrier = threading.Barrier(2, timeout=SECONDS)

    def one(item: int, out: list[Any]) -> int:
        barrier.wait()
        return len(out)

    run = batch(one, inputs={"out": "out"}, concurrency=2).run(items=[1, 2, 3, 4], out=["before"])

    assert ["before", 1, 1, 1, 1] == run.state.out


def test_worker_may_read_an_object_without_an_equality_of_its_own():
    """The copy that it was given is told from a changed one by what it holds."""

    class Box:
        def __init__(self) -> None:
            self.n = 1

    class Shelf(gn.State):
        boxes: list[Any]
        out: Annotated[list[int], gn.append] = []

    def spoil(box: Any) -> int:
        box.n = 5
        return 1

    def read(box: Any) -> int:
        return box.n

    def shelf(worker: Any) -> gn.Graph:
        graph = gn.Graph(Shelf, entry="each")
        graph.fan_out("each", worker, over="boxes", into="out", to=gn.END)
        return graph

    assert [1, 1] == shelf(read).run(boxes=[Box(), Box()]).state.out
    with pytest.raises(gn.NodeException, match="tried to change field 'boxes' in place"):
        shelf(spoil).run(boxes=[Box()])
