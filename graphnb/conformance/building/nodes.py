"""Plain nodes: where a body stands, and what it returns or raises.

Source: fixture language §4.1.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from graphnb.conformance.building.probe import Probe
from graphnb.conformance.reading.parts import CaseFault, Part
from graphnb.conformance.reading.shapes import Shape, anything, each, either, keyed, number, one_of, text

Body = Callable[[Any], Any]

_KINDS: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind
    for kind in (
        *(ArithmeticError, AssertionError, AttributeError, ConnectionError, Exception, IndexError, KeyError),
        *(LookupError, NotImplementedError, OSError, OverflowError, RuntimeError, TimeoutError, TypeError),
        *(ValueError, ZeroDivisionError),
    )
}


@dataclass(frozen=True, slots=True)
class Site:
    """Where a body stands.

    `fields` are the state's; `item_field` is the field that a fan-out gives each instance its item in, None if
    there is none. Bodies of a watched site are slowed a little, so that those under way at once can be counted;
    with `has_async` bodies, routers and middleware are asynchronous functions; where a body `may_block`, the run
    does not need the event loop that a plain function would hold up.
    """

    graph: str
    fields: frozenset[str]
    item_field: str | None
    is_watched: bool
    has_async: bool
    may_block: bool
    probe: Probe


class MockFailure(Exception):
    """What a mock raises; it bears a category only if the case gives one."""

    def __init__(self, message: str, category: str | None = None, *, transient: bool = False) -> None:
        super().__init__(message)
        if category is not None:
            self.category = category
        if transient:
            self.transient = True


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One directive that says what a plain node does: its shape, and how its body is made.

    `make` takes the whole node, its name and its site. `modifiers` are keys that may stand beside the directive,
    apart from those that may stand beside each of them.
    """

    shape: Shape
    make: Callable[[Part, str, Site], Body]
    modifiers: Mapping[str, Shape]


def read(values: Mapping[str, Any], state: Any, *, fields: frozenset[str]) -> dict[str, Any]:
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


def _update(node: Part, name: str, site: Site) -> Body:
    values = node.value["update"]
    return lambda state: copy.deepcopy(values)


def _update_pure(node: Part, name: str, site: Site) -> Body:
    values = node.value["update_pure"]
    return lambda state: read(values, state, fields=site.fields)


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


PLAIN: Final[Mapping[str, Behaviour]] = {
    "update": Behaviour(each(anything), _update, {}),
    "update_pure": Behaviour(each(anything), _update_pure, {}),
    "update_from_field": Behaviour(_update_from_field_shape, _update_from_field, {}),
    "raises": Behaviour(
        either(keyed({"message": text, "exception_kind": one_of(*_KINDS)}), text),
        _raises,
        {"error_category": text},
    ),
}
"""What a node does by its directive."""
