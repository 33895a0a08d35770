"""A node that runs a worker once per item and collects what the instances give. Source: pipeline-utilities §9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphnb.engine.failing import error_of_option, first_failure, text_of
from graphnb.engine.invocation import Within
from graphnb.engine.nodes.fan_in import fan_in, results_of, spreading_of
from graphnb.engine.nodes.function_instance import make_function_instance
from graphnb.engine.nodes.graph_instance import make_graph_instance
from graphnb.engine.nodes.instances import is_bare
from graphnb.engine.nodes.made import Attempt, Made
from graphnb.engine.nodes.options import ask_option
from graphnb.engine.work import Outcomes, Spread, Work, begin_outcomes
from graphnb.errors import FanOutError, InvalidUpdate, NodeException, UnsetField
from graphnb.errors.text import kind_of, shown
from graphnb.graph.interrupt import Interrupt, asks_instead
from graphnb.graph.plan import PlannedNode, is_async
from graphnb.graph.spec import FanOutNode
from graphnb.state.marks import UNSET
from graphnb.state.schema import Values
from graphnb.state.values.grown import items_of
from graphnb.trace.events import FanOutConfig
from graphnb.trace.log import Log, Open


def run_fan_out(attempt: Attempt) -> Work[Made]:
    """One update that holds the lists of all instances' contributions. Until it is committed the log has it open.

    Raises FanOutError if it cannot start, and a NodeException for the failure of an instance under `fail_fast`.
    """
    node, log, spec = attempt.node, attempt.graph.log, attempt.node.spec
    assert isinstance(spec, FanOutNode)
    items, limit = yield from _resolve(spec, attempt)
    count, bare = len(items), is_bare(node, spec)
    outcomes, ahead = begin_outcomes(count), iter(items)
    logs: list[Log | None] = [None] * count if node.child is not None else []
    spreading = spreading_of(spec, outcomes, ahead=ahead, logs=logs, bare=bare)
    if count:
        log.open = Open(len(log.commits), node.name, None, spreading)
        if node.child is not None:
            one = make_graph_instance(spec, attempt, spreading=spreading)
        else:
            one = make_function_instance(spec, attempt, spreading=spreading)
        spread = _spread_of(spec, node, one=one, items=ahead, outcomes=outcomes, concurrency=limit)
        if spread.kind == "work":
            with Within():
                yield spread
        else:
            yield spread
    else:
        _check_may_be_empty(spec, node)
    errors = outcomes.errors
    if bare and (spec.into is None or not attempt.schema.fields[spec.into].holds_atoms_alone):
        _check_asks_nothing(outcomes, node)
    if errors and spec.error_policy == "fail_fast":
        raise _error_of_instance(node, errors)
    slots = range(count) if not errors else tuple(i for i in range(count) if i not in errors)
    update = fan_in(spec, outcomes, slots=slots, count=count, bare=bare)
    if spec.reduce is not None and spec.reduced_into is not None:
        results = results_of(outcomes, slots=slots, bare=bare)
        update[spec.reduced_into] = yield from _reduce(spec.reduce, results, node=node)
    return Made(update, None, spreading.collected(slots))


def _reduce(reduce: Callable[[list[Any]], Any], results: list[Any], *, node: PlannedNode) -> Work[Any]:
    """What the function makes of all results. An interrupt would be a value like any other."""
    try:
        made = yield reduce, results, is_async(reduce)
        if mend := asks_instead(made):
            raise TypeError(f"it returned an interrupt. {mend}")
        return made
    except Exception as error:  # noqa: BLE001  user code
        raise error_of_option(node, "reducer", error=error)  # noqa: B904  its cause is set


def _resolve(spec: FanOutNode, attempt: Attempt) -> Work[tuple[Sequence[Any], int | None]]:
    """The items and how many may run at once; observers are told that the node starts, also if that fails."""
    node, values, visit = attempt.node, attempt.values, attempt.visit
    try:
        times, limit = spec.count, spec.concurrency
        if callable(times):
            times = yield from ask_option(times, "count", attempt=attempt)
        items = _items_of(spec, node, values=values, count=times)
        if callable(limit):
            limit = yield from ask_option(limit, "concurrency", attempt=attempt)
        if limit is not None:
            _check_number("concurrency", limit, node=node, least=1, also=", or None for no bound")
    except Exception:
        if visit is not None:
            yield from visit.tell_started(values, attempt.attempt_index)
        raise
    if visit is not None:
        config = FanOutConfig(len(items), limit, spec.error_policy, node.name)
        yield from visit.tell_started(values, attempt.attempt_index, config=config)
    return items, limit


def _spread_of(
    spec: FanOutNode,
    node: PlannedNode,
    *,
    one: Callable[[Any], Any],
    items: Iterator[Any],
    outcomes: Outcomes,
    concurrency: int | None,
) -> Spread:
    child, layers = node.child, [is_async(layer) for layer in spec.instance_middleware if not hasattr(layer, "around")]
    is_work = child is not None or spec.instance_middleware
    return Spread(
        one=one,
        items=enumerate(items) if is_work else items,
        outcomes=outcomes,
        concurrency=concurrency,
        fail_fast=spec.error_policy == "fail_fast",
        kind="work" if is_work else "async" if node.is_async else "plain",
        has_plain=(child.has_plain if child is not None else not node.is_async) or not all(layers),
        has_async=(child.has_async if child is not None else node.is_async) or any(layers),
    )


def _items_of(spec: FanOutNode, node: PlannedNode, *, values: Values, count: Any) -> Sequence[Any]:
    """The items in order; for `count` they are the instances' numbers."""
    if spec.over is not None:
        if values[spec.over] is UNSET:
            raise UnsetField(node.place, f"goes over field '{spec.over}', which nothing has written yet")
        return items_of(values[spec.over])
    _check_number("count", count, node=node, least=0)
    return range(count)


def _check_number(option: str, given: Any, *, node: PlannedNode, least: int, also: str = "") -> None:
    """Raises FanOutError for what is no number of at least so many; `also` is what else may be given, in words."""
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        what, mend = f"{option} is {shown(given)} ({kind_of(given)})", f"It must be an int of at least {least}{also}."
        raise FanOutError(node.place, what, mend, fan_out_category=f"fan_out_invalid_{option}")


def _check_may_be_empty(spec: FanOutNode, node: PlannedNode) -> None:
    if spec.on_empty == "raise":
        source = f"field '{spec.over}' is empty" if spec.over is not None else "count is 0"
        raise FanOutError(
            node.place,
            f"has nothing to do: {source}",
            "If that may happen, declare on_empty='noop'.",
            fan_out_category="fan_out_empty",
        )


def _check_asks_nothing(outcomes: Outcomes, node: PlannedNode) -> None:
    """An interrupt would be collected like any other value, where the field does not refuse it."""
    if Interrupt in set(map(type, outcomes.results)):
        i, mend = next((i, mend) for i, each in enumerate(outcomes.results) if (mend := asks_instead(each)))
        raise InvalidUpdate(f"{node.place}, instance {i}", "returned an interrupt", mend)


def _error_of_instance(node: PlannedNode, errors: Mapping[int, Exception]) -> NodeException:
    """The failure of the whole fan-out, named after it, caused by the first of the failed instances."""
    first = first_failure(errors)
    failed = NodeException(node.place, f"instance {first} failed with {text_of(errors[first])}")
    failed.__cause__ = errors[first]
    return failed
