"""A node that runs a worker once per item and collects what the instances give. Source: pipeline-utilities §9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphnb.engine.failing import option_failed, told
from graphnb.engine.fan_in import fan_in, spreading_of
from graphnb.engine.instances import function_instance, graph_instance, is_bare
from graphnb.engine.subgraph import Made, RunGraph
from graphnb.engine.work import Outcomes, Spread, Work, pending
from graphnb.errors import FanOutError, NodeException, UnsetField
from graphnb.errors.text import kind_of, shown
from graphnb.graph.plan import PlannedNode
from graphnb.graph.spec import FanOutNode
from graphnb.state.marks import UNSET
from graphnb.state.schema import Schema, Values
from graphnb.state.values.grown import items_of
from graphnb.state.views.view import check_untouched
from graphnb.trace.log import Log, Open


def run_fan_out(
    node: PlannedNode, values: Values, schema: Schema, log: Log, max_steps: int, run_graph: RunGraph
) -> Work[Made]:
    """One update that holds the lists of all instances' contributions. Until it is committed the log has it open.

    Raises FanOutError if it cannot start, and a NodeException for the failure of an instance under `fail_fast`.
    """
    spec = node.spec
    assert isinstance(spec, FanOutNode)
    times, limit = spec.count, spec.concurrency
    if callable(times):
        times = yield from _asked(times, "count", node=node, values=values, schema=schema)
    items = _items(spec, node, values, times)
    if callable(limit):
        limit = yield from _asked(limit, "concurrency", node=node, values=values, schema=schema)
    _check_concurrency(limit, node)
    count, bare = len(items), is_bare(node, spec)
    outcomes, ahead = pending(count), iter(items)
    logs: list[Log | None] = [None] * count if node.child is not None else []
    spreading = spreading_of(spec, outcomes, ahead, logs, bare=bare)
    if count:
        log.open = Open(len(log.commits), node.name, None, spreading)
        if node.child is not None:
            one = graph_instance(spec, node, values, logs, max_steps, run_graph)
        else:
            one = function_instance(spec, node, values, schema)
        yield _spread(spec, node, one, ahead, outcomes, limit)
    else:
        _check_may_be_empty(spec, node)
    errors = outcomes.errors
    if errors and spec.error_policy == "fail_fast":
        raise _instance_failed(node, errors)
    slots = range(count) if not errors else tuple(i for i in range(count) if i not in errors)
    return fan_in(spec, outcomes, slots, count, bare=bare), None, spreading.collected(slots)


def _spread(
    spec: FanOutNode,
    node: PlannedNode,
    one: Callable[[Any], Any],
    items: Iterator[Any],
    outcomes: Outcomes,
    concurrency: int | None,
) -> Spread:
    child = node.child
    return Spread(
        one=one,
        items=items if child is None else enumerate(items),
        outcomes=outcomes,
        concurrency=concurrency,
        fail_fast=spec.error_policy == "fail_fast",
        kind="work" if child is not None else "async" if node.is_async else "plain",
        has_plain=child.has_plain if child is not None else not node.is_async,
        has_async=child.has_async if child is not None else node.is_async,
    )


def _items(spec: FanOutNode, node: PlannedNode, values: Values, count: Any) -> Sequence[Any]:
    """The items in order; for `count` they are the instances' numbers."""
    if spec.over is not None:
        if values[spec.over] is UNSET:
            raise UnsetField(node.place, f"goes over field '{spec.over}', which nothing has written yet")
        return items_of(values[spec.over])
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise FanOutError(
            node.place,
            f"count is {shown(count)} ({kind_of(count)})",
            "It must be an int of at least 0.",
            fan_out_category="fan_out_invalid_count",
        )
    return range(count)


def _check_concurrency(limit: Any, node: PlannedNode) -> None:
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise FanOutError(
            node.place,
            f"concurrency is {shown(limit)} ({kind_of(limit)})",
            "It must be an int of at least 1, or None for no bound.",
            fan_out_category="fan_out_invalid_concurrency",
        )


def _asked(
    function: Callable[[Any], Any], option: str, *, node: PlannedNode, values: Values, schema: Schema
) -> Work[Any]:
    """What a function that was given for an option says about the state."""
    try:
        view = schema.view(values, node.name)
        answer = yield function, view, False
        if schema.has_opaque:
            check_untouched(view)
        return answer
    except Exception as error:  # noqa: BLE001  user code
        raise option_failed(node, option, error)  # noqa: B904  its cause is set


def _check_may_be_empty(spec: FanOutNode, node: PlannedNode) -> None:
    if spec.on_empty == "raise":
        source = f"field '{spec.over}' is empty" if spec.over is not None else "count is 0"
        raise FanOutError(
            node.place,
            f"has nothing to do: {source}",
            "If that may happen, declare on_empty='noop'.",
            fan_out_category="fan_out_empty",
        )


def _instance_failed(node: PlannedNode, errors: Mapping[int, Exception]) -> NodeException:
    """The failure of the whole fan-out, named after it, caused by the failed instance of the lowest number."""
    first = min(errors)
    failed = NodeException(node.place, f"instance {first} failed with {told(errors[first])}")
    failed.__cause__ = errors[first]
    return failed
