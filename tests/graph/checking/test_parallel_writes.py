"""Fields that several nodes or branches of one super-step write."""

from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb import step
from graphnb.graph.checking.parallel_writes import parallel_writes_of


class Child(gn.State):
    a: str = ""
    b: str = ""


class Parent(gn.State):
    score: int = 0
    last: str = ""
    declared: Annotated[str, gn.last_write_wins] = ""
    meant: Annotated[str, step.last_value] = ""
    log: Annotated[list[str], step.append]


def child() -> gn.Graph:
    """A graph that changes nothing."""
    graph = gn.Graph(Child, entry="a", name="child")
    graph.node("a", lambda s: {}, to=gn.END)
    return graph


def found(outputs: dict[str, dict[str, str]], *, fork: Any = None) -> list[tuple[str, str, tuple[str, ...], str]]:
    """What is told of subgraphs with these outputs after a fork."""
    graph = gn.Graph(Parent, entry="begin", name="g")
    graph.node("begin", lambda s: {})
    if fork is None:
        graph.edge("begin", [*outputs])
    else:
        for name in outputs:
            graph.edge("begin", name, when=fork)
    for name, each in outputs.items():
        graph.subgraph(name, child(), outputs=each, to=gn.END)
    return [(each.node, each.field, each.writers, each.what) for each in parallel_writes_of(graph.spec())]


@pytest.mark.parametrize("field", ["last", "declared"])
def test_nodes_of_a_fork_that_write_one_field_are_told(field: str) -> None:
    """In the order of their names, in which they are folded."""
    what = f"nodes 'left' and 'right' both write field '{field}' in one step, and the last one by name wins"

    assert [("begin", field, ("left", "right"), what)] == found({"right": {field: "a"}, "left": {field: "b"}})


def test_of_three_all_are_told() -> None:
    """In a sentence."""
    ((*_, what),) = found({name: {"last": "a"} for name in ("x", "y", "z")})

    assert what.startswith("nodes 'x', 'y' and 'z' all write field 'last' in one step")


def test_nodes_behind_guards_may_write_one_field() -> None:
    """Several guards may hold."""
    ((_, _, writers, what),) = found({"x": {"last": "a"}, "y": {"last": "a"}}, fork=gn.field("score") == 1)

    assert ("x", "y") == writers
    assert "may both write" in what


@pytest.mark.parametrize(
    "outputs",
    [
        {"left": {"last": "a"}, "right": {"declared": "a"}},
        {"left": {"meant": "a"}, "right": {"meant": "a"}},
        {"left": {"log": "a"}, "right": {"log": "a"}},
        {"left": {}, "right": {}},
    ],
)
def test_fields_of_their_own_and_reducers_that_keep_all_are_fine(outputs: dict[str, dict[str, str]]) -> None:
    """So is `step.last_value`, which says that one of them is meant to survive."""
    assert [] == found(outputs)


def test_nodes_one_after_the_other_are_fine() -> None:
    """They do not write in one step; a join leads to one node."""
    graph = gn.Graph(Parent, entry="a", name="g")
    graph.subgraph("a", child(), outputs={"last": "a"}, to=("b", "c"))
    graph.subgraph("b", child(), outputs={"last": "a"})
    graph.node("c", lambda s: {})
    graph.edge(("b", "c"), "d")
    graph.subgraph("d", child(), outputs={"last": "a"}, to=gn.END)

    assert () == parallel_writes_of(graph.spec())


def test_fork_to_nodes_that_are_not_there_yet_is_passed_over() -> None:
    """The graph is merely unfinished."""
    graph = gn.Graph(Parent, name="g")
    graph.edge("a", ("b", "c"))

    assert () == parallel_writes_of(graph.spec())


def test_branches_that_write_one_field_are_told() -> None:
    """In declared order, in which they are merged."""
    graph = gn.Graph(Parent, entry="x", name="g")
    branches = {name: gn.ParallelBranch(child(), outputs={"last": "a", "meant": "a"}) for name in ("right", "left")}
    graph.branches("x", branches, to=gn.END)
    (told,) = parallel_writes_of(graph.spec())

    assert ("x", "last", ("right", "left")) == (told.node, told.field, told.writers)
    assert "branches 'right' and 'left' both write field 'last', and the one declared last wins" == told.what
    assert "step.last_value says that one write is meant to survive" in told.mend
