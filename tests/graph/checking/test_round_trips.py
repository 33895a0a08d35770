"""Fields that go into a node and come back into themselves through a reducer that counts them twice."""

import operator
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.graph.checking.round_trips import RoundTrip, round_trips_of
from graphnb.state.schema import schema_of


class Parent(gn.State):
    items: list[Any] = []
    appended: Annotated[list[Any], gn.append] = []
    flat: Annotated[list[Any], gn.concat_flatten] = []
    bounded: Annotated[list[Any], gn.bounded_append(9)] = []
    merged_all: Annotated[dict[str, Any], gn.merge_all] = {}
    merged: Annotated[dict[str, Any], gn.merge] = {}
    keyed: Annotated[list[Any], gn.merge_by_key(str)] = []
    deduped: Annotated[list[Any], gn.dedupe_append()] = []
    last: Annotated[list[Any], gn.last_write_wins] = []
    own: Annotated[list[Any], operator.add] = []
    bare: list[Any] = []


class Child(Parent):
    other: list[Any] = []
    more: list[Any] = []


COUNTS_TWICE = ("appended", "flat", "bounded", "merged_all")
HARMLESS = ("merged", "keyed", "deduped", "last", "own", "bare")
PARENT = schema_of(Parent)


def child() -> gn.Graph:
    """A graph that changes nothing."""
    graph = gn.Graph(Child, entry="a", name="child")
    graph.node("a", lambda s: {}, to=gn.END)
    return graph


def trips(declare: Any) -> list[tuple[str, str, str]]:
    """Field, child field and channel of the round trips of the node that is declared."""
    graph = gn.Graph(Parent, entry="n", name="parent")
    declare(graph)
    return [(each.field, each.child, each.channel) for each in round_trips_of(graph.spec().nodes["n"], PARENT)]


def subgraph(**options: Any) -> list[tuple[str, str, str]]:
    """Those of a subgraph."""
    return trips(lambda graph: graph.subgraph("n", child(), **options, to=gn.END))


def fan_out(worker: Any = None, **options: Any) -> list[tuple[str, str, str]]:
    """Those of a fan-out."""
    return trips(lambda graph: graph.fan_out("n", worker or child(), **options, to=gn.END))


def branches(**options: Any) -> list[tuple[str, str, str]]:
    """Those of a branch."""
    return trips(lambda graph: graph.branches("n", {"left": gn.ParallelBranch(child(), **options)}, to=gn.END))


MAPS = "inputs and outputs"
SETS = "projects_in and projects_out"


@pytest.mark.parametrize("field", COUNTS_TWICE)
def test_field_that_comes_back_through_a_reducer_that_adds_is_found(field):
    """By name matching, by maps, by sets."""
    assert [(field, field, MAPS)] == subgraph(inputs={field: field})
    assert [(field, "other", MAPS)] == subgraph(inputs={"other": field}, outputs={field: "other"})
    assert [(field, field, SETS)] == subgraph(projects_in=(field,), projects_out=(field,))


@pytest.mark.parametrize("field", HARMLESS)
def test_reducer_that_can_take_it_twice_is_no_matter(field):
    """Nor is one of the user's own, of which nobody knows."""
    assert [] == subgraph(inputs={field: field})
    assert [] == subgraph(projects_in=(field,), projects_out=(field,))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"outputs": {"appended": "appended"}},
        {"inputs": {"appended": "appended"}, "outputs": {}},
        {"inputs": {"other": "appended"}},
        {"inputs": {"other": "appended"}, "outputs": {"appended": "more"}},
        {"inputs": {"other": "flat"}, "outputs": {"appended": "other"}},
        {"projects_in": ("appended",)},
        {"projects_out": ("appended",)},
        {"projects_in": ("appended",), "projects_out": ("flat",)},
    ],
    ids=repr,
)
def test_field_that_goes_one_way_or_comes_back_as_another_is_no_matter(options):
    """In but not out, out but not in, out through another child field, or into another parent field."""
    assert [] == subgraph(**options)


def test_several_fields_are_found_in_the_order_in_which_they_come_back():
    """Each once."""
    assert [("flat", "flat", SETS), ("appended", "appended", SETS)] == subgraph(
        projects_in=("appended", "flat"), projects_out=("flat", "appended")
    )


@pytest.mark.parametrize("field", COUNTS_TWICE)
def test_fan_out_has_its_own_channels(field):
    """Inputs with extra outputs, inputs with what is collected, and the item with what is collected."""
    extra = fan_out(count=1, inputs={"other": field}, collect="more", into="items", extra_outputs={field: "other"})
    collected = fan_out(count=1, inputs={"other": field}, collect="other", into=field)

    assert [(field, "other", "inputs and extra_outputs")] == extra
    assert [(field, "other", "inputs and collect")] == collected


def test_items_that_are_collected_into_themselves_are_found():
    """Item field and collected field are one, and so are the list and the target."""
    assert [("appended", "other", "item and collect")] == fan_out(
        over="appended", item="other", collect="other", into="appended"
    )
    assert [] == fan_out(over="appended", item="other", collect="more", into="appended")
    assert [] == fan_out(over="appended", item="other", collect="other", into="flat")


def test_function_as_a_worker_collects_no_item():
    """Its `collect` names an entry of what it returns, not a field; its inputs are parameters all the same."""
    assert [] == fan_out(lambda item: {"other": item}, over="appended", collect="other", into="appended")
    assert [] == fan_out(lambda item: item, over="appended", into="appended")


@pytest.mark.filterwarnings("ignore:.*it has no outputs")
def test_branch_follows_the_rule_of_maps():
    """It has no name matching: without outputs nothing comes back."""
    assert [("appended", "other", "branch 'left', inputs and outputs")] == branches(
        inputs={"other": "appended"}, outputs={"appended": "other"}
    )
    assert [] == branches(inputs={"appended": "appended"})
    assert [] == branches(outputs={"appended": "appended"})


def test_function_as_a_node_or_branch_has_no_round_trip():
    """It is given the state, and returns what it wants to be folded."""
    graph = gn.Graph(Parent, entry="n")
    graph.node("n", lambda s: {}, to="m")
    graph.branches("m", {"left": lambda s: {}}, to=gn.END)

    assert [(), ()] == [round_trips_of(node, PARENT) for node in graph.spec().nodes.values()]


def test_undeclared_fields_are_left_to_the_checks():
    """Nothing is found, and nothing fails."""
    assert [] == subgraph(inputs={"other": "nowhere"}, outputs={"nowhere": "other"})


def test_warning_says_field_reducer_channel_and_mend():
    """Where the graph is compiled; the graph runs as it would."""
    graph = gn.Graph(Parent, entry="n", name="parent")
    graph.subgraph("n", child(), inputs={"appended": "appended"}, outputs={"appended": "appended"}, to=gn.END)
    with pytest.warns(gn.ProjectionRoundTripWarning) as caught:
        run = graph.run(appended=[1])
    warning = caught[0].message

    assert 1 == len(caught)
    assert ("projection_reducer_round_trip", "appended", "append", MAPS) == (
        warning.category, warning.field, warning.reducer, warning.channel
    )  # fmt: skip
    assert (
        "graph 'parent', node 'n': field 'appended' goes in as 'appended' and comes back into itself "
        "(inputs and outputs), where append adds all of it once more. "
        "Give back what is new under a field of its own, or use a reducer that can take it twice (merge_by_key)."
    ) == str(warning)
    assert [1, 1] == run.state.appended


def test_warnings_of_inner_graphs_are_told_with_the_outer_ones():
    """At any depth, each with its own graph's name."""
    inner = gn.Graph(Parent, entry="n", name="inner")
    inner.subgraph("n", child(), inputs={"flat": "flat"}, to=gn.END)
    outer = gn.Graph(Parent, entry="m", name="outer")
    outer.branches("m", {"left": gn.ParallelBranch(inner, outputs={})}, to=gn.END)
    with pytest.warns(gn.ProjectionRoundTripWarning, match="graph 'inner', node 'n': field 'flat'"):
        outer.compile()


def test_trip_tells_its_fault_and_mend():
    """As texts of their own, for drawings."""
    trip = RoundTrip("n", "log", "lines", "append", "inputs and outputs")

    assert "field 'log' goes in as 'lines' and comes back into itself (inputs and outputs)" in trip.what
    assert trip.mend.startswith("Give back what is new under a field of its own")


def test_mend_of_a_sum_is_not_one_for_lists() -> None:
    """Items by key are of no use to a number."""

    class Counted(gn.State):
        total: Annotated[int, gn.step.sum] = 1
        log: Annotated[list[str], gn.append] = []

    inner = gn.Graph(Counted, entry="n", name="inner")
    inner.node("n", lambda s: {}, to=gn.END)
    graph = gn.Graph(Counted, entry="x")
    same = {"total": "total", "log": "log"}
    graph.subgraph("x", inner, inputs=same, outputs=same, to=gn.END)
    of_total, of_log = (each.mend for each in graph.check())

    assert "Give back what is to be added under a field of its own, or start that of the child from 0." == of_total
    assert "merge_by_key" in of_log
