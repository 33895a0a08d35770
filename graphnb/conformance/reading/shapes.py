"""Shapes of parts of a case file: small checks that are put together, each yielding every fault it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from graphnb.conformance.reading.parts import CaseFault, NotSupported, Part
from graphnb.errors.text import choices, kind_of, shown

Shape = Callable[[Part], Iterator[CaseFault]]
Shapes = Mapping[str, Shape]
Directives = Mapping[str, tuple[Shape, Shapes]]
"""By word: its shape, and the shapes of what may stand beside it."""


def unknown(part: Part, key: object, *, known: Iterable[str]) -> NotSupported:
    """The fault that a mapping has a key that the runner does not understand."""
    if not isinstance(key, str):
        return NotSupported(part.where, f"not supported yet: {shown(key)}", "A key is a text: quote it.")
    return NotSupported(part.at(key).where, f"not supported yet: {key}", choices("Known here", known, key))


def keyed(required: Shapes, optional: Shapes | None = None) -> Shape:
    """A mapping with these keys and no others."""
    known = {**required, **(optional or {})}

    def check(part: Part) -> Iterator[CaseFault]:
        if not isinstance(part.value, dict):
            yield part.fault(f"must be a mapping, not {kind_of(part.value)}")
            return
        strange = [key for key in part.value if not isinstance(key, str) or key not in known]
        for key in part.value:
            yield from [unknown(part, key, known=known)] if key in strange else known[key](part.at(key))
        for key in required:
            if key not in part.value and not strange:  # a strange key may stand in its place
                yield part.fault(f"has no {key!r}", choices("Known here", known))

    return check


def each(shape: Shape, *, some: bool = False) -> Shape:
    """A mapping from names that the case chooses; with `some` at least one."""

    def check(part: Part) -> Iterator[CaseFault]:
        if not isinstance(part.value, dict):
            yield part.fault(f"must be a mapping, not {kind_of(part.value)}")
            return
        if some and not part.value:
            yield part.fault("is empty, so that it says nothing")
        for name in part.value:
            if isinstance(name, str) and name:
                yield from shape(part.at(name))
            else:
                yield part.fault(f"has the name {shown(name)}", "A name is a text that is not empty: quote it.")

    return check


def many(shape: Shape, *, some: bool = False) -> Shape:
    """A list; with `some` of at least one."""

    def check(part: Part) -> Iterator[CaseFault]:
        if not isinstance(part.value, list):
            yield part.fault(f"must be a list, not {kind_of(part.value)}")
            return
        if some and not part.value:
            yield part.fault("is empty, so that it says nothing")
        for entry in part.entries():
            yield from shape(entry)

    return check


def one_directive(directives: Directives) -> Shape:
    """A mapping that does exactly one thing, and has beside it only what means something there."""
    modifiers = frozenset(key for _, beside in directives.values() for key in beside)

    def check(part: Part) -> Iterator[CaseFault]:
        if not isinstance(part.value, dict):
            yield part.fault(f"must be a mapping, not {kind_of(part.value)}")
            return
        found = [key for key in part.value if key in directives]
        strange = [key for key in part.value if key not in directives and key not in modifiers]
        yield from (unknown(part, key, known=(*directives, *sorted(modifiers))) for key in strange)
        for key in found:
            yield from directives[key][0](part.at(key))
        if not found and not strange:
            yield part.fault("does nothing", f"Give it one of {list(directives)}.")
        if len(found) > 1:
            yield part.fault(f"does several things: {', '.join(found)}", "A node does one.")
        if len(found) == 1:
            beside = directives[found[0]][1]
            for key in part.value:
                if key in beside:
                    yield from beside[key](part.at(key))
                elif key in modifiers:
                    yield part.at(key).fault(f"means nothing beside {found[0]!r}")

    return check


def either(mapping: Shape, other: Shape) -> Shape:
    """One shape for a mapping, another for everything else."""
    return lambda part: (mapping if isinstance(part.value, dict) else other)(part)


def either_key(**forms: Shape) -> Shape:
    """A mapping in one of several forms, each told by a key that it alone has."""

    def check(part: Part) -> Iterator[CaseFault]:
        found = [key for key in forms if isinstance(part.value, dict) and key in part.value]
        if len(found) == 1:
            yield from forms[found[0]](part)
        elif isinstance(part.value, dict):
            yield part.fault(f"needs one of {' and '.join(forms)}, has {list(part.value)}")
        else:
            yield part.fault(f"must be a mapping, not {kind_of(part.value)}")

    return check


def nullable(shape: Shape) -> Shape:
    """The shape, or null."""
    return lambda part: iter(()) if part.value is None else shape(part)


def anything(part: Part) -> Iterator[CaseFault]:
    """Any value: data of the case's own."""
    return iter(())


def text(part: Part) -> Iterator[CaseFault]:
    """A text that is not empty."""
    if not isinstance(part.value, str) or not part.value:
        yield part.fault(f"must be a text, not {_given(part.value)}")


def whole(part: Part) -> Iterator[CaseFault]:
    """A whole number."""
    if isinstance(part.value, bool) or not isinstance(part.value, int):
        yield part.fault(f"must be a whole number, not {_given(part.value)}")


def at_least(least: int) -> Shape:
    """A whole number of at least so much."""

    def check(part: Part) -> Iterator[CaseFault]:
        faults = list(whole(part))
        if not faults and part.value < least:
            faults.append(part.fault(f"must be at least {least}, not {part.value}"))
        yield from faults

    return check


def number(part: Part) -> Iterator[CaseFault]:
    """A number."""
    if isinstance(part.value, bool) or not isinstance(part.value, int | float):
        yield part.fault(f"must be a number, not {_given(part.value)}")


def flag(part: Part) -> Iterator[CaseFault]:
    """`true` or `false`."""
    if not isinstance(part.value, bool):
        yield part.fault(f"must be true or false, not {_given(part.value)}")


def true(part: Part) -> Iterator[CaseFault]:
    """`true`: a claim that is made or left out."""
    if part.value is not True:
        yield part.fault(f"must be true, not {_given(part.value)}", "Leave it out if it is not claimed.")


def one_of(*allowed: str) -> Shape:
    """One of these texts."""

    def check(part: Part) -> Iterator[CaseFault]:
        if part.value not in allowed:
            yield part.fault(f"must be one of {list(allowed)}, not {_given(part.value)}")

    return check


def _given(value: object) -> str:
    return "an empty text" if value == "" else f"{kind_of(value)}: {shown(value)}" if value is not None else "None"
