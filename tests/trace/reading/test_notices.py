"""Notices: writes that were lost without anything failing, and joins that waited in vain."""

from __future__ import annotations

from typing import Annotated, Any

import graphnb as gn
from graphnb import step
from tests.show.supersteps import Desk, diamond, run_of, stalled, three_writers, twelve


class Once(gn.State):
    first: Annotated[str, step.first_value] = "set"
    value: Annotated[list[int], gn.append] = []


def fork(state: type, **updates: dict[str, Any]) -> gn.Graph:
    """A graph that forks into nodes which write these updates."""
    graph = gn.Graph(state, entry="plan", name="fork")
    graph.node("plan", lambda s: {}, to=tuple(updates))
    for name, update in updates.items():
        graph.node(name, lambda s, update=update: update, to=gn.END)
    return graph


def test_run_in_which_nothing_was_lost_has_none() -> None:
    """Values that were folded together are no loss."""
    assert () == run_of(diamond()).notices


def test_writers_and_losers_are_named() -> None:
    """With the step and the field; the trace says the same as the run."""
    run = run_of(fork(Desk, b={"verdict": "b"}, c={"verdict": "c"}))

    assert ("step 1: 'b' and 'c' both wrote verdict; 'b' lost",) == run.notices == run.trace.notices
    (notice,) = run_of(three_writers()).notices
    assert "step 1: 'ann', 'bob' and 'cyd' all wrote verdict; 'ann' and 'bob' lost" == notice


def test_of_many_losers_the_winner_is_told() -> None:
    """And of many writers the first ones and the last."""
    assert (
        "step 1: 'worker_00', 'worker_01', 'worker_02', … 8 more and 'worker_11' all wrote verdict; "
        "all but 'worker_11' lost",
    ) == run_of(twelve()).notices


def test_all_lose_where_the_first_value_stays() -> None:
    """It was set before the step."""
    two = fork(Once, a={"first": "a"}, b={"first": "b"})
    three = fork(Once, a={"first": "a"}, b={"first": "b"}, c={"first": "c"})

    assert ("step 1: 'a' and 'b' both wrote first; both lost, it was set before",) == run_of(two).notices
    assert ("step 1: 'a', 'b' and 'c' all wrote first; all lost, it was set before",) == run_of(three).notices


def test_replace_makes_losers_of_those_before_it() -> None:
    """Those behind it go on from its value."""
    graph = fork(Once, a={"value": [1]}, b={"value": gn.Replace([2])}, c={"value": [3]})

    assert ("step 1: 'a', 'b' and 'c' all wrote value; 'a' lost",) == run_of(graph).notices


def branching(state: type, *updates: dict[str, Any], **options: Any) -> gn.Graph:
    """A graph with a node of branches `b0`, `b1`, ... that write these updates; options beside it."""
    graph = gn.Graph(state, entry="ask", name="branching")
    branches = {f"b{i}": lambda s, update=update: update for i, update in enumerate(updates)}
    graph.branches("ask", branches, to=gn.END, **options)
    return graph


def test_branches_and_losers_are_named() -> None:
    """Where one write alone survives; the node bears its path, and many branches are told as many nodes are."""
    two = branching(Desk, {"verdict": "x", "log": ["x"]}, {"verdict": "y", "log": ["y"]})
    many = branching(Desk, *({"verdict": str(i)} for i in range(5)))
    outer = gn.Graph(Desk, entry="sub", name="outer")
    outer.subgraph("sub", two, to=gn.END)

    assert ("step 0: branches 'b0' and 'b1' of 'ask' both wrote verdict; 'b0' lost",) == run_of(two).notices
    assert ("step 0: branches 'b0' and 'b1' of 'sub/ask' both wrote verdict; 'b0' lost",) == run_of(outer).notices
    (notice,) = run_of(many).notices
    assert notice.endswith("'b0', 'b1', 'b2', 'b3' and 'b4' of 'ask' all wrote verdict; all but 'b4' lost")


def test_branches_lose_as_the_reducer_says() -> None:
    """What a write takes over is not lost, unless that is lost itself; a first value that was set loses all."""

    class Kinds(Once):
        unset: Annotated[str, step.first_value]
        last: Annotated[str, step.last_value]

    first = branching(Kinds, {"first": "a"}, {"first": "b"})
    unset = branching(Kinds, {"unset": "a"}, {"unset": "b"}, {"unset": "c"})
    last = branching(Kinds, {"last": "a"}, {"last": "b"})
    replaced = branching(Kinds, {"value": [1]}, {"value": [2]}, {"value": gn.Replace([3])}, {"value": [4]})

    told = "step 0: branches 'b0' and 'b1' of 'ask' both wrote"
    assert (f"{told} first; both lost, it was set before",) == run_of(first).notices
    assert ("step 0: branches 'b0', 'b1' and 'b2' of 'ask' all wrote unset; 'b1' and 'b2' lost",) == run_of(
        unset
    ).notices
    assert (f"{told} last; 'b0' lost",) == run_of(last).notices
    (notice,) = run_of(replaced).notices
    assert notice.endswith("'b0', 'b1', 'b2' and 'b3' of 'ask' all wrote value; 'b0' and 'b1' lost")


def test_branch_loses_to_the_node_itself() -> None:
    """Whose record of errors goes into the same field."""

    class Plain(gn.State):
        problems: list[Any] = []
        other: int = 0

    def fails(s: Any) -> Any:
        raise ValueError

    graph = gn.Graph(Plain, entry="ask", name="branching")
    branches = {"bad": fails, "good": lambda s: {"problems": ["mine"], "other": 1}}
    graph.branches("ask", branches, error_policy="collect", errors_into="problems", to=gn.END)

    assert ("step 0: branch 'good' of 'ask' and the node itself both wrote problems; 'good' lost",) == run_of(
        graph
    ).notices


def test_branches_beside_other_nodes_are_told_by_their_number() -> None:
    """Which of them wrote what is not known there; what all of them lost to other nodes is told of the node."""
    writes: dict[str, Any] = {"x": lambda s: {"verdict": "x"}, "y": lambda s: {"verdict": "y"}}

    def beside(name: str, state: type = Desk, branches: Any = writes, **update: Any) -> gn.Graph:
        graph = gn.Graph(state, entry="plan", name="beside")
        graph.node("plan", lambda s: {}, to=("both", name))
        graph.branches("both", branches, to=gn.END)
        graph.node(name, lambda s: update, to=gn.END)
        return graph

    assert ("step 1: branches of 'both' wrote verdict over each other; all but the last lost",) == run_of(
        beside("node")
    ).notices
    assert (
        "step 1: 'a' and 'both' both wrote verdict; 'a' lost",
        "step 1: branches of 'both' wrote verdict over each other; all but the last lost",
    ) == run_of(beside("a", verdict="a")).notices
    assert ("step 1: 'both' and 'z' both wrote verdict; 'both' lost",) == run_of(beside("z", verdict="z")).notices

    class Unset(gn.State):
        first: Annotated[str, step.first_value]

    firsts: dict[str, Any] = {"x": lambda s: {"first": "x"}, "y": lambda s: {"first": "y"}}
    told = "step 1: branches of 'both' wrote first over each other; all"
    assert (f"{told} but the first lost",) == run_of(beside("z", Unset, firsts)).notices
    assert (f"{told} lost, it was set before",) == run_of(beside("z", Once, firsts)).notices


def test_nodes_within_another_node_bear_their_paths() -> None:
    """With the number that the step has in the table."""
    graph = gn.Graph(Desk, entry="sub", name="outer")
    graph.subgraph("sub", fork(Desk, b={"verdict": "b"}, c={"verdict": "c"}), to=gn.END)

    assert ("step 1: 'sub/b' and 'sub/c' both wrote verdict; 'b' lost",) == run_of(graph).notices


def test_joins_that_waited_in_vain_come_last() -> None:
    """In the words of run.stalled."""
    run = run_of(stalled())

    assert tuple(map(str, run.stalled)) == run.notices
    assert 1 == len(run.notices)
