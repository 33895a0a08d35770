"""What becomes of an error."""

import sys
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.failing import text_of
from tests.engine.driven import DRIVERS, drive


class Diary(gn.State):
    log: Annotated[list[str], gn.append] = []
    n: int = 0
    late: str = gn.UNSET


def failing(node: Any, *, name: str = "diary") -> gn.Graph:
    """A graph in which `bad` comes after `good`."""
    graph = gn.Graph(Diary, entry="good", name=name)
    graph.node("good", lambda s: {"log": ["good"]}, to="bad")
    graph.node("bad", node, to=gn.END)
    return graph


def caught_from(graph: gn.Graph) -> gn.RunError:
    """The error that running the graph raises."""
    with pytest.raises(gn.RunError) as caught:
        graph.run()
    return caught.value


def divide(s: Any) -> dict[str, Any]:
    """A node that fails."""
    return {"n": 1 // s.n}


def test_error_of_a_node_tells_where_what_and_how_far():
    """Node, step, cause, path, recoverable state, trace and run."""
    graph = failing(divide)
    error = caught_from(graph)

    assert "graph 'diary', node 'bad', step 1: raised ZeroDivisionError: integer division or modulo by zero" == str(
        error
    )
    assert ("bad", ("bad",)) == (error.node, error.path)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert ["good"] == error.recoverable_state.log
    assert ["good"] == [step.path for step in error.trace.steps]
    assert ("good", "bad") == error.trace.execution_order
    assert ("failed", error) == (error.run.status, error.run.error)
    assert error.run is graph.last_run
    assert error.run.trace is error.trace


@pytest.mark.parametrize(
    ("update", "category", "message"),
    [
        ({"log": 1}, "reducer_error", "node 'bad', step 1: field 'log': reducer append refused"),
        ({"log": [1]}, "state_validation_error", r"node 'bad', step 1: log\[0\]: .*not int: 1"),
        ({"n": "x"}, "state_validation_error", "node 'bad', step 1: n: "),
        ({"lg": []}, "state_validation_error", r"'lg' is no field .*\n.*Did you mean 'log'\?"),
    ],
)
def test_update_that_is_refused_leaves_the_state_as_it_was(update, category, message):
    """Nothing of it is committed, not even its right part."""
    with pytest.raises(gn.RunError, match=message) as caught:
        failing(lambda s: {"n": 9, **update}).run()

    assert category == caught.value.category
    assert (0, ["good"]) == (caught.value.recoverable_state.n, caught.value.recoverable_state.log)
    assert (0, ["good"]) == (caught.value.run.state.n, caught.value.run.state.log)


def test_unset_field_that_is_read_is_named():
    """The error says how to test for it."""
    error = caught_from(failing(lambda s: {"log": [s.late]}))

    assert isinstance(error, gn.UnsetField)
    assert "graph 'diary', node 'bad', step 1: read field 'late', which nothing has written yet" in str(error)
    assert "Test with: if 'late' in s" in str(error)


INNER = {
    "node": lambda: failing(divide, name="inner").run(),
    "start": lambda: failing(divide, name="inner").run(n="x"),
    "build": lambda: gn.Graph(Diary, entry="nowhere", name="inner").run(),
    "mutation": lambda: failing(lambda s: s.log.append(1), name="inner").run(),
    "unset": lambda: failing(lambda s: s.late, name="inner").run(),
    "same graph": lambda: failing(divide).run(),
}


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER.keys())
def test_error_of_a_run_inside_a_node_is_the_cause(inner):
    """To the outer graph its node has raised; the inner error keeps its own place, trace and run."""
    error = caught_from(failing(lambda s: inner()))

    assert type(error) is gn.NodeException
    assert ("bad", ("bad",)) == (error.node, error.path)
    assert str(error).startswith("graph 'diary', node 'bad', step 1: raised ")
    cause = error.__cause__
    assert isinstance(cause, gn.GraphError)
    if isinstance(cause, gn.RunError) and cause.run is not None:
        assert cause.trace is not error.trace
        assert ["good"] == cause.run.state.log


def test_graph_error_that_a_node_raises_by_itself_is_wrapped():
    """Only what the engine has found out in this step counts as its own."""
    error = caught_from(failing(lambda s: (_ for _ in ()).throw(gn.RoutingError("somewhere", "no such thing"))))

    assert type(error) is gn.NodeException
    assert isinstance(error.__cause__, gn.RoutingError)


def test_state_view_kept_beyond_its_run_names_the_node_that_uses_it():
    """A node that changes what it was given earlier is the one at fault."""
    kept = []
    graph = gn.Graph(Diary, entry="keep")
    graph.node("keep", lambda s: kept.append(s.log) or {}, to="use")
    graph.node("use", lambda s: kept[0].append("x"), to=gn.END)
    error = caught_from(graph)

    assert isinstance(error, gn.MutatedState)
    assert "use" == error.node


class SilentError(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("not even this")


class Nameless:
    """Something whose text is its address."""


class BareError(Exception):
    """An exception without a message."""


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no luck"), "ValueError: no luck"),
        (BareError(), "BareError"),
        (SilentError(), "SilentError (its message cannot be read)"),
        (KeyError("k"), "KeyError: 'k'"),
        (ValueError("a\x1b[31m\ud800"), "ValueError: a\\x1b[31m\\ud800"),
        (ValueError(Nameless(), "x"), "ValueError: (<tests.engine.test_failing.Nameless>, 'x')"),
        (ExceptionGroup("two", [OSError(), KeyError()]), "ExceptionGroup: two (2 sub-exceptions)"),
        (gn.RoutingError("where", "what", "mend"), "RoutingError: where: what\nmend"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_are_told_in_one_way(error, text):
    """Type and message; what cannot be shown is escaped, what cannot be read and addresses are left out."""
    assert text == text_of(error)


def test_long_message_is_cut_with_its_true_length():
    """A megabyte of text does not end up in the notebook."""
    text = text_of(ValueError("x" * 10**6))

    assert f"ValueError: {'x' * 1000}... (1000000 characters)" == text
    assert f"ValueError: {'x' * 1000}" == text_of(ValueError("x" * 1000))


def test_exception_that_cannot_say_what_it_is_is_wrapped_all_the_same():
    """The run ends with an error that can be shown."""
    error = caught_from(failing(lambda s: (_ for _ in ()).throw(SilentError())))

    assert "raised SilentError (its message cannot be read)" in str(error)
    assert isinstance(error.__cause__, SilentError)


def test_errors_of_equal_runs_are_equal_text():
    """Nothing in the message depends on the moment: two runs fail with the same words."""
    assert str(caught_from(failing(divide))) == str(caught_from(failing(divide)))


class Busy(Exception):
    category = "provider_unavailable"


def wrong(s: Any) -> Any:
    """A node, or a router, that fails."""
    raise Busy("down")


def line(node: Any, *layers: Any, router: Any = None, name: str = "line") -> gn.Graph:
    """A graph of one node, which counts before it does anything else."""
    graph = gn.Graph(Diary, entry="count", name=name)
    graph.node("count", lambda s: {"n": s.n + 1}, to="bad")
    graph.node("bad", node, middleware=layers)
    if router is None:
        graph.edge("bad", gn.END)
    else:
        graph.branch("bad", router)
    return graph


def raising(graph: gn.Graph, how: str) -> Any:
    """The error that running the graph from n = 1 raises."""
    with pytest.raises(gn.RunError) as caught:
        drive(graph, how, n=1)
    return caught.value


HOW = pytest.mark.parametrize("how", DRIVERS)
LAYERS = pytest.mark.parametrize("layers", [(), (lambda s, following: following(s),)], ids=["bare", "layered"])


@HOW
@LAYERS
@pytest.mark.parametrize(
    ("node", "router", "category", "carried", "n"),
    [
        (wrong, None, "node_exception", {}, 2),
        (lambda s: {"log": 5, "n": 9}, None, "reducer_error", {"field": "log", "reducer": "append"}, 2),
        (lambda s: {"n": "many"}, None, "state_validation_error", {"fields": ("n",)}, 2),
        (lambda s: {"nn": 1}, None, "state_validation_error", {"fields": ("nn",)}, 2),
        (lambda s: {"n": 9}, wrong, "edge_exception", {}, 9),
        (lambda s: {"n": 9}, lambda s: "nowhere", "routing_error", {"returned": "nowhere"}, 9),
    ],
    ids=["node", "reducer", "value", "unknown field", "router", "target"],
)
def test_error_carries_what_its_category_asks_for(how, layers, node, router, category, carried, n):
    """The node, and the state before it; for an edge the state after the fold, which the edge has seen."""
    error = raising(line(node, *layers, router=router), how)

    assert (category, "bad", ("bad",), n) == (error.category, error.node, error.path, error.recoverable_state.n)
    assert carried == {name: getattr(error, name) for name in carried}
    assert ("failed", error) == (error.trace.status, error.trace.error)
    assert (category == "routing_error") is (error.__cause__ is None)


@HOW
@LAYERS
def test_wrapper_has_the_original_as_its_cause(how, layers):
    """Its text can be told from the wrapper's, and the category of the cause is derived."""
    for graph in (line(wrong, *layers), line(lambda s: {}, *layers, router=wrong)):
        error = raising(graph, how)
        causes = gn.causes_of(error)

        assert ("down", Busy) == (str(error.__cause__), type(error.__cause__))
        assert ["down"] == [each.message for each in causes.links[1:]]
    assert "provider_unavailable" == gn.causes_of(raising(line(wrong, *layers), how)).category


@HOW
@pytest.mark.parametrize("levels", [1, 3])
def test_error_leaves_subgraphs_as_it_is(how, levels):
    """The node that is named is the inner one, with the whole path; the state is that of its own graph."""
    graph = line(wrong, name="inner")
    for i in range(levels):
        outer = gn.Graph(Diary, entry="sub", name=f"outer {i}")
        outer.subgraph("sub", graph, inputs={"n": "n"}, outputs={}, to=gn.END)
        graph = outer
    error = raising(graph, how)

    assert ("bad", ("sub",) * levels + ("bad",), 2) == (error.node, error.path, error.recoverable_state.n)
    assert isinstance(error.__cause__, Busy)


@HOW
@pytest.mark.parametrize("policy", ["function", "graph"])
def test_error_that_leaves_a_fan_out_is_wrapped_and_named_after_it(how, policy):
    """The cause is the instance's error, and the state that of the parent before the fan-out."""
    graph = gn.Graph(Diary, entry="count", name="outer")
    graph.node("count", lambda s: {"n": s.n + 1}, to="each")
    worker = wrong if policy == "function" else line(wrong, name="inner")
    options = {} if policy == "function" else {"collect": "n"}
    graph.fan_out("each", worker, count=1, into="log", **options, to=gn.END)
    error = raising(graph, how)

    assert ("node_exception", "each", ("each",), 2) == (
        error.category, error.node, error.path, error.recoverable_state.n
    )  # fmt: skip
    inner = error.__cause__
    assert (Busy if policy == "function" else gn.NodeException) is type(inner)
    assert policy == "function" or ("bad", ("bad",), 1) == (inner.node, inner.path, inner.recoverable_state.n)
    assert "provider_unavailable" == gn.causes_of(error).category


@HOW
def test_error_that_leaves_a_composite_within_a_subgraph_has_its_whole_path(how):
    """Wrapped at the fan-out, and then passed on as it is."""
    graph = gn.Graph(Diary, entry="each", name="middle")
    graph.fan_out("each", wrong, count=1, into="log", to=gn.END)
    outer = gn.Graph(Diary, entry="sub", name="outer")
    outer.subgraph("sub", graph, to=gn.END)
    error = raising(outer, how)

    assert ("each", ("sub", "each")) == (error.node, error.path)


@HOW
def test_raw_error_travels_through_the_chain(how):
    """The wrapper is put on outside: each layer sees what was raised, and may raise something else."""
    seen: list[Any] = []

    def look(s: Any, following: Any) -> Any:
        try:
            return following(s)
        except Exception as error:
            seen.append(type(error))
            raise

    error = raising(line(wrong, look, look), how)

    assert ([Busy, Busy], gn.NodeException) == (seen, type(error))
    assert isinstance(error.__cause__, Busy)


@HOW
def test_error_of_a_run_within_middleware_is_wrapped_like_any_other(how):
    """It belongs to another run."""
    other = line(wrong, name="other")
    error = raising(line(lambda s: {}, lambda s, following: other.run()), how)

    assert ("bad", ("bad",)) == (error.node, error.path)
    assert isinstance(error.__cause__, gn.NodeException)
    assert error.__cause__.run is not error.run


@HOW
def test_graph_too_deep_for_the_stack_says_how_deep_it_is(how):
    """A RecursionError within graphs is most likely about them: the error tells their number and Python's limit."""

    def endless(s: Any) -> Any:
        return endless(s)

    graph = line(endless, name="inner")
    for _ in range(2):
        outer = gn.Graph(Diary, entry="sub", name="outer")
        outer.subgraph("sub", graph, to=gn.END)
        graph = outer
    error = raising(graph, how)

    assert error.mend == f"This is 3 graphs deep, and Python's stack has room for {sys.getrecursionlimit()} calls."


def test_path_through_many_graphs_is_cut_in_the_message_alone():
    """The outermost graph and the eight innermost are told; `path` has all of them."""
    graph = line(wrong, name="inner")
    for i in range(30):
        outer = gn.Graph(Diary, entry=f"sub{i}", name=f"outer{i}")
        outer.subgraph(f"sub{i}", graph, to=gn.END)
        graph = outer
    error = raising(graph, "run")

    assert (31, "bad", "sub29") == (len(error.path), error.path[-1], error.path[0])
    assert error.where.startswith("graph 'outer29', node 'sub29', step 0, … deep inside …, ")
    assert error.where.endswith("graph 'inner', node 'bad', step 1")
    assert 9 == error.where.count("graph ")
