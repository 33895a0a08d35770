"""Collecting what the instances gave into one update."""

import pytest

from graphnb.engine.nodes.fan_in import fan_in, spreading_of
from graphnb.engine.work import Outcomes, begin_outcomes
from graphnb.errors import NodeException, ReducerError, RoutingError
from graphnb.graph.spec import FanOutNode
from graphnb.trace.instances import PENDING

WHOLE = FanOutNode("each", len, over="items", into="out", collect="value", extra_outputs={"more": "note"})


def test_columns_become_lists_in_item_order():
    """The first column goes to `into`, the others to the extra outputs."""
    outcomes = Outcomes([("a", 1), ("b", 2)], {})

    assert {"out": ["a", "b"], "more": [1, 2]} == fan_in(WHOLE, outcomes, slots=range(2), count=2, bare=False)


def test_bare_values_become_one_list():
    """A function's value is taken as it is, also if it is a tuple."""
    spec = FanOutNode("each", len, over="items", into="out")

    assert {"out": [("a", 1), None]} == fan_in(spec, Outcomes([("a", 1), None], {}), slots=range(2), count=2, bare=True)


def test_failures_leave_no_slot():
    """The order of the successes is kept, and no hole is left in any list."""
    outcomes = Outcomes([("a", 1), None, ("c", 3)], {1: ValueError()})

    assert {"out": ["a", "c"], "more": [1, 3]} == fan_in(WHOLE, outcomes, slots=(0, 2), count=3, bare=False)


def test_nothing_to_collect_writes_nothing():
    """Without `into`, or without `collect` from a graph, there is no list."""
    no_into = FanOutNode("each", len, over="items")
    no_collect = FanOutNode("each", len, over="items", into="out")

    assert {} == fan_in(no_into, Outcomes([1], {}), slots=range(1), count=1, bare=True)
    assert {} == fan_in(no_collect, Outcomes([(None,)], {}), slots=range(1), count=1, bare=False)


def test_update_is_in_the_order_of_the_specification():
    """Target, extras, errors, count: reducers are asked in this order."""
    spec = FanOutNode(
        *("each", len),
        over="items",
        into="out",
        extra_outputs={"more": "note"},
        collect="value",
        error_policy="collect",
        errors_into="errors",
        count_into="count",
    )

    assert ["out", "more", "errors", "count"] == list(fan_in(spec, Outcomes([], {}), slots=(), count=0, bare=False))


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (ValueError("x"), "node_exception"),
        (NodeException("w", "x"), "node_exception"),
        (ReducerError("w", "x"), "reducer_error"),
        (RoutingError("w", "x"), "routing_error"),
    ],
)
def test_error_record_has_index_and_category_as_text(error, category):
    """Records come in item order, whatever failed first."""
    spec = FanOutNode("each", len, over="items", error_policy="collect", errors_into="errors")
    outcomes = Outcomes([None] * 11, {10: error, 2: error})

    assert {
        "errors": [{"fan_out_index": "2", "category": category}, {"fan_out_index": "10", "category": category}]
    } == fan_in(spec, outcomes, slots=(), count=11, bare=True)


def test_error_of_a_run_that_a_worker_has_started_is_an_exception_of_the_instance():
    """It says nothing about this graph: to the fan-out the worker has raised."""
    spec = FanOutNode("each", len, over="items", error_policy="collect", errors_into="errors")
    error = RoutingError("graph 'other'", "x")
    error.trace = "the trace of the other run"

    assert (
        "node_exception"
        == fan_in(spec, Outcomes([None], {0: error}), slots=(), count=1, bare=True)["errors"][0]["category"]
    )


def test_errors_are_recorded_under_collect_alone():
    """With `fail_fast` the node raises, so that there is never a record."""
    spec = FanOutNode("each", len, over="items", errors_into="errors")

    assert {} == fan_in(spec, Outcomes([], {}), slots=(), count=0, bare=True)


def test_log_names_the_fields_that_received_a_list():
    """The record that the display reads: slots, errors by instance, source and targets."""
    first, second = ValueError("first"), ValueError("second")
    outcomes = Outcomes([("a", 1), PENDING, PENDING, ("b", 2)], {2: second, 1: first})
    made = spreading_of(WHOLE, outcomes, ahead=iter([]), logs=[], bare=False).collected((0, 3))

    assert (4, (), (0, 3), ((1, first), (2, second)), "items", ("out", "more")) == made[:6]
    assert (None, (), None, (), (), "instance", None) == made[6:]


def test_log_of_a_fan_out_without_target_names_the_extras():
    """There is no `into` to be named."""
    spec = FanOutNode("each", len, count=2, extra_outputs={"more": "note"})
    made = spreading_of(spec, begin_outcomes(2), ahead=iter([]), logs=[], bare=False)

    assert (None, ("more",)) == (made.over, made.into)


@pytest.mark.parametrize(
    ("spec", "bare", "contribution", "values"),
    [
        (FanOutNode("each", len, over="items", into="out"), True, ("a", 1), (("a", 1),)),
        (FanOutNode("each", len, over="items", count_into="n"), True, "a", ("a",)),
        (WHOLE, False, ("a", 1), ("a", 1)),
        (FanOutNode("each", len, over="items", extra_outputs={"more": "note"}), False, (None, 1), (1,)),
    ],
    ids=["bare", "no field", "fields", "extras alone"],
)
def test_log_tells_what_each_instance_gave_for_each_field(spec, bare, contribution, values):
    """As far as the instances have come; the one value of a worker whose values no field receives is told as well."""
    made = spreading_of(spec, Outcomes([contribution, PENDING], {}), ahead=iter([]), logs=[], bare=bare).so_far()

    assert ((0, values),) == made.given
