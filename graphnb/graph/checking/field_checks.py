"""Fields whose reducer and type do not go together, or leave a write with two meanings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from graphnb.graph.checking.unfit_writes import base_name
from graphnb.graph.checking.value_kinds import item_type, kind_of_type
from graphnb.state.fields import Field
from graphnb.state.schema import Schema

_WANTED: Final = {
    **dict.fromkeys(("append", "bounded_append", "dedupe_append", "merge_by_key", "concat_flatten"), "list"),
    **dict.fromkeys(("merge", "merge_all"), "mapping"),
}


class FieldProblem(NamedTuple):
    """What is odd about a field. `code` is a name of graph document §4."""

    field: str
    code: str
    what: str
    mend: str


def field_problems_of(schema: Schema) -> tuple[FieldProblem, ...]:
    """Strict reducers on types that they cannot fold, and lists of lists with `step.append` or `step.union`.

    The step family refuses other types where the class is read (`reducer_schema_mismatch`).
    """
    return tuple(found for field in schema.fields.values() for found in (*_pairing(field), *_ambiguous(field)))


def _pairing(field: Field) -> Iterator[FieldProblem]:
    wanted, kind = _WANTED.get(base_name(field)), kind_of_type(field.annotation)
    if wanted is None or kind in (None, wanted):
        return
    word = "list[...]" if wanted == "list" else "dict[str, ...]"
    mend = f"Declare {field.name}: Annotated[{word}, gn.{field.reducer}], or leave the reducer out."
    yield FieldProblem(field.name, "reducer_schema_mismatch", f"{field.reducer} cannot fold a {field.type}", mend)


def _ambiguous(field: Field) -> Iterator[FieldProblem]:
    if base_name(field) in ("step.append", "step.union") and kind_of_type(item_type(field.annotation)) == "list":
        what = f"{field.reducer} on a {field.type}: a write that is a list is taken as many items, never as one row"
        mend = "Let nodes write a list of rows, also for a single row."
        yield FieldProblem(field.name, "ambiguous_list_write", what, mend)
