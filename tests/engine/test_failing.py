"""What becomes of an error."""

from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.failing import told


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
        (ExceptionGroup("two", [OSError(), KeyError()]), "ExceptionGroup: two (2 sub-exceptions)"),
        (gn.RoutingError("where", "what", "mend"), "RoutingError: where: what\nmend"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_are_told_in_one_way(error, text):
    """Type and message; what cannot be shown is escaped, what cannot be read is left out."""
    assert text == told(error)


def test_long_message_is_cut_with_its_true_length():
    """A megabyte of text does not end up in the notebook."""
    text = told(ValueError("x" * 10**6))

    assert f"ValueError: {'x' * 1000}... (1000000 characters)" == text
    assert f"ValueError: {'x' * 1000}" == told(ValueError("x" * 1000))


def test_exception_that_cannot_say_what_it_is_is_wrapped_all_the_same():
    """The run ends with an error that can be shown."""
    error = caught_from(failing(lambda s: (_ for _ in ()).throw(SilentError())))

    assert "raised SilentError (its message cannot be read)" in str(error)
    assert isinstance(error.__cause__, SilentError)


def test_errors_of_equal_runs_are_equal_text():
    """Nothing in the message depends on the moment: two runs fail with the same words."""
    assert str(caught_from(failing(divide))) == str(caught_from(failing(divide)))
