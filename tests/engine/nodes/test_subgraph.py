"""Nodes that run another graph on that graph's own state."""

import dataclasses
import sys
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.run import begin, execute
from graphnb.graph.plan import Plan
from tests.engine.driven import DRIVERS, watch


class Parent(gn.State):
    log: Annotated[list[str], gn.append] = []
    total: int = 0
    name: str = "parent"
    late: int = gn.UNSET


class Child(gn.State):
    log: Annotated[list[str], gn.append] = []
    total: int = 5
    own: str = "child"
    late: int = gn.UNSET


def child_graph(*, to_parent: dict[str, Any] | None = None) -> gn.Graph:
    """A child of two nodes, `a` and `b`, that each write their name; `b` writes more if asked to."""
    graph = gn.Graph(Child, entry="a", name="child")
    graph.node("a", lambda s: {"log": ["a"]}, to="b")
    graph.node("b", lambda s: {"log": ["b"], **(to_parent or {})}, to=gn.END)
    return graph


def parent_of(child: gn.Graph, **options: Any) -> gn.Graph:
    """A parent that runs the child between `first` and `last`."""
    graph = gn.Graph(Parent, entry="first", name="parent")
    graph.node("first", lambda s: {"log": ["first"]}, to="child")
    graph.subgraph("child", child, **options, to="last")
    graph.node("last", lambda s: {"log": ["last"]}, to=gn.END)
    return graph


def test_default_projection_starts_from_defaults_and_projects_every_shared_field():
    """The child sees nothing of the parent; fields it never wrote come out all the same."""
    run = parent_of(child_graph()).run(total=1)

    assert ["first", "a", "b", "last"] == run.state.log
    assert 5 == run.state.total
    assert "parent" == run.state.name


def test_unset_child_field_is_not_projected():
    """What nothing has written leaves the parent's field alone."""
    run = parent_of(child_graph()).run(late=3)

    assert 3 == run.state.late


def test_child_value_is_one_update_to_the_parent():
    """The parent's reducer gets the child's whole final list."""
    run = parent_of(child_graph()).run()
    outer = next(step for step in run.steps if step.path == "child")

    assert ["a", "b"] == next(delta.written for delta in outer.deltas if delta.field == "log")


def test_list_that_goes_in_and_comes_out_is_folded_whole():
    """The specification: the child's final value is one update, so an appending field is doubled."""
    graph = parent_of(child_graph(), inputs={"log": "log"})
    with pytest.warns(gn.ProjectionRoundTripWarning, match="field 'log' goes in as 'log' and comes back into itself"):
        run = graph.run(log=["p"])

    assert ["p", "first", "p", "first", "a", "b", "last"] == run.state.log


def test_inputs_alone_add_to_the_default_projection():
    """Listed child fields get the parent's value; all shared fields come out."""
    run = parent_of(child_graph(), inputs={"total": "total", "own": "name"}).run(total=7)
    start = next(step for step in run.steps if step.path == "child/a").before

    assert (7, "parent") == (start.total, start.own)
    assert 7 == run.state.total


def test_outputs_replace_name_matching():
    """Only listed pairs come out, under the parent's names."""
    run = parent_of(child_graph(), outputs={"name": "own"}).run()

    assert ("child", 0, ["first", "last"]) == (run.state.name, run.state.total, run.state.log)


def test_empty_outputs_project_nothing():
    """An empty mapping is a declaration, not an absence; the step is there and has written nothing."""
    run = parent_of(child_graph(), outputs={}).run()

    assert (["first", "last"], 0) == (run.state.log, run.state.total)
    assert () == next(step for step in run.steps if step.path == "child").deltas


def test_unset_parent_field_is_not_handed_in():
    """The child's own default serves."""
    run = parent_of(child_graph(), inputs={"total": "late"}).run()

    assert 5 == next(step for step in run.steps if step.path == "child/a").before.total


def test_unset_output_is_left_out():
    """A listed child field that nothing has written changes nothing."""
    run = parent_of(child_graph(), outputs={"total": "late"}).run(total=4)

    assert 4 == run.state.total


def test_value_that_the_child_refuses_is_an_error_of_the_node():
    """It says that the child could not start, and with what."""

    class Strict(gn.State):
        total: str = ""

    strict = gn.Graph(Strict, entry="a", name="strict")
    strict.node("a", lambda s: {}, to=gn.END)
    with pytest.raises(gn.StateValidationError, match="node 'child', step 1, graph 'strict'") as caught:
        parent_of(strict, inputs={"total": "total"}).run()

    assert ("total",) == caught.value.fields
    assert "child" == caught.value.node
    assert ["first"] == [step.path for step in caught.value.trace.steps]


def test_value_that_the_parent_refuses_is_an_error_of_the_node_and_keeps_the_childs_steps():
    """The child has run, and its steps can be read."""

    class Loose(gn.State):
        total: Any = "not a number"

    loose = gn.Graph(Loose, entry="a", name="loose")
    loose.node("a", lambda s: {}, to=gn.END)
    with pytest.raises(gn.StateValidationError, match=r"node 'child', step 1: total: .*not str") as caught:
        parent_of(loose).run()

    assert ["first", "child/a"] == [step.path for step in caught.value.trace.steps]
    assert ("child",) == caught.value.path


def levels(fail: bool = False) -> gn.Graph:
    """Three graphs within each other, the innermost of which may fail."""
    inner = gn.Graph(Child, entry="deep", name="inner")

    def deep(s: Any) -> dict[str, Any]:
        if fail:
            raise ValueError("no luck")
        return {"log": ["deep"], "own": "deep"}

    inner.node(deep, to=gn.END)
    middle = gn.Graph(Child, entry="before", name="middle")
    middle.node("before", lambda s: {"log": ["before"]}, to="inner")
    middle.subgraph("inner", inner, to=gn.END)
    return parent_of(middle)


def test_three_levels_are_recorded_with_path_number_and_state():
    """Inner steps are in the record, under their whole path; a subgraph itself bears its last inner number."""
    run = levels().run()

    assert [
        (0, "first"),
        (1, "child/before"),
        (2, "child/inner/deep"),
        (2, "child/inner"),
        (2, "child"),
        (3, "last"),
    ] == [(step.number, step.path) for step in run.steps]
    deep = run.steps[2]
    assert ([], ["deep"]) == (deep.before.log, deep.after.log)
    assert isinstance(deep.after, Child)
    assert ("child", "inner", "deep") == deep.namespace


def test_error_inside_leaves_unwrapped_with_its_whole_path():
    """The reported node is the inner one; the same error passes through every level."""
    with pytest.raises(
        gn.NodeException, match="graph 'inner', node 'deep', step 0: raised ValueError: no luck"
    ) as caught:
        levels(fail=True).run()

    error = caught.value
    assert ("deep", ("child", "inner", "deep")) == (error.node, error.path)
    assert isinstance(error.__cause__, ValueError)
    assert isinstance(error.recoverable_state, Child)
    assert ["first", "child/before"] == [step.path for step in error.trace.steps]
    assert ["child/inner/deep", "child/inner", "child"] == [failure.path for failure in error.trace.failures]
    assert all(failure.error is error for failure in error.trace.failures)
    assert error.trace.log.open is None  # what failed is over, not under way


def test_interrupted_child_shows_how_far_it_came():
    """After an interruption the child's finished steps are in the run, and where it was stopped, on every level."""

    def interrupt(s: Any) -> None:
        raise KeyboardInterrupt

    child = gn.Graph(Child, entry="a", name="child")
    child.node("a", lambda s: {"log": ["a"]}, to="b")
    child.node("b", interrupt, to=gn.END)
    with pytest.raises(KeyboardInterrupt) as caught:
        parent_of(child).run()

    trace = caught.value.run.trace
    assert [(0, "first"), (1, "child/a")] == [(step.number, step.path) for step in trace.steps]
    assert [(2, "child/b"), (2, "child")] == [(each.number, each.path) for each in trace.open_steps]
    assert all(each.stopped for each in trace.open_steps)


async def test_asynchronous_child_runs_in_either_driver():
    """A child whose nodes have to be awaited."""

    async def later(s: Any) -> dict[str, Any]:
        return {"log": ["later"]}

    child = gn.Graph(Child, entry="later", name="child")
    child.node(later, to=gn.END)
    graph = parent_of(child)
    run = graph.run()

    assert ["first", "later", "last"] == run.state.log
    assert run == await graph.arun()


def nest(depth: int, node: Any) -> gn.Graph:
    """So many graphs within each other, around the node."""
    graph = gn.Graph(Child, entry="x", name="graph0")
    graph.node("x", node, to=gn.END)
    for i in range(1, depth):
        outer = gn.Graph(Child, entry="sub", name=f"graph{i}")
        outer.subgraph("sub", graph, to=gn.END)
        graph = outer
    return graph


def test_error_deep_within_tells_both_ends_of_the_way():
    """Of more than eight places the middle is left out; the path has all of them."""
    with pytest.raises(gn.NodeException) as caught:
        nest(20, lambda s: 1 / 0).run()

    where = caught.value.where
    assert where.startswith(
        "graph 'graph19', node 'sub', step 0, … deep inside …, graph 'graph7', node 'sub', step 0, "
    )
    assert where.endswith("graph 'graph1', node 'sub', step 0, graph 'graph0', node 'x', step 0")
    assert 20 == len(caught.value.path)


def deep_plan(depth: int) -> Plan:
    """The plan of so many graphs within each other, put together by hand: compiling them would take long."""
    plan, outer = (nest(each, lambda s: {}).compile().plan for each in (1, 2))
    for _ in range(1, depth):
        plan = outer._replace(nodes={"sub": dataclasses.replace(outer.nodes["sub"], child=plan)})
    return plan


def test_graphs_nested_deeper_than_the_stack_fail_with_their_depth():
    """The error is one of the node, or of the state, that could not be entered, and says how deep that is."""
    with pytest.raises(gn.RunError, match="RecursionError: maximum recursion depth exceeded") as caught:
        execute(begin(deep_plan(1000), {}))

    error = caught.value
    limit = sys.getrecursionlimit()
    assert f"This is {len(error.path)} graphs deep, and Python's stack has room for {limit} calls." == error.mend
    assert 100 < len(error.path)
    assert len(str(error)) < 1000
    assert len(error.path) == len(error.trace.failures)


@pytest.mark.parametrize("how", DRIVERS)
def test_nodes_within_a_subgraph_that_is_tried_again_run_anew(how):
    """Each with a step of its own for observers; the log has those of the last attempt, numbered without gaps."""
    calls: list[str] = []

    def flaky(s: Any) -> dict[str, Any]:
        calls.append("b")
        if len(calls) == 1:
            raise ConnectionError("busy")
        return {"log": ["b"]}

    child = gn.Graph(Child, entry="a", name="child")
    child.node("a", lambda s: {"log": ["a"]}, to="b")
    child.node("b", flaky, to=gn.END)
    again = gn.retry(2, classifier=lambda error, s: True, backoff=0)
    driven = watch(parent_of(child, middleware=[again]), how)
    told = [(each.step, each.node_name, each.attempt_index) for each in driven.of("started")]

    assert [(0, "first", 0), (1, "a", 0), (2, "b", 0), (3, "a", 1), (4, "b", 1), (5, "last", 0)] == told
    assert [(0, "first"), (1, "child/a"), (2, "child/b"), (2, "child"), (3, "last")] == [
        (each.number, each.path) for each in driven.run.steps
    ]


def test_hundred_graphs_within_each_other_run():
    """The stack has room for them."""
    assert 100 == len(execute(begin(deep_plan(100), {})).steps)


def test_error_within_tells_the_way_from_the_outermost_graph():
    """Two uses of one graph can be told apart by the message."""

    class Count(gn.State):
        n: int = 0

    inner = gn.Graph(Count, entry="x", name="inner")
    inner.node("x", lambda s: {"n": 1 // s.n}, to=gn.END)
    outer = gn.Graph(Count, entry="first", name="outer")
    outer.subgraph("first", inner, inputs={"n": "n"}, outputs={}, to="second")
    outer.subgraph("second", inner, to=gn.END)

    with pytest.raises(gn.NodeException) as caught:
        outer.run(n=1)

    where = "graph 'outer', node 'second', step 1, graph 'inner', node 'x', step 0"
    assert where == caught.value.where
    assert ("second", "x") == caught.value.path
