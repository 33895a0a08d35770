"""Values as JSON and back: equal, and of the same type at every level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from graphnb.errors import UnreadableValue, UnstorableValue
from graphnb.errors.text import kind_of, shown
from graphnb.state.marks import UNSET
from graphnb.state.storable.values import MOST_LEVELS, is_whole_text
from graphnb.store.encoding.builtin import ANY
from graphnb.store.encoding.encoders import GIVEN, Encoders
from graphnb.store.encoding.finding import form_of_json, form_of_tag, form_of_type
from graphnb.store.encoding.json_text import with_room
from graphnb.store.encoding.shape import BASES, NATIVES, TAG, VALUE, Form, Place, Refused, Shape, place_text, unfit
from graphnb.store.encoding.typed import shape_of
from graphnb.store.encoding.wording import is_plain_number, kind_of_json

_UNSET: Final = {TAG: "UNSET"}
_DECLARE: Final = (
    "What is stored comes from the annotation: declare the class there, beside others if need be (A | B), "
    "or pass encoders with one for it: Encoders().register_encoder(...)."
)
_OTHER: Final = "It was stored as another type, or is damaged. Without a type it can be read as plain data."


def encode(
    annotation: Any, value: Any, *, encoders: Encoders = GIVEN, is_open: bool = False, where: str = "value"
) -> Any:
    """What JSON can hold of a value of the annotated type, from which `decode` makes it again.

    With `is_open` the value need not fit the annotation, as where functions of a state class change what was given.
    `where` begins the message. Raises UnstorableValue, whose `path` leads to the part that has no such form.

    >>> encode(list[int], [1, 2]), encode(list[int] | tuple[int, ...], (1, 2))
    ([1, 2], {'$': 'tuple', 'value': [1, 2]})
    """
    if value is UNSET:
        return dict(_UNSET)

    def write() -> Any:
        return _Writing(encoders).part(shape_of(annotation, is_open=is_open), value, "")

    try:
        return with_room(write)
    except Refused as refused:
        raise _error(UnstorableValue, refused, where, mend=_DECLARE) from refused.__cause__
    except RecursionError as error:  # of an encoder
        raise UnstorableValue(where, "is nested too deep to be written", _DECLARE) from error


def decode(
    annotation: Any, data: Any, *, encoders: Encoders = GIVEN, is_open: bool = False, where: str = "stored value"
) -> Any:
    """The value of which `encode`, asked in the same way, has made the data.

    No class is made, imported or called but for those that the annotation names, or that inherit from these. Raises
    UnreadableValue, whose `path` leads to what is no value of the annotated type.

    >>> decode(set[int], [1, 2]), decode(float, {"$": "float", "value": "inf"})
    ({1, 2}, inf)
    """
    if data == _UNSET:
        return UNSET

    def read() -> Any:
        return _Reading(encoders).part(shape_of(annotation, is_open=is_open), data, "")

    try:
        return with_room(read)
    except Refused as refused:
        raise _error(UnreadableValue, refused, where, mend=_OTHER) from refused.__cause__
    except RecursionError as error:  # of a decoder
        raise UnreadableValue(where, "is nested too deep to be read", _OTHER) from error


class _Writing:
    """One value being written."""

    __slots__ = ("_encoders", "_levels")

    def __init__(self, encoders: Encoders) -> None:
        self._encoders = encoders
        self._levels = 0

    def part(self, shape: Shape, value: Any, at: Place) -> Any:
        """What is written for a part."""
        kind = type(value)
        if kind in shape.natives and _means_itself(shape, value):
            return value
        try:
            form = form_of_type(shape, kind, self._encoders)
            if form is None:
                raise _homeless(shape, value, self._encoders)
            if self._levels == MOST_LEVELS:
                raise Refused(f"is nested deeper than {MOST_LEVELS} levels, or holds itself", "Store a flatter value.")
            self._levels += 1
            written = form.write(value, self)
        except Refused as refused:
            refused.path.append(at)
            raise
        self._levels -= 1
        if shape.plain.get(kind_of_json(written)) == form.tag:
            return written
        return {TAG: form.tag} if written is None else {TAG: form.tag, VALUE: written}


class _Reading:
    """One value being read."""

    __slots__ = ("_encoders", "_forms", "_levels")

    def __init__(self, encoders: Encoders) -> None:
        self._encoders = encoders
        self._forms: dict[tuple[Shape, str], Form | None] = {}  # looked up once: classes beneath one may be many
        self._levels = 0

    def part(self, shape: Shape, data: Any, at: Place) -> Any:
        """What the data of a part mean."""
        kind = type(data)
        if kind is str and shape.plain["string"] == BASES["string"] and str in shape.natives:
            return data
        try:
            if kind_of_json(data) == "itself":
                if kind not in shape.natives or (kind is float and not is_plain_number(data)):
                    raise unfit(shape, data)
                return data
            form, content = self._form(shape, data)
            if self._levels == MOST_LEVELS:
                raise Refused(f"is nested deeper than {MOST_LEVELS} levels")
            self._levels += 1
            value = form.read(content, self)
        except Refused as refused:
            refused.path.append(at)
            raise
        self._levels -= 1
        return value

    def _form(self, shape: Shape, data: Any) -> tuple[Any, Any]:
        """The form, and what it is to read."""
        if type(data) is not dict or TAG not in data:
            form = form_of_json(shape, kind_of_json(data))
            if form is None:
                raise unfit(shape, data)
            return form, data
        tag = data[TAG]
        if type(tag) is not str or not data.keys() <= {TAG, VALUE}:
            raise Refused(f"want a tag and a value, not {shown(data)}")
        if (shape, tag) not in self._forms:
            self._forms[shape, tag] = form_of_tag(shape, tag, self._encoders)
        form = self._forms[shape, tag]
        if form is None:
            raise Refused(f"the tag {shown(tag)} names nothing that the type {shape.text} allows")
        return form, data.get(VALUE)


def _means_itself(shape: Shape, value: Any) -> bool:
    """True if the value is written as it is: with a text others may be meant, and some numbers JSON cannot write."""
    if type(value) is str:
        return shape.plain["string"] == BASES["string"] and is_whole_text(value)
    return value is None or type(value) is bool or is_plain_number(value)


def _homeless(shape: Shape, value: Any, encoders: Encoders) -> Refused:
    if type(value) in NATIVES or form_of_type(ANY.shape, type(value), encoders):
        return unfit(shape, value, f"Declare the field so that it may be {kind_of(value)} too.")
    return Refused(f"{kind_of(value)} has no form in which it could be stored as {shape.text}: {shown(value)}")


def _error(
    make: Callable[..., UnstorableValue | UnreadableValue], refused: Refused, where: str, *, mend: str
) -> UnstorableValue | UnreadableValue:
    path = "".join(map(place_text, reversed(refused.path))).removeprefix(".")
    told = make(f"{where}, {path}" if path else where, refused.what, refused.mend or mend)
    told.path = path
    return told
