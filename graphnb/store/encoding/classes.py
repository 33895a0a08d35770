"""The classes that an annotation names, and those beneath them: what a tag may mean, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphnb.errors.text import shown
from graphnb.store.encoding.shape import Refused


def name_of(cls: type) -> str:
    """The tag of a class: its module and its name there.

    >>> from decimal import Decimal
    >>> name_of(Decimal)
    'decimal.Decimal'
    """
    return f"{cls.__module__}.{cls.__qualname__}"


def class_named(name: str, declared: Iterable[type]) -> type | None:
    """The class of this name that is declared or inherits from one that is; None if there is none.

    Of several with one name, as cells that were run again leave them, the one that was made last. A class that has
    moved to another module is found by its name there. Raises Refused if several would do.
    """
    roots = tuple(declared)
    known = list(dict.fromkeys((*_beneath(roots), *roots)))  # what a declaration names counts as the newest
    exact = [each for each in known if name_of(each) == name]
    if exact:
        return exact[-1]
    moved = {name_of(each): each for each in known if name.endswith(f".{each.__qualname__}")}
    if len(moved) > 1:
        raise Refused(f"{shown(name)} may be any of {', '.join(sorted(moved))}")
    return next(iter(moved.values()), None)


def _beneath(roots: Iterable[type]) -> Iterator[type]:
    """All classes that inherit from these, as far as they are loaded, in the order in which they were made."""
    ahead: list[type] = list(roots)
    met = set(ahead)
    while ahead:
        own: list[type] = type.__subclasses__(ahead.pop(0))
        for each in own:
            if each not in met:
                met.add(each)
                ahead.append(each)
                yield each
