"""Writes that the reducer of their field cannot fold, known from the types alone, and what to declare instead.

Source: graph-engine §2 and proposal 0036, whose reducers take one shape each; step reducers §8.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from graphnb.graph.checking.declared_writes import DeclaredWrite, writes_of
from graphnb.graph.checking.round_trips import round_trips_of
from graphnb.graph.checking.value_kinds import is_made_for, item_type, kind_of_type, may_be_number, may_hold
from graphnb.graph.spec import GraphSpec, NodeSpec
from graphnb.state.annotations.hints import type_text
from graphnb.state.fields import Field
from graphnb.state.reducers.annotated import is_ours

_APPENDING: Final = ("append", "bounded_append", "dedupe_append", "merge_by_key")
_OF_FAN_OUTS: Final = ("into", "extra_outputs", "errors_into", "count_into")
_STEP_LISTS: Final = ("step.append", "step.union")


class UnfitWrite(NamedTuple):
    """A write that fails when it happens: the node, the field, what is wrong, and how to mend it.

    `is_certain` of what a fan-out writes whose worker says what it gives: it fails with the first item, and compiling
    warns of it. Of other nodes a list may be empty, or the update may lack the field.
    """

    node: str
    field: str
    what: str
    mend: str
    is_certain: bool


def unfit_writes_of(node: NodeSpec, spec: GraphSpec) -> tuple[UnfitWrite, ...]:
    """The writes of a node that its state cannot take, in the order of its outputs; only such as types tell surely.

    Of a field with a round trip that alone is told: it has to be mended first.
    """
    found = []
    told = {trip.field for trip in round_trips_of(node, spec.schema)}
    for write in writes_of(node, spec):
        field = spec.schema.fields[write.field]
        why = _why_unfit(field, write.type, is_whole=spec.schema.whole)
        if why is not None and write.field not in told:
            is_certain = write.option in _OF_FAN_OUTS and write.each is not Any
            found.append(UnfitWrite(node.name, write.field, f"{_told(write)}: {why}", _mend(field, write), is_certain))
    return tuple(found)


def base_name(field: Field) -> str:
    """The name of the field's reducer without its options; empty for one of the user's own."""
    return field.reducer.partition("(")[0] if field.function is None or is_ours(field.function) else ""


def _why_unfit(field: Field, given: Any, *, is_whole: bool) -> str | None:
    """Why no write of the type can be folded; None if one can, or if nothing is sure."""
    name, kind = base_name(field), kind_of_type(given)
    target = Any if is_whole else field.annotation
    if kind is None or not name:
        return None
    if name in _APPENDING:
        return _not_a("list", field, given=given) or _not_held(field, item_type(target), given=item_type(given))
    if name == "concat_flatten":
        return _not_lists_of("list", field, given=given) or _not_held(
            field, item_type(target), given=item_type(item_type(given))
        )
    if name == "merge_all":
        return _not_lists_of("mapping", field, given=given)
    if name == "merge":
        return _not_a("mapping", field, given=given)
    if name == "step.merge":
        return None if kind == "record" else _not_a("mapping", field, given=given)
    if name == "step.sum":
        return None if may_be_number(given) else f"{field.reducer} takes a number, not {type_text(given)}"
    if name in _STEP_LISTS:
        return _not_held(field, item_type(target), given=item_type(given) if kind == "list" else given)
    return None if may_hold(target, given, exact=field.is_stepwise) else f"a {field.type} cannot hold that"


_WORDS: Final = {"list": "a list", "mapping": "a mapping"}


def _not_a(kind: str, field: Field, *, given: Any) -> str | None:
    found = kind_of_type(given)
    return None if found == kind else f"{field.reducer} takes {_WORDS[kind]}, not {type_text(given)}"


def _not_lists_of(kind: str, field: Field, *, given: Any) -> str | None:
    if kind_of_type(given) != "list":
        return f"{field.reducer} takes a list, not {type_text(given)}"
    found = kind_of_type(item_type(given))
    if found in (None, kind):
        return None
    return f"{field.reducer} takes a list of {kind}s, and {type_text(item_type(given))} is none"


def _not_held(field: Field, item: Any, *, given: Any) -> str | None:
    if may_hold(item, given, exact=field.is_stepwise):
        return None
    return f"{field.reducer} adds each {type_text(given)} as one item, and a {field.type} has no such items"


_LISTED: Final = ("into", "results_into", "extra_outputs")
"""Options whose fields receive a value of each instance."""


def _told(write: DeclaredWrite) -> str:
    place = f"branch '{write.branch}', " if write.branch is not None else ""
    each = (
        ""
        if write.option not in ("into", "results_into", "extra_outputs")
        else f", one {type_text(write.each)} per {write.unit}"
    )
    return f"{place}{write.option} gives field '{write.field}' a {type_text(write.type)}{each}"


def _mend(field: Field, write: DeclaredWrite) -> str:
    """What to declare instead, with the type and the reducer that take such a write."""
    kind, own = kind_of_type(write.type), kind_of_type(field.annotation)
    if kind == "mapping":
        is_fit = own == "mapping" and is_made_for(field.annotation, write.type)
        return _declare(field, field.type if is_fit else type_text(write.type), reducer="merge")
    if kind in ("set", "sequence") and own == "list":
        return f"Write {field.name} as a list: list(...)."
    if kind != "list":
        return f"Declare {field.name}: {type_text(write.type)}, or write it to a field of that type."
    item = item_type(write.type)
    inner = kind_of_type(item)
    if inner == "list":
        is_opened = own == "list" and is_made_for(item_type(field.annotation), item_type(item))
        flat = field.type if is_opened else type_text(item)
        return f"{_declare(field, flat, reducer='concat_flatten')} It opens exactly one level."
    if own == "mapping" and inner in ("mapping", None):
        is_fit = inner is None or is_made_for(field.annotation, item)
        declared = _declare(field, field.type if is_fit else type_text(item), reducer="merge_all")
        return f"{declared} It lays the items over one another{'' if inner else ', which have to be dicts'}."
    fits = own == "list" and is_made_for(item_type(field.annotation), item)
    return _declare(field, field.type if fits else type_text(write.type), reducer="append")


def _declare(field: Field, kind: str, *, reducer: str) -> str:
    return f"Declare {field.name}: Annotated[{kind}, gn.{reducer}]."
