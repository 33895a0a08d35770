"""The shape that one write must have, by the reducer of its field. Source: step reducers, validating one write."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphnb.state.storable.schemas import Problem, ValueSchema, problems_of


def write_problems(reducer: str | None, schema: ValueSchema, *, value: object) -> list[Problem]:
    """What is wrong with one write, by path within it; an empty list if it may be folded.

    `reducer` is the name in a document, None for none; the value is known to be storable. What the fold gives is
    never checked.

    >>> names = ValueSchema(type="list", item=ValueSchema(type="string"), constraints={"max_items": 1})
    >>> write_problems("append", names, value="ada"), write_problems("append", names, value=["ada", "bo"])
    ([], [])
    >>> write_problems("append", names, value=["ada", 1])
    [((1,), 'want text, not int: 1')]
    >>> write_problems("last_value", names, value="ada")
    [((), "want a list, not str: 'ada'")]
    """
    if reducer in ("append", "union"):
        return _elements(schema, value)
    if reducer == "merge":
        return _fragment(schema, value)
    if reducer == "sum":
        return _not_null(value) or problems_of(replace(schema, constraints={}), value)
    return problems_of(schema, value)


def _elements(schema: ValueSchema, value: Any) -> list[Problem]:
    """A list is many elements, anything else is one."""
    if schema.item is None:
        return []
    if not isinstance(value, list):
        return problems_of(schema.item, value)
    return problems_of(ValueSchema(type="list", item=schema.item), value)


def _fragment(schema: ValueSchema, value: object) -> list[Problem]:
    """Part of an object: its own fields may be missing or null, whatever lies deeper keeps its rules."""
    if schema.type != "object":
        return _not_null(value) or problems_of(ValueSchema(type="map"), value)
    fields = {key: replace(each, required=False) for key, each in schema.fields.items()}
    return _not_null(value) or problems_of(replace(schema, fields=fields), value)


def _not_null(value: object) -> list[Problem]:
    return [] if value is not None else [((), "null cannot be folded by this reducer")]
