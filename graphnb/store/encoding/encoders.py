"""Encoders for what has no form of its own: arrays and tables are known, a caller adds others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown


class Encoder(NamedTuple):
    """How the values of one type are stored.

    `encode` makes of a value what can be stored itself (numbers, text, lists, dicts, ...), `decode` the value again.
    """

    kind: type
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    name: str


_LIBRARIES: Final = ("numpy", "pandas")


class Encoders:
    """Encoders by type and by name; those for numpy and pandas are there, and loaded when first needed.

    >>> class Grid:
    ...     def __init__(self, rows):
    ...         self.rows = rows
    >>> encoders = Encoders().register_encoder(Grid, encode=lambda grid: grid.rows, decode=Grid, name="grid")
    >>> encoders.for_type(Grid).name, Encoders().for_type(Grid)
    ('grid', None)
    """

    __slots__ = ("_by_name", "_by_type")

    def __init__(self, own: Mapping[str, Encoder] | None = None) -> None:
        self._by_name = dict(own or {})
        self._by_type = {each.kind: each for each in self._by_name.values()}

    def register_encoder(
        self, kind: type, *, encode: Callable[[Any], Any], decode: Callable[[Any], Any], name: str
    ) -> Encoders:
        """The same encoders and one more, for values of exactly this type; one of the same name or type is replaced.

        `name` is written beside the values and has to stay the same for as long as they are kept. Raises
        InvalidDeclaration for what is no type, function or name, and for a name that means something already.
        """
        where = "register_encoder"
        if not isinstance(kind, type):
            raise InvalidDeclaration(where, f"takes a type, not {kind_of(kind)}: {shown(kind)}", "Pass the class.")
        for option, function in (("encode", encode), ("decode", decode)):
            if not callable(function):
                told = f"{option}= takes a function, not {kind_of(function)}: {shown(function)}"
                raise InvalidDeclaration(where, told)

        is_name = isinstance(name, str) and name.isascii() and bool(name)
        if not is_name or name in _reserved() or _library_of(name):
            mend = "Name it as text that nothing else is called, such as 'grid'."
            raise InvalidDeclaration(where, f"name= cannot be {shown(name)}", mend)
        others = {key: each for key, each in self._by_name.items() if each.kind is not kind and key != name}
        return Encoders({**others, name: Encoder(kind, encode, decode, name)})

    def for_type(self, kind: type) -> Encoder | None:
        """The encoder for values of exactly this type, None if there is none."""
        found = self._by_type.get(kind)
        module = kind.__module__
        if found is None and isinstance(module, str) and (library := _library_of(f"{module}.")):
            return next((each for each in _known(library) if each.kind is kind), None)
        return found

    def named(self, name: str) -> Encoder | None:
        """The encoder of this name, None if there is none."""
        found = self._by_name.get(name)
        if found is None and (library := _library_of(name)):
            return next((each for each in _known(library) if each.name == name), None)
        return found


def _library_of(name: str) -> str | None:
    first = name.partition(".")[0]
    return first if first in _LIBRARIES and first != name else None


def _known(library: str) -> tuple[Encoder, ...]:
    """The encoders of a library, which is loaded for them."""
    if library == "numpy":
        from graphnb.store.encoding.arrays import ARRAYS

        return ARRAYS
    from graphnb.store.encoding.tables import TABLES

    return TABLES


def _reserved() -> frozenset[str]:
    from graphnb.store.encoding.builtin import FORMS  # which takes time that only an encoder of their own is worth

    return frozenset(FORMS)


GIVEN: Final = Encoders()
"""The encoders that are there without anybody's doing."""
