"""What a guard says of a view. Source: graph document §10."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from graphnb.errors import GuardError
from graphnb.errors.text import shown
from graphnb.graph.guards.guard import LOGICAL, OPERATIONS, Guard
from graphnb.state.marks import UNSET
from graphnb.state.storable.values import is_loose


def evaluate(guard: Guard, view: Mapping[str, Any], versions: Mapping[str, int], changed: Collection[str]) -> bool:
    """What the guard says of a view.

    `versions` has the version of every id that was ever written, `changed` the ids that were written in this step.
    Every argument of `all`, `any` and `not` is evaluated. Raises GuardError for a path that stands alone, and for
    what is no guard at all.

    >>> evaluate(Guard("equals", ("n", 1.0)), {"n": 1}, {}, ())
    True
    """
    values: list[bool] = []
    for each in _inside_out(guard):
        if each.op in LOGICAL:
            first = len(values) - len(each.args)
            inner, values = values[first:], values[:first]
            values.append(any(inner) if each.op == "any" else all(inner) if each.op == "all" else not inner[0])
        else:
            values.append(_holds(each, view, versions, changed))
    return values[0]


def _inside_out(guard: Guard) -> list[Guard]:
    """The guard and all guards within that are conditions, arguments before what joins them, in their order."""
    found: list[Guard] = []
    rest = [guard]
    while rest:
        each = rest.pop()
        found.append(each)
        if each.op in LOGICAL:
            if not all(isinstance(part, Guard) for part in each.args) or (each.op == "not" and len(each.args) != 1):
                raise _broken(each, "has arguments that are no guards" if each.op != "not" else "needs one guard")
            rest += each.args
    return found[::-1]


def _holds(guard: Guard, view: Mapping[str, Any], versions: Mapping[str, int], changed: Collection[str]) -> bool:
    match guard.op, guard.args:
        case "changed", (str(name),):
            return name in changed
        case "version_at_least", (str(name), int(least)) if type(least) is int:
            return versions.get(name, 0) >= least
        case "exists", (reference,):
            return _value_at(reference, view, guard) is not UNSET
        case "equals", (reference, Guard() as other):
            return _are_equal(_value_at(reference, view, guard), _value_at(other, view, guard))
        case "equals", (reference, value):
            return _are_equal(_value_at(reference, view, guard), value)
        case "path", _:
            raise _broken(guard, "is a path alone, which is no condition", "Ask .exists() of it, or compare it.")
    raise _broken(guard, "cannot be evaluated", f"Operations: {', '.join(OPERATIONS)}.")


def _are_equal(one: Any, other: Any) -> bool:
    return one is not UNSET and other is not UNSET and is_loose(one, other)


def _value_at(reference: object, view: Mapping[str, Any], guard: Guard) -> Any:
    """The value that is referred to, UNSET if there is none."""
    match reference:
        case str():
            return view.get(reference, UNSET)
        case Guard(op="path", args=(str(name), list(segments))):
            value = view.get(name, UNSET)
            for segment in segments:
                value = _part_of(value, segment)
            return value
    raise _broken(guard, f"refers to {shown(reference)}", "Refer to an id, or to a path that begins with one.")


def _part_of(value: Any, segment: object) -> Any:
    if isinstance(segment, str) and isinstance(value, dict):
        return value.get(segment, UNSET)
    if type(segment) is int and isinstance(value, list) and -len(value) <= segment < len(value):
        return value[segment]
    return UNSET


def _broken(guard: Guard, what: str, mend: str = "") -> GuardError:
    return GuardError(f"guard {shown(guard)}", what, mend)
