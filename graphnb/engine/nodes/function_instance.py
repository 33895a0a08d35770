"""One instance of a fan-out over a function: call it with the item and the inputs, which it cannot change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from graphnb.engine.invocation import enter_instance
from graphnb.engine.middleware.dispatch import chain_layers
from graphnb.engine.nodes.instances import collected_fields_of, contribution_of, is_bare, shared_inputs_of, unit_of
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.nodes.tries import note_tries
from graphnb.engine.work import Work
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.spec import FanOutNode
from graphnb.state.schema import Schema
from graphnb.state.views.guarding import Place, check_copies, guarded
from graphnb.trace.instances import Spreading


def make_function_instance(spec: FanOutNode, attempt: Attempt, *, spreading: Spreading) -> Callable[[Any], Any]:
    """A function item -> contribution, or item -> awaitable of it for a worker that has to be awaited.

    With middleware around instances a function (index, item) -> work that gives the contribution.
    """
    node, schema = attempt.node, attempt.schema
    call: Callable[[Any], Any] = spec.worker  # type: ignore[assignment]  # no graph, as this is its function
    shared, is_flat = shared_inputs_of(spec, attempt.values), spec.over is None or schema.fields[spec.over].flat
    if shared or not is_flat:
        call = _guard(call, spec, shared=shared, schema=schema)
    names = () if is_bare(node, spec) else collected_fields_of(spec)
    if spec.instance_middleware:
        return _add_layers(spec, attempt, spreading=spreading, call=call, names=names, is_flat=is_flat)
    if not names:
        return call
    return lambda item: _finish(call(item), lambda returned: _fields_of(returned, names))


def _add_layers(
    spec: FanOutNode,
    attempt: Attempt,
    *,
    spreading: Spreading,
    call: Callable[[Any], Any],
    names: tuple[str | None, ...],
    is_flat: bool,
) -> Callable[[tuple[int, Any]], Work[Any]]:
    """Middleware gets the item, which it cannot change unnoticed either; with `is_flat` there is nothing to change."""
    node = attempt.node

    def instance(numbered: tuple[int, Any]) -> Work[Any]:
        i, item = numbered
        enter_instance(i)
        unit = unit_of(attempt, index=i)
        unit.gives_fields = bool(names)
        copies: list[tuple[Place, Any, Any]] = []
        own = item if is_flat else guarded(item, _place_of(node.name, spec.over or "", copies=copies))

        def body(given: Any) -> Work[Any]:
            returned = yield call, given, node.is_async
            if names:
                _fields_of(returned, names)  # refuses what lacks one
            return returned

        chain = chain_layers(spec.instance_middleware, body, dispatch=unit, is_quick=not node.is_async)
        contribution = yield from note_tries(chain(own), unit, spreading=spreading, i=i)
        check_copies(copies, who="middleware")
        return contribution_of(contribution, names, place=f"{node.place}, instance {i}") if names else contribution

    return instance


def _guard(
    worker: Callable[..., Any], spec: FanOutNode, *, shared: Mapping[str, Any], schema: Schema
) -> Callable[[Any], Any]:
    """The worker, given its item and inputs in a form that it cannot change unnoticed."""
    node, over = spec.name, spec.over or ""
    safe = {
        name: guarded(value, _place_of(node, spec.inputs[name]), flat=True)
        for name, value in shared.items()
        if schema.fields[spec.inputs[name]].flat
    }
    unsafe = {name: value for name, value in shared.items() if name not in safe}  # to be guarded for each instance

    def call(item: Any) -> Any:
        copies: list[tuple[Place, Any, Any]] = []
        inputs = {
            name: guarded(value, _place_of(node, spec.inputs[name], copies=copies)) for name, value in unsafe.items()
        }
        returned = worker(guarded(item, _place_of(node, over, copies=copies)), **safe, **inputs)
        return _finish(returned, lambda value: _check_unchanged(value, copies))

    return call


def _place_of(node: str, field: str, *, copies: list[tuple[Place, Any, Any]] | None = None) -> Place:
    return Place(node, field, "Return the change instead.", [] if copies is None else copies)


def _check_unchanged(value: Any, copies: list[tuple[Place, Any, Any]]) -> Any:
    check_copies(copies, who="worker")
    return value


def _finish(returned: Any, finish: Callable[[Any], Any]) -> Any:
    """The function's result on what was returned; if that has to be awaited, an awaitable of it."""
    return _afinish(returned, finish) if hasattr(returned, "__await__") else finish(returned)


async def _afinish(returned: Awaitable[Any], finish: Callable[[Any], Any]) -> Any:
    return finish(await returned)


def _fields_of(returned: Any, names: tuple[str | None, ...]) -> tuple[Any, ...]:
    if not isinstance(returned, Mapping):
        wanted = [name for name in names if name is not None]
        raise TypeError(f"the worker returned {kind_of(returned)}, want a dict with {wanted}: {shown(returned)}")
    missing = [name for name in names if name is not None and name not in returned]
    if missing:
        raise LookupError(
            f"the worker's dict has no {missing[0]!r}. {choices('It has', map(str, returned), missing[0])}"
        )
    return tuple(None if name is None else returned[name] for name in names)
