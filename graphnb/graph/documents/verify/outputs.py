"""What outputs show, and whether their schema can hold it."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.errors.text import choices, shown
from graphnb.graph.documents.records import Document
from graphnb.graph.documents.verify.diagnostic import Diagnostic, error
from graphnb.graph.documents.verify.fields import check_schema
from graphnb.state.storable.schemas import ValueSchema, malformed_of
from graphnb.state.storable.values import exact_key


def check_outputs(document: Document) -> Iterator[Diagnostic]:
    """Sources that are not there, malformed schemas, and schemas that do not go with their source."""
    for key, output in document.outputs.items():
        path = ("outputs", key)
        source = document.fields.get(output.source or "") or document.inputs.get(output.source or "")
        if source is None:
            known = choices("Inputs and fields", [*document.inputs, *document.fields], output.source)
            told = (
                "names no source"
                if output.source is None
                else f"{shown(output.source)} is neither an input nor a field"
            )
            yield error("unknown_output_source", (*path, "source"), told, known)
        if output.schema is None:
            continue
        malformed = list(check_schema(output.schema, (*path, "schema")))
        yield from malformed
        if source is None or malformed or not isinstance(source.schema, ValueSchema) or malformed_of(source.schema):
            continue
        why = _why_incompatible(output.schema, source.schema)
        if why:
            what = f"cannot hold what {shown(output.source)} has: {why}"
            yield error(
                "incompatible_output_schema", (*path, "schema"), what, "Repeat the source's schema, or leave it out."
            )


def _why_incompatible(wanted: ValueSchema, given: ValueSchema) -> str | None:
    """The first reason why a value of `given` may be none of `wanted`; bounded by the depth of well-formed schemas."""
    within = ""
    while True:
        if wanted.type != given.type:
            return f"{within}{given.type} is not {wanted.type}"
        if wanted.type == "enum":
            known = {exact_key(each) for each in wanted.values}
            lost = [each for each in given.values if exact_key(each) not in known]
            return f"{within}the values {shown(lost)} are missing" if lost else None
        if wanted.item is None or given.item is None:
            return None
        wanted, given, within = wanted.item, given.item, f"{within}its items: "
