"""Fields whose reducer and type do not go together, or leave a write with two meanings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, Union, get_args

from graphnb.errors.text import shown
from graphnb.graph.checking.unfit_writes import base_name
from graphnb.graph.checking.value_kinds import item_type, kind_of_type, kinds_of_type
from graphnb.state.annotations.hints import bare_of, hint_of, is_constraint, type_text
from graphnb.state.fields import Field
from graphnb.state.schema import Schema

_WANTED: Final = {
    **dict.fromkeys(("append", "bounded_append", "dedupe_append", "merge_by_key", "concat_flatten"), "list"),
    **dict.fromkeys(("merge", "merge_all"), "mapping"),
}
_KEPT: Final = (NoneType, tuple, set, frozenset)


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
    return tuple(
        found
        for field in schema.fields.values()
        for found in (*_pairing(field, is_whole=schema.whole), *_ambiguous(field))
    )


def _pairing(field: Field, *, is_whole: bool) -> Iterator[FieldProblem]:
    """What keeps every write from being folded: a type without a list or mapping in it, or a default that is none."""
    wanted = _WANTED.get(base_name(field))
    if wanted is None:
        return
    kinds = kinds_of_type(field.annotation)
    declare = f"Declare {field.name}: Annotated[{_container_text(field, wanted)}, gn.{field.reducer}]"
    if kinds and not {None, wanted} & kinds:
        is_set = kinds == {"set"} and base_name(field) in ("append", "dedupe_append")
        once = " (with step.union equal items stand once)" if is_set else ""
        mend = f"{declare}{once}, or leave the reducer out."
        yield FieldProblem(field.name, "reducer_schema_mismatch", f"{field.reducer} cannot fold a {field.type}", mend)
    elif not is_whole and _is_default_unfit(field, wanted):
        what = f"{field.reducer} cannot fold {shown(field.source.default)}, the default: every write fails"
        mend = f"{declare} = {'[]' if wanted == 'list' else '{}'}."
        yield FieldProblem(field.name, "reducer_schema_mismatch", what, mend)


def _is_default_unfit(field: Field, wanted: str) -> bool:
    """True for a default that stays no list, or no mapping: None, or one that the type takes as it is."""
    default = field.source.default
    if field.source.factory is not None or not all(map(is_constraint, hint_of(field.annotation).metadata)):
        return False
    is_taken = default is None or kind_of_type(field.annotation) is None
    return is_taken and isinstance(default, _KEPT) and not isinstance(default, list if wanted == "list" else Mapping)


def _container_text(field: Field, wanted: str) -> str:
    """The type to declare instead, with the types of the items as far as they are told."""
    bare = hint_of(field.annotation).bare
    parts = get_args(bare) if bare_of(bare) in (Union, UnionType) else (bare,)
    fitting = [part for part in parts if kind_of_type(part) == wanted]
    if fitting:
        return type_text(fitting[0])
    items = [get_args(part)[0] for part in parts if kind_of_type(part) in ("set", "sequence") and get_args(part)]
    return f"list[{_item_text(items)}]" if wanted == "list" else "dict[str, ...]"


def _item_text(items: list[Any]) -> str:
    return type_text(items[0]) if items else "..."


def _ambiguous(field: Field) -> Iterator[FieldProblem]:
    if base_name(field) in ("step.append", "step.union") and kind_of_type(item_type(field.annotation)) == "list":
        what = f"{field.reducer} on a {field.type}: a write that is a list is taken as many items, never as one row"
        mend = "Let nodes write a list of rows, also for a single row."
        yield FieldProblem(field.name, "ambiguous_list_write", what, mend)
