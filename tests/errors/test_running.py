"""Categories of running are the specification's names; what an error carries starts out empty."""

import pytest

from graphnb import errors
from graphnb.errors import FanOutError, NodeException, RunError

CATEGORIES = {
    "RunError": "run_error",
    "NodeException": "node_exception",
    "FanOutError": "node_exception",
    "ParallelBranchesBranchFailed": "parallel_branches_branch_failed",
    "MutatedState": "node_exception",
    "UnsetField": "node_exception",
    "DelegateFailed": "node_exception",
    "DelegationError": "node_exception",
    "NotAccepted": "not_accepted",
    "InvalidUpdate": "node_exception",
    "EdgeException": "edge_exception",
    "RoutingError": "routing_error",
    "ReducerError": "reducer_error",
    "StateValidationError": "state_validation_error",
    "MaxSuperstepsExceeded": "max_supersteps_exceeded",
    "GuardError": "guard_evaluation_failed",
}


def test_categories_of_running_are_those_of_the_specification():
    """Source: graph-engine §4; what a node does wrong is a node_exception, the step limit and guards our own."""
    exported = {name: getattr(errors, name) for name in errors.__all__}
    running = {name: cls for name, cls in exported.items() if isinstance(cls, type) and issubclass(cls, RunError)}

    assert CATEGORIES == {name: cls.category for name, cls in running.items()}


NODE_FAULTS = [
    name for name, each in CATEGORIES.items() if each in ("node_exception", "parallel_branches_branch_failed")
]


@pytest.mark.parametrize("name", NODE_FAULTS)
def test_every_fault_of_a_node_is_caught_as_node_exception(name):
    """Whoever catches NodeException need not know the finer classes."""
    assert issubclass(getattr(errors, name), NodeException)


@pytest.mark.parametrize("name", CATEGORIES)
def test_error_outside_a_run_carries_nothing(name):
    """Without a run there is neither node nor path, state, trace or run; the attributes are there all the same."""
    error = getattr(errors, name)("w", "x")

    assert (None, (), None, None, None) == (error.node, error.path, error.recoverable_state, error.trace, error.run)


def test_what_is_set_on_one_error_stays_off_the_others():
    """The empty values belong to the class, those of a run to the error."""
    error = NodeException("w", "x")
    error.node, error.path = "a", ("n", "a")

    assert (None, ()) == (NodeException("w", "x").node, RunError("w", "x").path)


def test_own_attributes_start_out_empty():
    """Router, reducer, validation and fan-out each have further ones."""
    assert errors.RoutingError("w", "x").returned is None
    assert ("", "") == (errors.ReducerError("w", "x").field, errors.ReducerError("w", "x").reducer)
    assert ((), {}) == (errors.StateValidationError("w", "x").fields, errors.StateValidationError("w", "x").details)
    assert "" == FanOutError("w", "x").fan_out_category


def test_fan_out_error_says_why_beside_its_category():
    """Three outcomes reuse node_exception with a second category. Source: pipeline-utilities §9."""
    error = FanOutError("w", "x", "m", fan_out_category="fan_out_empty")

    assert ("node_exception", "fan_out_empty", "w: x\nm") == (error.category, error.fan_out_category, str(error))
