"""Declaring delegates: what is refused, before anything runs, and what stands afterwards."""

import functools
import inspect
from typing import Any

import pytest

import graphnb as gn
from graphnb.graph.spec import DelegatesNode


class Board(gn.State):
    briefs: Any = None
    answers: list[Any] = []
    failed: list[Any] = []


class Told(gn.State):
    brief: Any
    result: Any = None


def ada(brief: Any) -> Any:
    """Give the brief back."""
    return brief


def nobody(brief: Any) -> Any:
    """Fail, whoever asks."""
    raise AssertionError("a delegate was asked")


def graph_of(result: Any = "told") -> gn.Graph:
    """A graph that can be a delegate."""
    graph = gn.Graph(Told, entry="n", name="bo")
    graph.node("n", lambda s: {"result": result}, to=gn.END)
    return graph


def board() -> gn.Graph:
    """A graph that asks nobody yet."""
    return gn.Graph(Board, entry="ask", name="board")


def declare(delegates: Any, briefs: Any = "briefs", graph: gn.Graph | None = None, **options: Any) -> Any:
    """The node that stands after the declaration."""
    graph = board() if graph is None else graph
    assert graph.delegates("ask", delegates, **{"briefs": briefs, "into": "answers", **options}, to=gn.END) is None
    return graph.spec().nodes["ask"]


def test_declaration_is_kept_as_it_was_written():
    """All of it."""
    told, layer = graph_of(), gn.retry()
    options: dict[str, Any] = {
        "concurrency": 2, "on_error": "keep", "errors_into": "failed", "on_empty": "noop", "middleware": (layer,)
    }  # fmt: skip

    assert DelegatesNode("ask", (ada, told), None, "briefs", "answers", **options) == declare([ada, told], **options)
    assert DelegatesNode("ask", (ada,), {"a": [1]}, None, "answers") == declare([ada], {"a": [1]})


def test_delegates_are_those_of_the_declaration():
    """Whoever changes the list afterwards changes nothing."""
    graph, given = board(), [ada]
    declare(given, graph=graph)
    given.append(nobody)

    assert (ada,) == graph.spec().nodes["ask"].delegates


@pytest.mark.parametrize(
    ("delegates", "text"),
    [
        (ada, "delegates are a list, not function: "),
        ("ada", "delegates are a list, not str: 'ada'"),
        ({ada}, "delegates are a list, not set: "),
        ({"ada": ada}, "delegates are a list, not dict: "),
        (None, "delegates are a list, not None"),
        ([ada, "bo"], "delegate 1 is a function or a graph, not str: 'bo'"),
        ([None], "delegate 0 is a function or a graph, not None"),
        ([ada("x")], "Pass the function itself, not what it gives."),
        ([ada, lambda: 1], "delegate lambda is called with one argument, its brief: "),
        ([lambda a, b: 1], "delegate lambda is called with one argument, its brief: "),
        ([lambda *, brief: 1], "delegate lambda is called with one argument, its brief: "),
        ([], "has no delegates\nIf that may be, say so: on_empty='noop'."),
        ((), "has no delegates"),
    ],
)
def test_what_cannot_be_asked_is_refused(delegates, text):
    """As a node and as a call; a set has no order that results could have."""
    for refuse in (lambda: declare(delegates), lambda: gn.delegate(delegates, "x")):
        with pytest.raises(gn.InvalidDeclaration) as caught:
            refuse()

        assert text in str(caught.value)


@pytest.mark.parametrize(
    "delegate",
    [
        lambda brief, more=1: brief,
        lambda *briefs: briefs[0],
        len,
        str.upper,
        "{}!".format,
        functools.partial(max, 1),
    ],
    ids=["default", "any number", "builtin", "method", "bound method", "partial"],
)
def test_what_can_be_called_with_one_argument_can_be_asked(delegate):
    """Whatever else it could take."""
    assert (delegate,) == declare([delegate]).delegates


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"on_error": "ignore"}, "on_error is 'ignore'\nIt can be: ['raise', 'keep']"),
        ({"on_error": "collect"}, "on_error is 'collect'"),
        ({"on_error": None}, "on_error is None"),
        ({"on_empty": "keep"}, "on_empty is 'keep'\nIt can be: ['raise', 'noop']"),
        ({"concurrency": 0}, "concurrency is 0 (int)\nIt must be an int of at least 1, or None for all at once."),
        ({"concurrency": -1}, "concurrency is -1"),
        ({"concurrency": True}, "concurrency is True (bool)"),
        ({"concurrency": 2.0}, "concurrency is 2.0 (float)"),
        ({"concurrency": "2"}, "concurrency is '2' (str)"),
    ],
)
def test_wrong_option_is_refused(options, text):
    """As a node and as a call."""
    for refuse in (lambda: declare([nobody], **options), lambda: gn.delegate([nobody], "x", **options)):
        with pytest.raises(gn.InvalidDeclaration) as caught:
            refuse()

        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"into": 1}, "into names a field, not int: 1"),
        ({"into": ["answers"]}, "into names a field, not list: "),
        ({"errors_into": ada}, "errors_into names a field, not function: "),
        ({"middleware": 3}, "middleware"),
        ({"briefs": "brief"}, "briefs names field 'brief', which is not declared"),
        ({"briefs": "brief"}, "Did you mean 'briefs'?"),
        ({"briefs": "brief"}, "For this very text: briefs=lambda s: 'brief'."),
        ({"briefs": lambda: "x"}, "briefs"),
        ({"briefs": lambda s, t: "x"}, "briefs"),
        ({"briefs": ["a", "b"]}, "has 1 delegate and 2 briefs"),
        ({"briefs": ()}, "has 1 delegate and 0 briefs"),
    ],
)
def test_wrong_option_of_a_node_is_refused(options, text):
    """With the place, and nothing is left half declared."""
    graph = board()
    with pytest.raises(gn.InvalidDeclaration, match="graph 'board', node 'ask'") as caught:
        declare([nobody], graph=graph, **options)

    assert text in str(caught.value)
    assert {} == dict(graph.spec().nodes)


@pytest.mark.parametrize(
    "briefs", ["two words", "", "what?", "7", b"briefs", 7, None, {"a": 1}, [["briefs"]]], ids=repr
)
def test_what_cannot_be_a_field_is_the_brief(briefs):
    """A text with a space, for instance."""
    node = declare([ada], briefs)

    assert (briefs, None) == (node.briefs, node.briefs_from)


@pytest.mark.parametrize("name", [3, None, "", []])
def test_name_of_the_node_is_checked(name):
    """As that of any other."""
    with pytest.raises(gn.GraphError):
        board().delegates(name, [ada], briefs="briefs")


def test_second_declaration_in_one_edit_is_refused():
    """The first one stays."""
    graph = board()
    declare([ada], graph=graph)
    with pytest.raises(gn.DuplicateName):
        declare([nobody], graph=graph)

    assert (ada,) == graph.spec().nodes["ask"].delegates


def test_edge_may_be_declared_elsewhere():
    """`to` is an option."""
    graph = board()
    graph.delegates("ask", [ada], briefs="briefs", into="answers")
    graph.edge("ask", gn.END)

    assert [None] == graph.run().state.answers


def test_graph_cannot_be_told_to_merge_or_rank():
    """There is no such option: what becomes of the list is the reducer's business."""
    wanted = {"briefs", "into", "concurrency", "on_error", "errors_into", "on_empty", "middleware", "to"}
    node = set(inspect.signature(gn.Graph.delegates).parameters) - {"self", "name", "delegates"}
    call = set(inspect.signature(gn.delegate).parameters) - {"delegates", "briefs"}

    assert wanted == node
    assert {"concurrency", "on_error", "on_empty"} == call
    assert inspect.signature(gn.delegate).parameters == inspect.signature(gn.adelegate).parameters


def test_graph_runs_its_delegates_as_the_cells_are_now():
    """A pinned graph has them as they were when it was pinned, and knows that it is stale."""
    graph, told = board(), graph_of("old")
    declare([told, ada], "a brief", graph)
    pinned = graph.compile()
    told.remove("n")
    told.node("n", lambda s: {"result": "new"}, to=gn.END)

    assert pinned.is_stale
    assert ["old", "a brief"] == pinned.run().state.answers
    assert ["new", "a brief"] == graph.run().state.answers


def test_pinned_graph_as_a_delegate_stays_as_it_was():
    """Also within a graph that is pinned itself."""
    graph, told = board(), graph_of("old")
    declare([told.compile()], "a brief", graph)
    outer = board()
    outer.subgraph("ask", graph.compile(), outputs={"answers": "answers"}, to=gn.END)
    told.remove("n")
    told.node("n", lambda s: {"result": "new"}, to=gn.END)

    assert ["old"] == graph.run().state.answers
    assert ["old"] == outer.compile().run().state.answers
