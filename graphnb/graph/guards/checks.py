"""Whether a guard can be evaluated: its operations, how many arguments they have, and what those refer to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final, Literal

from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.guards.guard import LOGICAL, OPERATIONS, Guard

Code = Literal["invalid_guard", "unknown_guard_field", "invalid_guard_path"]
GuardProblem = tuple[Code, str, str]
"""The code of graph document §4, what is wrong, and how to mend it."""
_WANTED: Final = {
    "changed": "an id",
    "version_at_least": "an id and an integer from 0 on",
    "exists": "an id or a path",
    "equals": "an id or a path, and a value or a path",
    "path": "an id and a list of steps",
    "not": "one guard",
    "all": "guards alone",
    "any": "guards alone",
}


def guard_problems(guard: object, known: Collection[str]) -> Iterator[GuardProblem]:
    """Everything that is wrong, from the outside in; `known` are the ids of inputs and fields.

    A path alone is let through: it is refused when it is evaluated. Source: §10.

    >>> list(guard_problems(Guard("changed", ("m",)), ["n"]))[0][:2]
    ('unknown_guard_field', "field('m').changed() asks for 'm', which is neither an input nor a field")
    """
    rest: list[Any] = [guard]
    while rest:
        each = rest.pop()
        if not isinstance(each, Guard):
            yield "invalid_guard", f"{kind_of(each)} {shown(each)} stands where a guard should", _operations()
        elif each.op not in OPERATIONS:
            yield "invalid_guard", f"{shown(each.op)} is no operation", _operations(each.op)
        elif each.op in LOGICAL:
            if each.op == "not" and len(each.args) != 1:
                yield _wrong(each)
            rest += reversed(each.args)
        else:
            yield from _leaf_problems(each, known)


def _leaf_problems(guard: Guard, known: Collection[str]) -> Iterator[GuardProblem]:
    match guard.op, guard.args:
        case "changed", (str() as name,):
            yield from _unknown(guard, name, known=known)
        case "version_at_least", (str() as name, least) if type(least) is int and least >= 0:
            yield from _unknown(guard, name, known=known)
        case "exists", (reference,) if _is_reference(reference):
            yield from _reference_problems(guard, reference, known=known)
        case "equals", (reference, value) if _is_reference(reference) and _may_be_compared(value):
            yield from _reference_problems(guard, reference, known=known)
            if isinstance(value, Guard):
                yield from _reference_problems(guard, value, known=known)
        case "path", _:
            yield from _path_problems(guard, known)
        case _:
            yield _wrong(guard)


def _is_reference(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, Guard) and value.op == "path")


def _may_be_compared(value: object) -> bool:
    return not isinstance(value, Guard) or value.op == "path"


def _reference_problems(guard: Guard, reference: Any, *, known: Collection[str]) -> Iterator[GuardProblem]:
    if isinstance(reference, Guard):
        yield from _path_problems(reference, known)
    else:
        yield from _unknown(guard, reference, known=known)


def _path_problems(path: Guard, known: Collection[str]) -> Iterator[GuardProblem]:
    match path.args:
        case (str() as name, list() as segments):
            yield from _unknown(path, name, known=known)
            for segment in segments:
                if type(segment) not in (str, int):
                    what = f"{shown(path)} has the step {shown(segment)}, which is {kind_of(segment)}"
                    yield "invalid_guard_path", what, "Steps are text, into a mapping, and integers, into a list."
        case _:
            yield _wrong(path)


def _unknown(guard: Guard, name: str, *, known: Collection[str]) -> Iterator[GuardProblem]:
    if name not in known:
        what = f"{shown(guard)} asks for {shown(name)}, which is neither an input nor a field"
        yield "unknown_guard_field", what, choices("Inputs and fields", known, name)


def _wrong(guard: Guard) -> GuardProblem:
    given = ", ".join(shown(each) for each in guard.args) or "nothing"
    return "invalid_guard", f"{guard.op!r} takes {_WANTED[guard.op]}, and has {given}", ""


def _operations(given: object = "") -> str:
    return choices("Operations", OPERATIONS, given)
