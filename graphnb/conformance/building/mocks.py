"""Mocks that fail at given calls, for given items or in given instances. Source: fixture language §4.3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.nodes import Behaviour, Body, MockFailure, Site, read
from graphnb.conformance.compare import differences
from graphnb.conformance.reading.parts import CaseFault, Part
from graphnb.conformance.reading.shapes import (
    Shapes,
    anything,
    at_least,
    each,
    either_key,
    flag,
    keyed,
    many,
    nullable,
    text,
    true,
)


def instance_of(site: Site) -> int:
    """The instance of a fan-out in which the calling body runs. Raises LookupError, and tells the probe, if none."""
    invocation = gn.invocation()
    if invocation is None or invocation.fan_out_index is None:
        fault = "a body that asks for the instance it runs in runs in none"
        site.probe.faults.append(fault)
        raise LookupError(fault)
    return invocation.fan_out_index


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
    if "failure_sequence" not in directive:
        return _fails_at_first(directive.get("on_success", {}), name, site=site, concerns=lambda: True)
    sequence, success = directive["failure_sequence"], directive.get("success_update", {})

    def body(state: Any) -> dict[str, Any]:
        call = site.probe.call((site.graph, name))
        if call < len(sequence) and sequence[call] is not None:
            raise _failure(sequence[call])
        return read(success, state, fields=site.fields)

    return body


def _flaky_by_index(node: Part, name: str, site: Site) -> Body:
    directive = node.value["flaky_by_index"]
    if "fail_count_per_idx" in directive:
        return _flaky_counted(directive, directive["fail_count_per_idx"], name=name, site=site)
    field = _item_field(node.at("flaky_by_index"), site)

    def body(state: Any) -> dict[str, Any]:
        site.probe.call((site.graph, name))
        if not any(differences(directive["fail_when_idx"], getattr(state, field), place="")):
            raise MockFailure(f"mock failure for {directive['fail_when_idx']!r}", directive.get("category"))
        return read(directive["success_compute"], state, fields=site.fields)

    return body


def _flaky_instance_only(node: Part, name: str, site: Site) -> Body:
    directive = node.value["flaky_instance_only"]
    return _flaky_counted(directive, directive["fail_count_per_instance"], name=name, site=site)


def _flaky_per_index(node: Part, name: str, site: Site) -> Body:
    directive = node.value["flaky_per_index"]
    if "fail_first_run_indices" in directive:
        failing = directive["fail_first_run_indices"]
        return _fails_at_first(
            directive["success_compute"], name, site=site, concerns=lambda: instance_of(site) in failing
        )

    def body(state: Any) -> dict[str, Any]:
        site.probe.call((site.graph, name))
        index = instance_of(site)
        if index in directive["always_fail_indices"]:
            raise MockFailure(f"mock failure in instance {index}")
        return read(directive["success_compute"], state, fields=site.fields)

    return body


def _flaky_counted(directive: Mapping[str, Any], failures: int, *, name: str, site: Site) -> Body:
    """Every instance fails in its first calls, counted for each instance by itself."""

    def body(state: Any) -> dict[str, Any]:
        index = instance_of(site)
        if site.probe.call((site.graph, name, index)) < failures:
            raise MockFailure(f"mock failure in instance {index}", directive.get("category"))
        return read(directive["success_compute"], state, fields=site.fields)

    return body


def _fails_at_first(success: Mapping[str, Any], name: str, *, site: Site, concerns: Callable[[], bool]) -> Body:
    """Every attempt of the first invocation fails, where it is concerned; none of a later one does."""

    def body(state: Any) -> dict[str, Any]:
        site.probe.call((site.graph, name))
        if concerns() and site.probe.invocation == 1:
            raise MockFailure("mock failure in the first invocation")
        return read(success, state, fields=site.fields)

    return body


def _item_field(part: Part, site: Site) -> str:
    if site.item_field is None:
        mend = "Its graph must be the worker of a fan-out whose item_field the graph declares."
        raise part.fault("needs to know the item of its instance", mend)
    return site.item_field


def _cause(part: Part) -> Iterator[CaseFault]:
    yield from keyed({"category": nullable(text)}, {"message": text, "cause": _cause})(part)


_ENTRY: Final = keyed({"category": nullable(text)}, {"message": text, "transient": flag, "cause": _cause})
_UPDATE: Final = each(anything)
_SUCCESS: Final[Shapes] = {"success_compute": _UPDATE}
_CATEGORY: Final[Shapes] = {"category": nullable(text)}

MOCKS: Final[Mapping[str, Behaviour]] = {
    "flaky": Behaviour(
        either_key(
            failure_sequence=keyed({"failure_sequence": many(nullable(_ENTRY))}, {"success_update": _UPDATE}),
            fail_first_invocation_only=keyed({"fail_first_invocation_only": true}, {"on_success": _UPDATE}),
        ),
        _flaky,
        {},
    ),
    "flaky_by_index": Behaviour(
        either_key(
            fail_when_idx=keyed({**_SUCCESS, "fail_when_idx": anything}, _CATEGORY),
            fail_count_per_idx=keyed({**_SUCCESS, "fail_count_per_idx": at_least(0)}, _CATEGORY),
        ),
        _flaky_by_index,
        {},
    ),
    "flaky_instance_only": Behaviour(
        keyed({**_SUCCESS, "fail_count_per_instance": at_least(0)}, _CATEGORY), _flaky_instance_only, {}
    ),
    "flaky_per_index": Behaviour(
        either_key(
            always_fail_indices=keyed({**_SUCCESS, "always_fail_indices": many(at_least(0))}),
            fail_first_run_indices=keyed({**_SUCCESS, "fail_first_run_indices": many(at_least(0))}),
        ),
        _flaky_per_index,
        {},
    ),
}
"""What a node does by its directive."""
