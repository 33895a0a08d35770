"""Writing guards in Python: `field("status") == "open"`."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.graph.guards.guard import Guard
from graphnb.state.storable.values import bare_of_member, find_unstorable
from graphnb.state.values.detach import detach

_NO_ORDER: Final = "Guards ask for equality, existence, change and versions; let a node write what else is needed."


def field(name: str) -> FieldReference:
    """A field or an input, to make a guard of: `.changed()`, `.exists()`, `== value`, `.version >= n`, `.at(...)`.

    >>> (field("score") == 3) | field("notes").at("log", 0).exists()
    (field('score') == 3) | field('notes').at('log', 0).exists()
    """
    if not isinstance(name, str) or not name:
        what = f"takes the name of a field, not {kind_of(name)} {shown(name)}"
        raise InvalidDeclaration("field", what, "Write gn.field('name').")
    return FieldReference(name)


class FieldReference:
    """A field, or a place within its value."""

    __slots__ = ("_name", "_segments")

    def __init__(self, name: str, segments: tuple[str | int, ...] | None = None) -> None:
        self._name = name
        self._segments = segments

    def at(self, *segments: str | int) -> FieldReference:
        """A place within the value: text steps into a mapping, an integer into a list, from its end if negative."""
        for segment in segments:
            if type(segment) not in (str, int):
                what = f"takes texts and integers, not {kind_of(segment)} {shown(segment)}"
                raise InvalidDeclaration(f"{self!r}.at", what, "Write .at('key', 0).")
        return FieldReference(self._name, (*(self._segments or ()), *segments))

    def exists(self) -> Guard:
        """True if there is a value, null included."""
        return Guard("exists", (self._reference(),))

    def changed(self) -> Guard:
        """True if the field was written in this very step, whatever the value."""
        return Guard("changed", (self._whole("changed()"),))

    @property
    def version(self) -> FieldVersion:
        """How often the field was committed, to be compared: `.version >= 2`."""
        return FieldVersion(self._whole("version"))

    def __eq__(self, other: object) -> Guard:  # type: ignore[override]  # a condition, to be asked later
        if isinstance(other, FieldReference):
            return Guard("equals", (self._reference(), Guard("path", (other._name, list(other._segments or ())))))
        value = bare_of_member(other)
        unstorable = find_unstorable(value)
        if unstorable is not None:
            mend = "Compare with text, a number, True, False, None, or a list or a dict of them."
            raise InvalidDeclaration(f"{self!r} ==", f"cannot be compared with that: {unstorable[1]}", mend)
        return Guard("equals", (self._reference(), detach(value)))

    def __ne__(self, other: object) -> Guard:  # type: ignore[override]  # also true where there is no value
        return ~(self == other)

    __hash__ = None  # type: ignore[assignment]  # equality makes a guard

    def __lt__(self, other: object) -> NoReturn:
        raise InvalidDeclaration(repr(self), "cannot be compared by order", _NO_ORDER)

    __le__ = __gt__ = __ge__ = __lt__

    def __bool__(self) -> NoReturn:
        raise InvalidDeclaration(repr(self), "is neither true nor false before a run", "Ask .exists(), or compare it.")

    def __invert__(self) -> NoReturn:
        raise InvalidDeclaration(repr(self), "is a field and no condition", "Ask .exists(), or compare it.")

    def __and__(self, other: object) -> NoReturn:
        self.__invert__()

    __or__ = __and__

    def __repr__(self) -> str:
        within = "" if self._segments is None else f".at({', '.join(map(shown, self._segments))})"
        return f"field({shown(self._name)}){within}"

    def _reference(self) -> Any:
        return self._name if self._segments is None else Guard("path", (self._name, list(self._segments)))

    def _whole(self, what: str) -> str:
        if self._segments is not None:
            raise InvalidDeclaration(f"{self!r}.{what}", "a place within a field has none of its own", "Ask the field.")
        return self._name


class FieldVersion:
    """The version of a field, which `>=` turns into a guard."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __ge__(self, least: int) -> Guard:
        if type(least) is not int or least < 0:
            what = f"takes an integer from 0 on, not {kind_of(least)} {shown(least)}"
            raise InvalidDeclaration(f"{self!r} >=", what, "Write .version >= 2.")
        return Guard("version_at_least", (self._name, least))

    def __eq__(self, other: object) -> NoReturn:
        raise InvalidDeclaration(repr(self), "can only be compared with >=", "Write .version >= 2.")

    __ne__ = __lt__ = __le__ = __gt__ = __eq__
    __hash__ = None  # type: ignore[assignment]  # as equality

    def __repr__(self) -> str:
        return f"field({shown(self._name)}).version"
