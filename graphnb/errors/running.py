"""Errors of a run: each carries the run so far and the state that can be recovered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphnb.errors.base import GraphError
from graphnb.errors.text import visible


class RunError(GraphError):
    """A run ended early.

    `node` is the node at fault (for an edge: its source), `path` the names from the outermost graph down
    to it, `recoverable_state` the state as it was last committed in that graph: for a node or a reducer
    the one before the node, for an edge the one after the fold. `trace` holds every step so far and `run`
    the failed run; both are set once the error leaves the engine. `problems` lists the errors of all nodes of the
    step, this one first, if more than one was at fault. Source: graph-engine §4.
    """

    category = "run_error"
    node: str | None = None
    path: tuple[str, ...] = ()
    recoverable_state: Any = None
    trace: Any = None
    run: Any = None
    problems: tuple[RunError, ...] = ()

    def __str__(self) -> str:
        others = self.problems[1:]
        if not others:
            return super().__str__()
        return visible("\n".join((super().__str__(), *(f"Also {each.where}: {each.what}" for each in others))))


class NodeException(RunError):
    """A node's function raised; the original is the `__cause__`."""

    category = "node_exception"


class FanOutError(NodeException):
    """A fan-out could not be started; `fan_out_category` says why. Source: pipeline-utilities §9."""

    fan_out_category: str

    def __init__(self, where: str, what: str, mend: str = "", *, fan_out_category: str = "") -> None:
        super().__init__(where, what, mend)
        self.fan_out_category = fan_out_category


class ParallelBranchesBranchFailed(NodeException):
    """A parallel branch failed and ended its node; `branch_name` is the branch, the `__cause__` its error.

    `transient` tells whether that error is, so that a retry around the node knows. Source: pipeline-utilities §11.
    """

    category = "parallel_branches_branch_failed"
    branch_name: str = ""
    transient: bool = False


class DelegationError(NodeException):
    """Delegates or candidates could not be asked, and none was: briefs of another number, or one that is read once."""


class DelegateFailed(NodeException):
    """A delegate failed, and all others were waited for; the `__cause__` is its error.

    `delegate` and `index` say which one it was, the first if several failed. `results` has what the others gave, in the
    order of the delegates, and None where one failed; `errors` pairs the index of each that failed with what it raised,
    in order. `transient` tells whether that first error is, so that a retry around the node knows.
    """

    delegate: str = ""
    index: int = 0
    results: tuple[Any, ...] = ()
    errors: tuple[tuple[int, Exception], ...] = ()
    transient: bool = False


class NotAccepted(NodeException):
    """What a candidate of a race gave was not acceptable; `result` is what it gave."""

    category = "not_accepted"
    result: Any = None


class MutatedState(NodeException):
    """A node tried to change the state it was given instead of returning an update."""


class UnsetField(NodeException):
    """A node read a field that nothing has written yet."""


class InvalidUpdate(NodeException):
    """A node returned something that is no update."""


class EdgeException(RunError):
    """A router raised; the original is the `__cause__`."""

    category = "edge_exception"


class RoutingError(RunError):
    """A router returned neither a declared target nor END; `returned` is what it gave."""

    category = "routing_error"
    returned: object = None


class ReducerError(RunError):
    """A reducer refused an update; `field` and `reducer` name both, the original is the `__cause__`."""

    category = "reducer_error"
    field: str = ""
    reducer: str = ""


class StateValidationError(RunError):
    """A value does not fit its field; `fields` names every offending field, in order.

    `details` maps each of them to all reasons, as text; the message has the first ones.
    """

    category = "state_validation_error"
    fields: tuple[str, ...] = ()
    details: Mapping[str, tuple[str, ...]] = {}


class MaxSuperstepsExceeded(RunError):
    """The run had more to do than `max_steps` allows; everything up to there is kept."""

    category = "max_supersteps_exceeded"
