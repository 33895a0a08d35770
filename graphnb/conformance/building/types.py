"""The type grammar of case files, such as `list<dict<string,int>>`. Source: fixture language §2."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from graphnb.conformance.reading.parts import CaseFault, Part
from graphnb.conformance.reading.shapes import text
from graphnb.errors.text import choices

_PLAIN: Final[dict[str, Any]] = {
    "int": int,
    "string": str,
    "float": float,
    "bool": bool,
    "any": Any,
    "list": list,
    "dict": dict,
    "error_entry": dict[str, Any],  # an open record, declared nowhere
}
_SLOTS: Final = {"list": 1, "dict": 2}


def annotation_of(text: str) -> Any:
    """The annotation that a type text stands for. Raises ValueError saying what is wrong with the text.

    >>> annotation_of("list<dict<string,int>>"), annotation_of("any"), annotation_of("list")
    (list[dict[str, int]], typing.Any, <class 'list'>)
    """
    tokens = deque(re.findall(r"\w+|\S", text))
    annotation = _read(tokens)
    if tokens:
        raise ValueError(f"{tokens[0]!r} stands behind the end of the type")
    return annotation


def type_shape(part: Part) -> Iterator[CaseFault]:
    """The shape of a type text."""
    faults = list(text(part))
    if not faults:
        try:
            annotation_of(part.value)
        except ValueError as error:
            mend = "A type is a name such as int, or list<T>, dict<K,V>; within braces it is quoted."
            faults.append(part.fault(f"{part.value!r} is no type: {error}", mend))
    yield from faults


def _read(tokens: deque[str]) -> Any:
    name = tokens.popleft() if tokens else ""
    if name not in _PLAIN:
        raise ValueError(f"{name!r} is no type's name. {choices('Types', _PLAIN, name)}" if name else "it ends early")
    if not tokens or tokens[0] != "<":
        return _PLAIN[name]
    if name not in _SLOTS:
        raise ValueError(f"{name} takes no types in angle brackets")
    inner: list[Any] = []
    while not inner or (tokens and tokens[0] == ","):
        tokens.popleft()
        inner.append(_read(tokens))
    if not tokens or tokens.popleft() != ">":
        raise ValueError("a '>' is missing")
    if len(inner) != _SLOTS[name]:
        raise ValueError(f"{name} takes {_SLOTS[name]} types in angle brackets, not {len(inner)}")
    return list[inner[0]] if name == "list" else dict[inner[0], inner[1]]  # type: ignore[valid-type]
