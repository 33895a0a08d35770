"""The edges of a graph as edges of a document."""

import pytest

import graphnb as gn
from graphnb.graph.documents.of_graph import document_of
from graphnb.graph.guards.guard import Guard
from tests.graph.documents.graphs import Review, linear, plan, refused, review, wire


def test_edges_bear_the_names_of_their_ends() -> None:
    """The start and the end as `start` and `finish`; a join has a list of sources."""
    edges = wire(review())["edges"]

    assert {
        "start-plan": ("$start", "plan"),
        "plan-read": ("plan", "read"),
        "plan-rate": ("plan", "rate"),
        "read-rate-judge": (["read", "rate"], "judge"),
        "judge-plan": ("judge", "plan"),
        "judge-finish": ("judge", "$finish"),
    } == {key: (each["from"], each["to"]) for key, each in edges.items()}
    assert {"op": "equals", "args": ["score", 3]} == edges["judge-finish"]["guard"]
    assert "guard" not in edges["plan-read"]


def test_edges_whose_names_are_taken_are_numbered() -> None:
    """From 2 on, and never with a name that is taken itself."""
    edges = wire(linear("a", "b-c", "a-b", "c", "c-2", "start", "finish"))["edges"]

    assert {"a-b-c", "b-c-a-b", "a-b-c-2", "c-c-2", "start-finish", "finish-finish"} <= edges.keys()
    assert ("a-b", "c") == (edges["a-b-c-2"]["from"], edges["a-b-c-2"]["to"])
    twice = wire(linear("start", "a", "start-a", "finish"))["edges"]
    assert {"start-start", "start-a", "a-start-a", "start-a-finish", "finish-finish"} == twice.keys()
    again = gn.Graph(Review, entry="a", name="g")
    again.node("a", plan, to=("b", "a-b"))
    again.node("b", plan, to="b-b")
    again.node("a-b", plan, to="b")
    again.node("b-b", plan, to=gn.END)
    assert ["start-a", "a-b", "a-a-b", "b-b-b", "a-b-b", "b-b-finish"] == [*wire(again)["edges"]]


NULL = {
    "exists": (gn.field("verdict").exists(), True),
    "equals null": (~(gn.field("verdict") == None), True),  # noqa: E711  makes a guard
    "equals another": (gn.field("verdict") == gn.field("later"), True),
    "is equalled": (gn.field("later") == gn.field("verdict"), True),
    "equals a value": (gn.field("verdict") == "yes", False),
    "changed": (gn.field("verdict").changed(), False),
    "another": (gn.field("later").exists() & gn.field("notes").at(0).exists(), False),
}


@pytest.mark.parametrize(("guard", "is_refused"), NULL.values(), ids=NULL.keys())
def test_guard_that_can_see_a_default_of_none_is_told(guard: Guard, is_refused: bool) -> None:
    """There null is no default, and the field is not set; a guard that cannot tell the two apart is fine."""
    graph = gn.Graph(Review, entry="a", name="g")
    graph.node("a", plan)
    graph.edge("a", "b", when=guard)
    graph.edge("a", gn.END, when=gn.field("score") == 1)
    graph.node("b", plan, to=gn.END)
    if not is_refused:
        assert "guard" in wire(graph)["edges"]["a-b"]
        return
    ((where, what, mend),) = refused(graph)

    assert "edge 'a-b'" == where
    assert "'verdict'" in what
    assert "Declare verdict = gn.UNSET" in mend


@pytest.mark.parametrize("least", [0, 1, 2])
@pytest.mark.parametrize("name", ["topic", "score"])
def test_guard_that_would_count_what_an_input_was_given_is_told(name: str, least: int) -> None:
    """In a document to be given counts as written, once and never again: no node writes an input."""
    graph = gn.Graph(Review, entry="a", name="g")
    graph.node("a", plan)
    graph.edge("a", gn.END, when=~(gn.field(name).version >= least))
    if (name, least) != ("topic", 1):
        assert "guard" in wire(graph)["edges"]["a-finish"]
        return
    ((where, what, mend),) = refused(graph)

    assert "edge 'a-END'" == where
    assert what.startswith("its guard asks whether 'topic' was written: it is an input in a document")
    assert "declare topic = gn.UNSET" in mend


HOSTILE = {
    "path alone": Guard("path", ("score",)),
    "no arguments": Guard("equals", ()),
    "path without a name": Guard("equals", ("score", Guard("path", ()))),
    "unknown operation": Guard("eval", ("score",)),
    "a set": Guard("equals", ("score", {1})),
    "dollar": Guard("equals", ("score", {"$guard": 1})),
    "unknown field": Guard("exists", ("nothing",)),
    "strange argument": Guard("all", (object(),)),
}


@pytest.mark.parametrize("guard", HOSTILE.values(), ids=HOSTILE.keys())
def test_guard_that_cannot_be_evaluated_is_refused(guard: Guard) -> None:
    """In words, whatever it holds."""
    graph = gn.Graph(Review, entry="a", name="g")
    graph.node("a", plan)
    graph.edge("a", gn.END, when=guard)
    graph.edge("a", "a", when=gn.field("score") == 1)

    with pytest.raises(gn.InvalidDocument):
        document_of(graph.spec())
