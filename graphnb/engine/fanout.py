"""A node that runs a worker once per item and collects what the instances give. Source: pipeline-utilities §9."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphnb.engine.failing import InsideError, told
from graphnb.engine.fan_in import fan_in, instances_of
from graphnb.engine.instances import function_instance, graph_instance, is_bare
from graphnb.engine.subgraph import RunGraph
from graphnb.engine.work import Outcomes, Spread, Work
from graphnb.errors import FanOutError, NodeException, UnsetField
from graphnb.errors.text import kind_of, shown
from graphnb.graph.plan import PlannedNode
from graphnb.graph.spec import FanOutNode
from graphnb.state.marks import UNSET
from graphnb.state.schema import Schema, Values
from graphnb.state.values.grown import items_of
from graphnb.state.views.view import check_untouched
from graphnb.trace.log import Instances, Log


def run_fan_out(
    node: PlannedNode, values: Values, schema: Schema, log: Log, max_steps: int, run_graph: RunGraph
) -> Work[tuple[Mapping[str, Any], Instances]]:
    """One update that holds the lists of all instances' contributions, and what the instances did.

    Raises FanOutError if it cannot start, and InsideError around a NodeException for the failure of an
    instance under `fail_fast`.
    """
    spec = node.spec
    assert isinstance(spec, FanOutNode)
    view = schema.view(values, node.name)
    items, count = yield from _items(spec, node, values, view)
    concurrency = yield from _concurrency(spec, node, view)
    if schema.has_opaque:
        check_untouched(view)
    bare = is_bare(node, spec)
    if count == 0:
        _check_may_be_empty(spec, node)
        return fan_in(spec, Outcomes([], {}), (), 0, bare=bare), instances_of(spec, 0, (), (), {})
    logs: list[Log | None] = []
    if node.child is not None:
        logs += [None] * count
        log.open = (node.name, logs)
        one: Callable[[Any], Any] = graph_instance(spec, node, values, logs, max_steps, run_graph)
        items = enumerate(items)
    else:
        one = function_instance(spec, node, values, schema)
    outcomes: Outcomes = yield _spread(spec, node, one, items, count, concurrency)
    log.open = None
    errors = outcomes.errors
    if errors and spec.error_policy == "fail_fast":
        raise InsideError(_instance_failed(node, errors), instances_of(spec, count, logs, (), errors))
    slots = range(count) if not errors else tuple(i for i in range(count) if i not in errors)
    return fan_in(spec, outcomes, slots, count, bare=bare), instances_of(spec, count, logs, slots, errors)


def _spread(
    spec: FanOutNode, node: PlannedNode, one: Callable[[Any], Any], items: Any, count: int, concurrency: int | None
) -> Spread:
    child = node.child
    return Spread(
        one=one,
        items=items,
        count=count,
        concurrency=concurrency,
        fail_fast=spec.error_policy == "fail_fast",
        kind="work" if child is not None else "async" if node.is_async else "plain",
        has_plain=child.has_plain if child is not None else not node.is_async,
        has_async=child.has_async if child is not None else node.is_async,
    )


def _items(spec: FanOutNode, node: PlannedNode, values: Values, view: Any) -> Work[tuple[Any, int]]:
    """The items in order, and how many; for `count` the items are the instances' numbers."""
    if spec.over is not None:
        if values[spec.over] is UNSET:
            raise UnsetField(node.place, f"goes over field '{spec.over}', which nothing has written yet")
        items = items_of(values[spec.over])
        return items, len(items)
    count = yield from _asked(spec.count, "count", node, view)
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise FanOutError(
            node.place,
            f"count is {shown(count)} ({kind_of(count)})",
            "It must be an int of at least 0.",
            fan_out_category="fan_out_invalid_count",
        )
    return range(count), count


def _concurrency(spec: FanOutNode, node: PlannedNode, view: Any) -> Work[int | None]:
    limit = yield from _asked(spec.concurrency, "concurrency", node, view)
    if limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit > 0):
        return limit
    raise FanOutError(
        node.place,
        f"concurrency is {shown(limit)} ({kind_of(limit)})",
        "It must be an int of at least 1, or None for no bound.",
        fan_out_category="fan_out_invalid_concurrency",
    )


def _asked(given: Any, option: str, node: PlannedNode, view: Any) -> Work[Any]:
    """The option's value; one that is given as a function is asked about the state."""
    if not callable(given):
        return given
    try:
        return (yield given, view, False)
    except Exception as error:  # user code
        failed = NodeException(node.place, f"its function for {option} raised {told(error)}")
        raise failed from error


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
