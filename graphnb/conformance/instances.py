"""Which instance of a fan-out a body runs in, found by the item that the instance was given."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from graphnb.conformance.bodies import Site
from graphnb.conformance.compare import differences


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """One run of a fan-out node; its items in order. Two visits are never equal."""

    items: tuple[Any, ...]


_VISIT: Final[ContextVar[Visit | None]] = ContextVar("graphnb_conformance_visit", default=None)

Concurrency = int | Callable[[Any], int | None] | None


def noting_items(over: str, limit: Concurrency) -> Callable[[Any], int | None]:
    """A `concurrency` that also notes the items, since it is asked once per visit and before any instance runs."""

    def concurrency(state: Any) -> int | None:
        _VISIT.set(Visit(tuple(getattr(state, over))))
        return limit(state) if callable(limit) else limit

    return concurrency


def instance_of(state: Any, site: Site) -> tuple[Visit, int]:
    """The visit and the position of the body's item in it.

    Raises LookupError, and tells the probe, if the items do not tell the instances apart.
    """
    visit = _VISIT.get()
    item = getattr(state, site.item_field or "")
    items = visit.items if visit is not None else ()
    places = [i for i, each in enumerate(items) if not any(differences(each, item, ""))]
    if visit is None or len(places) != 1:
        fault = f"the item {item!r} stands {len(places)} times among {list(items)!r}, so the instance is not known"
        site.probe.faults.append(fault)
        raise LookupError(fault)
    return visit, places[0]
