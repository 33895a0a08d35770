"""Everything that checking finds, with where it is drawn."""

from typing import Annotated, Any

import graphnb as gn
from graphnb.graph.checking.findings import findings_of
from graphnb.graph.checking.spots import Spot


class Desk(gn.State):
    log: Annotated[list[str], gn.append] = []
    odd: Annotated[str, gn.append] = ""


def work(s: Any) -> dict[str, Any]:
    """Write nothing."""
    return {}


def inner() -> gn.Graph:
    """Make a graph with a fault and an odd field."""
    graph = gn.Graph(Desk, entry="open", name="inner")
    graph.node("open", work)
    return graph


def test_errors_come_before_warnings_and_each_has_its_place() -> None:
    """Of a graph within a node after the names that lead there."""
    graph = gn.Graph(Desk, entry="sub", name="g")
    graph.subgraph("sub", inner(), outputs={}, to="nobody")

    assert [
        ("error", "dangling_edge", (Spot("edge", ("sub", "nobody")),)),
        ("error", "missing_outgoing_edge", (Spot("node", "open", ("sub",)),)),
        ("warning", "reducer_schema_mismatch", (Spot("field", "odd", ("sub",)),)),
        ("warning", "reducer_schema_mismatch", (Spot("field", "odd"),)),
    ] == [(each.severity, each.code, each.spots) for each in findings_of(graph.spec())]


def test_error_without_words_of_its_own_is_told_by_its_category() -> None:
    """In a drawing that has no room for more."""
    graph = gn.Graph(Desk, name="g")
    graph.fan_out("each", len, into="log", to=gn.END)

    assert ["no declared entry", "fan out count mode ambiguous"] == [
        each.sign for each in findings_of(graph.spec()) if each.severity == "error"
    ]


def test_parallel_branch_is_a_place_of_its_own() -> None:
    """Between the node and the graph that it runs."""
    graph = gn.Graph(Desk, entry="both", name="g")
    graph.branches("both", {"left": gn.ParallelBranch(inner(), outputs={"no": "log"})}, to=gn.END)

    assert [(Spot("node", "left", ("both",)),), (Spot("node", "open", ("both", "left")),)] == [
        each.spots for each in findings_of(graph.spec()) if each.severity == "error"
    ]


def test_guard_that_asks_of_no_field_says_so_in_few_words() -> None:
    """It was said that it cannot be, of what was left open."""
    graph = gn.Graph(gn.State, entry="a")
    graph.node("a", lambda s: {})
    graph.edge("a", gn.END, when=gn.field("none") == 1)

    assert ["guard asks of no field"] == [each.sign for each in findings_of(graph.spec()) if each.severity == "error"]
    assert "guard asks of no field" in graph.mermaid
