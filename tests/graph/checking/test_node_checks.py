"""Faults of nodes that run graphs or several functions, beside those of plain graphs."""

from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.graph.checking.node_checks import branch_faults, branches_faults, fan_out_faults, subgraph_faults
from graphnb.graph.spec import BranchesNode, FanOutNode, ParallelBranch, SubgraphNode
from graphnb.state.projection import Projection
from graphnb.state.schema import schema_of


class Parent(gn.State):
    items: list[int] = []
    n: int = 0
    out: Annotated[list[Any], gn.append] = []
    errors: list[Any] = []


class Child(gn.State):
    n: int = 0
    item: int = 0
    value: int = 0


PARENT = schema_of(Parent)


def child() -> gn.Graph:
    """A graph that changes nothing."""
    graph = gn.Graph(Child, entry="a", name="child")
    graph.node("a", lambda s: {}, to=gn.END)
    return graph


def told(faults: Any) -> list[tuple[str, str, str]]:
    """Category, place and fault of each."""
    return [(each.category, each.where, each.what) for each in faults]


def of_subgraph(**projection: Any) -> list[tuple[str, str, str]]:
    """Those of a subgraph with this projection."""
    return told(subgraph_faults(SubgraphNode("n", child(), Projection(**projection)), "here", parent=PARENT))


def of_branches(branches: Any, **options: Any) -> list[tuple[str, str, str]]:
    """Those of parallel branches."""
    found = [*branches_faults(BranchesNode("n", branches, **options), "here", parent=PARENT)]
    for name, branch in branches.items():
        found += branch_faults(branch, f"here, branch '{name}'", parent=PARENT)
    return told(found)


def of_fan_out(*layers: Any, **options: Any) -> list[tuple[str, str, str]]:
    """Those of a fan-out within instance middleware."""
    defaults = {"over": "items", "item": "item", "collect": "value", "into": "out"}
    node = FanOutNode("n", options.pop("worker", child()), **{**defaults, **options}, instance_middleware=layers)
    return told(fan_out_faults(node, "here", parent=PARENT))


@pytest.mark.parametrize(
    "projection",
    [
        {},
        {"inputs": {"n": "n"}},
        {"inputs": {}, "outputs": {}},
        {"projects_in": ("n",)},
        {"projects_in": ("n",), "projects_out": ()},
    ],
    ids=repr,
)
def test_one_form_of_projection_is_no_fault(projection):
    """Nothing, maps, or sets, empty ones included."""
    assert [] == of_subgraph(**projection)


@pytest.mark.parametrize("maps", [{"inputs": {"n": "n"}}, {"inputs": {}}, {"outputs": {}}], ids=repr)
@pytest.mark.parametrize("sets", [{"projects_in": ("n",)}, {"projects_in": ()}, {"projects_out": ()}], ids=repr)
def test_maps_and_sets_together_are_a_conflict(maps, sets):
    """That they were given counts, not what is in them."""
    faults = of_subgraph(**maps, **sets)

    assert [
        (
            "conflicting_projection_forms",
            "here",
            "has maps (inputs, outputs) and sets (projects_in, projects_out)",
        )
    ] == faults


@pytest.mark.parametrize("option", ["projects_in", "projects_out"])
def test_name_of_a_set_has_to_be_declared_on_both_sides(option):
    """Each side that lacks it is a fault."""
    category = "mapping_references_undeclared_field"

    assert [(category, "here", f"{option} names 'out', which is no field of Child")] == of_subgraph(
        **{option: ("out",)}
    )
    assert [(category, "here", f"{option} names 'value', which is no field of Parent")] == of_subgraph(
        **{option: ("value",)}
    )
    assert 2 == len(of_subgraph(**{option: ("nowhere",)}))


def test_conflict_is_found_when_the_graph_is_compiled():
    """With its category and a mend."""
    graph = gn.Graph(Parent, entry="n", name="g")
    graph.subgraph("n", child(), inputs={"n": "n"}, projects_out=("n",), to=gn.END)
    with pytest.raises(gn.ConflictingProjectionForms, match=r"graph 'g', node 'n': .*\nUse one of the two forms"):
        graph.compile()


def test_branches_need_one():
    """An empty mapping is a fault."""
    assert [("parallel_branches_no_branches", "here", "has no branches")] == of_branches({})


def test_sound_branches_have_no_faults():
    """A function, and a graph that says what it gives; a field for the errors that are collected."""
    branches = {
        "left": ParallelBranch(len),
        "right": ParallelBranch(child(), inputs={"n": "n"}, outputs={"n": "value"}),
        "none": ParallelBranch(child(), outputs={}),
    }

    assert [] == of_branches(branches, error_policy="collect", errors_into="errors")


@pytest.mark.parametrize("worker", [None, 5, "child"])
def test_branch_that_is_neither_graph_nor_function_is_a_fault(worker):
    """With its type."""
    assert [("parallel_branches_invalid_branch_spec", "here, branch 'left'")] == [
        each[:2] for each in of_branches({"left": ParallelBranch(worker)})
    ]


@pytest.mark.parametrize("maps", [{"inputs": {}}, {"outputs": {}}, {"inputs": {"n": "n"}}], ids=repr)
def test_function_as_a_branch_has_no_maps(maps):
    """It is given the parent's state, and returns the parent's fields."""
    assert [
        (
            "parallel_branches_invalid_branch_spec",
            "here, branch 'left'",
            "is a function, which is given the parent's state and has no inputs or outputs",
        )
    ] == of_branches({"left": ParallelBranch(len, **maps)})


def test_graph_as_a_branch_may_give_nothing():
    """The specification lets it contribute nothing (pipeline-utilities §11); the notebook warns of it."""
    assert [] == of_branches({"left": ParallelBranch(child())})


def test_names_in_the_maps_of_a_branch_have_to_be_declared():
    """On their own side, the child's before the parent's as they are written."""
    branch = ParallelBranch(child(), inputs={"no": "nor"}, outputs={"nor": "no"})

    assert [
        "inputs names 'no', which is no field of Child", "inputs names 'nor', which is no field of Parent",
        "outputs names 'nor', which is no field of Parent", "outputs names 'no', which is no field of Child",
    ] == [what for _, _, what in of_branches({"left": branch})]  # fmt: skip


def test_field_for_the_errors_of_branches_is_checked():
    """It has to be declared, and of use."""
    good = {"left": ParallelBranch(len)}

    assert [("mapping_references_undeclared_field", "errors_into names 'nowhere', which is no field of Parent")] == [
        (category, what) for category, _, what in of_branches(good, error_policy="collect", errors_into="nowhere")
    ]
    assert [("invalid_declaration", "errors_into 'errors' receives nothing: error_policy 'fail_fast' raises")] == [
        (category, what) for category, _, what in of_branches(good, errors_into="errors")
    ]


def test_fault_within_a_branch_gets_the_whole_place():
    """Of the graph that it runs."""
    inner = gn.Graph(Child, entry="a", name="inner")
    inner.node("a", lambda s: {})
    graph = gn.Graph(Parent, entry="n", name="g")
    graph.branches("n", {"left": gn.ParallelBranch(inner, outputs={"n": "n"})}, to=gn.END)
    with pytest.raises(gn.MissingOutgoingEdge, match="graph 'g', node 'n', graph 'inner'"):
        graph.compile()


DEGRADED = "fan_out_degraded_update_missing_collect_field"


@pytest.mark.parametrize(
    ("update", "is_fault"),
    [({"value": 1}, False), ({"value": None, "n": 2}, False), ({}, True), ({"n": 2}, True), (lambda s: {}, False)],
    ids=["has it", "has a null", "empty", "another", "function"],
)
def test_static_degrade_has_to_have_what_is_collected(update, is_fault):
    """What a function makes of the state cannot be checked before."""
    layer = gn.failure_isolation(update, event_name="lost")

    assert ([DEGRADED] if is_fault else []) == [category for category, _, _ in of_fan_out(layer)]


def test_static_degrade_is_told_with_what_it_lacks():
    """By layer and update."""
    layer = gn.failure_isolation({"n": 2}, event_name="lost")

    assert [
        (DEGRADED, "here", "failure_isolation('lost') replaces a failed instance by {'n': 2}, which lacks 'value'")
    ] == of_fan_out(gn.retry(), layer, lambda s, following: following(s))


def test_degrade_of_a_fan_out_that_collects_nothing_lacks_nothing():
    """A bare worker's value is the update itself; extra outputs may be null."""
    layer = gn.failure_isolation({"n": 2}, event_name="lost")

    assert [] == of_fan_out(layer, worker=len, item=None, collect=None)
    assert [] == of_fan_out(layer, collect=None, into=None, extra_outputs={"out": "value"})


def test_degrade_around_the_whole_fan_out_is_no_instances():
    """It is one of the parent's fields."""
    node = FanOutNode(
        "n", child(), over="items", item="item", collect="value", into="out",
        middleware=(gn.failure_isolation({"out": []}, event_name="lost"),),
    )  # fmt: skip

    assert [] == told(fan_out_faults(node, "here", parent=PARENT))
