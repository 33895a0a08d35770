"""Cycles that a run cannot leave."""

from typing import Any

import pytest

import graphnb as gn
from graphnb.graph.checking.endless import endless_cycles_of

END = gn.END


def cycles(**leads: Any) -> list[tuple[str, ...]]:
    """The endless cycles of a graph: a text leads to each of its letters at once, a tuple is what a router chooses of.

    Behind a question mark stands a node to which a guarded edge leads; a dot is the end.
    """
    graph = gn.Graph(gn.State, entry="a", name="g")
    for name, targets in leads.items():
        graph.node(name, lambda s: {})
        if isinstance(targets, tuple):
            graph.branch(name, lambda s: "", to=[END if each == "." else each for each in targets] or None)
        elif "?" in targets:
            for each in targets.replace("?", ""):
                graph.edge(name, END if each == "." else each, when=lambda s: True)
        elif targets:
            graph.edge(name, tuple(END if each == "." else each for each in targets))
    return [each.nodes for each in endless_cycles_of(graph.spec())]


@pytest.mark.parametrize(
    ("leads", "endless"),
    [
        ({"a": "a"}, [("a",)]),
        ({"a": "b", "b": "a"}, [("a", "b")]),
        ({"a": "b", "b": "c", "c": "b"}, [("b", "c")]),
        ({"a": "bc", "b": "b", "c": "c"}, [("b",), ("c",)]),
        ({"a": "b", "b": "ac", "c": "."}, [("a", "b")]),  # a fork takes both
        ({"a": "b", "b": "a."}, [("a", "b")]),
        ({"a": ("a", "b"), "b": "a"}, [("a", "b")]),  # a router that can choose nothing else
        ({"a": ("a", "b"), "b": "b"}, [("b",)]),
    ],
)
def test_cycle_that_nothing_leaves_is_endless(leads, endless):
    """Whether its nodes lead on by themselves, at once, or by a router within it."""
    assert endless == cycles(**leads)


@pytest.mark.parametrize(
    "leads",
    [
        {"a": "b", "b": "."},
        {"a": "b", "b": ("a", ".")},
        {"a": ("a", "b"), "b": "."},
        {"a": "b", "b": "?a"},
        {"a": "b", "b": "?a."},
        {"a": "b", "b": ()},  # an open router may choose the end
        {"a": "b", "b": ("a", "c"), "c": "."},
        {"a": "b", "b": "xy", "c": ""},
        {"a": ""},
    ],
)
def test_cycle_that_can_be_left_is_fine(leads):
    """By a guard or a router, also if it is the node before that chooses; unfinished graphs too."""
    assert [] == cycles(**leads)


def test_join_on_the_way_is_not_sure():
    """It may wait for ever."""
    graph = gn.Graph(gn.State, entry="a", name="g")
    for name in "abc":
        graph.node(name, lambda s: {})
    graph.edge("a", ("b", "c"))
    graph.edge(("b", "c"), "a")

    assert [] == list(endless_cycles_of(graph.spec()))


def test_check_tells_it_with_a_mend():
    """As a warning, at the first of the nodes; also of a graph within another one."""
    inner = gn.Graph(gn.State, entry="x", name="inner")
    inner.node("x", lambda s: {}, to="x")
    graph = gn.Graph(gn.State, entry="plan", name="g")
    graph.node("plan", lambda s: {}, to="judge")
    graph.subgraph("judge", inner, to="plan")
    own, within = graph.check()

    assert [("warning", "unguarded_cycle")] * 2 == [(each.severity, each.code) for each in (within, own)]
    assert ("graph 'g', node 'judge', graph 'inner', node 'x'", "graph 'g', node 'judge'") == (within.where, own.where)
    out = "and no guard, router or join leads out: only max_steps ends a run"
    assert f"nodes 'judge', 'plan' lead back for ever, {out}" == own.message
    assert f"node 'x' leads back for ever, {out}" == within.message
    assert own.mend.startswith("Let a function choose, graph.branch('plan', function, to=(..., gn.END)), or guard")
    with pytest.raises(gn.MaxSuperstepsExceeded):
        inner.run(max_steps=5)
