"""The body of a plain node: what its directive does, with everything that the harness puts around it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from graphnb.conformance.building.draining import DRAIN, adrain_here, drain_here
from graphnb.conformance.building.mocks import MOCKS
from graphnb.conformance.building.nodes import PLAIN, Behaviour, Body, Site
from graphnb.conformance.reading.parts import Part
from graphnb.conformance.reading.shapes import Directives, Shape, number

_WATCHED: Final = 0.02  # seconds: long enough that an engine without a bound would have started the next body

BEHAVIOURS: Final[Mapping[str, Behaviour]] = {**PLAIN, **MOCKS}
"""What plain nodes do, by directive."""
_BESIDE: Final[Mapping[str, Shape]] = {"sleep_ms": number, "invoke_drain_events_for": DRAIN}
PLAIN_DIRECTIVES: Final[Directives] = {
    word: (behaviour.shape, {**_BESIDE, **behaviour.modifiers}) for word, behaviour in BEHAVIOURS.items()
}
"""The same for judging how a node is written."""


def body_of(node: Part, name: str, site: Site) -> Body:
    """The function of the state that a node's words describe; the probe sees when it is entered and left.

    With `sleep_ms` it first waits in a way that can be cancelled; with `invoke_drain_events_for` it drains before
    it gives its update.
    """
    (word,) = BEHAVIOURS.keys() & node.value.keys()
    work, drain, sleep_ms = BEHAVIOURS[word].make(node, name, site), node.find("invoke_drain_events_for"), _pause(node)

    def plain(state: Any) -> Any:
        with site.probe.body(site.graph, name, is_watched=site.is_watched):
            if site.is_watched:
                time.sleep(_WATCHED)
            update = work(state)
            if drain is not None:
                drain_here(drain, name, site)
            return update

    async def waiting(state: Any) -> Any:
        with site.probe.body(site.graph, name, is_watched=site.is_watched):
            if site.is_watched:
                await asyncio.sleep(_WATCHED)
            if sleep_ms is not None:
                await asyncio.sleep(sleep_ms / 1000)
            update = work(state)
            if drain is not None:
                await adrain_here(drain, name, site)
            return update

    blocks = drain is not None and not site.may_block
    return waiting if site.has_async or sleep_ms is not None or blocks else plain


def _pause(node: Part) -> float | None:
    milliseconds: float | None = node.value.get("sleep_ms")
    return milliseconds
