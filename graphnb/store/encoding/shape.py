"""What may stand at one place of a value, and in which form each of it is written.

JSON has six kinds of values, Python has more. A place where one type alone is written as text (a date, or a member of
an enum) has that text as it is; where several might be meant, all but the plainest are tagged: {"$": "date", "value":
"2024-05-01"}. What means itself (null, booleans, numbers) is never tagged, except for numbers that JSON cannot write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any, Final, Protocol

from graphnb.errors.text import kind_of, shown

TAG: Final = "$"
VALUE: Final = "value"
NATIVES: Final = frozenset({NoneType, bool, int, float, str})
BASES: Final = {"string": "str", "array": "list", "object": "dict"}
"""What each kind of JSON is read as where several types are written so, or none."""


Place = str | int | tuple[str, object]
"""Where a part lies in what is around it; made into text when something is wrong there, and not before."""


class Refused(Exception):
    """A part cannot be written or read; every level that it leaves adds its own place to the path."""

    def __init__(self, what: str, mend: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend
        self.path: list[Place] = []  # from the inside out


class Work(Protocol):
    """Writing or reading under way: what forms ask to have their parts done."""

    def part(self, shape: Shape, value: Any, at: Place) -> Any:
        """The part of a value at a place, written or read."""


class Form(Protocol):
    """How the values of one type are written. `kind` is what JSON calls what is written, as a rule."""

    @property
    def tag(self) -> str:
        """The tag that means it."""

    @property
    def kind(self) -> str:
        """What JSON calls it."""

    def write(self, value: Any, work: Work) -> Any:
        """What JSON can write, for a value of exactly this type. Raises Refused."""

    def read(self, data: Any, work: Work) -> Any:
        """The value again, from anything that JSON may have. Raises Refused."""


class Later:
    """A shape that is made when first asked for: types may hold themselves."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Shape]) -> None:
        self._make = make
        self._made: Shape | None = None

    @property
    def shape(self) -> Shape:
        """The shape, the same one each time."""
        self._made = self._made or self._make()
        return self._made


class Shape:
    """What may stand at one place.

    `forms` are those of Python's own types by tag, `classes` those of the classes that the annotation names, None for
    one that has none itself though a class beneath it may. `natives` are the types that mean themselves and may stand
    here. `is_open`: whatever else Python has may stand here too, under its tag.
    """

    __slots__ = ("classes", "forms", "is_open", "natives", "plain", "text")

    def __init__(
        self,
        text: str,
        *,
        forms: Mapping[str, Form],
        classes: Mapping[type, Form | None],
        natives: frozenset[type],
        is_open: bool,
    ) -> None:
        self.text = text
        self.forms = forms
        self.classes = classes
        self.is_open = is_open
        self.natives = NATIVES if is_open else natives
        self.plain = {kind: self._plain(kind, base) for kind, base in BASES.items()}

    def _plain(self, kind: str, base: str) -> str:
        """The tag of what is written as this kind of JSON without one; the base where that is not sure."""
        tags = [each.tag for each in (*self.forms.values(), *self.classes.values()) if each and each.kind == kind]
        return tags[0] if len(set(tags)) == 1 else base


def unfit(shape: Shape, value: Any, mend: str = "") -> Refused:
    """The refusal of what the type of its place does not have."""
    told = "null" if value is None else f"{kind_of(value)} {shown(value)}"
    return Refused(f"{told} is not of the type {shape.text}", mend)


def attribute(name: str) -> Place:
    """The place of an attribute of a record."""
    return f".{name}"


def item(key: object) -> Place:
    """The place of an item by its index or key."""
    return key if type(key) is int else ("[]", key)


def member(value: object) -> Place:
    """The place of a member of a set."""
    return "{}", value


def place_text(place: Place) -> str:
    """The place as a part of a path.

    >>> place_text(attribute("name")), place_text(item(3)), place_text(item("a")), place_text(member("a"))
    ('.name', '[3]', "['a']", "{'a'}")
    """
    if isinstance(place, tuple):
        brackets, key = place
        return f"{brackets[0]}{shown(key)}{brackets[1]}"
    return f"[{place}]" if isinstance(place, int) else place
