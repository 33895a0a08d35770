"""What observers are told of one node's execution, asked for by the work and sent by nobody."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.observers.scope import Scope, Watch
from graphnb.engine.observers.visit import Visit
from graphnb.engine.work import Tell
from graphnb.errors import FanOutError, NodeException
from graphnb.graph.observer import Observer
from graphnb.state.schema import schema_of, start_values


class Count(gn.State):
    n: int = 0


SCHEMA = schema_of(Count)
OBSERVER = Observer(print, "print")
CONFIG = gn.FanOutConfig(3, None, "collect", "a")


def values(n: int) -> Any:
    """A state as it is kept."""
    return start_values(SCHEMA, {"n": n}, "")


def visit(steps: Iterator[int] | None = None) -> Visit:
    """One of node `a` within node `sub`, whose state before was 1."""
    watch = Watch("i", "c", steps or itertools.count(5), (OBSERVER,))
    scope = Scope(10, watch).of_graph("sub", (SCHEMA, values(8)), attempt_index=0)
    return Visit("a", scope, place="graph 'g', node 'a'", schema=SCHEMA, before=values(1))


def events(*works: Any) -> list[Any]:
    """What these ask to be told, in order."""
    asked = [request for work in works for request in work]
    assert all(isinstance(each, Tell) and (OBSERVER,) == each.observers for each in asked)
    return [each.event for each in asked]


def test_attempt_that_completes_has_two_events():
    """Started with the state that the body got, completed with the state after; all else is the same."""
    own = visit()
    started, completed = events(own.tell_started(values(2), 0), own.tell_completed(values(3)))

    assert ("started", "completed") == (started.phase, completed.phase)
    assert (2, None, None) == (started.pre_state.n, started.post_state, started.error)
    assert (2, 3, None) == (completed.pre_state.n, completed.post_state.n, completed.error)
    for each in (started, completed):
        assert (5, ("sub", "a"), "a", "i", "c") == (
            each.step, each.namespace, each.node_name, each.invocation_id, each.correlation_id
        )  # fmt: skip
        assert [8] == [state.n for state in each.parent_states]


def test_node_that_was_not_reached_tells_nothing_and_takes_no_step():
    """Whatever ended it."""
    steps = itertools.count(5)
    own = visit(steps)

    assert [] == events(
        own.tell_completed(values(3)), own.tell_failed(NodeException("w", "x")), own.settle(ValueError())
    )
    assert 5 == next(steps)


def test_attempts_share_a_step():
    """The first of them takes it."""
    steps = itertools.count(5)
    own, other = visit(steps), visit(steps)
    first = events(own.tell_started(values(1), 0), own.settle(ValueError()), own.tell_started(values(1), 1))

    assert [5, 5, 5] == [each.step for each in first]
    assert [6] == [each.step for each in events(other.tell_started(values(1), 0))]
    assert [5] == [each.step for each in events(own.tell_completed(values(2)))]


def test_attempt_is_completed_once():
    """What comes later finds nothing to complete."""
    own = visit()
    told = events(own.tell_started(values(1), 0), own.settle(ValueError()), own.tell_failed(NodeException("w", "x")))

    assert ["started", "completed"] == [each.phase for each in told]


def test_settled_error_is_a_wrapper_that_knows_its_place():
    """With node, whole path, the state before the node and the raw error as its cause."""
    own, error = visit(), ValueError("no")
    event = events(own.tell_started(values(2), 0), own.settle(error))[1]

    assert ("node_exception", "a", ("sub", "a"), 1) == (
        event.error.category, event.error.node, event.error.path, event.error.recoverable_state.n
    )  # fmt: skip
    assert error is event.error.__cause__
    assert "graph 'g', node 'a': raised ValueError: no" == str(event.error)


def test_error_of_the_run_is_told_as_it_is_now():
    """The run's own error is told more of its place later; what observers have does not change under their eyes."""
    own = visit()
    error = FanOutError("graph 'g', node 'a', step 0", "is empty", fan_out_category="fan_out_empty")
    error.node, error.path, error.__cause__ = "a", ("a",), ValueError("no")
    event = events(own.tell_started(values(2), 0), own.tell_failed(error))[1]
    error.where, error.path = "graph 'h', node 'sub', step 0, graph 'g', node 'a', step 0", ("sub", "a")

    assert ("graph 'g', node 'a', step 0", ("sub", "a")) == (event.error.where, event.error.path)
    assert (FanOutError, "fan_out_empty") == (type(event.error), event.error.fan_out_category)
    assert error.__cause__ is event.error.__cause__


def test_error_that_is_settled_stays_unwrapped_for_the_chain():
    """The copy that observers get knows its path; the error itself has still to be located by the run."""
    own = visit()
    error = FanOutError("graph 'g', node 'a'", "is empty", fan_out_category="fan_out_empty")
    event = events(own.tell_started(values(2), 0), own.settle(error))[1]

    assert ((), FanOutError) == (error.path, type(event.error))


def test_body_that_is_called_again_completes_the_call_before():
    """With the state that its own update makes of the one before the node; with an error, the attempt has failed."""
    own = visit()
    first = events(own.tell_started(values(2), 0))
    update = {"n": 7}
    own.note_given(update)
    update["n"] = 8  # theirs to edit
    good = events(own.tell_started(values(3), 0))
    own.note_raised(ValueError("no"))
    bad = events(own.tell_started(values(4), 0))

    assert ["started", "completed", "started"] == [each.phase for each in (*first, *good)]
    assert (2, 7, None) == (good[0].pre_state.n, good[0].post_state.n, good[0].error)
    assert [("completed", "node_exception"), ("started", None)] == [
        (each.phase, each.error and each.error.category) for each in bad
    ]


@pytest.mark.parametrize("update", [{"n": "many"}, {"m": 1}, 5])
def test_call_whose_update_would_not_fit_has_failed_if_the_body_is_called_again(update):
    """Though nobody merges it: it has no state after."""
    own = visit()
    events(own.tell_started(values(2), 0))
    own.note_given(update)
    completed, started = events(own.tell_started(values(3), 0))

    assert ("completed", None, "started") == (completed.phase, completed.post_state, started.phase)
    assert "graph 'g', node 'a'" in str(completed.error)


def test_call_that_was_given_up_is_not_completed_by_the_next_one():
    """As by a timeout: it has neither given anything nor failed."""
    own = visit()
    told = events(own.tell_started(values(2), 0), own.tell_started(values(3), 0))

    assert ["started", "started"] == [each.phase for each in told]


def test_failure_that_middleware_has_caught_is_forgotten_by_the_next_call():
    """A later success completes without an error, and so does a last failure that was caught."""
    own = visit()
    events(own.tell_started(values(2), 0))
    own.note_raised(ValueError("no"))
    events(own.tell_started(values(3), 0))
    own.note_given({})

    assert [None] == [each.error for each in events(own.tell_started(values(4), 0)) if each.phase == "completed"]

    own.note_raised(ValueError("no"))

    assert [None] == [each.error for each in events(own.tell_completed(values(5)))]


def test_configuration_is_on_both_events():
    """Of a fan-out or of parallel branches; each kind has a place of its own."""
    own = visit()
    branches = gn.ParallelBranchesConfig(("left", "right"), 1, "fail_fast", "a")
    one = events(own.tell_started(values(2), 0, config=CONFIG), own.tell_completed(values(2)))
    other = events(own.tell_started(values(2), 1, config=branches), own.tell_completed(values(2)))

    assert [(CONFIG, None)] * 2 == [(each.fan_out_config, each.parallel_branches_config) for each in one]
    assert [(None, branches)] * 2 == [(each.fan_out_config, each.parallel_branches_config) for each in other]
