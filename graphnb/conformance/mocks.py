"""Mocks that fail at given calls, for given items or in given instances. Source: fixture language §4.3.

The instance of a fan-out that a body runs in is found by the item that the instance was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from graphnb.conformance.compare import differences
from graphnb.conformance.nodes import Behaviour, Body, MockFailure, Site, read
from graphnb.conformance.parts import CaseFault, Part
from graphnb.conformance.shapes import anything, at_least, each, flag, keyed, many, nullable, number, text


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
    places = [i for i, other in enumerate(items) if not any(differences(other, item, place=""))]
    if visit is None or len(places) != 1:
        fault = f"the item {item!r} stands {len(places)} times among {list(items)!r}, so the instance is not known"
        site.probe.faults.append(fault)
        raise LookupError(fault)
    return visit, places[0]


def _failure(entry: Mapping[str, Any]) -> MockFailure:
    """The error that an entry describes, with its chain of causes."""
    error = MockFailure(
        entry.get("message", "mock failure"), entry["category"], transient=entry.get("transient", False)
    )
    if "cause" in entry:
        error.__cause__ = _failure(entry["cause"])
    return error


def _flaky(node: Part, name: str, site: Site) -> Body:
    directive = node.value["flaky"]
    sequence, success = directive["failure_sequence"], directive.get("success_update", {})

    def body(state: Any) -> dict[str, Any]:
        call = site.probe.call((site.graph, name))
        if call < len(sequence) and sequence[call] is not None:
            raise _failure(sequence[call])
        return read(success, state, fields=site.fields)

    return body


def _flaky_by_index(node: Part, name: str, site: Site) -> Body:
    directive = node.value["flaky_by_index"]
    field = _item_field(node.at("flaky_by_index"), site)
    if "fail_count_per_idx" in directive:
        return _flaky_counted(directive, directive["fail_count_per_idx"], name, site)

    def body(state: Any) -> dict[str, Any]:
        site.probe.call((site.graph, name))
        if not any(differences(directive["fail_when_idx"], getattr(state, field), place="")):
            raise MockFailure(f"mock failure for {directive['fail_when_idx']!r}", directive.get("category"))
        return read(directive["success_compute"], state, fields=site.fields)

    return body


def _flaky_instance_only(node: Part, name: str, site: Site) -> Body:
    directive = node.value["flaky_instance_only"]
    _item_field(node.at("flaky_instance_only"), site)
    return _flaky_counted(directive, directive["fail_count_per_instance"], name, site)


def _flaky_per_index(node: Part, name: str, site: Site) -> Body:
    directive = node.value["flaky_per_index"]
    _item_field(node.at("flaky_per_index"), site)

    def body(state: Any) -> dict[str, Any]:
        site.probe.call((site.graph, name))
        _, index = instance_of(state, site)
        if index in directive["always_fail_indices"]:
            raise MockFailure(f"mock failure in instance {index}")
        return read(directive["success_compute"], state, fields=site.fields)

    return body


def _flaky_counted(directive: Mapping[str, Any], failures: int, name: str, site: Site) -> Body:
    """Every instance fails in its first calls, counted for each instance by itself."""

    def body(state: Any) -> dict[str, Any]:
        visit, index = instance_of(state, site)
        if site.probe.call((site.graph, name, visit, index)) < failures:
            raise MockFailure(f"mock failure in instance {index}", directive.get("category"))
        return read(directive["success_compute"], state, fields=site.fields)

    return body


def _item_field(part: Part, site: Site) -> str:
    if site.item_field is None:
        mend = "Its graph must be the worker of a fan-out whose item_field the graph declares."
        raise part.fault("needs to know the item of its instance", mend)
    return site.item_field


def _cause(part: Part) -> Iterator[CaseFault]:
    yield from keyed({"category": nullable(text)}, {"message": text, "cause": _cause})(part)


def _by_index(part: Part) -> Iterator[CaseFault]:
    yield from _BY_INDEX(part)
    if isinstance(part.value, dict) and len({"fail_when_idx", "fail_count_per_idx"} & set(part.value)) != 1:
        yield part.fault("needs one of fail_when_idx and fail_count_per_idx")


_ENTRY: Final = keyed({"category": nullable(text)}, {"message": text, "transient": flag, "cause": _cause})
_SUCCESS: Final = {"success_compute": each(anything)}
_CATEGORY: Final = {"category": nullable(text)}
_BY_INDEX: Final = keyed(_SUCCESS, {**_CATEGORY, "fail_when_idx": anything, "fail_count_per_idx": at_least(0)})
_SLEEP: Final = {"sleep_ms": number}

MOCKS: Final[Mapping[str, Behaviour]] = {
    "flaky": Behaviour(
        keyed({"failure_sequence": many(nullable(_ENTRY))}, {"success_update": each(anything)}), _flaky, _SLEEP
    ),
    "flaky_by_index": Behaviour(_by_index, _flaky_by_index, _SLEEP, needs_index=True),
    "flaky_instance_only": Behaviour(
        keyed({**_SUCCESS, "fail_count_per_instance": at_least(0)}, _CATEGORY),
        _flaky_instance_only,
        _SLEEP,
        needs_index=True,
    ),
    "flaky_per_index": Behaviour(
        keyed({**_SUCCESS, "always_fail_indices": many(at_least(0))}), _flaky_per_index, _SLEEP, needs_index=True
    ),
}
"""What a node does by its directive."""
