"""Where in a run a graph runs, and who is told of what happens there."""

import itertools
from typing import Any

import pytest

from graphnb.engine.observers.scope import Scope, Watch
from graphnb.graph.observer import Observer

KEPT: Any = (None, {})


def named(name: str) -> Observer:
    """An observer that does nothing."""
    return Observer(print, name)


OUTER, INNER, OWN = named("outer"), named("inner"), named("own")
WATCH = Watch("i", "c", itertools.count(), (OWN,))


def test_lineage_of_an_outermost_node_has_no_chains():
    """Its namespace is its own name."""
    lineage = Scope(10, WATCH).lineage_of("a", 2)

    assert (("a",), 2, (), ()) == (
        lineage.namespace, lineage.attempt_index, lineage.fan_out_index_chain, lineage.branch_name_chain
    )  # fmt: skip


@pytest.mark.parametrize(
    ("where", "indices", "branches"),
    [({}, (None,), (None,)), ({"index": 3}, (3,), (None,)), ({"branch": "left"}, (None,), ("left",))],
    ids=["subgraph", "instance", "branch"],
)
def test_scope_within_a_node_adds_to_everything(where, indices, branches):
    """Path, chains, parents, observers; the index of the attempt is the given one."""
    scope = Scope(10, WATCH, observers=(OUTER,)).of_graph("n", KEPT, attempt_index=4, observers=(INNER,), **where)

    assert (("n",), indices, branches, (KEPT,), 4) == (
        scope.path, scope.indices, scope.branches, scope.parents, scope.attempt_index
    )  # fmt: skip
    assert ("n", "a") == scope.lineage_of("a", 0).namespace
    assert 10 == scope.max_steps


@pytest.mark.parametrize(
    ("part", "indices", "branches"), [({"index": 3}, (3,), (None,)), ({"branch": "left"}, (None,), ("left",))]
)
def test_scope_of_a_part_of_a_node_names_the_node_itself(part, indices, branches):
    """The chains tell which part; the rest is that of the graph."""
    scope = Scope(10, WATCH, observers=(OUTER,))
    inside = scope.of_part(**part)

    assert (("n",), indices, branches) == (inside.lineage_of("n", 0).namespace, inside.indices, inside.branches)
    assert scope == inside._replace(indices=(), branches=())


def test_those_told_are_ordered_from_outside_in_and_the_runs_own_last():
    """As the specification has it."""
    scope = Scope(10, WATCH, observers=(OUTER,))

    assert (OUTER, OWN) == scope.all_observers
    assert (OUTER, INNER, OWN) == scope.of_graph("n", KEPT, attempt_index=0, observers=(INNER,)).all_observers


def test_scope_that_nobody_watches_stays_as_it_is():
    """What nobody asks for is not computed."""
    scope = Scope(10)

    assert scope is scope.of_graph("n", KEPT, attempt_index=4, observers=(INNER,), index=1)
    assert scope is scope.of_part(index=1)
    assert () == scope.all_observers


def test_innermost_index_and_branch_are_read_from_the_chains():
    """Both may be there at once; None where there is none."""
    scope = Scope(10, WATCH)
    for where in ({"index": 1}, {"branch": "left"}, {}, {"index": 2}, {}):
        scope = scope.of_graph("n", KEPT, attempt_index=0, **where)
    lineage = scope.lineage_of("a", 0)

    assert (2, "left") == (lineage.fan_out_index, lineage.branch_name)
    assert (1, None, None, 2, None) == lineage.fan_out_index_chain
    assert (None, None) == (Scope(10).lineage_of("a", 0).fan_out_index, Scope(10).lineage_of("a", 0).branch_name)
