"""Schemas of storable values: what a graph document says of its fields. Source: step reducers, schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from graphnb.errors.text import kind_of, shown
from graphnb.state.storable.patterns import PatternTooLarge, is_found
from graphnb.state.storable.values import Path, exact_key

Problem = tuple[Path, str]
"""Where within the value, and what is wrong there."""

TYPES: Final = ("string", "integer", "float", "boolean", "map", "object", "enum", "list")
_KINDS: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    "string": ((str,), "text"),
    "integer": ((int,), "an integer"),
    "float": ((float, int), "a number"),
    "boolean": ((bool,), "true or false"),
    "map": ((dict,), "a mapping"),
    "object": ((dict,), "a mapping"),
    "list": ((list,), "a list"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSchema:
    """What values a field takes.

    `type` is one of TYPES; `fields` counts for an object, `item` for a list, `values` for an enum. `required`
    refuses null, and a missing key of an object; nothing else does. `default` counts only if `has_default`.
    Constraints that are not known, or that do not belong to the type, do nothing.
    """

    type: str
    fields: Mapping[str, ValueSchema] = field(default_factory=dict)
    item: ValueSchema | None = None
    values: tuple[Any, ...] = ()
    required: bool = False
    has_default: bool = False
    default: Any = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """True if an object may have keys that are not declared."""
        return self.constraints.get("open") is True


def problems_of(schema: ValueSchema, value: object) -> list[Problem]:
    """Everything about the value that does not fit, in the value's order; an empty list if it fits.

    >>> numbers = ValueSchema(type="list", item=ValueSchema(type="integer"), constraints={"max_items": 2})
    >>> problems_of(numbers, [1, None])
    []
    >>> problems_of(numbers, [1, None, True])
    [((), 'has 3 items, at most 2 are allowed'), ((2,), 'want an integer, not bool: True')]
    """
    problems: list[Problem] = []
    rest: list[tuple[Path, ValueSchema, Any]] = [((), schema, value)]
    while rest:
        path, own, part = rest.pop()
        if part is None:
            if own.required:
                problems.append((path, "is required and cannot be null"))
            continue
        wrong = _type_problem(own, part)
        if wrong:
            problems.append((path, wrong))
            continue
        problems += [(path, told) for told in _broken_constraints(own, part)]
        if own.type == "list" and own.item is not None:
            rest += [((*path, i), own.item, each) for i, each in enumerate(part)][::-1]
        elif own.type == "object":
            problems += [((*path, key), told) for key, told in _key_problems(own, part)]
            known = [(key, each) for key, each in own.fields.items() if key in part]
            rest += [((*path, key), each, part[key]) for key, each in reversed(known)]
    return problems


def malformed_of(schema: ValueSchema) -> list[Problem]:
    """What is wrong with the schema itself, by path within its document form; an empty list if it is well formed.

    >>> malformed_of(ValueSchema(type="list"))
    [(('item',), 'a list needs a schema for its items')]
    """
    problems: list[Problem] = []
    rest: list[tuple[Path, ValueSchema]] = [((), schema)]
    while rest:
        path, own = rest.pop()
        if own.type not in TYPES:
            problems.append(((*path, "type"), f"{shown(own.type)} is no type. Types: {', '.join(TYPES)}"))
        if own.type == "list" and own.item is None:
            problems.append(((*path, "item"), "a list needs a schema for its items"))
        if own.type != "list" and own.item is not None:
            problems.append(((*path, "item"), f"only a list has items, not {shown(own.type)}"))
        if own.has_default and own.type in TYPES:
            problems += [((*path, "default", *inner), told) for inner, told in problems_of(own, own.default)]
        within = [((*path, "fields", key), each) for key, each in own.fields.items()]
        rest += [*([((*path, "item"), own.item)] if own.item is not None else []), *within][::-1]
    return problems


def _type_problem(schema: ValueSchema, value: object) -> str | None:
    if schema.type == "enum":
        key = exact_key(value)
        if any(key == exact_key(each) for each in schema.values):
            return None
        return f"want one of {shown(list(schema.values))}, not {kind_of(value)}: {shown(value)}"
    if schema.type not in _KINDS:
        return f"{shown(schema.type)} is no type. Types: {', '.join(TYPES)}"
    kinds, told = _KINDS[schema.type]
    is_kind = isinstance(value, kinds) and (type(value) is not bool or schema.type == "boolean")
    return None if is_kind else f"want {told}, not {kind_of(value)}: {shown(value)}"


def _key_problems(schema: ValueSchema, value: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for key, each in schema.fields.items():
        if each.required and key not in value:
            yield key, "is required and missing"
    if not schema.is_open:
        for key in value:
            if key not in schema.fields:
                yield key, f"is no declared key. Keys: {list(schema.fields)}"


def _broken_constraints(schema: ValueSchema, value: Any) -> Iterator[str]:
    for name, (types, is_broken) in _CONSTRAINTS.items():
        bound = schema.constraints.get(name) if schema.type in types else None
        told = is_broken(bound, value) if bound is not None else None
        if told:
            yield told


def _below(bound: Any, value: Any) -> str | None:
    return f"is {shown(value)}, at least {shown(bound)} is allowed" if _is_number(bound) and value < bound else None


def _above(bound: Any, value: Any) -> str | None:
    return f"is {shown(value)}, at most {shown(bound)} is allowed" if _is_number(bound) and value > bound else None


def _shorter(what: str) -> Callable[[Any, Any], str | None]:
    def told(bound: Any, value: Any) -> str | None:
        is_broken = _is_number(bound) and len(value) < bound
        return f"has {len(value):,} {what}, at least {shown(bound)} are wanted" if is_broken else None

    return told


def _longer(what: str) -> Callable[[Any, Any], str | None]:
    def told(bound: Any, value: Any) -> str | None:
        is_broken = _is_number(bound) and len(value) > bound
        return f"has {len(value):,} {what}, at most {shown(bound)} are allowed" if is_broken else None

    return told


def _unmatched(pattern: Any, value: Any) -> str | None:
    """Searched for, not matched against the whole."""
    if not isinstance(pattern, str):
        return None
    try:
        found = is_found(pattern, value)
    except (re.error, OverflowError, RecursionError) as error:  # what nobody can check must not let everything pass
        return f"cannot be checked: the constraint pattern {shown(pattern)} is no regular expression ({error})"
    except PatternTooLarge as error:
        told = f"cannot be checked: the constraint pattern {shown(pattern)} is {error}"
        return f"{told}. Repeat less in it; max_length says how long a text may be"
    return None if found else f"does not match the pattern {shown(pattern)}: {shown(value)}"


def _is_number(bound: object) -> bool:
    return isinstance(bound, (int, float)) and not isinstance(bound, bool)


_NUMBERS: Final = ("integer", "float")
_CONSTRAINTS: Final[Mapping[str, tuple[tuple[str, ...], Callable[[Any, Any], str | None]]]] = {
    "min": (_NUMBERS, _below),
    "max": (_NUMBERS, _above),
    "min_length": (("string",), _shorter("characters")),
    "max_length": (("string",), _longer("characters")),
    "pattern": (("string",), _unmatched),
    "min_items": (("list",), _shorter("items")),
    "max_items": (("list",), _longer("items")),
}
