"""Whose brief is which, and what is known of delegates before anything runs."""

import functools
from collections.abc import AsyncIterator
from typing import Annotated, Any, NamedTuple

import pytest

import graphnb as gn
from graphnb.graph.checking.declared_writes import DeclaredWrite, writes_of
from graphnb.graph.checking.node_checks import delegates_faults
from graphnb.graph.compiling import compile_graph
from graphnb.graph.delegation import briefs_for, copies_of_briefs
from graphnb.graph.spec import DelegatesNode, graphs_in, names_of_delegates
from graphnb.state.schema import schema_of


class Board(gn.State):
    briefs: list[str] = []
    answers: list[Any] = []
    words: list[str] = []
    failed: list[dict[str, Any]] = []


class Told(gn.State):
    brief: str
    result: int = 0


class Tide(gn.State):
    height: int = 0


def count(brief: str) -> int:
    """How long it is."""
    return len(brief)


def shout(brief: str) -> str:
    """In capitals."""
    return brief.upper()


async def later(brief: str) -> int:
    """How long it is, in a while."""
    return len(brief)


def graph_of(state: type[gn.State], node: Any = lambda s: {}) -> gn.Graph:
    """A graph of one node, named after its state."""
    graph = gn.Graph(state, entry="n", name=state.__name__)
    graph.node("n", node, to=gn.END)
    return graph


def board(delegates: Any, **options: Any) -> gn.Graph:
    """A graph whose one node asks the delegates."""
    graph = gn.Graph(Board, entry="ask", name="board")
    graph.delegates("ask", delegates, **{"briefs": "briefs", "into": "answers", **options}, to=gn.END)
    return graph


class Pair(NamedTuple):
    first: str
    second: str


@pytest.mark.parametrize("briefs", ["two", {"a": 1, "b": 2}, {3, 4}, None, 0, b"two", range(2), gn.UNSET], ids=repr)
def test_what_is_no_list_is_one_brief_for_all(briefs):
    """Also where it has a length, or is false."""
    assert (briefs, briefs) == briefs_for(2, briefs, place="here")
    assert () == briefs_for(0, briefs, place="here")


async def wait() -> str:
    """What is to be awaited."""
    return "it"


async def tell() -> AsyncIterator[str]:
    """One after the other."""
    yield "it"


@pytest.mark.parametrize(
    ("made", "kind"), [(lambda: (i for i in "ab"), "generator"), (wait, "coroutine"), (tell, "async_generator")]
)
def test_brief_that_can_be_read_but_once_is_not_shared(made, kind):
    """The first delegate would take it from the others: there is no copy of it."""
    brief = made()
    with pytest.raises(gn.DelegationError) as caught:
        copies_of_briefs([brief, brief], ["first", "second"])
    getattr(brief, "close", lambda: None)()

    assert str(caught.value).startswith(f"first: the brief cannot be copied: {kind} (TypeError: ")
    assert "Give what can be copied" in str(caught.value)


def test_briefs_are_copied_once_each():
    """One that stands for several is one copy, of which each of them gets its own."""
    brief = [["a"]]
    first, second, third = copies_of_briefs([brief, brief, [["a"]]], ["first", "second", "third"])

    assert [["a"]] == first == third
    assert first is second
    assert first is not brief
    assert first[0] is not brief[0]


@pytest.mark.parametrize("briefs", [["a", "b"], ("a", "b"), Pair("a", "b")], ids=repr)
def test_list_or_tuple_has_one_brief_for_each(briefs):
    """In their order, whatever they are."""
    assert ("a", "b") == briefs_for(2, briefs, place="here")
    assert ([], ["a"]) == briefs_for(2, [[], ["a"]], place="here")


@pytest.mark.parametrize(
    ("delegates", "briefs", "text"),
    [
        (2, ["a"], "here: has 2 delegates and 1 brief\n"),
        (2, [], "here: has 2 delegates and 0 briefs\n"),
        (1, ("a", "b", "c"), "here: has 1 delegate and 3 briefs\n"),
        (0, ["a"], "here: has 0 delegates and 1 brief\n"),
    ],
)
def test_other_number_of_briefs_is_told_with_both_numbers(delegates, briefs, text):
    """None is left out, and none is given twice."""
    with pytest.raises(gn.DelegationError) as caught:
        briefs_for(delegates, briefs, place="here")

    assert f"{text}Give one for each, in the same order, or a single one, which is no list, for all." == str(
        caught.value
    )


@pytest.mark.parametrize(
    ("delegates", "names"),
    [
        ([count, shout, count, count], ("count", "shout", "count (2)", "count (3)")),
        ([lambda b: b, lambda b: b], ("lambda", "lambda (2)")),
        ([graph_of(Told), graph_of(Told), graph_of(Tide)], ("Told", "Told (2)", "Tide")),
        ([functools.partial(count)], ("count",)),
        ([], ()),
    ],
)
def test_delegates_of_one_name_are_numbered(delegates, names):
    """From the second one on, so that each has a name of its own."""
    assert names == names_of_delegates(delegates)


def test_number_that_is_a_name_already_is_passed_over():
    """A function may be called anything."""

    def other(brief: str) -> str:
        return brief

    other.__name__ = "count (2)"

    assert ("count (2)", "count", "count (3)") == names_of_delegates([other, count, count])


def test_graphs_among_delegates_are_found():
    """They are checked and pinned with the graph that holds them."""
    told, tide = graph_of(Told), graph_of(Tide)

    assert (told, tide, told) == graphs_in(DelegatesNode("ask", (told, count, tide, told)))


def test_planned_delegates_know_their_kind():
    """A function is called or awaited; of a graph it depends on its nodes."""

    async def step(s: Any) -> dict[str, Any]:
        return {}

    delegates = [count, later, graph_of(Told), graph_of(Tide, step)]
    node = compile_graph(board(delegates).spec()).nodes["ask"]

    assert [(True, False), (False, True)] * 2 == [(each.has_plain, each.has_async) for each in node.delegates]
    assert [None, None, "Told", "Tide"] == [each.child and each.child.name for each in node.delegates]
    assert "graph 'board', node 'ask', delegate 3 'Tide'" == node.delegates[3].place


@pytest.mark.parametrize(
    ("delegates", "kinds"),
    [([count], (True, False)), ([later], (False, True)), ([count, later], (True, True)), ([], (False, False))],
)
def test_node_tells_what_kinds_of_functions_run_in_it(delegates, kinds):
    """That decides whether a run needs an event loop."""
    node = compile_graph(board(delegates, on_empty="noop").spec()).nodes["ask"]

    assert kinds == (node.has_plain, node.has_async)


def faults_of(**options: Any) -> list[tuple[str, str]]:
    """Category and fault of each that a node with these options has."""
    node = DelegatesNode("ask", (count,), **options)
    return [(each.category, each.what) for each in delegates_faults(node, "here", parent=schema_of(Board))]


UNDECLARED = "mapping_references_undeclared_field"


@pytest.mark.parametrize(
    ("options", "faults"),
    [
        ({"into": "answers"}, []),
        ({"into": "answers", "errors_into": "failed", "on_error": "keep", "briefs_from": "briefs"}, []),
        ({"briefs_from": "brief"}, [(UNDECLARED, "briefs names 'brief', which is no field of Board")]),
        ({"into": "answer"}, [(UNDECLARED, "into names 'answer', which is no field of Board")]),
        (
            {"errors_into": "fail", "on_error": "keep"},
            [(UNDECLARED, "errors_into names 'fail', which is no field of Board")],
        ),
        (
            {"into": "failed", "errors_into": "failed", "on_error": "keep"},
            [("invalid_declaration", "fills field 'failed' twice: by into and errors_into")],
        ),
        (
            {"errors_into": "failed"},
            [("invalid_declaration", "errors_into 'failed' receives nothing: on_error 'raise' raises")],
        ),
    ],
)
def test_fields_of_delegates_are_checked(options, faults):
    """Names have to be declared, and to be of use."""
    assert faults == faults_of(**options)


def test_faults_of_delegates_keep_the_graph_from_running():
    """They are found when it is compiled, with the place."""
    with pytest.raises(gn.GraphError, match="graph 'board', node 'ask': into names 'answer'"):
        board([count], into="answer").compile()


def test_fault_within_a_delegate_gets_the_whole_place():
    """Of the graph that it runs."""
    inner = gn.Graph(Told, entry="n", name="inner")
    inner.node("n", lambda s: {})
    with pytest.raises(gn.MissingOutgoingEdge, match="graph 'board', node 'ask', graph 'inner': node 'n' has no"):
        board([count, inner]).compile()


def test_graph_cannot_be_its_own_delegate():
    """It would never end."""
    graph = gn.Graph(Told, entry="n", name="loop")
    graph.delegates("n", [graph], briefs="brief", to=gn.END)
    with pytest.raises(gn.GraphError, match="loop"):
        graph.compile()


def declared(*delegates: Any, **options: Any) -> tuple[DeclaredWrite, ...]:
    """What the node is declared to write."""
    node = DelegatesNode("ask", delegates, **{"into": "answers", **options})
    return writes_of(node, board([count]).spec())


@pytest.mark.parametrize(
    ("delegates", "options", "each"),
    [
        ([count, count], {}, int),
        ([count, later], {}, int),
        ([graph_of(Told), count], {}, int),
        ([graph_of(Tide), graph_of(Tide)], {}, Tide),
        ([count, shout], {}, Any),
        ([count, lambda b: b], {}, Any),
        ([count, count], {"on_error": "keep"}, Any),
        ([], {}, Any),
    ],
)
def test_what_all_of_them_give_is_what_the_list_holds(delegates, options, each):
    """If they give the same, and none of them can leave None."""
    assert (DeclaredWrite("answers", list[each], "into", each, unit="delegate"),) == declared(*delegates, **options)


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"into": None}, []),
        ({"errors_into": "failed"}, ["answers"]),
        ({"errors_into": "failed", "on_error": "keep"}, ["answers", "failed"]),
        ({"errors_into": "failed", "on_error": "keep", "into": None}, ["failed"]),
    ],
)
def test_records_are_declared_where_there_can_be_some(options, fields):
    """And a list only where a field receives it."""
    assert fields == [each.field for each in declared(count, **options)]


class Unfit(gn.State):
    briefs: str = ""
    numbers: list[int] = []
    merged: Annotated[dict[str, int], gn.merge] = {}


@pytest.mark.parametrize(("into", "told"), [("numbers", []), ("merged", ["unfit_write"])])
def test_list_that_cannot_be_folded_is_told(into, told):
    """By `check()`, before anything runs: a list is no mapping."""
    graph = gn.Graph(Unfit, entry="ask", name="unfit")
    graph.delegates("ask", [count, count], briefs="briefs", into=into, to=gn.END)
    found = graph.check()

    assert told == [each.code for each in found]
    assert all(
        "into gives field 'merged' a list[int], one int per delegate: merge takes" in str(each) for each in found
    )


def test_delegates_are_drawn_with_their_names_and_options():
    """In a fixed order; a graph with its inside."""
    graph = board(
        [count, graph_of(Told), count], concurrency=2, on_error="keep", errors_into="failed", middleware=gn.retry()
    )
    (node,) = graph.topology().nodes

    assert ("ask", "delegates", None) == (node.name, node.kind, node.worker)
    assert (("briefs", "briefs"), ("into", "answers"), ("errors", "failed"), ("at once", "2")) == node.details
    assert [("count", "count"), ("Told", "Told"), ("count (2)", "count")] == [(b.name, b.worker) for b in node.branches]
    assert [None, graph_of(Told).topology(), None] == [each.inner for each in node.branches]


@pytest.mark.parametrize(
    ("options", "details"),
    [
        ({"briefs": shout}, {"briefs": "shout()"}),
        ({"briefs": {"a": 1}}, {"briefs": "{'a': 1}"}),
        ({"briefs": ["a b"]}, {"briefs": "['a b']"}),
        ({"on_error": "keep"}, {"briefs": "briefs", "errors": "dropped"}),
    ],
)
def test_drawing_tells_where_briefs_come_from_and_errors_go(options, details):
    """A field, a function, or the briefs themselves."""
    (node,) = board([count], into=None, **options).topology().nodes

    assert details == dict(node.details)


def test_delegates_are_no_node_of_a_document():
    """They are refused by what they are."""
    with pytest.raises(gn.GraphError, match="delegates") as refused:
        gn.document(board([count]))

    assert "node 'ask'" in str(refused.value)


def test_many_delegates_of_one_name_are_numbered_at_the_cost_of_their_number():
    """With the cube of it this would take hours."""
    names = names_of_delegates([count] * 20_000)

    assert ("count", "count (2)", "count (20000)") == (*names[:2], names[-1])
    assert len(set(names)) == 20_000
