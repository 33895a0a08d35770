"""A node that asks delegates at once, each with a brief of its own, and collects all that they give in their order.

What was collected is given as it is: never merged, ranked or chosen from. Source: the fan-out pattern.
"""

from __future__ import annotations

from typing import Any

from graphnb.engine.failing import text_of
from graphnb.engine.invocation import Within
from graphnb.engine.middleware.retry import is_transient_within
from graphnb.engine.nodes.delegate import ask_delegate, brief_of, record_of, spreading_of
from graphnb.engine.nodes.made import Attempt, Made
from graphnb.engine.work import Outcomes, Spread, Work, begin_outcomes
from graphnb.errors import DelegateFailed
from graphnb.graph.delegation import briefs_for, copies_of_briefs
from graphnb.graph.plan import PlannedNode
from graphnb.graph.spec import DelegatesNode
from graphnb.trace.log import Open


def run_delegates(attempt: Attempt) -> Work[Made]:
    """One update that holds the list of what all delegates gave. Until it is committed the log has them open.

    Raises DelegationError for briefs of another number, and DelegateFailed for the first that failed, once all ended.
    """
    node, log, spec = attempt.node, attempt.graph.log, attempt.node.spec
    assert isinstance(spec, DelegatesNode)
    delegates, count = node.delegates, len(node.delegates)
    given = yield from brief_of(spec.briefs, spec.briefs_from, "briefs", attempt=attempt)
    briefs = copies_of_briefs(briefs_for(count, given, place=node.place), [each.place for each in delegates])
    outcomes, ahead = begin_outcomes(count), iter(range(count))
    into = () if spec.into is None else (spec.into,)
    spreading = spreading_of(node, outcomes, ahead=ahead, unit="delegate", briefs=briefs, into=into)
    if count:
        log.open = Open(len(log.commits), node.name, None, spreading)
        with Within():
            yield Spread(
                one=lambda i: ask_delegate(delegates[i], briefs[i], attempt=attempt, logs=spreading.logs, i=i),
                items=ahead,
                outcomes=outcomes,
                concurrency=spec.concurrency,
                fail_fast=False,
                kind="work",
                has_plain=any(each.has_plain for each in delegates),
                has_async=any(each.has_async for each in delegates),
                is_apart=True,
            )
    if outcomes.errors and spec.on_error == "raise":
        raise _error_of_delegate(node, outcomes)
    return Made(_update_of(spec, node, outcomes=outcomes), None, spreading.collected(range(count)))


def _error_of_delegate(node: PlannedNode, outcomes: Outcomes) -> DelegateFailed:
    """The failure of the whole node, caused by the first delegate that failed; it carries what the others gave."""
    errors = outcomes.errors
    first = min(errors)
    error = errors[first]
    name = node.delegates[first].name
    finished = f"{len(outcomes.results) - len(errors)} of {len(outcomes.results)} delegates finished"
    failed = DelegateFailed(node.place, f"delegate {first} '{name}' failed with {text_of(errors[first])} ({finished})")
    failed.__cause__ = error
    failed.transient = is_transient_within(error)
    failed.delegate, failed.index = name, first
    failed.results = tuple(_results_of(outcomes))
    failed.errors = tuple((i, errors[i]) for i in sorted(errors))
    return failed


def _results_of(outcomes: Outcomes) -> list[Any]:
    return [None if i in outcomes.errors else each for i, each in enumerate(outcomes.results)]


def _update_of(spec: DelegatesNode, node: PlannedNode, *, outcomes: Outcomes) -> dict[str, Any]:
    update: dict[str, Any] = {} if spec.into is None else {spec.into: _results_of(outcomes)}
    if spec.errors_into is not None:
        update[spec.errors_into] = [
            record_of(node.delegates[i], i, unit="delegate", error=outcomes.errors[i]) for i in sorted(outcomes.errors)
        ]
    return update
