"""Bodies of nodes: where one stands, how it reads the state, and what the harness puts around it."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from graphnb.conformance.parts import Part
from graphnb.conformance.probe import Probe
from graphnb.conformance.shapes import Shape

Body = Callable[[Any], Any]

_WATCHED: Final = 0.005  # seconds: long enough that an engine without a bound would have started the next body


@dataclass(frozen=True, slots=True)
class Site:
    """Where a body stands.

    `fields` are the state's; `item_field` is the field that a fan-out gives each instance its item in, None if
    there is none. Bodies of a watched site are slowed a little, so that those under way at once can be counted;
    with `has_async` bodies and routers are asynchronous functions.
    """

    graph: str
    fields: frozenset[str]
    item_field: str | None
    is_watched: bool
    has_async: bool
    probe: Probe


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One directive that says what a plain node does: its shape, and how its body is made.

    `make` takes the whole node, its name and its site. `modifiers` are keys that may stand beside the directive;
    `needs_index` tells that the body asks which instance of a fan-out it runs in.
    """

    shape: Shape
    make: Callable[[Part, str, Site], Body]
    modifiers: Mapping[str, Shape]
    needs_index: bool = False


def read(values: Mapping[str, Any], state: Any, fields: frozenset[str]) -> dict[str, Any]:
    """The update of those values: a text that names a field is read from the state, the rest is literal."""
    return {
        name: getattr(state, value) if isinstance(value, str) and value in fields else copy.deepcopy(value)
        for name, value in values.items()
    }


def check_field(part: Part, site: Site) -> str:
    """The field that the part names. Raises CaseFault if the state has none: a slip must not pass for a failure."""
    name: str = part.value
    if name not in site.fields:
        raise part.fault(f"{name!r} is no field of the state", f"Fields: {sorted(site.fields)}.")
    return name


def observed(body: Body, name: str, site: Site, *, sleep_ms: float | None) -> Body:
    """The body with the probe around it; with `sleep_ms` it first waits in a way that can be cancelled."""

    def plain(state: Any) -> Any:
        with site.probe.body(site.graph, name, is_watched=site.is_watched):
            if site.is_watched:
                time.sleep(_WATCHED)
            return body(state)

    async def waiting(state: Any) -> Any:
        with site.probe.body(site.graph, name, is_watched=site.is_watched):
            if site.is_watched:
                await asyncio.sleep(_WATCHED)
            if sleep_ms is not None:
                await asyncio.sleep(sleep_ms / 1000)
            return body(state)

    return waiting if site.has_async or sleep_ms is not None else plain
