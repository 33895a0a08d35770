"""Map-reduce by itself and as a node."""

import asyncio
import functools
import threading
from typing import Annotated, Any

import pytest

import graphnb as gn


class Words(gn.State):
    words: list[str] = ["a", "bcd", "ef"]
    total: int = 0
    sizes: Annotated[list[int], gn.append] = []


class Sized(gn.State):
    item: str = ""
    result: int = 0


async def size(word: str) -> int:
    """How long it is, known after a while that is longer for short ones."""
    await asyncio.sleep(0.02 / len(word))
    return len(word)


def sizer() -> gn.Graph:
    """The same as a graph."""
    graph = gn.Graph(Sized, entry="measure")
    graph.node("measure", lambda s: {"result": len(s.item)}, to=gn.END)
    return graph


@pytest.mark.parametrize("mapper", [len, size, sizer()])
def test_reducer_is_called_once_with_all_results_in_order(mapper):
    """Whatever kind of mapper gave them, in whatever order they came."""
    seen: list[list[int]] = []

    def reduce(results: list[int]) -> int:
        seen.append(results)
        return sum(results)

    made = gn.map_reduce(["a", "bcd", "ef"], mapper, reduce)
    again = asyncio.run(gn.amap_reduce(("a", "bcd", "ef"), mapper, reduce))

    assert (6, [1, 3, 2]) == made == again
    assert [[1, 3, 2], [1, 3, 2]] == seen


def test_results_are_not_the_reducers():
    """What it does to its list does not show."""
    made = gn.map_reduce("ab", str.upper, lambda results: results.pop())

    assert ("B", ["A", "B"]) == made


def test_reducer_may_be_asynchronous():
    """It is awaited."""

    async def total(results: list[int]) -> int:
        await asyncio.sleep(0)
        return sum(results)

    assert 3 == gn.map_reduce(["a", "bc"], len, total).result


def test_no_items_are_refused_or_allowed():
    """Where they are allowed the reducer decides what that comes to."""
    with pytest.raises(gn.FanOutError, match="field 'items' is empty"):
        gn.map_reduce([], len, sum)

    assert (0, []) == gn.map_reduce([], len, sum, on_empty="noop")


def test_failures_are_told_with_their_place():
    """That of a mapper by its item, that of the reducer by its role."""
    with pytest.raises(gn.NodeException, match="instance 1 failed with ZeroDivisionError"):
        gn.map_reduce([1, 0], lambda n: 1 // n, sum)
    with pytest.raises(gn.NodeException, match="function for reducer raised TypeError"):
        gn.map_reduce([1, 2], str, sum)


def test_what_cannot_be_a_reducer_is_told_before_anything_runs():
    """A field's reducer takes two values; one that is bound to the first will do."""
    with pytest.raises(gn.InvalidDeclaration, match="reducer append is called with one argument"):
        gn.map_reduce([1], str, gn.append)
    with pytest.raises(gn.InvalidDeclaration, match="reducer is a function of the list of results, not str"):
        gn.map_reduce([1], str, "sum")

    assert ["a", "b"] == gn.map_reduce([["a"], ["b"]], list, functools.partial(gn.concat_flatten, [])).result


def words(**options: Any) -> gn.Graph:
    """A graph whose one node adds up how long the words are."""
    graph = gn.Graph(Words, entry="measure")
    graph.map_reduce("measure", len, sum, **{"over": "words", "into": "total", **options}, to=gn.END)
    return graph


def test_node_writes_the_one_value_and_the_results_where_asked_for():
    """The list is one update like that of a fan-out."""
    assert (6, []) == (words().run().state.total, words().run().state.sizes)
    run = words(results_into="sizes").run()

    assert (6, [1, 3, 2]) == (run.state.total, run.state.sizes)
    assert [("sizes", "append"), ("total", "last_write_wins")] == [
        (each.field, each.reducer) for each in run.steps[0].deltas
    ]


def test_node_over_a_graph():
    """Its options are those of a fan-out."""
    graph = gn.Graph(Words, entry="measure")
    graph.map_reduce("measure", sizer(), max, over="words", item="item", collect="result", into="total", to=gn.END)

    assert 3 == graph.run().state.total


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"into": "totl"}, "into names 'totl'"),
        ({"results_into": "sizs"}, "results_into names 'sizs'"),
        ({"into": "sizes", "results_into": "sizes"}, "fills field 'sizes' twice: by results_into and into"),
        ({"over": "total"}, "which is int"),
    ],
)
def test_fields_are_checked_when_it_is_compiled(options, told):
    """Like those of a fan-out."""
    with pytest.raises(gn.BuildError, match=told):
        words(**options).compile()


def test_reducer_may_not_ask():
    """An interrupt would be taken for the one value."""
    with pytest.raises(gn.NodeException, match=r"function for reducer raised TypeError: it returned an interrupt"):
        gn.map_reduce(["a"], len, lambda results: gn.interrupt("total"))


def test_errors_of_a_call_name_the_call_alone():
    """No graph and no node: the user has declared none."""
    lost = gn.Graph(Sized, entry="nowhere", name="lost")
    calls = [
        (lambda: gn.map_reduce(3, len, sum), "items are what the mapper is called with, one by one, not int: 3"),
        (lambda: gn.map_reduce([1], 3, sum), "a worker is a graph or a function, not int: 3"),
        (lambda: gn.map_reduce([1], str, len, concurrency=0), "concurrency is 0"),
    ]
    for call, told in calls:
        with pytest.raises(gn.InvalidDeclaration, match=f"^gn.map_reduce: {told}"):
            call()
    with pytest.raises(gn.DanglingEdge, match=r"^gn\.map_reduce, graph 'lost': entry 'nowhere' is no node") as caught:
        gn.map_reduce(["a"], lost, sum)

    assert all(each.where.startswith("gn.map_reduce") for each in caught.value.problems)


def test_what_a_reducer_gives_must_fit_its_field():
    """As its annotation tells before anything runs."""

    def joined(results: list[str]) -> list[str]:
        return results

    graph = gn.Graph(Words, entry="measure")
    graph.map_reduce("measure", str, joined, over="words", into="total", to=gn.END)

    assert "unfit_write" in [each.code for each in graph.check()]


@pytest.mark.parametrize("is_later", [False, True])
def test_mapper_has_an_item_of_its_own(is_later):
    """A plain one, which it may change and give back: the caller's is what it was."""

    def ordered(item: list[int]) -> list[int]:
        item.sort()
        return item

    async def ordered_later(item: list[int]) -> list[int]:
        return ordered(item)

    items = [[3, 1], [2]]
    made = gn.map_reduce(items, ordered_later if is_later else ordered, max)
    made.result.append(9)

    assert [[1, 3], [2, 9]] == made.results
    assert [[3, 1], [2]] == items
    assert list is type(made.result)


def test_item_that_cannot_be_copied_is_handed_on():
    """A lock, for instance; a callable object is a mapper like any other."""

    class Locked:
        def __call__(self, lock: Any) -> bool:
            return lock.acquire(blocking=False)

    lock = threading.Lock()

    assert (False, [True, False]) == gn.map_reduce([lock, lock], Locked(), all, concurrency=1)
