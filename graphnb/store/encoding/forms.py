"""The forms of Python's own types: text, numbers, constants, lists and the like."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from types import NotImplementedType
from typing import Any, Final, NamedTuple

from graphnb.errors.text import kind_of, shown
from graphnb.state.marks import UNSET
from graphnb.state.storable.values import is_whole_text
from graphnb.store.encoding.json_text import order_of
from graphnb.store.encoding.scalars import Scalar
from graphnb.store.encoding.shape import Later, Refused, Work, item, member
from graphnb.store.encoding.wording import escaped, int_of, number_text, unescaped


class TextForm(NamedTuple):
    """Text; with half of a surrogate pair it is written with escapes, and never plain."""

    tag: str = "str"
    kind: str = "string"

    def write(self, value: Any, work: Work) -> Any:
        """The text, or a list of the escaped one."""
        return value if is_whole_text(value) else [escaped(value)]

    def read(self, data: Any, work: Work) -> Any:
        """The text."""
        if type(data) is list and len(data) == 1:
            return unescaped(wanted(data[0], str, "text"))
        return wanted(data, str, "text")


class NumberForm(NamedTuple):
    """An int or a float that JSON cannot write, as text."""

    tag: str
    number: Callable[[str], float]
    kind: str = "never"

    def write(self, value: Any, work: Work) -> Any:
        """The number as text."""
        return number_text(value)

    def read(self, data: Any, work: Work) -> Any:
        """The number."""
        return attempted(self.number, wanted(data, str, "a number as text"))


class ScalarForm(NamedTuple):
    """A value that is written as one text."""

    scalar: Scalar
    kind: str = "string"

    @property
    def tag(self) -> str:
        """Its name."""
        return self.scalar.name

    def write(self, value: Any, work: Work) -> Any:
        """The text, or a list of the escaped one."""
        text = attempted(self.scalar.text_of, value)
        return text if is_whole_text(text) else [escaped(text)]  # a path may have halves of surrogate pairs

    def read(self, data: Any, work: Work) -> Any:
        """The value."""
        return attempted(self.scalar.read, TextForm().read(data, work))


class ConstantForm(NamedTuple):
    """The one value of its type."""

    tag: str
    value: Any
    kind: str = "never"

    def write(self, value: Any, work: Work) -> Any:
        """Nothing but the tag."""
        return None

    def read(self, data: Any, work: Work) -> Any:
        """The constant."""
        if data is not None:
            raise Refused(f"{self.tag} has no value, not {kind_of(data)}: {shown(data)}")
        return self.value


class PatternForm(NamedTuple):
    """A regular expression: what it says, and its flags."""

    either: Later
    tag: str = "Pattern"
    kind: str = "never"

    def write(self, value: Any, work: Work) -> Any:
        """The text or bytes, and the flags."""
        return [work.part(self.either.shape, value.pattern, ".pattern"), value.flags]

    def read(self, data: Any, work: Work) -> Any:
        """The pattern, compiled."""
        if type(data) is not list or len(data) != 2 or type(data[1]) is not int:
            raise Refused(f"want a pattern and its flags, not {kind_of(data)}: {shown(data)}")
        said = work.part(self.either.shape, data[0], ".pattern")
        try:
            return re.compile(said, data[1])
        except Exception as error:
            raise Refused(f"is no regular expression: {shown(said)} ({error})") from error


class ItemsForm(NamedTuple):
    """A list or the like. `positions` has the shape for each item of a tuple whose length is known."""

    tag: str
    make: Callable[[list[Any]], Any]
    items: Later
    positions: tuple[Later, ...] = ()
    kind: str = "array"

    def write(self, value: Any, work: Work) -> Any:
        """The items in their order; of a deque that is bounded an object that tells how."""
        at = self.positions if len(self.positions) == len(value) else ()
        shape = self.items.shape
        made = [work.part(at[i].shape if at else shape, each, item(i)) for i, each in enumerate(value)]
        return {"items": made, "maxlen": value.maxlen} if type(value) is deque and value.maxlen is not None else made

    def read(self, data: Any, work: Work) -> Any:
        """The items again."""
        most = None
        if self.make is deque and type(data) is dict and data.keys() == {"items", "maxlen"}:
            data, most = data["items"], wanted(data["maxlen"], int, "a length")
        given = wanted(data, list, "an array")
        at = self.positions if len(self.positions) == len(given) else ()
        shape = self.items.shape
        made = [work.part(at[i].shape if at else shape, each, item(i)) for i, each in enumerate(given)]
        if most is None:
            return self.make(made)
        if most < len(made):
            raise Refused(f"{len(made):,} items in a deque of at most {most:,}")
        return attempted(lambda bound: deque(made, bound), most)


class MembersForm(NamedTuple):
    """A set: in the order of what is written, since its own is that of hashes."""

    tag: str
    make: Callable[[list[Any]], Any]
    items: Later
    kind: str = "array"

    def write(self, value: Any, work: Work) -> Any:
        """The members in order."""
        return in_order([work.part(self.items.shape, each, member(each)) for each in value])

    def read(self, data: Any, work: Work) -> Any:
        """The members again."""
        given = wanted(data, list, "an array")
        made = attempted(self.make, [work.part(self.items.shape, each, item(i)) for i, each in enumerate(given)])
        if len(made) != len(given):
            raise Refused("has a member twice")
        return made


def in_order(written: list[Any]) -> list[Any]:
    """What is written, in an order that depends on nothing else: numbers by size, text by letters."""
    kinds = set(map(type, written))
    return sorted(written) if kinds in ({int}, {str}) else sorted(written, key=order_of)


def wanted(data: Any, kind: type, told: str) -> Any:
    """The data, if they are of this type. Raises Refused."""
    if type(data) is not kind:
        raise Refused(f"want {told}, not {kind_of(data)}: {shown(data)}")
    return data


def attempted(function: Callable[[Any], Any], value: Any) -> Any:
    """What the function makes of a value; Refused if it raises what it raises for a value that it cannot take."""
    try:
        return function(value)
    except (ValueError, ArithmeticError, LookupError, TypeError, OSError) as error:
        raise Refused(f"{shown(value)} cannot be taken ({type(error).__name__}: {error})") from error


def constants() -> Iterable[ConstantForm]:
    """The constants that are values."""
    yield ConstantForm("UNSET", UNSET)
    yield ConstantForm("Ellipsis", ...)
    yield ConstantForm("NotImplemented", NotImplemented)


NUMBERS: Final = (NumberForm("int", int_of), NumberForm("float", float))
CONSTANT_TYPES: Final = {type(UNSET): "UNSET", type(...): "Ellipsis", NotImplementedType: "NotImplemented"}
