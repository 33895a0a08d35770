"""Edges and functions of the state that a case names. Source: fixture language §3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.nodes import MockFailure, Site, check_field
from graphnb.conformance.reading.parts import CaseFault, NotSupported, Part
from graphnb.conformance.reading.shapes import Shape, anything, at_least, either, keyed, nullable, text, whole
from graphnb.errors.text import choices, shown
from graphnb.graph.edges import Router


def declare_edge(graph: gn.Graph, edge: Part, *, site: Site) -> None:
    """Declares one edge on the graph. Raises what the product raises for it.

    What a condition leads to is not declared: the language leaves it to the run.
    """
    source = edge.value["from"]
    condition = edge.find("condition")
    if condition is None:
        graph.edge(source, _target(edge.value["to"]))
    else:
        router = _router(condition, site)
        graph.branch(source, _asynchronous(router) if site.has_async else router)


def function_of(part: Part, site: Site) -> Any:
    """A number or null as it is, or the function of the state that a mapping names (`count`, `concurrency`)."""
    if not isinstance(part.value, dict):
        return part.value
    field = check_field(part.at("field"), site)
    if part.value["callable"] == "queue_chunk":
        size = part.value["chunk_size"]
        return lambda state: max(1, len(getattr(state, field)) // size)
    return lambda state: getattr(state, field)


def _router(condition: Part, site: Site) -> Router:
    told = condition.value
    if told.get("callable") == "edge_raises":

        def edge_raises(state: Any) -> Any:
            raise MockFailure(told["message"])

        return edge_raises
    if "callable" in told:
        field = check_field(condition.at("field"), site)

        def state_field_read(state: Any) -> Any:
            return _target(getattr(state, field))

        return state_field_read
    asked = check_field(condition.at("if_field"), site)

    def condition_holds(state: Any) -> Any:
        return _target(told["then"] if getattr(state, asked) == told["equals"] else told["else"])

    return condition_holds


def _asynchronous(router: Router) -> Router:
    async def waiting(state: Any) -> Any:
        return router(state)

    waiting.__name__ = router.__name__
    return waiting


def _target(name: Any) -> Any:
    """The text `END` is always the sentinel."""
    return gn.END if isinstance(name, str) and name == "END" else name


def edge_shape(part: Part) -> Iterator[CaseFault]:
    """The shape of one edge."""
    condition = part.value.get("condition") if isinstance(part.value, dict) else None
    if condition is None:
        yield from keyed({"from": text, "to": text})(part)
    elif isinstance(condition, dict) and "callable" in condition:
        # `to` names the target that is meant; the function decides.
        yield from keyed({"from": text, "condition": _called(_CONDITIONS)}, {"to": text})(part)
    else:
        yield from keyed({"from": text, "condition": _CHOICE})(part)


def _called(functions: Mapping[str, Shape]) -> Shape:
    """A mapping whose `callable` is one of these; each has a shape of its own."""

    def check(part: Part) -> Iterator[CaseFault]:
        name = part.value.get("callable")
        if name is None:
            yield part.fault("has no 'callable'", choices("Functions", functions))
        elif isinstance(name, str) and name in functions:
            yield from functions[name](part)
        else:
            what = f"not supported yet: {shown(name)}"
            yield part.fault(what, choices("Functions", functions, name), kind=NotSupported)

    return check


_CHOICE: Final = keyed({"if_field": text, "equals": anything, "then": text, "else": text})
_READ: Final = keyed({"callable": text, "field": text})
_CONDITIONS: Final = {"state_field_read": _READ, "edge_raises": keyed({"callable": text, "message": text})}
_COUNTS: Final = {
    "state_field_read": _READ,
    "queue_chunk": keyed({"callable": text, "field": text, "chunk_size": at_least(1)}),
}
count_shape: Final = either(_called(_COUNTS), whole)
"""A whole number, or a function of the state."""
concurrency_shape: Final = either(_called(_COUNTS), nullable(whole))
"""The same, or null for no bound."""
