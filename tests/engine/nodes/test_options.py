"""Options of a node that are functions of the state."""

import asyncio
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.nodes.options import ask_option
from graphnb.engine.observers.scope import Scope
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.step import run_graph
from graphnb.errors import MutatedState, NodeException, UnsetField
from graphnb.state.schema import schema_of, start_values
from graphnb.trace.log import Log


class Batch(gn.State):
    n: int = 3
    late: int = gn.UNSET
    box: Any = None
    log: list[str] = []


SCHEMA = schema_of(Batch)


def asking(function: Any, **fields: Any) -> Any:
    """What the function for `count` answers, the work driven by hand."""
    graph = gn.Graph(Batch, entry="each", name="batch")
    graph.fan_out("each", len, count=1, into="log", to=gn.END)
    plan, values, scope = graph.compile().plan, start_values(SCHEMA, fields, ""), Scope(10)
    running = RunningGraph(plan, Log("batch", SCHEMA, values), scope, run_graph)
    attempt = Attempt(running, plan.nodes["each"], values)
    work = ask_option(function, "count", attempt=attempt)
    try:
        called, argument, is_async = next(work)
        assert (function, False) == (called, is_async)
        work.send(called(argument))
    except StopIteration as stop:
        return stop.value
    except LookupError as error:  # as a driver does
        work.throw(error)
    raise AssertionError("the work asks once")


def test_function_is_asked_about_the_state():
    """Its answer is given as it is."""
    assert 6 == asking(lambda s: s.n * 2)


def test_state_of_plain_values_needs_no_comparison():
    """A count of a state in which nothing can be changed."""

    class Flat(gn.State):
        n: int = 2
        log: Annotated[list[int], gn.append] = []

    graph = gn.Graph(Flat, entry="each")
    graph.fan_out("each", lambda i: i, count=lambda s: s.n, into="log", to=gn.END)

    assert [0, 1] == graph.run().state.log


def test_error_is_wrapped_and_names_the_option():
    """With the original as its cause."""

    def fail(s: Any) -> Any:
        raise LookupError("lost")

    with pytest.raises(NodeException, match="node 'each': its function for count raised LookupError: lost") as caught:
        asking(fail)

    assert isinstance(caught.value.__cause__, LookupError)


def test_state_that_is_changed_in_place_is_found_out():
    """What cannot refuse is compared afterwards; the error says for which option."""
    with pytest.raises(MutatedState, match=r"node 'each', function for count: .*field 'box'"):
        asking(lambda s: s.box.add(1), box={0})


@pytest.mark.parametrize("count", [lambda s: s.late, lambda s: s.log.append("x")], ids=["unset", "mutated"])
@pytest.mark.parametrize("how", ["run", "arun"])
def test_error_of_the_state_keeps_its_class(how, count):
    """It tells what was done to the state, and where: in the option's function."""
    graph = gn.Graph(Batch, entry="each", name="batch")
    graph.fan_out("each", lambda i: "x", count=count, into="log", to=gn.END)
    with pytest.raises((UnsetField, MutatedState), match="node 'each', step 0, function for count: "):
        graph.run() if how == "run" else asyncio.run(graph.arun())
