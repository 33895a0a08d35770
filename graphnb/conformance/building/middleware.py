"""Middleware of a case: the product's own, and functions of the harness.

Source: fixture language §5.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.layers import error_recovery, short_circuit, trace_recorder
from graphnb.conformance.building.nodes import Site, check_field
from graphnb.conformance.reading.parts import CaseFault, NotSupported, Part
from graphnb.conformance.reading.shapes import (
    Shape,
    anything,
    each,
    either_key,
    keyed,
    many,
    number,
    one_of,
    text,
    whole,
)
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.spec import Layer

_FIELD: Final = re.compile(r"\{\{\s*state\.(\w+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class LayerKind:
    """One type of middleware: its shape, and how a layer of it is made at a site."""

    shape: Shape
    make: Callable[[Part, Site], Layer]


def layers_of(entries: Part | None, site: Site) -> list[Layer]:
    """The layers that a list describes, the first outermost; `site` has the fields of the state that they get."""
    return [] if entries is None else [_layer(entry, site) for entry in entries.entries()]


def layer_shape(part: Part) -> Iterator[CaseFault]:
    """The shape of one entry: by its `type`, or `retry: {...}`."""
    if not isinstance(part.value, dict):
        yield part.fault(f"must be a mapping, not {kind_of(part.value)}")
    elif "type" not in part.value:
        yield from keyed({"retry": keyed({}, _RETRY)})(part)
    elif isinstance(name := part.value["type"], str) and name in MIDDLEWARE:
        yield from MIDDLEWARE[name].shape(part)
    else:
        mend = choices("Types", MIDDLEWARE, name)
        yield part.at("type").fault(f"not supported yet: {shown(name)}", mend, kind=NotSupported)


def _layer(entry: Part, site: Site) -> Layer:
    if "type" not in entry.value:
        return _retry(entry.at("retry"), site)
    return MIDDLEWARE[entry.value["type"]].make(entry, site)


def _retry(part: Part, site: Site) -> Layer:
    told = part.value
    options = {"max_attempts": told["max_attempts"]} if "max_attempts" in told else {}
    classifier = _classifier(part.at("classifier"), site) if "classifier" in told else None
    return gn.retry(**options, classifier=classifier, backoff=told.get("backoff", {}).get("seconds", 0))


def _classifier(part: Part, site: Site) -> Callable[[Exception, Any], bool]:
    if "type" in part.value:
        field = "max_retries_remaining"
        if field not in site.fields:
            raise part.fault(f"asks for a field {field!r}", f"Fields: {sorted(site.fields)}.")
        return lambda error, state: getattr(state, field) > 0
    categories = part.value["transient_categories"]

    def is_listed(error: Exception, state: object) -> bool:
        # What comes out of an instance or a branch is a carrier, which has its category from its cause.
        direct = error.__cause__ if isinstance(error, gn.NodeException) else error
        return getattr(direct, "category", None) in categories

    return is_listed


def _timing(part: Part, site: Site) -> Layer:
    def plain(record: gn.TimingRecord) -> None:
        site.probe.notes.timings.append(record)

    async def waiting(record: gn.TimingRecord) -> None:
        plain(record)

    return gn.timing(
        waiting if site.has_async else plain, node_name=part.value.get("node_name"), clock=site.probe.clock
    )


def _failure_isolation(part: Part, site: Site) -> Layer:
    told = part.value
    options: dict[str, Any] = {}
    if "predicate" in told:
        category = told["predicate"]["matches_category"]
        options["predicate"] = lambda error: getattr(error, "category", None) == category
    if "on_caught" in told:
        options["on_caught"] = _on_caught(told["on_caught"], site)
    if "catch" in told:
        options["catch"] = told["catch"]
    return gn.failure_isolation(_degraded(part.at("degraded_update"), site), event_name=told["event_name"], **options)


def _on_caught(told: dict[str, Any], site: Site) -> Callable[[Exception], Any]:
    def plain(error: Exception) -> None:
        site.probe.notes.caught.append((told, error))

    async def waiting(error: Exception) -> None:
        plain(error)

    return waiting if site.has_async else plain


def _degraded(part: Part, site: Site) -> Mapping[str, Any] | Callable[[Any], dict[str, Any]]:
    """The update as it is, or a function that renders a template from the state."""
    if "callable" not in part.value:
        update: dict[str, Any] = copy.deepcopy(part.value)
        return update
    template, target = part.value["template"], check_field(part.at("target_field"), site)
    for name in _FIELD.findall(template):
        if name not in site.fields:
            raise part.at("template").fault(f"{name!r} is no field of the state", f"Fields: {sorted(site.fields)}.")
    return lambda state: {target: _FIELD.sub(lambda found: str(getattr(state, found[1])), template)}


_RETRY: Final[dict[str, Shape]] = {
    "max_attempts": whole,
    "backoff": keyed({"type": one_of("deterministic"), "seconds": number}),
    "classifier": either_key(
        type=keyed({"type": one_of("state_aware_max_retries_remaining")}),
        transient_categories=keyed({"transient_categories": many(text)}),
    ),
}
_UPDATE: Final = each(anything)
_RENDERED: Final = keyed({"callable": one_of("state_derived"), "template": text, "target_field": text})


def _degraded_shape(part: Part) -> Iterator[CaseFault]:
    yield from (_RENDERED if isinstance(part.value, dict) and "callable" in part.value else _UPDATE)(part)


MIDDLEWARE: Final[Mapping[str, LayerKind]] = {
    "trace_recorder": LayerKind(
        keyed({"type": text, "name": text}, {"pre_marker": text, "post_marker": text}), trace_recorder
    ),
    "short_circuit": LayerKind(keyed({"type": text, "partial_update": _UPDATE}), short_circuit),
    "error_recovery": LayerKind(keyed({"type": text, "partial_update": _UPDATE}), error_recovery),
    "retry": LayerKind(keyed({"type": text}, _RETRY), _retry),
    "timing": LayerKind(
        keyed(
            {"type": text, "on_complete": keyed({"capture_to": one_of("timing_records")})},
            {"node_name": text},
        ),
        _timing,
    ),
    "failure_isolation": LayerKind(
        keyed(
            {"type": text, "degraded_update": _degraded_shape, "event_name": text},
            {
                "catch": many(text),
                "predicate": keyed({"matches_category": text}),
                "on_caught": keyed(
                    {
                        "kind": one_of("record_to_state_side_channel"),
                        "increment_field": text,
                        "capture_message_field": text,
                    }
                ),
            },
        ),
        _failure_isolation,
    ),
}
"""Middleware by its type."""
LAYERS: Final = many(layer_shape)
"""The shape of a list of middleware, the outermost first."""
MIDDLEWARE_BLOCK: Final = keyed({}, {"per_graph": LAYERS, "per_node": each(LAYERS)})
"""The shape of the middleware of a graph."""
