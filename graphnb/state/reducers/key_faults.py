"""What is wrong with an item that has no key, or none that can be compared, told with what would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from graphnb.errors.text import choices, shown

KEY_FAULTS: Final = (AttributeError, LookupError, TypeError)
"""What is raised by a key that an item lacks, and by one that is unhashable."""


def check_keys(
    reducer: object, key: Callable[[Any], Any] | None, *, prior: Iterable[Any], update: Any, cause: Exception
) -> None:
    """Raises LookupError or TypeError for the first item whose key cannot be taken or hashed.

    `key` is None where the item is its own key; `cause` is what came of it before.
    """
    for role, items in (("prior", prior), ("update", update)):
        for i, item in enumerate(items):
            where = f"item {i} of the {role}"
            try:
                found = item if key is None else key(item)
            except KEY_FAULTS as error:
                what = f"{where}: key of {reducer!r} raised {type(error).__name__}: {error} on {shown(item)}"
                raise LookupError(f"{what}. {_names_in(item, error)}".rstrip(". ")) from cause
            try:
                hash(found)
            except TypeError as error:
                raise TypeError(f"{where}: {error}: {shown(found)}. {_mend(reducer, key, found=found)}") from cause


def _names_in(item: object, error: Exception) -> str:
    """The names that the item has in place of the missing one, the nearest last."""
    wanted = error.name if isinstance(error, AttributeError) else error.args[0] if error.args else ""
    if isinstance(item, Mapping):
        return choices("It has", [each for each in item if isinstance(each, str)], wanted)
    names = getattr(item, "__dict__", {})
    return choices("It has", [each for each in names if not each.startswith("_")], wanted) if names else ""


def _mend(reducer: object, key: Callable[[Any], Any] | None, *, found: object) -> str:
    if key is not None:
        return "Let the key give a text, a number or a tuple of them"
    name = getattr(reducer, "name", "dedupe_append")
    if isinstance(found, Mapping):
        names = [each for each in found if isinstance(each, str)]
        best = next((each for each in ("id", "key", "name") if each in names), names[0] if names else "id")
        return f"Give a key: {name}(key=lambda item: item[{best!r}])"
    return f"Give a key: {name}(key={'tuple' if isinstance(found, list) else 'lambda item: ...'})"
