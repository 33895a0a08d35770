"""Graphs written in Python that become documents, or are refused."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb import step
from graphnb.graph.documents.of_graph import document_of
from graphnb.graph.documents.writing import to_wire


class Review(gn.State):
    topic: str
    notes: Annotated[list[str], step.append]
    score: Annotated[int, step.sum]
    verdict: str | None = None
    later: str = gn.UNSET


def plan(s: Any) -> dict[str, Any]:
    """A node."""
    return {}


def read(s: Any) -> dict[str, Any]:
    """A node."""
    return {}


def rate(s: Any) -> dict[str, Any]:
    """A node."""
    return {}


def judge(s: Any) -> dict[str, Any]:
    """A node."""
    return {}


def review(state: type = Review, **options: Any) -> gn.Graph:
    """A fork, a join and a loop with guards."""
    graph = gn.Graph(state, entry="plan", name="review", **options)
    graph.node(plan, to=("read", "rate"))
    graph.node(read)
    graph.node(rate)
    graph.edge(("read", "rate"), "judge")
    graph.node(judge)
    graph.edge("judge", "plan", when=~(gn.field("score") == 3))
    graph.edge("judge", gn.END, when=gn.field("score") == 3)
    return graph


def linear(*names: str, state: type = Review, name: str = "g") -> gn.Graph:
    """A chain of nodes, all of one function."""
    graph = gn.Graph(state, entry=names[0], name=name)
    for each, target in zip(names, [*names[1:], gn.END], strict=True):
        graph.node(each, plan, to=target)
    return graph


def wire(graph: gn.Graph, **registry: Callable[..., Any]) -> dict[str, Any]:
    """The written form."""
    return to_wire(document_of(graph.spec(), registry or None))


def refused(graph: gn.Graph, registry: dict[str, Any] | None = None) -> list[tuple[str, str, str]]:
    """Place, fault and mend of all that has no name; all of it stands in the message as well."""
    with pytest.raises(gn.InvalidDocument) as caught:
        document_of(graph.spec(), registry)
    told = [(each.where, each.what, each.mend) for each in caught.value.problems]
    assert all(part in str(caught.value) for each in told[:20] for part in each)
    return [(where.removeprefix("graph 'g', "), what, mend) for where, what, mend in told]
