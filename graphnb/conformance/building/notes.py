"""What the harness notes while a graph runs: bodies, deliveries, dispatches, drains, failures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import graphnb as gn
from graphnb.state.values.detach import detach
from graphnb.trace.events import Event

RECORDER: Final = "(recorder)"
"""The observer that the harness itself adds; no case can declare one of this name."""


class Delivered(NamedTuple):
    """One event as one observer has received it."""

    observer: str
    event: Event


@dataclass(frozen=True, slots=True, eq=False)
class Notes:
    """Everything noted during one invocation, in the order in which it came.

    `entered` has (graph, node) for every body; `raised` what mocks raised; `deliveries` what observers received.
    `dispatches` are those of trace recorders by name; `caught` holds (its declaration, error) for each failure
    that was isolated and told; `drains` and `snapshots` are those of nodes, the latter with the observer's name.
    """

    entered: list[tuple[str, str]] = field(default_factory=list)
    raised: list[BaseException] = field(default_factory=list)
    deliveries: list[Delivered] = field(default_factory=list)
    dispatches: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    timings: list[gn.TimingRecord] = field(default_factory=list)
    caught: list[tuple[dict[str, Any], BaseException]] = field(default_factory=list)
    drains: list[tuple[str, gn.DrainSummary]] = field(default_factory=list)
    snapshots: list[tuple[str, str, tuple[gn.NodeEvent, ...]]] = field(default_factory=list)

    def of(self, observer: str, invocation_id: str | None = None) -> tuple[gn.NodeEvent, ...]:
        """The nodes' events that an observer has received, all of them or those of one invocation."""
        return tuple(
            event
            for name, event in list(self.deliveries)
            if name == observer and isinstance(event, gn.NodeEvent) and invocation_id in (None, event.invocation_id)
        )


def values_of(state: Any) -> dict[str, Any] | None:
    """A state's values by field, as plain data; None if it is no state."""
    # Not dict(state): a field may be called "keys".
    if not isinstance(state, gn.State):
        return None
    return {name: detach(getattr(state, name)) for name in type(state).model_fields}
