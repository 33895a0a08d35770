"""Nodes that wait, before they give their update, until observers have been told of what has happened so far.

Source: fixture language §4.4, `invoke_drain_events_for`.
"""

from __future__ import annotations

from typing import Final

import graphnb as gn
from graphnb.conformance.building.nodes import Site
from graphnb.conformance.reading.parts import Part
from graphnb.conformance.reading.shapes import keyed, nullable, number, text

DRAIN: Final = keyed({"snapshot_observer": text}, {"timeout_seconds": nullable(number)})
"""The shape of the directive."""


def drain_here(drain: Part, name: str, site: Site) -> None:
    """Drains the invocation that runs the calling body, and notes what came of it under the node's name."""
    graph, invocation_id = _caller(site)
    summary = graph.drain_events_for(invocation_id, timeout=drain.value.get("timeout_seconds"))
    _note(drain, name, site=site, summary=summary, invocation_id=invocation_id)


async def adrain_here(drain: Part, name: str, site: Site) -> None:
    """The same without holding up the event loop in which the body runs."""
    graph, invocation_id = _caller(site)
    summary = await graph.adrain_events_for(invocation_id, timeout=drain.value.get("timeout_seconds"))
    _note(drain, name, site=site, summary=summary, invocation_id=invocation_id)


def _caller(site: Site) -> tuple[gn.Graph, str]:
    invocation = gn.invocation()
    if invocation is None or site.probe.graph is None:
        fault = "a body is not told which invocation runs it"
        site.probe.faults.append(fault)
        raise LookupError(fault)
    return site.probe.graph, invocation.invocation_id


def _note(drain: Part, name: str, *, site: Site, summary: gn.DrainSummary, invocation_id: str) -> None:
    notes, observer = site.probe.notes, drain.value["snapshot_observer"]
    notes.drains.append((name, summary))
    notes.snapshots.append((name, observer, notes.of(observer, invocation_id)))
