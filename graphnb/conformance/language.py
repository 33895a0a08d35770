"""The fixture language: which keys there may be at which level. Every key that is not here fails its case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphnb.conformance.building.bodies import PLAIN_DIRECTIVES
from graphnb.conformance.building.branches import COMPOSITES
from graphnb.conformance.building.edges import edge_shape
from graphnb.conformance.building.middleware import LAYERS, MIDDLEWARE_BLOCK
from graphnb.conformance.building.observers import OBSERVERS
from graphnb.conformance.building.states import STATE
from graphnb.conformance.expecting.assertions import EXPECTED, EXPECTED_ERROR
from graphnb.conformance.expecting.claims import Assertion
from graphnb.conformance.expecting.invariants import INVARIANTS, RESTATEMENTS
from graphnb.conformance.reading.cases import Case
from graphnb.conformance.reading.parts import CaseFault, NotSupported, Part
from graphnb.conformance.reading.shapes import (
    Directives,
    Shape,
    anything,
    at_least,
    each,
    keyed,
    many,
    nullable,
    number,
    one_directive,
    one_of,
    text,
)
from graphnb.errors.text import choices

_NODES: Final[Directives] = {
    word: (shape, {**beside, "middleware": LAYERS})
    for word, (shape, beside) in {
        **PLAIN_DIRECTIVES,
        **{word: (composite.shape, composite.modifiers) for word, composite in COMPOSITES.items()},
    }.items()
}
_VERDICTS: Final = (
    "expected",
    "expected_error",
    "expected_compile_error",
    "expected_compile_warning",
    "invariants",
    "invocations",
)
_INLINE: Final = ("state", "entry", "nodes", "edges", "middleware")
_OF_ONE_RUN: Final = ("initial_state", "expected", "expected_error", "invoke")
_WARNINGS: Final = ("projection_reducer_round_trip",)


def case_faults(case: Case) -> Iterator[CaseFault]:
    """Everything that is wrong with how the case is written, in the order of the file."""
    if case.shared is not None:
        yield from _DOCUMENT(case.shared)
    yield from _CASE(case.part)
    yield from _form_faults(case.part)
    yield from _verdict_faults(case.part)


def _verdict_faults(part: Part) -> Iterator[CaseFault]:
    """A case asserts something that is checked, and nothing that contradicts itself."""
    told = [key for key in _VERDICTS if key in part.value]
    if set(part.value) <= _KEYS:  # a key of a later time may assert something
        invariants = part.value.get("invariants")
        if not told:
            yield part.fault("asserts nothing", f"Give it one of {list(_VERDICTS)}.")
        elif told == ["invariants"] and isinstance(invariants, dict) and set(invariants) <= {*RESTATEMENTS}:
            yield part.at("invariants").fault("asserts nothing by itself", "It repeats other assertions: write those.")
    if "expected_compile_error" in told and len(told) > 1:
        what = f"expects a graph that is refused, and {told[0] if told[0] != 'expected_compile_error' else told[1]}"
        yield part.fault(what, "A graph that does not compile does nothing else.")
    if "invocations" in told:
        for key in _OF_ONE_RUN:
            if key in part.value:
                yield part.at(key).fault("stands beside invocations", "Write it in each of them.")


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


def _some(assertions: Mapping[str, Assertion], **others: Shape) -> Shape:
    """At least one of these assertions."""
    check = keyed({}, {**{key: assertion.shape for key, assertion in assertions.items()}, **others})

    def check_some(part: Part) -> Iterator[CaseFault]:
        yield from check(part)
        if part.value == {}:
            yield part.fault("asserts nothing", "Say what is expected, or leave the key out.")

    return check_some


def _warning(part: Part) -> Iterator[CaseFault]:
    """A category of warning that the product can give."""
    faults = list(text(part))
    if not faults and part.value not in _WARNINGS:
        known = choices("Warnings", _WARNINGS, part.value)
        faults.append(part.fault(f"not supported yet: {part.value}", known, kind=NotSupported))
    yield from faults


_EXPECTED_ERROR: Final = _some(EXPECTED_ERROR)
_INVARIANTS: Final = _some(INVARIANTS)
_EXPECTED: Final = _some(EXPECTED, expected_error=_EXPECTED_ERROR, invariants=_INVARIANTS)
_DRAIN: Final = nullable(keyed({}, {"timeout_seconds": nullable(number)}))
_INITIAL: Final = each(anything)
_BODY: Final[Mapping[str, Shape]] = {"state": STATE, "nodes": each(one_directive(_NODES)), "edges": many(edge_shape)}
_BESIDE: Final[Mapping[str, Shape]] = {"entry": text, "middleware": MIDDLEWARE_BLOCK}
_SUBGRAPH: Final = keyed(_BODY, _BESIDE)
_NAMED_SUBGRAPH: Final = keyed({**_BODY, "name": text}, _BESIDE)
_SUBGRAPHS: Final[Mapping[str, Shape]] = {
    "subgraph": _NAMED_SUBGRAPH,
    "subgraph_with_idx": _NAMED_SUBGRAPH,
    "subgraphs": each(_SUBGRAPH),
}
_DOCUMENT: Final = keyed({}, {**_SUBGRAPHS, "cases": anything, "description": text})
_CASE_KEYS: Final[Mapping[str, Shape]] = {
    **_SUBGRAPHS,
    **_BODY,
    **_BESIDE,
    "graph": keyed(_BODY, {**_SUBGRAPHS, **_BESIDE}),
    "name": text,
    "description": text,
    "initial_state": _INITIAL,
    "observers": OBSERVERS,
    "clock_stub": keyed({"type": one_of("deterministic_monotonic"), "advance_ms_per_call": number}),
    "caller_invocation_id": text,
    "caller_correlation_id": text,
    "invoke": keyed({"drain": _DRAIN}),
    "invocations": many(
        keyed({"name": text, "expected": _EXPECTED}, {"initial_state": _INITIAL, "drain": _DRAIN}), some=True
    ),
    "run_count": at_least(1),
    "expected": _EXPECTED,
    "expected_error": _EXPECTED_ERROR,
    "expected_compile_error": text,
    "expected_compile_warning": many(_warning),
    "invariants": _INVARIANTS,
}
_KEYS: Final = frozenset(_CASE_KEYS)
_CASE: Final = keyed({}, _CASE_KEYS)
