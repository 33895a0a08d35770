"""What a reader of documents expects at a place: each gives the value, or raises InvalidDocument naming the place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from graphnb.errors import DocumentError, InvalidDocument
from graphnb.errors.text import bounded, choices, kind_of, shown
from graphnb.state.storable.values import Path, find_unstorable


def place_of(path: Path) -> str:
    """The path as text.

    >>> place_of(()), place_of(("edges", "e", "guard", "args", 0))
    ('the document', 'edges.e.guard.args[0]')
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{_step_text(step)}" for step in path)
    return bounded("".join(steps).removeprefix(".")) or "the document"


def _step_text(step: str) -> str:
    return step if re.fullmatch(r"[\w$-]+", step) else shown(step)


def refusal(path: Path, what: str, mend: str = "", *, kind: type[DocumentError] = InvalidDocument) -> DocumentError:
    """The error that something is wrong at a place, to be raised."""
    error = kind(place_of(path), what, mend)
    error.place = path
    return error


def mapping_at(value: object, path: Path) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise refusal(path, f"must be an object, not {_told(value)}", "Leave it out if it has nothing to say.")
    return value


def record_at(value: object, path: Path, *, known: Iterable[str]) -> dict[str, Any]:
    """An object with these keys and no others."""
    record = mapping_at(value, path)
    names = tuple(known)
    for key in record:
        if key not in names:
            mend = choices("Keys here", names, key) + " What is your own goes under 'metadata'."
            raise refusal(path, f"has the unknown key {shown(key)}", mend)
    return record


def text_at(record: dict[str, Any], key: str, *, path: Path) -> str | None:
    """A text, or None where there is none."""
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise refusal((*path, key), f"must be text, not {_told(value)}")
    return value


def one_of_at(record: dict[str, Any], key: str, *, path: Path, allowed: Iterable[str]) -> str:
    """One of these texts."""
    value = record.get(key)
    names = tuple(allowed)
    if key not in record:
        raise refusal(path, f"has no {key!r}", choices("It is one of", names))
    if not isinstance(value, str) or value not in names:
        raise refusal((*path, key), f"unknown {key}: {_told(value)}", choices("Known", names, value))
    return value


def flag_at(record: dict[str, Any], key: str, *, path: Path) -> bool:
    """True or false; false where it is not said."""
    value = record.get(key, False)
    if not isinstance(value, bool):
        raise refusal((*path, key), f"must be true or false, not {_told(value)}")
    return value


def list_at(record: dict[str, Any], key: str, *, path: Path) -> list[Any]:
    """A list; empty where it is not said."""
    value = record.get(key, [])
    if not isinstance(value, list):
        raise refusal((*path, key), f"must be a list, not {_told(value)}")
    return value


def open_at(record: dict[str, Any], key: str, *, path: Path) -> dict[str, Any]:
    """An object of any content, as a copy of its own; empty where it is not said."""
    return dict(value_at(mapping_at(record.get(key, {}), (*path, key)), (*path, key)))


def value_at(value: Any, path: Path) -> Any:
    """Any content, as a copy of its own; no key of it begins with "$"."""
    fault = find_unstorable(value)
    if fault is not None:
        raise refusal((*path, *fault[0]), fault[1])
    return detached(value)


def detached(value: Any) -> Any:
    """A copy that shares no list and no dict with the value, which holds no part of itself. Nothing here recurses."""
    root: list[Any] = [value]
    rest: list[Any] = [root]  # copies whose own parts are still those of the value
    while rest:
        own = rest.pop()
        for key, each in own.items() if isinstance(own, dict) else enumerate(own):
            if isinstance(each, (dict, list)):
                own[key] = copied = dict(each) if isinstance(each, dict) else list(each)
                rest.append(copied)
    return root[0]


def _told(value: object) -> str:
    return "null" if value is None else f"{kind_of(value)} {shown(value)}"
