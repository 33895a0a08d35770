"""JSON text as plain values: nothing twice, no NaN, integers and floats told apart."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from graphnb.errors.text import bounded, shown
from graphnb.graph.documents.expect import refusal
from graphnb.graph.documents.survey import MOST_DIGITS
from graphnb.state.storable.values import MOST_LEVELS


def value_of_json(text: str) -> Any:
    """The value of a JSON text. Raises InvalidDocument for what is no JSON, or says a key twice.

    >>> value_of_json('{"a": [1, 1.0, null]}')
    {'a': [1, 1.0, None]}
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise refusal((), f"is no JSON: {error.msg} in line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise refusal((), f"is nested deeper than {MOST_LEVELS} levels") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise refusal((), f"has the key {shown(twice)} twice in one object", "Rename or remove one of the two.")
    return found


def _constant(name: str) -> NoReturn:
    raise refusal((), f"has {name}, which is no JSON", "A number has to be finite.")


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MOST_DIGITS:
        raise refusal((), f"has an integer of more than {MOST_DIGITS} digits: {bounded(digits, 20)}")
    return int(digits)
