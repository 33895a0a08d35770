"""What the instances of a fan-out have in common, whether a graph or a function does the work.

An instance gives its contribution: the values of the fields to be collected, as a tuple in the order of
`collected_fields`; or, for a function that names none, the bare value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphnb.engine.middleware.dispatch import Dispatch
from graphnb.engine.nodes.made import Attempt
from graphnb.errors import InvalidUpdate
from graphnb.errors.text import kind_of, shown
from graphnb.graph.plan import PlannedNode
from graphnb.graph.spec import FanOutNode
from graphnb.state.marks import UNSET
from graphnb.state.schema import Values


def collected_fields_of(spec: FanOutNode) -> tuple[str | None, ...]:
    """The worker's fields that are collected: for `into` first, then for the extra outputs; None for nothing."""
    return spec.collect, *spec.extra_outputs.values()


def is_bare(node: PlannedNode, spec: FanOutNode) -> bool:
    """True if an instance's contribution is what its function returned, not a tuple of fields."""
    return node.child is None and spec.collect is None and not spec.extra_outputs


def shared_inputs_of(spec: FanOutNode, values: Values) -> dict[str, Any]:
    """The `inputs`, the same for every instance; parent fields that nothing has written are left out."""
    return {name: values[parent] for name, parent in spec.inputs.items() if values[parent] is not UNSET}


def unit_of(attempt: Attempt, *, index: int) -> Dispatch:
    """The dispatch of one instance through the middleware around it; its lineage ends with the instance."""
    node = attempt.node
    unit = Dispatch(node.name, attempt.graph.scope.of_part(index=index), place=f"{node.place}, instance {index}")
    unit.attempt_index = attempt.attempt_index
    return unit


def contribution_of(given: Any, names: tuple[str | None, ...], *, place: str) -> tuple[Any, ...]:
    """The contribution that middleware around an instance gives: None for what is missing. Source: §9, degrades."""
    if not isinstance(given, Mapping):
        what = f"middleware gave {kind_of(given)}, want a dict of the worker's fields: {shown(given)}"
        raise InvalidUpdate(place, what, "Return what next(state) gives, or a dict of the same fields.")
    return tuple(None if name is None else given.get(name) for name in names)
