"""What becomes of an error: wrapped once, told where it happened, recorded in the log. Source: graph-engine §4."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Container, Mapping, Sequence

from graphnb.engine.carried import raised_of
from graphnb.engine.collected import mend_collected, mend_left_none
from graphnb.engine.stopping import stop
from graphnb.errors import (
    EdgeException,
    GraphError,
    InvalidUpdate,
    MaxSuperstepsExceeded,
    MutatedState,
    NodeException,
    RoutingError,
    RunError,
    UnsetField,
)
from graphnb.errors.text import addressless, visible
from graphnb.graph.interrupt import Answer
from graphnb.graph.plan import PlannedNode
from graphnb.graph.spec import DelegatesNode, FanOutNode, RaceNode
from graphnb.state.schema import Values, state_of
from graphnb.trace.log import Failure, Log

_MOST = 1000  # characters of a user's message that are repeated
_MOST_PLACES = 8  # of graphs within each other: the path has all of them
_SKIP = ", … deep inside …, "
_RAISED_NO_ERROR = "exceptions must derive from BaseException"  # what Python says of it
_MEND_RAISED = "An interrupt is returned, not raised: return gn.interrupt(...)."


def end_node(
    log: Log,
    node: PlannedNode,
    *,
    error: BaseException,
    values: Values,
    update: object,
    names: Container[object],
    attempts: tuple[Exception, ...] = (),
    is_entered: bool = True,
) -> BaseException:
    """What is to be raised for a node that did not complete, as the log then tells, with what had run inside of it.

    That is an interruption as it came, else the error of the run. `values` are those before the node; `update`
    what it gave, if it came so far; `names` those of all nodes, to recognise a router that was declared as a node.
    `attempts` and `is_entered` as in `Failure`.
    """
    error = raised_of(error)
    if not isinstance(error, Exception):
        stop(log, node, at_edge=False)
        return error
    if log.failure is not None and log.failure.error is error:  # told before
        return error
    inside = log.under_way
    child, instances = (inside.child, inside.instances) if inside is not None else (None, None)
    if child is not None and child.failure is not None and child.failure.error is error:
        failed = _pass_on(child.failure.error, node, step=log.step)
    else:
        failed = error_of_node(node.place, error)
        _locate(failed, node, step=log.step, state=state_of(log.schema, values))
        if isinstance(failed, InvalidUpdate) and isinstance(update, str) and update in names:
            failed.mend = _mend_router(node, update)
        elif isinstance(failed, InvalidUpdate) and hasattr(update, "__await__"):
            failed.mend = "It was not awaited: return await ..., which in middleware is: return await next(state)."
        elif isinstance(node.spec, FanOutNode):
            failed.mend = mend_collected(failed, node.spec, update=update, schema=log.schema) or failed.mend
        elif isinstance(node.spec, (DelegatesNode, RaceNode)):
            failed.mend = mend_left_none(failed, node.spec, update=update) or failed.mend
        failed.args = (failed.where, failed.what, failed.mend)
    log.failure = Failure(node.name, failed, child, instances, failures=attempts, is_entered=is_entered)
    log.open = None  # after the failure: what runs inside must not be seen nowhere
    return failed


def fail_step(log: Log, *, lanes: tuple[Log, ...], errors: Sequence[RunError]) -> RunError:
    """What is to be raised for a super-step of several nodes of which some failed, each told in the lane of its node.

    That is the first of the errors, which are in the order of the nodes.
    """
    first = errors[0]
    if len(errors) > 1:
        first.problems = tuple(errors)
    log.failure = Failure(first.node or "", first, lanes=lanes)
    log.open = None  # after the failure: what runs inside must not be seen nowhere
    return first


def end_edge(
    log: Log, node: PlannedNode, *, error: BaseException, values: Values, asked: str = "router"
) -> BaseException:
    """What is to be raised for a router, as `end_node` has it; `values` are those after the fold.

    `asked` is what was asked where to go on, in words.
    """
    error = raised_of(error)
    if not isinstance(error, Exception):
        stop(log, node, at_edge=True)
        return error
    failed = _error_of_edge(node, error, asked=asked)
    is_committed = len(log.commits) > len(log.routes)  # in a document the step is dropped
    _locate(failed, node, step=log.step - is_committed, state=state_of(log.schema, values))
    log.failure = Failure(node.name, failed, at_edge=True)
    return failed


def error_of_option(node: PlannedNode, option: str, *, error: Exception) -> RunError:
    """The error of a function that was given for an option of a fan-out."""
    error = raised_of(error)
    if isinstance(error, (MutatedState, UnsetField)) and _is_of(node.place, error):
        error.where = f"{node.place}, function for {option}"
        error.args = (error.where, error.what, error.mend)
        return error
    failed = NodeException(node.place, f"its function for {option} raised {text_of(error)}")
    failed.__cause__ = error
    return failed


def _pass_on(failed: RunError, node: PlannedNode, *, step: int) -> RunError:
    """The error of a subgraph, which leaves it as it is; only where it happened is told in full."""
    failed.path = (node.name, *failed.path)
    depth = len(failed.path)
    is_deep = depth > _MOST_PLACES
    inner = failed.where.rpartition(_SKIP)[2] if is_deep else failed.where
    failed.where = f"{node.place}, step {step}{_SKIP if is_deep else ', '}{inner}"
    if isinstance(failed.__cause__, RecursionError):
        failed.mend = f"This is {depth} graphs deep, and Python's stack has room for {sys.getrecursionlimit()} calls."
    failed.args = (failed.where, failed.what, failed.mend)
    return failed


def _error_of_edge(node: PlannedNode, error: Exception, *, asked: str) -> RunError:
    if isinstance(error, RoutingError) and _is_of(node.place, error):
        return error
    if isinstance(error, MutatedState) and _is_of(node.place, error):
        mend = f"A {asked.partition(' ')[0]} only chooses: let a node write."
        failed = EdgeException(node.place, f"its {asked} {error.what}", mend)
    elif isinstance(error, UnsetField) and _is_of(node.place, error):
        failed = EdgeException(node.place, f"its {asked} {error.what}", error.mend)
    else:
        failed = EdgeException(node.place, f"its {asked} raised {text_of(error)}")
    failed.__cause__ = error
    return failed


def fail_at_limit(log: Log, node: PlannedNode, *, values: Values, max_steps: int) -> RunError:
    """The error of a graph that wants to run `node` beyond the limit; all that was committed stays."""
    names = [commit.node for commit in log.commits if type(commit.interrupt) is not Answer]
    counts = ", ".join(f"'{name}' {names.count(name)}x" for name in dict.fromkeys(names[-6:]))
    error = MaxSuperstepsExceeded(
        f"graph '{log.graph}'",
        f"did not end within {max_steps} super-steps; node '{node.name}' would be next. So far: {counts}",
        "See that the router can end the loop, or allow more: run(..., max_steps=...)."
        if log.pinned is None
        else "Guard an edge of the loop, or allow more: max_supersteps in the document's policies, or max_steps=.",
    )
    error.node, error.path = names[-1], (names[-1],)
    error.recoverable_state = state_of(log.schema, values)
    log.failure = Failure(names[-1], error, at_edge=True)
    return error


def recorded_category_of(error: Exception) -> str:
    """The category under which a record of errors lists the failure of an instance or a branch.

    That of an error which its own graph or node has raised; what a run has raised that it started itself, and every
    other exception, is a failure of the node.
    """
    return error.category if isinstance(error, RunError) and error.trace is None else NodeException.category


def first_failure(errors: Mapping[int, BaseException]) -> int:
    """Which of several instances or branches is to be named: of those that failed by themselves the lowest.

    `errors` are in the order in which they came. One that came while a cancellation was under way, as from the clean-up
    of what was cancelled after the first failure, hides that one otherwise.
    """
    ended_by = next(iter(errors))
    return min(i for i, error in errors.items() if i == ended_by or not _follows_cancellation(error))


def _follows_cancellation(error: BaseException | None) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, asyncio.CancelledError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def text_of(error: BaseException) -> str:
    """The error as `Type: message`, bounded and without addresses of objects, for use within another message.

    >>> text_of(ValueError("no luck"))
    'ValueError: no luck'
    """
    name = type(error).__name__
    try:
        message = str(error) if isinstance(error, GraphError) else visible(addressless(str(error)))
    except Exception:  # noqa: BLE001  a user's exception may fail to say what it is
        return f"{name} (its message cannot be read)"
    if len(message) > _MOST:
        message = f"{message[:_MOST]}... ({len(message)} characters)"
    return f"{name}: {message}" if message else name


def error_of_node(place: str, error: Exception) -> RunError:
    """The error itself if it was made for this place, else a NodeException around it."""
    error = raised_of(error)
    if isinstance(error, RunError) and _is_of(place, error):
        return error
    is_no_error = type(error) is TypeError and str(error) == _RAISED_NO_ERROR
    wrapped = NodeException(place, f"raised {text_of(error)}", _MEND_RAISED if is_no_error else "")
    wrapped.__cause__ = error
    return wrapped


def _is_of(place: str, error: RunError) -> bool:
    """True for an error of this very step; False for one that a run inside the node's code has raised."""
    if error.trace is not None or error.path:
        return False
    return isinstance(error, (MutatedState, UnsetField)) or error.where.startswith(place)


def _mend_router(node: PlannedNode, name: str) -> str:
    return (
        f"'{name}' is a node's name. To choose what comes next, declare the function as a router: "
        f"graph.branch('{node.name}', function, to=(...))."
    )


def _locate(error: RunError, node: PlannedNode, *, step: int, state: object) -> None:
    """Tells in the error where it happened, and in which state."""
    rest = error.where.removeprefix(node.place) if error.where.startswith(node.place) else ""
    error.where = f"{node.place}, step {step}{rest}"
    error.args = (error.where, error.what, error.mend)
    error.node, error.path = node.name, (node.name,)
    error.recoverable_state = state
