"""The kinds about one field: what a fold gives, the zero of a reducer, whether a write may be folded."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from graphnb.conformance.compare import differences
from graphnb.errors.text import shown
from graphnb.graph.documents.effective import effective_default
from graphnb.graph.documents.reading_parts import read_schema
from graphnb.graph.documents.records import FieldRecord, ReducerRecord
from graphnb.state.marks import UNSET
from graphnb.state.reducers.step import step_reducer_of
from graphnb.state.storable.shapes import write_problems
from graphnb.state.storable.values import find_unstorable


def reduce_reasons(told: dict[str, Any]) -> Iterator[str]:
    """The fold of the writes, sorted by node, into the prior value, whatever the order they arrived in."""
    read_schema(told.get("schema"), ("schema",))
    field = _field(told)
    prior = told["prior"] if "prior" in told else effective_default(field)
    reducer = step_reducer_of("last_value" if field.reducer is None else field.reducer.type, told.get("opts", {}))
    writes = [write["value"] for write in sorted(told["writes"], key=lambda write: str(write["node"]))]
    if len({write["node"] for write in told["writes"]}) < len(writes):
        yield "writes: a node writes twice, and a node writes a field once in a step"
    before = copy.deepcopy((prior, writes))
    got = reducer.fold(prior, writes)
    yield from differences(told["expected"], got, place="expected")
    yield from differences([*before], [prior, writes], place="what the fold was given, afterwards")
    if find_unstorable(got) is not None:
        yield f"the fold gives {shown(got)}, which cannot be stored"


def zero_reasons(told: dict[str, Any]) -> Iterator[str]:
    """The natural zero, which is the effective default of a field that declares none; null for none."""
    field = _field(told)
    zero = UNSET if field.reducer is None else step_reducer_of(field.reducer.type, {}).zero
    for place, got in (("expected", zero), ("the effective default", effective_default(field))):
        yield from differences(told["expected"], None if got is UNSET else got, place=place)


def write_reasons(told: dict[str, Any]) -> Iterator[str]:
    """Whether the write may be folded, and where it is wrong."""
    schema = read_schema(told["schema"], ("schema",))
    if schema is None:
        yield "schema: there is none"
        return
    problems = write_problems(told["reducer"], schema, value=told["write"])
    places = sorted((list(path) for path, _ in problems), key=repr)
    if told["valid"] and problems:
        yield f"valid: the write is refused at {places}: {shown(problems)}"
    elif not told["valid"]:
        yield from differences(sorted(told["error_at"], key=repr), places, place="error_at")


def _field(told: dict[str, Any]) -> FieldRecord:
    reducer = None if told["reducer"] is None else ReducerRecord(type=told["reducer"], opts=told.get("opts", {}))
    return FieldRecord(id="field", reducer=reducer, default=told.get("default"))
