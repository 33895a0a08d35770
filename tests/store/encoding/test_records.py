"""Records come back with all that they hold, and without a call of anything in their class."""

import dataclasses
import enum
import functools
from typing import Any

import pydantic
import pytest
from pydantic import BaseModel

from graphnb.errors import UnreadableValue, UnstorableValue
from graphnb.store.encoding.values import decode, encode
from tests.store.encoding.exactness import Hidden, Note, is_identical


@dataclasses.dataclass
class Counted:
    """One whose constructor takes something else than its fields."""

    start: dataclasses.InitVar[int]
    size: int = dataclasses.field(init=False)
    made = 0

    def __post_init__(self, start: int) -> None:
        type(self).made += 1
        self.size = start + 1

    @functools.cached_property
    def double(self) -> int:
        return 2 * self.size


@pydantic.dataclasses.dataclass(config={"extra": "allow"})
class Roomy:
    size: int


@dataclasses.dataclass
class Fault(Exception):
    """A dataclass that only its own constructor can make."""

    size: int = 0


class Empty(enum.Enum):
    """An enum without members, above others."""


class Full(Empty):
    ONE = 1


class Circle(BaseModel):
    radius: float

    @functools.cached_property
    def area(self) -> float:
        return 3 * self.radius**2


def test_dataclass_is_made_without_its_constructor() -> None:
    """What it has computed is no part of it."""
    value = Counted(2)
    assert 6 == value.double
    again = decode(Counted, encode(Counted, value))

    assert {"size": 3} == encode(Counted, value) == vars(again)
    assert 1 == Counted.made


def test_dataclass_keeps_what_its_configuration_allows() -> None:
    """Fields that it does not declare."""
    value = Roomy(size=1, more=(2,))
    data = encode(Roomy, value)

    assert {"size": 1, "$extra": {"more": {"$": "tuple", "value": [2]}}} == data
    assert vars(value) == vars(decode(Roomy, data))
    assert {"size": 1} == encode(Roomy, Roomy(size=1))


def test_dataclass_that_nobody_can_make_is_refused() -> None:
    """Its base has to be called."""
    with pytest.raises(UnstorableValue, match="Fault has no form"):
        encode(Fault, Fault(1))


def test_record_filled_in_part_comes_back_as_it_is() -> None:
    """What it lacks is told by nobody."""
    note = Note.model_construct(author="A")
    del note.__dict__["pages"]
    point = object.__new__(Counted)

    assert {"author": "A"} == encode(Note, note)
    assert ["author"] == list(decode(Note, {"author": "A"}).__dict__)
    assert {} == encode(Counted, point)
    assert {} == vars(decode(Counted, {}))


def test_what_a_model_has_computed_is_left_out() -> None:
    """It is computed again."""
    value = Circle(radius=2.0)
    assert 12 == value.area

    assert {"radius": 2.0} == encode(Circle, value)


def test_private_attributes_come_back_or_are_told_by_name() -> None:
    """They are part of what a model is equal by."""
    value = Hidden(name="a")
    value._last = Note(author="Ada", pages=1)

    assert is_identical(value, decode(Hidden, encode(Hidden, value)))
    value._seen.append(print)
    with pytest.raises(UnstorableValue) as info:
        encode(list[Hidden], [value])
    assert "[0]['_seen'][0]" == info.value.path


def test_extra_fields_of_a_model_that_has_none_are_kept() -> None:
    """Where the call allowed them, and not the class; and the other way round."""
    value: Any = Note.model_construct(author="A", pages=1)
    object.__setattr__(value, "__pydantic_extra__", {"more": 1})
    data = encode(Note, value)

    assert {"more": 1} == data["$extra"] == decode(Note, data).model_extra
    bare = Hidden.model_construct()
    object.__setattr__(bare, "__pydantic_private__", None)
    assert decode(Hidden, encode(Hidden, bare)).__pydantic_private__ is None


def test_member_of_an_enum_beneath_the_declared_one_is_tagged() -> None:
    """The declared one has no members itself."""
    data = encode(Empty, Full.ONE)

    assert {"$": "tests.store.encoding.test_records.Full", "value": "ONE"} == data
    assert Full.ONE is decode(Empty, data)


class Choosy:
    """A class whose schema refuses everything."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        raise ValueError("no schema")


def test_class_that_pydantic_cannot_write_is_refused() -> None:
    """With what pydantic, or the class, has said."""
    with pytest.raises(UnstorableValue, match=r"Choosy cannot be written as JSON \(no schema\)"):
        encode(Choosy, Choosy())


class Endless:
    """A class whose schema has no end."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return cls.__get_pydantic_core_schema__(source, handler)


def test_schema_without_an_end_is_told_with_the_named_error() -> None:
    """As an encoder without one."""
    with pytest.raises(UnstorableValue, match="is nested too deep to be written"):
        encode(Endless, Endless())
    with pytest.raises(UnreadableValue, match="is nested too deep to be read"):
        decode(Endless, "a")
