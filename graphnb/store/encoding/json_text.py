"""JSON as text: one text for one value, and reading a text that anybody may have written."""

from __future__ import annotations

import contextlib
import json
import math
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

from graphnb.errors import UnreadableValue
from graphnb.errors.text import shown

_Given = TypeVar("_Given")
_DAMAGED: Final = "What was stored is damaged, or something else has written it."


def json_text(data: Any) -> str:
    """What `encode` gave as text, in one line; the same for the same data, and writable as UTF-8.

    >>> json_text({"b": [1, -0.0, "é"], "a": None})
    '{"b":[1,-0.0,"é"],"a":null}'
    """
    return with_room(
        lambda: json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False)
    )


def json_of(text: str) -> Any:
    """The data again. Raises UnreadableValue for what `json_text` has not written.

    >>> json_of('[1, 1.0]')
    [1, 1.0]
    """
    try:
        return with_room(lambda: json.loads(text, parse_constant=_no_constant, parse_float=_finite))
    except RecursionError as error:
        raise UnreadableValue("stored text", "is nested too deep to be read", _DAMAGED) from error
    except (ValueError, TypeError) as error:
        raise UnreadableValue("stored text", f"cannot be read ({error}): {shown(text)}", _DAMAGED) from error


def order_of(data: Any) -> str:
    """A key to sort data by: their text."""
    return json.dumps(data, sort_keys=True)


def with_room(function: Callable[[], _Given]) -> _Given:
    """What the function gives; if the stack of the caller is too deep for it, it is called with one of its own."""
    with contextlib.suppress(RecursionError):
        return function()
    given: list[_Given] = []
    raised: list[BaseException] = []

    def call() -> None:
        try:
            given.append(function())
        except BaseException as error:  # noqa: BLE001  raised again by the caller
            raised.append(error)

    own = threading.Thread(target=call)
    own.start()
    own.join()
    if raised:
        raise raised[0]
    return given[0]


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{shown(text)} is no number")
    return number
