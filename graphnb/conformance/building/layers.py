"""Middleware that is a function of the harness: one that notes each dispatch, and two that answer by themselves.

Source: fixture language §5.
"""

from __future__ import annotations

import copy
from typing import Any

from graphnb.conformance.building.nodes import Site
from graphnb.conformance.building.notes import values_of
from graphnb.conformance.reading.parts import Part
from graphnb.graph.spec import Layer
from graphnb.state.values.detach import detach


def trace_recorder(part: Part, site: Site) -> Layer:
    """Notes each dispatch; with markers it puts them around what `trace` is given."""
    name = part.value["name"]
    before, after = ([part.value[key]] if key in part.value else [] for key in ("pre_marker", "post_marker"))
    if (before or after) and "trace" not in site.fields:
        raise part.fault("has markers, which go into a field 'trace'", f"Fields: {sorted(site.fields)}.")

    def begin(state: Any) -> dict[str, Any]:
        record = {"state_in": values_of(state), "pre_seen": True, "post_seen": False}
        site.probe.notes.dispatches.setdefault(name, []).append(record)
        return record

    def end(record: dict[str, Any], update: Any) -> Any:
        if before or after:
            update = {**update, "trace": [*before, *update.get("trace", ()), *after]}
        record.update(partial_update_returned=detach(dict(update)), post_seen=True)
        return update

    def plain(state: Any, following: Any) -> Any:
        record = begin(state)
        return end(record, following(state))

    async def waiting(state: Any, following: Any) -> Any:
        record = begin(state)
        return end(record, await following(state))

    return waiting if site.has_async else plain


def short_circuit(part: Part, site: Site) -> Layer:
    """Answers in the place of what it is around."""
    update = part.value["partial_update"]

    def plain(state: Any, following: Any) -> Any:
        return copy.deepcopy(update)

    async def waiting(state: Any, following: Any) -> Any:
        return copy.deepcopy(update)

    return waiting if site.has_async else plain


def error_recovery(part: Part, site: Site) -> Layer:
    """Answers in the place of what has failed."""
    update = part.value["partial_update"]

    def plain(state: Any, following: Any) -> Any:
        try:
            return following(state)
        except Exception:  # noqa: BLE001  whatever it is, this middleware answers in its place
            return copy.deepcopy(update)

    async def waiting(state: Any, following: Any) -> Any:
        try:
            return await following(state)
        except Exception:  # noqa: BLE001  whatever it is, this middleware answers in its place
            return copy.deepcopy(update)

    return waiting if site.has_async else plain
