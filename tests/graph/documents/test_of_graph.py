"""A graph written in Python as a document."""

import functools
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, create_model, field_validator
from typing_extensions import TypedDict

import graphnb as gn
from graphnb import step
from graphnb.graph.documents.canonical import hash_of
from graphnb.graph.documents.of_graph import document_of
from graphnb.graph.documents.reading import read_document
from tests.graph.documents.graphs import Review, linear, plan, refused, review, wire


class Renamed(TypedDict):
    topic: str
    score: int


class MayRename(TypedDict):
    topic: NotRequired[str]
    score: int


def test_every_field_is_an_output() -> None:
    """Of its own id, inputs too."""
    document = wire(review())

    assert {name: {"source": name} for name in Review.model_fields} == document["outputs"]
    assert (["topic"], ["notes", "score", "verdict", "later"]) == ([*document["inputs"]], [*document["fields"]])


def test_all_that_has_no_name_is_told_at_once() -> None:
    """Names, reducers, routers, functions, other kinds of nodes and middleware, each with its place and a mend."""

    class Bad(gn.State):
        items: Annotated[list[str], gn.append] = []
        odd: set[int] = gn.UNSET

    def around(s: Any, next: Any) -> Any:  # noqa: A002  as it is called
        return next(s)

    graph = gn.Graph(Bad, entry="a b", name="g", middleware=[around])
    graph.node("a b", lambda s: {})
    graph.branch("a b", lambda s: "b", to=("b", "c"))
    graph.node("b", plan, middleware=[gn.retry(2)])
    graph.edge("b", "c", when=lambda s: True)
    graph.node("c", functools.partial(plan), to="each")
    graph.fan_out("each", str, over="items", into="items", to="both")
    graph.branches("both", {"x": plan}, to="sub")
    graph.subgraph("sub", linear("a", state=Bad), to=gn.END)
    told = refused(graph)

    assert [
        ("field 'items'", "the strict reducer append has no name in a document"),
        ("field 'odd'", "set[int] has no name in a document"),
        ("graph 'g'", "middleware around around every node has no name in a document"),
        ("node 'a b'", "'a b' is no id"),
        ("node 'a b'", "its function has no name of its own: a lambda"),
        ("node 'b'", "middleware Retry has no name in a document"),
        ("node 'c'", "its function has no name of its own: functools.partial"),
        ("node 'each'", "is a fan-out, which has no name in a document"),
        ("node 'both'", "is parallel branches, which has no name in a document"),
        ("node 'sub'", "is a subgraph, which has no name in a document"),
        ("node 'a b'", "its router lambda has no name in a document"),
        ("edge 'b-c'", "its condition lambda is a function, which has no name in a document"),
    ] == [(where, _short(what)) for where, what, _ in told]
    assert all(mend for _, _, mend in told)


def _short(what: str) -> str:
    """The fault without what Python says of a function."""
    for begin, short in (
        ("its function has no name of its own: <function", "its function has no name of its own: a lambda"),
        ("its function has no name of its own: functools", "its function has no name of its own: functools.partial"),
        ("middleware retry", "middleware Retry has no name in a document"),
    ):
        if what.startswith(begin):
            return short
    return what


def test_more_faults_than_a_message_holds_are_counted() -> None:
    """The rest is in `problems`."""
    kinds = {f"f{i}": (set[int], gn.UNSET) for i in range(30)}
    graph = linear("a", state=create_model("Many", __base__=gn.State, **kinds))  # type: ignore[call-overload]
    told = refused(graph)

    assert 30 == len(told)
    with pytest.raises(gn.InvalidDocument, match="and 10 more, see `problems`"):
        document_of(graph.spec())


def test_unfinished_graph_is_refused_with_its_faults() -> None:
    """They come first."""
    graph = gn.Graph(Review, name="g")
    graph.node("a", plan, to="b")

    assert [
        ("graph 'g'", "has no entry node"),
        ("graph 'g'", "edge from 'a' names 'b', which is no node"),
    ] == [(where, what) for where, what, _ in refused(graph)]


def test_node_that_declares_to_write_an_input_is_told() -> None:
    """A field without a default becomes one; an update that may lack it says nothing for sure."""

    def rename(s: Any) -> Renamed:
        return {"topic": "", "score": 1}

    def maybe(s: Any) -> MayRename:
        return {"score": 1}

    graph = gn.Graph(Review, entry="maybe", name="g")
    graph.node(maybe, to="rename")
    graph.node(rename, to=gn.END)
    ((where, what, mend),) = refused(graph)

    assert "node 'rename'" == where
    assert what == "its return type has 'topic', an input in a document, which no node may write"
    assert mend.startswith("Declare topic with a default or = gn.UNSET")


def test_names_outside_of_the_pattern_are_told() -> None:
    """Of the graph too."""
    told = refused(linear("ä", name="a graph"))

    assert [("graph 'a graph'", "'a graph' is no id"), ("graph 'a graph', node 'ä'", "'ä' is no id")] == [
        (where, what) for where, what, _ in told
    ]


def test_classes_that_check_by_themselves_are_told() -> None:
    """Validators and configurations about values."""

    class Checked(gn.State):
        model_config = ConfigDict(str_strip_whitespace=True, strict=True)
        n: int = 0

        @field_validator("n")
        @classmethod
        def check(cls, n: int) -> int:
            return n

    told = refused(linear("a", state=Checked))

    assert [
        ("state Checked", "the class has validators of its own, which a document cannot name"),
        ("state Checked", "its configuration has str_strip_whitespace=True, which a document cannot name"),
    ] == [(where, what) for where, what, _ in told]


# --- round trips -----------------------------------------------------------------------------------------------------

_KINDS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (int, st.integers()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (str, st.text(st.characters(exclude_categories=["Cs"]), max_size=4)),
    (bool, st.booleans()),
    (str | None, st.none() | st.just("x")),
    (Literal["a", 2], st.sampled_from(["a", 2])),
    (list[int], st.lists(st.integers(), max_size=2)),
    (list[list[str | None]], st.lists(st.lists(st.none() | st.just("x"), max_size=2), max_size=2)),
    (dict[str, Any], st.dictionaries(st.sampled_from(["a", "b c"]), st.integers(), max_size=2)),
    (Annotated[list[str], step.append(max_length=3)], st.lists(st.just("x"), max_size=2)),
    (Annotated[list[str], step.union(by="id")], st.just([])),
    (Annotated[dict[str, int], step.merge(deep=True)], st.just({})),
    (Annotated[float, step.sum], st.sampled_from([0, 0.0, 1])),
    (Annotated[int, step.first_value], st.integers()),
]
_ids = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_-]{0,3}", fullmatch=True)


@st.composite
def _states(draw: st.DrawFn) -> type:
    names = draw(st.lists(st.from_regex(r"f[a-z0-9_]{0,3}", fullmatch=True), min_size=1, max_size=5, unique=True))
    fields = {}
    for name in names:
        kind, defaults = draw(st.sampled_from(_KINDS))
        fields[name] = (kind, draw(st.just(...) | st.just(gn.UNSET) | defaults))
    return create_model("Made", __base__=gn.State, **fields)  # type: ignore[call-overload, no-any-return]


def _function(name: str) -> Callable[[Any], Any]:
    def node(s: Any) -> dict[str, Any]:
        return {}

    node.__name__ = name
    return node


@st.composite
def _graphs(draw: st.DrawFn) -> gn.Graph:
    """A chain in which a step may be a fork that is joined again, or a guarded way on beside one that leads back."""
    state = draw(_states())
    names = draw(st.lists(_ids, min_size=4, max_size=8, unique=True))
    graph = gn.Graph(state, entry=names[0], name=draw(_ids))
    for i, name in enumerate(names):
        graph.node(name, _function(f"n{i}"))
    field = gn.field(next(iter(state.model_fields)))
    at = 0
    while at < len(names) - 3:
        way = draw(st.sampled_from(["edge", "fork", "guards"]))
        here, left, right, further = names[at : at + 4]
        if way == "fork":
            graph.edge(here, (left, right))
            graph.edge((left, right), further, when=draw(st.none() | st.just(field.changed())))
            at += 3
        elif way == "guards":
            value = draw(st.integers() | st.text(max_size=2) | st.lists(st.booleans(), max_size=2))
            graph.edge(here, left, when=field == value)
            graph.edge(here, draw(st.sampled_from([names[0], gn.END])), when=~(field == value) | (field.version >= 2))
            at += 1
        else:
            graph.edge(here, left)
            at += 1
    for name, target in zip(names[at:], [*names[at + 1 :], gn.END], strict=True):
        graph.edge(name, target)
    return graph


@given(_graphs())
def test_document_of_a_graph_is_read_again(graph: gn.Graph) -> None:
    """It is one that can be run, it stays the same over JSON, and the graph that is read from it gives it back."""
    document = gn.document(graph)
    nodes = {f"n{i}": lambda view, context: {} for i in range(8)}
    again = gn.graph_of(json.dumps(document), nodes=nodes)

    assert document == gn.document(again) == gn.document(again, nodes)
    assert gn.document_hash(document) == hash_of(read_document(gn.document(again)))
    assert () == gn.check_document(document, nodes=nodes).errors
    assert [*graph.spec().nodes] == [*again.spec().nodes]
