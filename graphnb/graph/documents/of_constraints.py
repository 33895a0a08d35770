"""What pydantic says beside a type, as constraints of a document. Source: graph document §3.2."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic.fields import FieldInfo

from graphnb.errors.text import shown
from graphnb.state.storable.values import find_unstorable

_NAMES: Final[Mapping[tuple[str, str], str]] = {
    **{(kind, "ge"): "min" for kind in ("integer", "float")},
    **{(kind, "le"): "max" for kind in ("integer", "float")},
    ("integer", "gt"): "min",
    ("integer", "lt"): "max",
    ("string", "min_length"): "min_length",
    ("string", "max_length"): "max_length",
    ("string", "pattern"): "pattern",
    ("list", "min_length"): "min_items",
    ("list", "max_length"): "max_items",
}
_EXCLUSIVE: Final = {"gt": 1, "lt": -1}
_SILENT: Final = ("strict", "allow_inf_nan", "documentation")
"""What holds in a document anyway, or says nothing of values."""
_OURS: Final = ("annotated_types", "pydantic", "pydantic_core")
_MEND: Final = (
    "A document has ge and le of numbers (gt and lt of an int), min_length and max_length of text and lists, and "
    "pattern."
)


def constraints_of(metadata: Iterable[Any], kind: str, *, tell: Callable[[str, str], None]) -> dict[str, Any]:
    """The constraints of a schema of the type `kind`; those that a document does not have are told.

    >>> from pydantic import Field
    >>> constraints_of([Field(ge=0, lt=10)], "integer", tell=print)
    {'min': 0, 'max': 9}
    """
    found: dict[str, Any] = {}
    for name, value in _named(metadata):
        own = _NAMES.get((kind, name))
        shifted = value + _EXCLUSIVE[name] if name in _EXCLUSIVE and type(value) is int else value
        if own is None or (name in _EXCLUSIVE and type(value) is not int) or find_unstorable(shifted) is not None:
            tell(f"the constraint {name}={shown(value)} has no name in a document", _MEND)
        elif own == "pattern" and found.get(own, shifted) != shifted:
            tell("two patterns stand beside one type", "Write one that says both.")
        elif own in found:
            found[own] = max(found[own], shifted) if own.startswith("min") else min(found[own], shifted)
        else:
            found[own] = shifted
    return found


def _named(metadata: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Each constraint by its name in pydantic, what is no constraint left out."""
    for each in metadata:
        if isinstance(each, FieldInfo):
            yield from _named(each.metadata)
            if each.discriminator is not None:
                yield "discriminator", each.discriminator
        elif hasattr(each, "__get_pydantic_core_schema__"):  # it may do anything to a value
            yield type(each).__name__, each
        elif type(each).__module__.partition(".")[0] in _OURS:
            told = {name: value for name, value in _attributes(each) if value is not None and value is not False}
            yield from ((name, value) for name, value in told.items() if name not in _SILENT)


def _attributes(given: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(given):
        return ((each.name, getattr(given, each.name)) for each in dataclasses.fields(given))
    return iter(vars(given).items())
