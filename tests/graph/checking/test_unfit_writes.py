"""Writes that the reducer of their field cannot fold, by the types alone."""

import operator
import warnings
from typing import Annotated, Any, Literal, get_origin

import pytest
from pydantic import BaseModel, Field, create_model, field_validator
from typing_extensions import TypedDict

import graphnb as gn
from graphnb import step
from graphnb.graph.checking.field_checks import field_problems_of
from graphnb.graph.checking.unfit_writes import UnfitWrite, unfit_writes_of


class Model(BaseModel):
    n: int = 0


def append(prior: Any, update: Any) -> Any:
    """A reducer of a user's own that bears a known name."""
    return update


def unfit(kind: Any, worker: type, **options: Any) -> tuple[UnfitWrite, ...]:
    """Those of a fan-out whose instances give values of the type `worker` into a field of the type `kind`."""

    def work(item: Any) -> Any:
        return None

    work.__annotations__["return"] = worker
    state = create_model("S", __base__=gn.State, items=(list[int], []), f=(kind, gn.UNSET))
    graph = gn.Graph(state, entry="x", name="g")
    graph.fan_out("x", work, over="items", **({"into": "f"} | options), to=gn.END)
    spec = graph.spec()
    return unfit_writes_of(spec.nodes["x"], spec)


LIST, DICT = list[str], dict[str, int]
UNFIT = {
    "append of lists": (
        Annotated[LIST, gn.append], LIST, "append adds each list[str] as one item, and a list[str] has no such items",
        "Declare f: Annotated[list[str], gn.concat_flatten]. It opens exactly one level.",
    ),
    "bounded_append of lists": (
        Annotated[LIST, gn.bounded_append(3)], LIST, "bounded_append(max_len=3) adds each list[str] as one item",
        "gn.concat_flatten",
    ),
    "dedupe_append of lists": (Annotated[LIST, gn.dedupe_append()], LIST, "adds each list[str]", "gn.concat_flatten"),
    "merge_by_key of lists": (Annotated[LIST, gn.merge_by_key(str)], LIST, "adds each list[str]", "concat_flatten"),
    "append of other lists": (
        Annotated[LIST, gn.append], list[DICT], "append adds each list[dict[str, int]] as one item",
        "Declare f: Annotated[list[dict[str, int]], gn.concat_flatten].",
    ),
    "append of dicts": (
        Annotated[LIST, gn.append], DICT, "append adds each dict[str, int] as one item",
        "Declare f: Annotated[list[dict[str, int]], gn.append].",
    ),
    "append to a dict": (
        Annotated[DICT, step.merge], DICT, "step.merge takes a mapping, not list[dict[str, int]]",
        "Declare f: Annotated[dict[str, int], gn.merge_all]. It lays the items over one another.",
    ),
    "merge of other dicts": (
        Annotated[DICT, gn.merge], dict[str, str], "merge takes a mapping, not list[dict[str, str]]",
        "Declare f: Annotated[dict[str, str], gn.merge_all]. It lays the items over one another.",
    ),
    "append of lists of others": (
        Annotated[list[int], gn.append], list[str], "append adds each list[str] as one item",
        "Declare f: Annotated[list[str], gn.concat_flatten]. It opens exactly one level.",
    ),
    "concat_flatten of others": (
        Annotated[list[int], gn.concat_flatten], str, "a list of lists, and str is none",
        "Declare f: Annotated[list[str], gn.append].",
    ),
    "concat_flatten of what is made one": (
        Annotated[list[float], gn.concat_flatten], int, "a list of lists, and int is none",
        "Declare f: Annotated[list[float], gn.append].",
    ),
    "merge of dicts": (
        Annotated[DICT, gn.merge], DICT, "merge takes a mapping, not list[dict[str, int]]",
        "Declare f: Annotated[dict[str, int], gn.merge_all]. It lays the items over one another.",
    ),
    "append of sets": (
        Annotated[LIST, gn.append], set[str], "append adds each set[str] as one item",
        "Declare f: Annotated[list[set[str]], gn.append].",
    ),
    "concat_flatten of tuples": (
        Annotated[LIST, gn.concat_flatten], tuple[str, ...], "a list of lists, and tuple[str, ...] is none",
        "Declare f: Annotated[list[tuple[str, ...]], gn.append].",
    ),
    "merge of anything": (
        Annotated[DICT, gn.merge], Any, "merge takes a mapping, not list[Any]",
        "gn.merge_all]. It lays the items over one another, which have to be dicts.",
    ),
    "merge of numbers": (
        Annotated[DICT, gn.merge], int, "merge takes a mapping, not list[int]",
        "Declare f: Annotated[list[int], gn.append].",
    ),
    "concat_flatten of numbers": (
        Annotated[list[int], gn.concat_flatten], int, "concat_flatten takes a list of lists, and int is none",
        "Declare f: Annotated[list[int], gn.append].",
    ),
    "concat_flatten of dicts": (
        Annotated[list[DICT], gn.concat_flatten], DICT, "concat_flatten takes a list of lists",
        "Declare f: Annotated[list[dict[str, int]], gn.append].",
    ),
    "concat_flatten of deeper lists": (
        Annotated[LIST, gn.concat_flatten], list[LIST], "concat_flatten adds each list[str] as one item",
        "Declare f: Annotated[list[list[str]], gn.concat_flatten].",
    ),
    "merge_all of numbers": (
        Annotated[DICT, gn.merge_all], int, "merge_all takes a list of mappings, and int is none",
        "Declare f: Annotated[list[int], gn.append].",
    ),
    "merge_all of lists": (
        Annotated[DICT, gn.merge_all], LIST, "merge_all takes a list of mappings, and list[str] is none",
        "Declare f: Annotated[list[str], gn.concat_flatten].",
    ),
    "merge_all of models": (
        Annotated[DICT, gn.merge_all], Model, "merge_all takes a list of mappings, and Model is none",
        "Declare f: Annotated[list[Model], gn.append].",
    ),
    "step.append of lists": (
        Annotated[LIST, step.append], LIST, "step.append adds each list[str] as one item", "gn.concat_flatten",
    ),
    "step.union of lists": (Annotated[LIST, step.union], LIST, "step.union adds each", "gn.concat_flatten"),
    "step.sum of numbers": (
        Annotated[int, step.sum], int, "step.sum takes a number, not list[int]",
        "Declare f: Annotated[list[int], gn.append].",
    ),
    "nothing declared": (str, str, "a str cannot hold that", "Declare f: Annotated[list[str], gn.append]."),
    "a list of lists in a list": (
        LIST, LIST, "a list[str] cannot hold that", "Declare f: Annotated[list[str], gn.concat_flatten].",
    ),
    "step.last_value": (Annotated[str, step.last_value], str, "a str cannot hold that", "gn.append"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "worker", "why", "mend"), UNFIT.values(), ids=UNFIT.keys())
def test_write_that_cannot_be_folded_is_told(kind: Any, worker: Any, why: str, mend: str) -> None:
    """With the type and the reducer that would take it; certain if the worker says what it gives."""
    (found,) = unfit(kind, worker)

    assert ("x", "f", worker is not Any) == (found.node, found.field, found.is_certain)
    assert found.what.startswith("into gives field 'f' a list[")
    assert why in found.what
    assert mend in found.mend


@pytest.mark.parametrize(
    ("kind", "worker"),
    [
        (Annotated[LIST, gn.append], str),
        (Annotated[list[LIST], gn.append], LIST),
        (Annotated[list[Any], gn.append], LIST),
        (Annotated[list, gn.append], LIST),
        (Annotated[LIST, gn.append], Any),
        (Annotated[LIST, gn.append], LIST | str),
        (Annotated[list[Model], gn.append], DICT),
        (Annotated[LIST, gn.concat_flatten], LIST),
        (Annotated[LIST, gn.concat_flatten], LIST | None),
        (Annotated[LIST, gn.concat_flatten], Any),
        (Annotated[DICT, gn.merge_all], DICT),
        (Annotated[DICT, gn.merge_all], Any),
        (Annotated[list[LIST], step.append], LIST),
        (Annotated[LIST, step.append], str),
        (LIST, str),
        (LIST, int),
        (Any, LIST),
        (Annotated[int, operator.add], LIST),
        (Annotated[list[str], append], LIST),
    ],
)
def test_write_that_may_be_folded_is_not_told(kind: Any, worker: Any) -> None:
    """Also where nothing is known: custom reducers, `Any`, several kinds of values."""
    assert () == unfit(kind, worker)


@pytest.mark.parametrize("worker", [str, list[str], dict[str, int], Model, set[str], tuple[str, ...]])
@pytest.mark.parametrize(
    "reducer", [gn.append, gn.concat_flatten, gn.merge_all, gn.merge, step.append, gn.last_write_wins]
)
@pytest.mark.parametrize(
    "kind",
    [
        list[str], dict[str, int], list[list[str]], list[dict[str, int]], list[Model],
        set[str], tuple[str, ...], list[set[str]], list[tuple[str, ...]],
    ],
)  # fmt: skip
def test_what_is_told_fails_when_it_runs(worker: Any, reducer: Any, kind: Any) -> None:
    """And what is not told runs, where types say everything: no mistake is missed, and none is made up."""
    values: dict[Any, Any] = {str: "a", list[str]: ["a"], dict[str, int]: {"a": 1}, Model: Model()}
    values |= {set[str]: {"a"}, tuple[str, ...]: ("a",)}
    start: Any = get_origin(kind)()
    if reducer is step.append and not isinstance(start, list):
        return  # refused where the class is read

    def work(item: int) -> Any:
        return values[worker]

    work.__annotations__["return"] = worker
    state = create_model("S", __base__=gn.State, items=(list[int], [1]), f=(Annotated[kind, reducer], start))
    graph = gn.Graph(state, entry="x", name="g")
    graph.fan_out("x", work, over="items", into="f", to=gn.END)
    spec = graph.spec()
    has_bad_pair = "reducer_schema_mismatch" in [each.code for each in field_problems_of(spec.schema)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            graph.run()
            is_fine = True
        except gn.RunError:
            is_fine = False

    assert is_fine == (unfit_writes_of(spec.nodes["x"], spec) == () and not has_bad_pair)


class Child(gn.State):
    letters: list[str] = []
    table: dict[str, int] = {}
    n: int = 0
    model: Model = Model()


class Parent(gn.State):
    letters: Annotated[list[str], gn.concat_flatten] = []
    table: Annotated[dict[str, int], gn.merge_all] = {}
    n: Annotated[dict[str, int], gn.merge] = {}
    model: Annotated[Model, step.merge]
    more: Annotated[list[str], gn.append] = []


def child() -> gn.Graph:
    """A graph that changes nothing."""
    graph = gn.Graph(Child, entry="a", name="child")
    graph.node("a", lambda s: {}, to=gn.END)
    return graph


def found_in(declare: Any, state: type = Parent) -> list[UnfitWrite]:
    """Those of the node that is declared."""
    graph = gn.Graph(state, entry="x", name="g")
    declare(graph)
    spec = graph.spec()
    return list(unfit_writes_of(spec.nodes["x"], spec))


def test_what_a_subgraph_puts_out_is_told_too() -> None:
    """It is not certain: a list may be empty."""
    found = found_in(lambda graph: graph.subgraph("x", child()))

    assert [
        "outputs gives field 'letters' a list[str]: concat_flatten takes a list of lists, and str is none",
        "outputs gives field 'table' a dict[str, int]: merge_all takes a list, not dict[str, int]",
        "outputs gives field 'n' a int: merge takes a mapping, not int",
    ] == [each.what for each in found]
    assert [
        "Declare letters: Annotated[list[str], gn.append].",
        "Declare table: Annotated[dict[str, int], gn.merge].",
        "Declare n: int, or write it to a field of that type.",
    ] == [each.mend for each in found]
    assert not any(each.is_certain for each in found)


def test_branch_is_named() -> None:
    """A mapping that goes into a list."""
    branch = gn.ParallelBranch(child(), outputs={"more": "table"})
    (found,) = found_in(lambda graph: graph.branches("x", {"left": branch}))

    assert "branch 'left', outputs gives field 'more' a dict[str, int]: " in found.what
    assert found.what.endswith("append takes a list, not dict[str, int]")
    assert "Declare more: Annotated[dict[str, int], gn.merge]." == found.mend


def test_return_type_of_a_node_is_looked_at() -> None:
    """Of a TypedDict its keys."""

    class Update(TypedDict):
        more: str

    def node(s: Any) -> Any:
        return {}

    node.__annotations__["return"] = Update
    (found,) = found_in(lambda graph: graph.node("x", node))

    assert "return type gives field 'more' a str: append takes a list, not str" == found.what


def test_set_that_goes_into_a_list_is_to_be_written_as_one() -> None:
    """A strict reducer turns nothing into anything."""

    class Update(TypedDict):
        more: set[str]

    def node(s: Any) -> Any:
        return {}

    node.__annotations__["return"] = Update
    (found,) = found_in(lambda graph: graph.node("x", node))

    assert "return type gives field 'more' a set[str]: append takes a list, not set[str]" == found.what
    assert "Write more as a list: list(...)." == found.mend


@pytest.mark.parametrize(
    ("given", "is_told"),
    [
        (str, True), (bool, True), (str | None, True), (Literal["a", True], True), (list[int], True), (Model, True),
        (int, False), (float, False), (int | str, False), (Literal[1, "a"], False), (Any, False),
        (Annotated[int, Field(ge=0)], False),
    ],
)  # fmt: skip
def test_total_takes_numbers_alone(given: Any, is_told: bool) -> None:
    """Text would never be added up, and True is no number."""

    class Update(TypedDict):
        f: given  # type: ignore[valid-type]  # known at run time

    def node(s: Any) -> Any:
        return {"f": 1}

    node.__annotations__["return"] = Update
    graph = gn.Graph(type("S", (gn.State,), {"__annotations__": {"f": Annotated[float, step.sum]}}), entry="x")
    graph.node("x", node, to=gn.END)
    found = [each for each in graph.check() if each.code == "unfit_write"]

    assert is_told == bool(found)
    assert all("step.sum takes a number, not" in each.message for each in found)


def test_field_with_a_round_trip_has_that_one_warning() -> None:
    """It has to be mended first, and what is written is another thing then."""

    def declare(graph: gn.Graph) -> None:
        graph.subgraph("x", child(), inputs={"letters": "letters"}, outputs={"letters": "letters"})

    assert [] == found_in(declare)


def test_class_with_validators_may_turn_what_is_written() -> None:
    """Only the shape that the reducer takes is sure."""

    class Turning(gn.State):
        items: list[int] = []
        words: Annotated[list[str], gn.append] = []
        table: Annotated[dict[str, int], gn.merge] = {}

        @field_validator("words", mode="before")
        @classmethod
        def flat(cls, words: Any) -> Any:
            return words

    def work(item: int) -> list[str]:
        return []

    def fan_out(into: str) -> list[UnfitWrite]:
        return found_in(lambda graph: graph.fan_out("x", work, over="items", into=into), Turning)

    assert [] == fan_out("words")
    assert 1 == len(fan_out("table"))
