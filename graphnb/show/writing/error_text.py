"""An error in one line: what a table, or the head of a run, says of it."""

from __future__ import annotations

from typing import Final

from graphnb.errors import GraphError
from graphnb.errors.text import addressless
from graphnb.show.writing.words import clipped, printable

_MOST: Final = 600
_MOST_PLACE: Final = 300


def error_text(error: BaseException) -> str:
    """An error as `category: where: what`, or `Type: message` for one of the user's, on one line and bounded.

    Of a long way through graphs within graphs the middle is left out.
    """
    try:
        if isinstance(error, GraphError):
            text = f"{error.category}: {_ends_of(error.where)}: {error.what}"
        else:
            text = f"{type(error).__name__}: {addressless(str(error))}".removesuffix(": ")
    except Exception:  # noqa: BLE001  a user's exception may fail to say what it is
        text = type(error).__name__
    return clipped(printable(" ".join(text.split())), _MOST)


def _ends_of(place: str) -> str:
    half = _MOST_PLACE // 2
    return place if len(place) <= _MOST_PLACE else f"{place[:half]} … {place[-half:]}"
