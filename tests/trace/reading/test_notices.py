"""Notices: writes that were lost without anything failing, and joins that waited in vain."""

from __future__ import annotations

from typing import Annotated, Any

import graphnb as gn
from graphnb import step
from tests.show.supersteps import Desk, diamond, logs, run_of, stalled, three_writers, twelve


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


def test_branches_of_one_node_are_no_several_nodes() -> None:
    """What they wrote over each other is told in their rows; the node that wrote beside them has won or lost."""
    graph = gn.Graph(Desk, entry="plan", name="beside")
    graph.node("plan", logs("plan"), to=("both", "node"))
    graph.branches("both", {"x": lambda s: {"verdict": "x"}, "y": lambda s: {"verdict": "y"}}, to=gn.END)
    graph.node("node", logs("node"), to=gn.END)

    assert () == run_of(graph).notices


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
