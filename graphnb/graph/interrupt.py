"""Interrupts: what a node returns to stop the run until somebody has answered."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.state.checking.validators import Validator
from graphnb.state.marks import NoValue
from graphnb.state.values.detach import detach

_PLACE: Final = "gn.interrupt"


@dataclasses.dataclass(
    frozen=True, slots=True
)  # no tuple, which a router or a list field would take for several values
class Interrupt(NoValue):
    """One question to whoever runs the graph; its answer is written to `field`, through the field's reducer.

    `ask` is the question as text; `schema` a type which the answer has to fit beside the field, None if there is
    none; `metadata` is the caller's own. `id` tells the interrupts of one run apart, and `node` is who asked: both are
    empty until the interrupt is committed.
    """

    field: str
    ask: str = ""
    schema: Any = dataclasses.field(default=None, hash=False)
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)  # a dict, which has none
    id: str = ""
    node: str = ""


def detach_interrupt(asked: Interrupt) -> Interrupt:
    """The same interrupt with metadata, and a schema as documents write it, of whoever gets it."""
    schema = detach(asked.schema) if isinstance(asked.schema, dict) else asked.schema
    return dataclasses.replace(asked, schema=schema, metadata=detach(asked.metadata))


def asks_instead(given: Any) -> str | None:
    """How to mend that something else than a node has returned an interrupt; None if that is none."""
    if type(given) is not Interrupt:
        return None
    return f"Only a node of the graph that is run may ask: let one of them return the interrupt for {given.field!r}."


def is_invalid_interrupt(error: BaseException | None) -> bool:
    """True for what `interrupt` has raised: a question that can be asked as often as one likes and stays wrong."""
    return isinstance(error, InvalidDeclaration) and error.where == _PLACE


class Answer(NamedTuple):
    """What a commit says that writes the answer to an interrupt."""

    id: str


def interrupt(
    field: str,
    ask: str = "",
    *,
    schema: Any = None,
    id: str | None = None,  # noqa: A002  the word that every reader of `run.pending` meets
    metadata: Mapping[str, Any] | None = None,
) -> Interrupt:
    """What a node returns, instead of an update, to stop the run until `run.resume(answer)`.

    The answer is folded into `field` and the node runs again, seeing it. Other nodes of the step are committed, and
    branches that do not wait go on. `ask` is the question; `schema` a type for the answer, exactly for a field of the
    step family; `id` names the interrupt, which no other of the run may bear. Raises InvalidDeclaration for what is
    no name or text.

    >>> interrupt("answers", "Go on?").field
    'answers'
    """
    place = _PLACE
    for option, given in (("field", field), ("id", id)):
        if (given is not None or option == "field") and (not isinstance(given, str) or not given):
            raise InvalidDeclaration(place, f"{option} is {shown(given)} ({kind_of(given)})", "Give a text.")
    if not isinstance(ask, str):
        raise InvalidDeclaration(place, f"ask is {shown(ask)} ({kind_of(ask)})", "Give the question as text.")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InvalidDeclaration(place, f"metadata is {shown(metadata)} ({kind_of(metadata)})", "Give a dict.")
    if schema is not None:
        _check_schema(place, schema)
    return Interrupt(field, ask, schema, dict(metadata or {}), id or "")


def _check_schema(place: str, schema: Any) -> None:
    try:
        if isinstance(schema, dict):  # as graph documents write it
            from graphnb.graph.documents.reading_parts import read_schema

            read_schema(schema, ("schema",))
            return
        Validator(schema, None).build()
    except Exception as error:
        what = f"schema is {shown(schema)}, which no value can be checked against"
        raise InvalidDeclaration(place, what, "Give a type, such as bool or list[str].") from error
