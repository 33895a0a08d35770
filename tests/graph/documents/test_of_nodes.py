"""The nodes of a graph as nodes of a document."""

import functools
from typing import Any

import pytest

import graphnb as gn
from tests.graph.documents.graphs import Review, judge, linear, plan, rate, read, refused, review, wire


def test_nodes_bear_the_registered_name_of_their_function_or_its_own() -> None:
    """The registry is asked for the function itself."""
    own = {name: each["implementation"]["implementation"] for name, each in wire(review())["nodes"].items()}
    registered = wire(review(), a=plan, b=read, c=rate, d=judge)["nodes"]

    assert {"plan": "plan", "read": "read", "rate": "rate", "judge": "judge"} == own
    assert ["a", "b", "c", "d"] == [each["implementation"]["implementation"] for each in registered.values()]
    assert {"type": "module", "implementation": "a"} == registered["plan"]["implementation"]


def test_partial_is_named_by_a_registry() -> None:
    """Whatever can be called."""
    graph = gn.Graph(Review, entry="a", name="g")
    call = functools.partial(plan)
    graph.node("a", call, to=gn.END)

    assert "call" == wire(graph, call=call)["nodes"]["a"]["implementation"]["implementation"]


def test_function_that_is_not_registered_is_told() -> None:
    """With what to add."""
    ((where, what, mend),) = refused(linear("a"), {"plam": read})

    assert ("node 'a'", "its function plan is not among the nodes that were passed") == (where, what)
    assert "Add it: nodes={'plan': plan}. Registered: ['plam']. Did you mean 'plam'?" == mend


@pytest.mark.parametrize("function", [lambda s: {}, functools.partial(max, 3)])
def test_anonymous_function_that_is_not_registered_is_to_get_a_name(function: Any) -> None:
    """`lambda` is none, and that of what a partial calls is not its own."""
    graph = gn.Graph(Review, entry="a", name="g")
    graph.node("a", function, to=gn.END)
    ((_, _, mend),) = refused(graph, {"plan": plan})

    told = "Give the function a name, as def does, and add it: nodes={'a': function}. Registered: ['plan']."
    assert mend.startswith(told)


def test_two_functions_of_one_name_are_told() -> None:
    """A registry tells them apart."""
    other = functools.wraps(plan)(lambda s: {})
    graph = gn.Graph(Review, entry="a", name="g")
    graph.node("a", plan, to="b")
    graph.node("b", other, to=gn.END)
    ((where, what, _),) = refused(graph)

    assert ("node 'b'", "its function is named 'plan', as another function of this graph") == (where, what)
    assert {"one", "two"} == {
        each["implementation"]["implementation"] for each in wire(graph, one=plan, two=other)["nodes"].values()
    }
