"""What a fan-out does for one item: run the worker graph, or call the worker function.

Either gives its contribution: the values of the fields to be collected, as a tuple in the order of
`collected_fields`; or, for a function that names none, the bare value.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from graphnb.engine.subgraph import RunGraph
from graphnb.engine.work import Work
from graphnb.errors import UnsetField
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.plan import PlannedNode
from graphnb.graph.spec import FanOutNode
from graphnb.state.marks import UNSET
from graphnb.state.schema import Schema, Values, start_values
from graphnb.state.values.detach import detach
from graphnb.state.views.guard import Place, check_copies, guarded
from graphnb.trace.log import Log


def collected_fields(spec: FanOutNode) -> tuple[str | None, ...]:
    """The worker's fields that are collected: for `into` first, then for the extra outputs; None for nothing."""
    return spec.collect, *spec.extra_outputs.values()


def is_bare(node: PlannedNode, spec: FanOutNode) -> bool:
    """True if an instance's contribution is what its function returned, not a tuple of fields."""
    return node.child is None and spec.collect is None and not spec.extra_outputs


def graph_instance(
    spec: FanOutNode, node: PlannedNode, values: Values, logs: list[Log | None], max_steps: int, run_graph: RunGraph
) -> Callable[[tuple[int, Any]], Work[tuple[Any, ...]]]:
    """A function (index, item) -> work that runs the worker graph from a fresh state and keeps its log."""
    plan = node.child
    assert plan is not None
    shared = _shared(spec, values)
    item_field = spec.item if spec.over is not None and spec.item in plan.schema.fields else None

    def instance(numbered: tuple[int, Any]) -> Work[tuple[Any, ...]]:
        i, item = numbered
        place = f"{node.place}, instance {i}"
        given = {**shared, item_field: item} if item_field is not None else shared
        start = start_values(plan.schema, given, f"{place}, graph '{plan.name}'")
        logs[i] = inner = Log(plan.name, plan.schema, start)
        final = yield from run_graph(plan, inner, max_steps)
        return tuple(_collected(final, name, place) for name in collected_fields(spec))

    return instance


def _collected(final: Values, name: str | None, place: str) -> Any:
    if name is None:
        return None
    if final[name] is UNSET:
        raise UnsetField(place, f"has nothing to collect: field '{name}' was never written")
    return detach(final[name])


def function_instance(spec: FanOutNode, node: PlannedNode, values: Values, schema: Schema) -> Callable[[Any], Any]:
    """A function item -> contribution, or item -> awaitable of it for a worker that has to be awaited."""
    call: Callable[[Any], Any] = spec.worker  # type: ignore[assignment]  # no graph, as this is its function
    shared = _shared(spec, values)
    if shared or (spec.over is not None and not schema.fields[spec.over].flat):
        call = _guarding(call, node.name, spec, shared, schema)
    if is_bare(node, spec):
        return call
    return lambda item: _then(call(item), lambda returned: _fields_of(returned, spec))


def _shared(spec: FanOutNode, values: Values) -> dict[str, Any]:
    """The `inputs`, the same for every instance; parent fields that nothing has written are left out."""
    return {name: values[parent] for name, parent in spec.inputs.items() if values[parent] is not UNSET}


def _guarding(
    worker: Callable[..., Any], node: str, spec: FanOutNode, shared: Mapping[str, Any], schema: Schema
) -> Callable[[Any], Any]:
    """The worker, given its item and inputs in a form that it cannot change unnoticed."""
    over = spec.over or ""
    safe = {
        name: guarded(value, _place(node, spec.inputs[name]), flat=True)
        for name, value in shared.items()
        if schema.fields[spec.inputs[name]].flat
    }
    unsafe = {name: value for name, value in shared.items() if name not in safe}  # to be guarded for each instance

    def call(item: Any) -> Any:
        copies: list[tuple[Place, Any, Any]] = []
        inputs = {name: guarded(value, _place(node, spec.inputs[name], copies)) for name, value in unsafe.items()}
        returned = worker(guarded(item, _place(node, over, copies)), **safe, **inputs)
        return _then(returned, lambda value: _unchanged(value, copies))

    return call


def _place(node: str, field: str, copies: list[tuple[Place, Any, Any]] | None = None) -> Place:
    return Place(node, field, "Return the change instead.", [] if copies is None else copies)


def _unchanged(value: Any, copies: list[tuple[Place, Any, Any]]) -> Any:
    check_copies(copies, who="worker")
    return value


def _then(returned: Any, finish: Callable[[Any], Any]) -> Any:
    """The function's result on what was returned; if that has to be awaited, an awaitable of it."""
    return _awaited(returned, finish) if hasattr(returned, "__await__") else finish(returned)


async def _awaited(returned: Awaitable[Any], finish: Callable[[Any], Any]) -> Any:
    return finish(await returned)


def _fields_of(returned: Any, spec: FanOutNode) -> tuple[Any, ...]:
    names = collected_fields(spec)
    if not isinstance(returned, Mapping):
        wanted = [name for name in names if name is not None]
        raise TypeError(f"the worker returned {kind_of(returned)}, want a dict with {wanted}: {shown(returned)}")
    missing = [name for name in names if name is not None and name not in returned]
    if missing:
        raise LookupError(
            f"the worker's dict has no {missing[0]!r}. {choices('It has', map(str, returned), missing[0])}"
        )
    return tuple(None if name is None else returned[name] for name in names)
