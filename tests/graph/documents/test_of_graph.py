"""A graph written in Python as a document."""

import functools
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, create_model, field_validator

import graphnb as gn
from graphnb import step
from graphnb.graph.documents.canonical import hash_of
from graphnb.graph.documents.of_graph import document_of
from graphnb.graph.documents.reading import read_document
from graphnb.graph.documents.writing import to_wire
from graphnb.graph.guards.guard import Guard


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


def test_every_field_is_an_output() -> None:
    """Of its own id, inputs too."""
    document = wire(review())

    assert {name: {"source": name} for name in Review.model_fields} == document["outputs"]
    assert (["topic"], ["notes", "score", "verdict", "later"]) == ([*document["inputs"]], [*document["fields"]])


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


def test_names_outside_of_the_pattern_are_told() -> None:
    """Of the graph too."""
    told = refused(linear("ä", name="a graph"))

    assert [("graph 'a graph'", "'a graph' is no id"), ("graph 'a graph', node 'ä'", "'ä' is no id")] == [
        (where, what) for where, what, _ in told
    ]


def test_function_that_is_not_registered_is_told() -> None:
    """With what to add."""
    ((where, what, mend),) = refused(linear("a"), {"plam": read})

    assert ("node 'a'", "its function plan is not among the nodes that were passed") == (where, what)
    assert "Add it: nodes={'plan': plan}. Registered: ['plam']. Did you mean 'plam'?" == mend


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
    nodes = {f"n{i}": _function(f"n{i}") for i in range(8)}
    again = gn.graph_of(json.dumps(document), nodes=nodes)

    assert document == gn.document(again) == gn.document(again, nodes)
    assert gn.document_hash(document) == hash_of(read_document(gn.document(again)))
    assert () == gn.check_document(document, nodes=nodes).errors
    assert [*graph.spec().nodes] == [*again.spec().nodes]
