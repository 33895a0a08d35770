"""The fixture language: which keys there may be at which level. Every key that is not here fails its case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphnb.conformance.assertions import EXPECTED, EXPECTED_ERROR, INVARIANTS, Assertion
from graphnb.conformance.build import BEHAVIOURS
from graphnb.conformance.cases import Case
from graphnb.conformance.composites import COMPOSITES, Composite
from graphnb.conformance.edges import edge_shape
from graphnb.conformance.nodes import Behaviour
from graphnb.conformance.parts import CaseFault, NotSupported, Part
from graphnb.conformance.shapes import Shape, anything, at_least, each, keyed, many, text, unknown
from graphnb.conformance.states import STATE
from graphnb.errors.text import kind_of

_DIRECTIVES: Final[Mapping[str, Behaviour | Composite]] = {**BEHAVIOURS, **COMPOSITES}
_MODIFIERS: Final = frozenset(key for directive in _DIRECTIVES.values() for key in directive.modifiers)
_VERDICTS: Final = ("expected", "expected_error", "expected_compile_error", "expected_compile_warning", "invariants")
_INLINE: Final = ("state", "entry", "nodes", "edges")


def case_faults(case: Case) -> Iterator[CaseFault]:
    """Everything that is wrong with how the case is written, in the order of the file."""
    if case.shared is not None:
        yield from _DOCUMENT(case.shared)
    yield from _CASE(case.part)
    yield from _form_faults(case.part)
    told = [key for key in _VERDICTS if key in case.part.value]
    if not told and not set(case.part.value) - _KEYS:  # a key of a later time may assert something
        yield case.part.fault("asserts nothing", f"Give it one of {list(_VERDICTS)}.")
    if "expected_compile_error" in told and len(told) > 1:
        what = f"expects a graph that is refused, and {told[0] if told[0] != 'expected_compile_error' else told[1]}"
        yield case.part.fault(what, "A graph that does not compile does nothing else.")


def out_of_scope(case: Case) -> str:
    """Which other system the case needs, as text; empty if none."""
    if "session_store" in case.part.value:
        return "needs a session store"
    observers = case.part.value.get("observers")
    if not isinstance(observers, list):
        return ""
    is_traced = any(isinstance(observer, dict) and observer.get("behavior") == "otel" for observer in observers)
    return "needs OpenTelemetry" if is_traced else ""


def _form_faults(part: Part) -> Iterator[CaseFault]:
    """A graph is written in the case, or under `graph`, and not half in each."""
    inline = [key for key in _INLINE if key in part.value]
    if "graph" in part.value:
        if inline:
            yield part.fault(f"has both 'graph' and {inline[0]!r}", "Write the graph in one of the two places.")
    elif not {"state", "nodes", "edges"} <= set(part.value):
        missing = next(key for key in ("state", "nodes", "edges") if key not in part.value)
        yield part.fault(f"has no {missing!r}")


def _node(part: Part) -> Iterator[CaseFault]:
    """A node: one behaviour, and what may stand beside that."""
    if not isinstance(part.value, dict):
        yield part.fault(f"must be a mapping, not {kind_of(part.value)}")
        return
    kinds: Mapping[str, Shape] = {key: directive.shape for key, directive in _DIRECTIVES.items()}
    found = [key for key in part.value if key in kinds]
    strange = [key for key in part.value if key not in kinds and key not in _MODIFIERS]
    yield from (unknown(part, key, known=(*kinds, *sorted(_MODIFIERS))) for key in strange)
    for key in found:
        yield from kinds[key](part.at(key))
    if not found and not strange:
        yield part.fault("does nothing", f"Give it one of {list(kinds)}.")
    if len(found) > 1:
        yield part.fault(f"does several things: {', '.join(found)}", "A node does one.")
    if len(found) == 1:
        yield from _modifier_faults(part, found[0])


def _modifier_faults(part: Part, behaviour: str) -> Iterator[CaseFault]:
    allowed = _DIRECTIVES[behaviour].modifiers
    for key in part.value:
        if key in allowed:
            yield from allowed[key](part.at(key))
        elif key in _MODIFIERS:
            yield part.at(key).fault(f"means nothing beside {behaviour!r}")


def _some(assertions: Mapping[str, Assertion], **others: Shape) -> Shape:
    """At least one of these assertions."""
    check = keyed({}, {**{key: assertion.shape for key, assertion in assertions.items()}, **others})

    def check_some(part: Part) -> Iterator[CaseFault]:
        yield from check(part)
        if part.value == {}:
            yield part.fault("asserts nothing", "Say what is expected, or leave the key out.")

    return check_some


def _warning(part: Part) -> Iterator[CaseFault]:
    """A category of warning; the product emits none yet, so that none is known."""
    yield from list(text(part)) or [part.fault(f"not supported yet: {part.value}", kind=NotSupported)]


_EXPECTED_ERROR: Final = _some(EXPECTED_ERROR)
_INVARIANTS: Final = _some(INVARIANTS)
_BODY: Final[Mapping[str, Shape]] = {"state": STATE, "nodes": each(_node), "edges": many(edge_shape)}
_SUBGRAPH: Final = keyed(_BODY, {"entry": text})
_NAMED_SUBGRAPH: Final = keyed({**_BODY, "name": text}, {"entry": text})
_SUBGRAPHS: Final[Mapping[str, Shape]] = {
    "subgraph": _NAMED_SUBGRAPH,
    "subgraph_with_idx": _NAMED_SUBGRAPH,
    "subgraphs": each(_SUBGRAPH),
}
_DOCUMENT: Final = keyed({}, {**_SUBGRAPHS, "cases": anything, "description": text})
_CASE_KEYS: Final[Mapping[str, Shape]] = {
    **_SUBGRAPHS,
    **_BODY,
    "entry": text,
    "graph": keyed(_BODY, {**_SUBGRAPHS, "entry": text}),
    "name": text,
    "description": text,
    "initial_state": each(anything),
    "run_count": at_least(1),
    "expected": _some(EXPECTED, expected_error=_EXPECTED_ERROR, invariants=_INVARIANTS),
    "expected_error": _EXPECTED_ERROR,
    "expected_compile_error": text,
    "expected_compile_warning": many(_warning),
    "invariants": _INVARIANTS,
}
_KEYS: Final = frozenset(_CASE_KEYS)
_CASE: Final = keyed({}, _CASE_KEYS)
