"""Turning the arguments of delegates and races into records, for a node and for a call by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from graphnb.errors import DelegationError, InvalidDeclaration
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.delegation import briefs_for, copy_of_brief
from graphnb.graph.spec import DelegatesNode, HasSpec, NodeFunction, RaceNode, is_graph
from graphnb.notebook.declaring import check_field, layers_of, one_of
from graphnb.notebook.names import checked_name
from graphnb.notebook.parameters import check_says_yes_or_no, check_takes_brief, check_takes_result, check_takes_state
from graphnb.state.schema import Schema


def delegates_node(
    place: str, name: object, *, delegates: object, briefs: Any, schema: Schema, options: Mapping[str, Any]
) -> DelegatesNode:
    """A node that asks delegates; `options` are the other fields of `DelegatesNode`.

    Briefs that are the name of a field of the schema stand for what is in it.
    """
    own = checked_name(place, name)
    place = f"{place}, node '{own}'"
    for option in ("into", "errors_into"):
        check_field(place, option, given=options[option])
    source = _field_of(place, briefs, option="briefs", schema=schema)
    if callable(briefs):
        check_takes_state(place, "briefs", function=briefs)
    node = asked_delegates(place, own, delegates=delegates, briefs=briefs, options=options, is_told=source is None)
    return (
        node._replace(briefs=_own_copy(briefs, place))
        if source is None
        else node._replace(briefs=None, briefs_from=source)
    )


def asked_delegates(
    place: str, name: str, *, delegates: object, briefs: Any, options: Mapping[str, Any], is_told: bool = True
) -> DelegatesNode:
    """The same for briefs that are no field. `is_told`: a wrong number of briefs can be told before anything runs."""
    one_of(place, "on_error", given=options["on_error"], allowed=("raise", "keep"))
    one_of(place, "on_empty", given=options["on_empty"], allowed=("raise", "noop"))
    asked = _checked_all(place, delegates, word="delegate")
    if not asked and options["on_empty"] == "raise":
        raise InvalidDeclaration(place, "has no delegates", "If that may be, say so: on_empty='noop'.")
    check_limit(place, options["concurrency"])
    if is_told:
        with _told_early():
            briefs_for(len(asked), briefs, place=place)
    layers = layers_of(place, options.get("middleware", ()))
    return DelegatesNode(name, asked, briefs, **{**options, "middleware": layers})


def race_node(
    place: str, name: object, *, candidates: object, brief: Any, schema: Schema, options: Mapping[str, Any]
) -> RaceNode:
    """A node that takes the first acceptable result; `options` are the other fields of `RaceNode`."""
    own = checked_name(place, name)
    place = f"{place}, node '{own}'"
    for option in ("into", "winner_into", "failures_into"):
        check_field(place, option, given=options[option])
    source = _field_of(place, brief, option="brief", schema=schema)
    if callable(brief):
        check_takes_state(place, "brief", function=brief)
    node = contending(place, own, candidates=candidates, brief=brief, options=options)
    return (
        node._replace(brief=_own_copy(brief, place)) if source is None else node._replace(brief=None, brief_from=source)
    )


def contending(place: str, name: str, *, candidates: object, brief: Any, options: Mapping[str, Any]) -> RaceNode:
    """The same for a brief that is no field."""
    contenders = _checked_all(place, candidates, word="candidate")
    if not contenders:
        raise InvalidDeclaration(place, "has no candidates", "Give at least one: nobody can win otherwise.")
    check_limit(place, options["concurrency"])
    with _told_early():
        copy_of_brief(brief, place)
    accept = options["accept"]
    if accept is not None:
        if not callable(accept):
            what = f"accept is a function of a result, not {kind_of(accept)}: {shown(accept)}"
            raise InvalidDeclaration(place, what, "Give one, or leave it out: then every result is acceptable.")
        check_says_yes_or_no(place, "accept", function=accept, may_be_async=True)
        check_takes_result(place, function=accept)
    layers = layers_of(place, options.get("middleware", ()))
    return RaceNode(name, contenders, brief, **{**options, "middleware": layers})


def check_limit(place: str, given: object) -> None:
    """Raises InvalidDeclaration for what is no number of things at once."""
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
        what = f"concurrency is {shown(given)} ({kind_of(given)})"
        raise InvalidDeclaration(place, what, "It must be an int of at least 1, or None for all at once.")


@contextmanager
def _told_early() -> Iterator[None]:
    """What no run can mend is a fault of what was declared."""
    try:
        yield
    except DelegationError as error:
        raise InvalidDeclaration(error.where, error.what, error.mend) from None


def _checked_all(place: str, given: object, *, word: str) -> tuple[HasSpec | NodeFunction, ...]:
    if not isinstance(given, (list, tuple)):
        mend = "Write [first, second]: their order is that of the results."
        raise InvalidDeclaration(place, f"{word}s are a list, not {kind_of(given)}: {shown(given)}", mend)
    for i, each in enumerate(given):
        if not is_graph(each) and not callable(each):
            what = f"{word} {i} is a function or a graph, not {kind_of(each)}: {shown(each)}"
            raise InvalidDeclaration(place, what, "Pass the function itself, not what it gives.")
        if not is_graph(each):
            check_takes_brief(place, word, function=each)
    return tuple(given)


def _own_copy(given: Any, place: str) -> Any:
    """The graph's own copy of a brief that was written down; a function, which makes one, is given back as it is."""
    with _told_early():
        return copy_of_brief(given, place)


def _field_of(place: str, briefs: object, *, option: str, schema: Schema) -> str | None:
    """The field that the briefs name. A text that could be a name and is none is a slip, not a brief."""
    if not isinstance(briefs, str) or not briefs.isidentifier():
        return None
    if briefs not in schema.fields:
        mend = f"{choices('Fields', schema.fields, briefs)} For this very text: {option}=lambda s: {briefs!r}."
        raise InvalidDeclaration(place, f"{option} names field {briefs!r}, which is not declared", mend)
    return briefs
