"""One instance of a fan-out over a graph: run the graph from a fresh state, and keep its log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphnb.engine.invocation import enter_instance
from graphnb.engine.middleware.dispatch import chain_layers
from graphnb.engine.nodes.instances import collected_fields_of, contribution_of, shared_inputs_of, unit_of
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.nodes.tries import note_tries
from graphnb.engine.work import Work
from graphnb.errors import UnsetField
from graphnb.graph.spec import FanOutNode
from graphnb.state.marks import UNSET
from graphnb.state.schema import Values, start_values
from graphnb.state.values.detach import detach
from graphnb.trace.instances import Spreading
from graphnb.trace.log import Log

Numbered = tuple[int, Any]


def make_graph_instance(
    spec: FanOutNode, attempt: Attempt, *, spreading: Spreading
) -> Callable[[Numbered], Work[tuple[Any, ...]]]:
    """A function (index, item) -> work that gives the instance's contribution, middleware around it included."""
    node, names = attempt.node, collected_fields_of(spec)
    plan = node.child
    assert plan is not None
    start_of, final_of = _make_start(spec, attempt), _make_run(attempt, spreading.logs)

    def instance(numbered: Numbered) -> Work[tuple[Any, ...]]:
        i, item = numbered
        enter_instance(i)
        place = f"{node.place}, instance {i}"
        final = yield from final_of(i, start_of(item, place), attempt.attempt_index)
        return tuple([_collected_of(final, name, place=place) for name in names])

    def layered(numbered: Numbered) -> Work[tuple[Any, ...]]:
        i, item = numbered
        enter_instance(i)
        place = f"{node.place}, instance {i}"
        start = start_of(item, place)
        unit, view = unit_of(attempt, index=i), plan.schema.view(start, node.name)

        def body(state: Any) -> Work[dict[str, Any]]:
            given = start if state is view else start_values(plan.schema, state, f"{place}, state given by middleware")
            final = yield from final_of(i, given, unit.attempt_index)
            return {name: _collected_of(final, name, place=place) for name in names if name is not None}

        chain = chain_layers(spec.instance_middleware, body, dispatch=unit, is_quick=False)
        given = yield from note_tries(chain(view), unit, spreading=spreading, i=i)
        return contribution_of(given, names, place=place)

    return layered if spec.instance_middleware else instance


def _make_start(spec: FanOutNode, attempt: Attempt) -> Callable[[Any, str], Values]:
    """A function (item, place) -> the values that an instance starts from."""
    plan, shared = attempt.node.child, shared_inputs_of(spec, attempt.values)
    assert plan is not None
    item_field = spec.item if spec.over is not None and spec.item in plan.schema.fields else None

    def start_of(item: Any, place: str) -> Values:
        given = {**shared, item_field: item} if item_field is not None else shared
        return start_values(plan.schema, given, f"{place}, graph '{plan.name}'")

    return start_of


def _make_run(attempt: Attempt, logs: list[Log | None]) -> Callable[[int, Values, int], Work[Values]]:
    """A function (index, first values, index of the attempt) -> work that gives the last values, and keeps the log."""
    graph, node, values = attempt.graph, attempt.node, attempt.values
    plan, outer, is_watched = node.child, graph.scope, graph.scope.watch is not None
    parent = attempt.schema, values
    assert plan is not None

    def final_of(i: int, first: Values, attempt_index: int) -> Work[Values]:
        logs[i] = log = Log(plan.name, plan.schema, first)
        scope = outer
        if is_watched:
            scope = outer.of_graph(node.name, parent, attempt_index=attempt_index, observers=plan.observers, index=i)
        return graph.run_graph(plan, log, scope=scope)

    return final_of


def _collected_of(final: Values, name: str | None, *, place: str) -> Any:
    if name is None:
        return None
    if final[name] is UNSET:
        raise UnsetField(place, f"has nothing to collect: field '{name}' was never written")
    return detach(final[name])
