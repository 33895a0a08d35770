"""The fields of a state class as inputs and fields of a document. Source: design section 9 (16)."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any, Final

from graphnb.graph.documents.expect import detached, place_of
from graphnb.graph.documents.ids import id_fault
from graphnb.graph.documents.of_types import Tell, schema_of_type
from graphnb.graph.documents.records import FieldRecord, ReducerRecord
from graphnb.state.annotations.classes import MISSING
from graphnb.state.fields import Field
from graphnb.state.marks import UNSET
from graphnb.state.reducers.annotated import is_strict, name_of
from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.storable.schemas import ValueSchema, problems_of
from graphnb.state.storable.values import find_unstorable, is_exact

_NEAREST: Final[Mapping[str, tuple[str, str]]] = {
    "last_write_wins": ("step.last_value", "behaves alike and is what a field without a reducer has"),
    "append": ("step.append", "also takes a single item, and opens a list that is one"),
    "concat_flatten": ("step.append", "opens one level instead of two: let nodes write flat lists"),
    "merge": ("step.merge", "checks each write before it folds any, and can go deep"),
    "merge_all": ("step.merge", "takes one dict per node instead of a list of them"),
    "bounded_append": ("step.append(max_length=...)", "also cuts on an empty write"),
    "dedupe_append": (
        "step.append(unique=True)",
        "compares whole items, 1 and True apart, and also cleans those before; step.union(by='key') compares a key",
    ),
    "merge_by_key": ("step.union(by='key')", "keeps the first item of a key instead of the last"),
}
"""The step reducer that comes nearest to each strict one, and how it differs."""


def field_record(field: Field, tell: Tell) -> FieldRecord:
    """A field that a run has to be given is an input, any other one a state field; what has no name is told."""
    fault = id_fault(field.name)
    if fault is not None:
        tell(fault[1], fault[2])
    strange: list[str] = []

    def tell_of_type(what: str, mend: str) -> None:
        strange.append(what)
        tell(what, mend)

    schema = schema_of_type(field.annotation, tell_of_type)
    return FieldRecord(
        id=field.name,
        kind="input" if field.required else "state",
        schema=schema,
        reducer=_reducer(field.function, field.reducer, tell=tell) if field.declared else None,
        required=field.required,
        default=None if strange else _default(field, schema, tell=tell),  # with the type the default will change too
    )


def has_null_default(field: Field) -> bool:
    """True if the field starts from None, which is no default in a document."""
    return field.source.factory is None and field.source.default is None


def _reducer(reducer: Any, name: str, *, tell: Tell) -> ReducerRecord | None:
    if isinstance(reducer, StepReducer):
        return ReducerRecord(type=reducer.type, opts={key: _listed(each) for key, each in reducer.opts.items()})
    kind = "strict" if is_strict(reducer) else "custom"
    nearest, differs = _NEAREST.get(name.partition("(")[0], ("", "")) if kind == "strict" else ("", "")
    mend = (
        f"{nearest} comes nearest; it {differs}."
        if nearest
        else "Take one of the step family: step.last_value comes nearest. It folds nothing: let nodes write the result."
    )
    tell(f"the {kind} reducer {name} has no name in a document", mend)
    return None


def _listed(option: Any) -> Any:
    return list(option) if isinstance(option, tuple) else option


def _default(field: Field, schema: ValueSchema, *, tell: Tell) -> Any:
    """The default as a document has it: None for none, and where the reducer starts from the same."""
    if field.is_natural:
        return None
    default = _declared_default(field.source.default, field.source.factory, tell=tell)
    if default is UNSET or default is None:
        return None
    unstorable = find_unstorable(default)
    if unstorable is not None:
        path, what = unstorable
        at = f" at {place_of(path)}" if path else ""
        tell(f"its default{at}: {what}", "Declare one that can be stored, or = gn.UNSET.")
        return None
    problems = problems_of(schema, default)
    if problems:
        path, what = problems[0]
        at = f" at {place_of(path)}" if path else ""
        tell(f"its default{at} does not fit its type: {what}", "Documents check with exact types: change one of them.")
        return None
    is_zero = isinstance(field.function, StepReducer) and is_exact(default, field.function.zero)
    return None if is_zero else detached(default)


def _declared_default(default: Any, factory: Callable[..., Any] | None, *, tell: Tell) -> Any:
    if factory is list or factory is dict:
        return factory()
    if factory is not None:
        what = f"its default is made by a function, {name_of(factory)}"
        tell(what, "A document holds the value itself: write it as the default, as a gn.State allows, or = gn.UNSET.")
        return None
    if default is MISSING:
        return None
    return default.value if isinstance(default, enum.Enum) and isinstance(default, str) else default
