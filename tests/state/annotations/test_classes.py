"""What state classes of all kinds declare."""

import dataclasses
from typing import Annotated, Literal, NotRequired, Required, TypedDict

import pydantic
import pytest
from annotated_types import Ge
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, RootModel, field_validator, model_validator

import graphnb as gn
from graphnb.errors import InvalidDeclaration
from graphnb.state.annotations.classes import (
    MISSING,
    Declared,
    checks_whole,
    config_of,
    declared_fields,
    field_config_of,
    is_pydantic,
)


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Model(gn.State):
    a: int
    b: Annotated[list[int], gn.append] = []
    c: dict[str, int] = Field(default_factory=dict)
    d: int = Field(1, ge=0)
    late: int = gn.UNSET


@dataclasses.dataclass
class Record:
    a: int
    b: Annotated[list[int], gn.append] = dataclasses.field(default_factory=list)
    d: "int" = 1


@pydantic.dataclasses.dataclass
class Checked:
    a: int
    d: int = 1


class Entries(TypedDict):
    a: int
    b: NotRequired[Annotated[list[int], gn.append]]


class Optional(TypedDict, total=False):
    a: Required[int]
    b: "int"


def test_fields_of_a_model():
    """In declared order, with metadata, defaults and factories."""
    assert (
        Declared("a", int, ()),
        Declared("b", list[int], (gn.append,), []),
        Declared("c", dict[str, int], (), MISSING, dict),
        Declared("d", int, (Ge(0),), 1),
        Declared("late", int, (), gn.UNSET),
    ) == declared_fields(Model)


def test_fields_of_dataclasses():
    """Annotations may be texts; one that pydantic makes counts as pydantic's."""
    assert (
        Declared("a", int, ()),
        Declared("b", list[int], (gn.append,), MISSING, list),
        Declared("d", int, (), 1),
    ) == declared_fields(Record)
    assert (Declared("a", int, ()), Declared("d", int, (), 1)) == declared_fields(Checked)
    assert [True, True, False, False] == [is_pydantic(each) for each in (Model, Checked, Record, Entries)]


def test_fields_of_typed_dicts():
    """One that is not required may stay unset, whoever says so."""
    assert (Declared("a", int, ()), Declared("b", list[int], (gn.append,), gn.UNSET)) == declared_fields(Entries)
    assert (Declared("a", int, ()), Declared("b", int, (), gn.UNSET)) == declared_fields(Optional)


def test_discriminator_of_a_union_is_kept():
    """Without it, errors would list every member of the union."""

    class Pets(BaseModel):
        pet: Cat | Dog = Field(discriminator="kind")

    (pet,) = declared_fields(Pets)

    assert ["kind"] == [each.discriminator for each in pet.metadata]


@pytest.mark.parametrize("kind", ["model", "dataclass"])
def test_annotation_that_is_defined_later_is_found(kind):
    """A class whose cell ran before that of its part is completed when it is used."""
    if kind == "model":

        class Early(BaseModel):
            part: "Part"  # noqa: F821  its cell comes later
    else:

        @pydantic.dataclasses.dataclass
        class Early:
            part: "Part"  # noqa: F821  likewise

    with pytest.raises(InvalidDeclaration, match="an annotation names 'Part', which is not defined"):
        declared_fields(Early)
    globals()["Part"] = Cat
    try:
        assert (Declared("part", Cat, ()),) == declared_fields(Early)
    finally:
        del globals()["Part"]


def test_undefined_name_in_a_dataclass_is_refused():
    """With the way to mend it."""

    @dataclasses.dataclass
    class Early:
        part: "Nowhere"  # noqa: F821  that is the case

    with pytest.raises(InvalidDeclaration, match="names 'Nowhere', which is not defined\nDefine it, or run its cell"):
        declared_fields(Early)


def test_what_is_no_state_class_is_refused():
    """A plain class has no declared fields, a root model no named ones."""
    with pytest.raises(InvalidDeclaration, match=r"state RootModel\[int\]: is a RootModel and has no named fields"):
        declared_fields(RootModel[int])
    with pytest.raises(InvalidDeclaration, match=r"state int: is no gn.State, pydantic model, dataclass or TypedDict"):
        declared_fields(int)


class WithScratch(BaseModel):
    _scratch: int = PrivateAttr(0)


class WithFieldValidator(BaseModel):
    a: int = 0

    @field_validator("a")
    @classmethod
    def _any(cls, value):
        return value


class WithModelValidator(BaseModel):
    @model_validator(mode="after")
    def _any(self):
        return self


class WithInit(BaseModel):
    def __init__(self, **given):
        super().__init__(**given)


class WithHook(BaseModel):
    def model_post_init(self, context):
        pass


class WithHookAndScratch(WithHook):
    _scratch: int = PrivateAttr(0)


@dataclasses.dataclass
class RecordWithHook:
    def __post_init__(self):
        pass


@pytest.mark.parametrize("cls", [Model, Record, Checked, Entries, WithScratch])
def test_class_without_code_of_its_own_is_checked_field_by_field(cls):
    """Private attributes alone are no validators."""
    assert not checks_whole(cls)


@pytest.mark.parametrize(
    "cls", [WithFieldValidator, WithModelValidator, WithInit, WithHook, WithHookAndScratch, RecordWithHook]
)
def test_class_with_code_of_its_own_is_checked_as_a_whole(cls):
    """Validators, hooks and an `__init__` may refuse or change anything; inherited ones count."""
    assert checks_whole(cls)


def test_configuration_keeps_what_is_about_values():
    """Titles and the like are about the class; where pydantic does not make it, any type is allowed."""

    class Strict(BaseModel):
        model_config = ConfigDict(strict=True, title="x", frozen=True)

    @pydantic.dataclasses.dataclass(config=ConfigDict(strict=True))
    class StrictRecord:
        a: int = 0

    assert {"strict": True} == config_of(Strict) == config_of(StrictRecord)
    assert config_of(Model) is None
    assert {"arbitrary_types_allowed": True} == config_of(Record)


def test_configuration_of_a_field_tells_also_of_keys_that_are_not_declared():
    """It counts for a TypedDict there, and not for which values a field takes else."""

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow", strict=True)

    assert {"extra": "forbid"} == field_config_of(Model)
    assert {"extra": "allow", "strict": True} == field_config_of(Open)
    assert {**config_of(Record), "extra": "forbid"} == field_config_of(Record)
    assert {"extra": "forbid"} == field_config_of(BaseModel)
