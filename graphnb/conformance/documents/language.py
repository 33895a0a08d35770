"""What a case of each kind may say. Every key that is not here fails its case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphnb.conformance.documents import delegation_language
from graphnb.conformance.documents.run_language import operations, rule
from graphnb.conformance.reading.cases import Case
from graphnb.conformance.reading.parts import CaseFault, NotSupported, Part
from graphnb.conformance.reading.shapes import Shape, anything, each, flag, keyed, many, nullable, one_of, text, true
from graphnb.errors.text import choices, shown
from graphnb.graph.documents.reading_parts import REDUCERS

FORMAT: Final = "graphnb-conformance/1"
"""What a file says under `format`."""


def form_of(case: Case) -> object:
    """What the case's file says under `format`; None if it says nothing."""
    return (case.shared or case.part).value.get("format")


def case_faults(case: Case) -> Iterator[CaseFault]:
    """Everything that is wrong with how the case is written."""
    if case.shared is None:
        yield case.part.fault("has a format and no list of cases", "Put the cases under 'cases'.")
        return
    if form_of(case) != FORMAT:
        what = f"not supported yet: format {shown(form_of(case))}"
        yield case.shared.at("format").fault(what, f"Write {FORMAT!r}.", kind=NotSupported)
        return
    yield from _FILE(case.shared)
    kind = case.part.value.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        yield case.part.fault(
            f"not supported yet: kind {shown(kind)}", choices("Kinds", _KINDS, kind), kind=NotSupported
        )
    else:
        yield from _KINDS[kind](case.part)
        yield from _contradictions(case.part, kind)


def _contradictions(part: Part, kind: str) -> Iterator[CaseFault]:
    """A case asserts something, and nothing that its other keys rule out."""
    told = part.value
    if kind == "delegate":
        yield from delegation_language.contradictions(part)
    if kind == "write" and told.get("valid") is True and told.get("error_at"):
        yield part.at("error_at").fault("tells of errors in a write that is valid")
    if kind == "write" and told.get("valid") is False and not told.get("error_at"):
        yield part.fault("has no 'error_at'", "Say where the write is wrong, [[]] for the whole of it.")
    if kind == "load" and (told.get("ok") is True) == ("error" in told):
        yield part.fault("needs 'error' if it is not ok, and only then")
    if kind == "load" and told.get("ok") is False and "dumps_to" in told:
        yield part.at("dumps_to").fault("stands beside a document that is refused")
    if kind == "hash" and not told.keys() & {"sha256", "canonical", "all_equal", "all_distinct"}:
        yield part.fault("asserts nothing", "Give it sha256, canonical, all_equal or all_distinct.")
    alone = isinstance(told.get("documents"), list) and len(told["documents"]) == 1
    for key in ("all_equal", "all_distinct"):
        if kind == "hash" and key in told and alone:
            yield part.at(key).fault("says nothing of a single document", "Give it another one to compare with.")
    if kind == "hash" and {"all_equal", "all_distinct"} <= told.keys():
        yield part.at("all_distinct").fault("stands beside 'all_equal'")


def _node(part: Part) -> Iterator[CaseFault]:
    """A node of a document, or one with `rules` in place of its implementation."""
    if isinstance(part.value, dict) and "rules" in part.value:
        yield from many(rule)(part.at("rules"))
        if "implementation" in part.value:
            yield part.fault("has both 'rules' and 'implementation'", "Rules stand for an implementation.")


def _graph(part: Part) -> Iterator[CaseFault]:
    """A document without version and id."""
    if not isinstance(part.value, dict):
        yield part.fault("must be a mapping")
        return
    for key in ("schema_version", "id"):
        if key in part.value:
            yield part.at(key).fault("is not part of a graph here", "Leave it out.")
    nodes = part.find("nodes")
    if nodes is not None and isinstance(nodes.value, dict):
        yield from each(_node)(nodes)


_REMARKS: Final[Mapping[str, Shape]] = {
    "source": text,
    "description": text,
    "engine_only": flag,
    "reference_value": anything,
    "reference_expect": anything,
    "reference_crash": flag,
}
_REDUCER: Final = nullable(one_of(*REDUCERS))
_OPTIONS: Final = each(anything)
_IMPLEMENTATION: Final = keyed({}, {"config_schema": anything, "config_schema_raises": text, "not_callable": true})


def _kind(required: Mapping[str, Shape], optional: Mapping[str, Shape]) -> Shape:
    return keyed({"name": text, "kind": text, **required}, {**_REMARKS, **optional})


_KINDS: Final[Mapping[str, Shape]] = {
    "reduce": _kind(
        {
            "reducer": _REDUCER,
            "writes": many(keyed({"node": text, "value": anything}), some=True),
            "expected": anything,
        },
        {"opts": _OPTIONS, "prior": anything, "default": anything, "schema": anything},
    ),
    "zero": _kind({"reducer": _REDUCER, "expected": anything}, {}),
    "write": _kind(
        {"reducer": _REDUCER, "schema": anything, "write": anything, "valid": flag},
        {"opts": _OPTIONS, "error_at": many(many(anything))},
    ),
    "compile": _kind(
        {"graph": _graph, "ok": flag, "diagnostics": many(many(anything))},
        {"implementations": each(_IMPLEMENTATION)},
    ),
    "load": _kind({"document": anything, "ok": flag}, {"error": text, "dumps_to": anything}),
    "run": _kind(
        {"graph": _graph, "ops": operations(_graph)},
        {"replay": true},
    ),
    "delegate": _kind(delegation_language.REQUIRED, delegation_language.OPTIONAL),
    "hash": _kind(
        {"documents": many(anything, some=True)},
        {"sha256": text, "canonical": text, "all_equal": true, "all_distinct": true},
    ),
}
_FILE: Final = keyed({"format": anything, "cases": anything}, {"description": text})
