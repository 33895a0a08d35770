"""The whole record of one run."""

import math
from typing import Annotated, Any

import graphnb as gn
from graphnb.errors import NodeException
from graphnb.trace.log import Open
from tests.show.supersteps import asking, run_of
from tests.traces import Made


class Diary(gn.State):
    n: int = 0
    value: Any = None
    log: Annotated[list[str], gn.append] = []


def made(**given: Any) -> Made:
    """A run of two steps."""
    return Made(Diary, given).step("a", {"log": ["a"]}, "b").step("b", {"n": 2})


def test_trace_gives_start_and_final_state():
    """Both are of the user's class, and the caller's own."""
    trace = made(n=1).trace()
    trace.state.log.append("x")

    assert Diary(n=1) == trace.start
    assert Diary(n=2, log=["a"]) == trace.state


def test_steps_and_failures_are_told_apart():
    """Completed nodes here, others there."""
    trace = made().fail("c").trace()

    assert (["a", "b"], ["c"]) == ([step.node for step in trace.steps], [each.node for each in trace.failures])


def test_execution_order_counts_a_failed_node_but_not_a_failed_edge():
    """Nodes that were entered, once per step."""
    assert ("a", "b") == made().trace().execution_order
    assert ("a", "b", "c") == made().fail("c").trace().execution_order
    assert ("a", "b") == made().fail("b", at_edge=True).trace().execution_order


def test_traces_with_equal_facts_are_equal():
    """Start, steps, failures and status count; NaN is equal to itself."""
    assert made(n=1, value=[math.nan]).trace() == made(n=1, value=[math.nan]).trace()
    assert made().fail("c").trace() == made().fail("c").trace()


def test_traces_with_other_facts_differ():
    """Each of the facts alone makes a difference."""
    one = made().trace()

    assert one != made(n=1).trace()
    assert one != made(value=False).trace()
    assert made(value=0).trace() != made(value=False).trace()
    assert one != made().trace("cancelled")
    assert one != made().step("c", {}).trace()
    assert made().fail("c").trace() != made().fail("c", NodeException("node 'c'", "raised KeyError", "")).trace()
    assert one != "trace"


def test_text_names_graph_status_and_length():
    """What stands in a notebook's output."""
    assert "Trace('graph', done, 2 steps)" == repr(made().trace())


def test_open_steps_are_those_in_which_the_run_was_stopped():
    """They are neither steps nor failures."""
    run = made()
    run.log.open = Open(len(run.log.commits), "c", stopped=True)
    trace = run.trace("cancelled")

    assert (["c"], 2, ()) == ([each.node for each in trace.open_steps], len(trace.steps), trace.failures)


def test_execution_order_has_a_node_that_asked_once_for_each_time_it_ran() -> None:
    """The answer is no run of it."""
    run = run_of(asking())

    assert ("plan", "gate", "read", "check") == run.trace.execution_order
    assert ("plan", "gate", "read", "check", "gate", "print") == run.resume(["yes"]).trace.execution_order
