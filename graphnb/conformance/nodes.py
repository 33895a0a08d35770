"""Plain behaviours of nodes: what they return or raise. Source: fixture language §4.1."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, Final

from graphnb.conformance.bodies import Behaviour, Body, Site, check_field, read
from graphnb.conformance.faults import CaseFault
from graphnb.conformance.mocks import MockFailure
from graphnb.conformance.parts import Part
from graphnb.conformance.shapes import anything, each, either, keyed, number, one_of, text

_KINDS: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind
    for kind in (
        *(ArithmeticError, AssertionError, AttributeError, ConnectionError, Exception, IndexError, KeyError),
        *(LookupError, NotImplementedError, OSError, OverflowError, RuntimeError, TimeoutError, TypeError),
        *(ValueError, ZeroDivisionError),
    )
}


def _update(node: Part, name: str, site: Site) -> Body:
    values = node.value["update"]
    return lambda state: copy.deepcopy(values)


def _update_pure(node: Part, name: str, site: Site) -> Body:
    values = node.value["update_pure"]
    return lambda state: read(values, state, site.fields)


def _update_from_field(node: Part, name: str, site: Site) -> Body:
    directive = node.at("update_from_field")
    sources = {key: check_field(part, site) for key, part in directive.items() if key != "multiplier"}
    factor = directive.value.get("multiplier")

    def body(state: Any) -> dict[str, Any]:
        values = {target: getattr(state, source) for target, source in sources.items()}
        try:
            return values if factor is None else {target: value * factor for target, value in values.items()}
        except TypeError:  # a slip of the case, which must not pass for a node that fails
            site.probe.faults.append(f"node {name!r} cannot multiply {values!r} by {factor}")
            raise

    return body


def _update_from_field_shape(part: Part) -> Iterator[CaseFault]:
    if not isinstance(part.value, dict) or not set(part.value) - {"multiplier"}:
        yield part.fault("must map at least one field to the field it is taken from")
        return
    yield from keyed({}, {key: number if key == "multiplier" else text for key in part.value})(part)


def _raises(node: Part, name: str, site: Site) -> Body:
    directive = node.value["raises"]
    message = directive if isinstance(directive, str) else directive["message"]
    kind = None if isinstance(directive, str) else _KINDS[directive["exception_kind"]]
    category = node.value.get("error_category")

    def body(state: Any) -> Any:
        if kind is None:
            raise MockFailure(message, category)
        error = kind(message)
        if category is not None:
            error.category = category  # type: ignore[attr-defined]  # any exception may bear attributes
        raise error

    return body


_SLEEP: Final = {"sleep_ms": number}

PLAIN: Final[Mapping[str, Behaviour]] = {
    "update": Behaviour(each(anything), _update, _SLEEP),
    "update_pure": Behaviour(each(anything), _update_pure, _SLEEP),
    "update_from_field": Behaviour(_update_from_field_shape, _update_from_field, _SLEEP),
    "raises": Behaviour(
        either(keyed({"message": text, "exception_kind": one_of(*_KINDS)}), text),
        _raises,
        {**_SLEEP, "error_category": text},
    ),
}
"""What a node does by its directive."""
