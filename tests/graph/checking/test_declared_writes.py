"""What nodes write, as far as their declarations tell."""

import functools
from typing import Annotated, Any

import pytest
from pydantic import field_validator
from typing_extensions import TypedDict

import graphnb as gn
from graphnb.graph.checking.declared_writes import DeclaredWrite, writes_of


class Parent(gn.State):
    items: list[str] = []
    words: list[str] = []
    rows: list[dict[str, str]] = []
    count: int = 0
    log: list[str] = []


class Child(gn.State):
    item: str = ""
    words: list[str] = []
    other: int = 0


class Checked(Child):
    @field_validator("other")
    @classmethod
    def check(cls, other: int) -> int:
        return other


class Update(TypedDict, total=False):
    words: list[str]
    elsewhere: int
    count: Annotated[int, "how many"]


class Given(TypedDict):
    words: list[str]


def split(item: str) -> list[str]:
    """A worker that gives lists."""
    return item.split()


def update(s: Any) -> Update:
    """A node that says what it writes."""
    return {}


def fields(item: str) -> Update:
    """A worker that gives fields."""
    return {}


def unknown(item: str) -> "Nowhere":  # type: ignore[name-defined]  # noqa: F821
    """A worker whose annotation cannot be evaluated."""
    return None


def silent(item: str):  # type: ignore[no-untyped-def]
    """A worker without an annotation."""
    return


async def later(item: str) -> list[str]:
    """A worker that is awaited."""
    return []


class Worker:
    def __call__(self, item: str) -> list[int]:
        return []


def around(s: Any, next: Any) -> Any:  # noqa: A002
    """Middleware that changes nothing."""
    return next(s)


def child(state: type = Child) -> gn.Graph:
    """A graph that changes nothing."""
    graph = gn.Graph(state, entry="a", name="child")
    graph.node("a", lambda s: {}, to=gn.END)
    return graph


def written(declare: Any, state: type = Parent, **options: Any) -> list[DeclaredWrite]:
    """What the node that is declared writes."""
    graph = gn.Graph(state, entry="x", **options)
    declare(graph)
    spec = graph.spec()
    return list(writes_of(spec.nodes["x"], spec))


def fan_out(worker: Any, **options: Any) -> list[tuple[str, Any, str]]:
    """Field, type and option of what a fan-out writes."""
    found = written(lambda graph: graph.fan_out("x", worker, over="items", **options))
    return [(each.field, each.type, each.option) for each in found]


def test_subgraph_writes_what_it_puts_out() -> None:
    """By name, by a map, by sets; the types are those of its fields, unless validators may make anything of them."""
    by_name = written(lambda graph: graph.subgraph("x", child()))
    outputs = {"log": "words", "nothing": "words", "count": "no"}
    by_map = written(lambda graph: graph.subgraph("x", child(), outputs=outputs))
    checked = written(lambda graph: graph.subgraph("x", child(Checked)))

    assert [DeclaredWrite("words", list[str], "outputs")] == by_name
    assert [DeclaredWrite("log", list[str], "outputs")] == by_map
    assert [DeclaredWrite("words", Any, "outputs")] == checked


def test_fan_out_over_a_function_writes_lists_of_what_it_returns() -> None:
    """Whatever kind of callable it is; without an annotation, of anything."""
    for worker in (split, later, functools.partial(split)):
        assert [("words", list[list[str]], "into")] == fan_out(worker, into="words")
    assert [("words", list[list[int]], "into")] == fan_out(Worker(), into="words")
    for worker in (silent, unknown, str):
        assert [("words", list[Any], "into")] == fan_out(worker, into="words")


def test_fan_out_collects_keys_of_what_a_function_returns() -> None:
    """With `extra_outputs` and no `collect`, nothing goes into `into`."""
    extra = {"log": "elsewhere", "rows": "nothing"}

    assert [("words", list[int], "into")] == fan_out(fields, collect="count", into="words")
    assert [("log", list[int], "extra_outputs"), ("rows", list[Any], "extra_outputs")] == fan_out(
        fields, extra_outputs=extra, into="words"
    )
    assert [("log", list[int], "extra_outputs")] == fan_out(fields, extra_outputs={"log": "count"})


def test_fan_out_over_a_graph_collects_its_fields() -> None:
    """Each as a list; further outputs of every fan-out are its count and its errors."""
    found = fan_out(
        child(), item="item", collect="words", into="words", extra_outputs={"log": "other"}, count_into="count",
        errors_into="rows", error_policy="collect",
    )  # fmt: skip

    assert [
        ("words", list[list[str]], "into"),
        ("log", list[int], "extra_outputs"),
        ("rows", list[dict[str, str]], "errors_into"),
        ("count", int, "count_into"),
    ] == found
    assert [("count", int, "count_into")] == fan_out(split, count_into="count", errors_into="rows")


def test_middleware_hides_what_is_written() -> None:
    """A function may change the update; what graphnb makes does not."""

    def retried(graph: gn.Graph) -> None:
        graph.fan_out("x", split, over="items", into="words", middleware=gn.retry(2))

    def changed(graph: gn.Graph) -> None:
        graph.fan_out("x", split, over="items", into="words", middleware=around)

    assert 1 == len(written(retried))
    assert [] == written(changed)
    assert [] == written(retried, middleware=[around])
    assert [("words", list[Any], "into")] == fan_out(split, into="words", instance_middleware=around)


def test_branches_write_what_each_of_them_gives() -> None:
    """Graphs by their outputs, functions by their return type; none where its middleware may change it."""
    branches = {
        "graph": gn.ParallelBranch(child(), outputs={"log": "words"}),
        "nothing": gn.ParallelBranch(child(), outputs={}),
        "function": update,
        "silent": silent,
        "hidden": gn.ParallelBranch(update, middleware=(around,)),
    }
    found = written(lambda graph: graph.branches("x", branches))

    told = [("graph", "log"), ("function", "words"), ("function", "count")]
    assert told == [(each.branch, each.field) for each in found]


def test_function_writes_the_keys_of_what_it_returns() -> None:
    """If that is a TypedDict, and not the whole state; keys that are no fields are left out."""
    found = written(lambda graph: graph.node("x", update))

    assert [("words", list[str]), ("count", int)] == [(each.field, each.type) for each in found]
    assert [] == written(lambda graph: graph.node("x", silent))

    def whole(s: Any) -> Given:
        return {"words": []}

    assert [] == written(lambda graph: graph.node("x", whole), state=Given)
    assert 1 == len(written(lambda graph: graph.node("x", whole)))


def test_branch_without_outputs_writes_nothing() -> None:
    """It is warned of where it is declared."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [] == written(lambda graph: graph.branches("x", {"a": gn.ParallelBranch(child())}))
        assert [] == fan_out(child(), item="item", into="words")


class Array:
    """What cannot be compared, as an array cannot."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("ambiguous")

    __hash__ = None  # type: ignore[assignment]


class Broken(TypedDict):
    words: "Nowhere"  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize("annotation", [Array(), 3, None, [1], Broken])
def test_strange_annotation_tells_nothing(annotation: Any) -> None:
    """It may be any object, or name what is not there."""

    def work(item: str) -> Any:
        return None

    work.__annotations__["return"] = annotation

    assert [] == written(lambda graph: graph.node("x", work))
    ((field, kind, _),) = fan_out(work, into="words")
    assert "words" == field
    assert kind == list[Broken if annotation is Broken else Any if annotation is not None else type(None)]
    assert [("words", list[Any], "into")] == fan_out(work, collect="words", into="words")


def test_race_says_who_has_won_and_who_has_lost():
    """What was won is of the type of any candidate, which tells nothing."""
    graph = gn.Graph(Parent, entry="race")
    graph.race("race", [split], brief="a b", into="log", winner_into="count", failures_into="rows", to=gn.END)
    spec = graph.spec()

    assert (
        DeclaredWrite("count", str | None, "winner_into"),
        DeclaredWrite("rows", list[dict[str, Any]], "failures_into"),
    ) == (writes_of(spec.nodes["race"], spec))
    bare = gn.Graph(Parent, entry="race")
    bare.race("race", [split], brief="a b", into="log", to=gn.END)
    assert () == writes_of(bare.spec().nodes["race"], bare.spec())


def test_delegates_that_give_the_same_tell_what_is_collected():
    """One list of what each of them gives; where they differ, or may leave None, nothing is sure."""

    def both(*delegates: Any, **options: Any) -> tuple[DeclaredWrite, ...]:
        graph = gn.Graph(Parent, entry="ask")
        graph.delegates("ask", delegates, briefs="a b", **{"into": "words", **options}, to=gn.END)
        return writes_of(graph.spec().nodes["ask"], graph.spec())

    assert (DeclaredWrite("words", list[list[str]], "into", list[str], unit="delegate"),) == both(split, split)
    assert (DeclaredWrite("words", list[Any], "into", Any, unit="delegate"),) == both(split, len)
    assert (
        DeclaredWrite("words", list[Any], "into", Any, unit="delegate"),
        DeclaredWrite("rows", list[dict[str, Any]], "errors_into"),
    ) == both(split, on_error="keep", errors_into="rows")


def test_unfit_list_of_delegates_is_told_before_anything_runs():
    """With the word for them."""
    graph = gn.Graph(Parent, entry="ask")
    graph.delegates("ask", [split, split], briefs="a b", into="words", to=gn.END)

    (told,) = [each.message for each in graph.check() if each.code == "unfit_write"]
    assert "one list[str] per delegate" in told
