"""State classes in a module whose annotations are texts, as users write them."""

from __future__ import annotations

import dataclasses
import functools
import typing
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import typing_extensions
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, computed_field
from pydantic.dataclasses import dataclass as pydantic_dataclass

import graphnb as gn

T = TypeVar("T")


class Total(typing.TypedDict):
    """Typed with `typing`; a field need not be there."""

    xs: Annotated[list[str], gn.append]
    n: typing.NotRequired[int]
    m: typing.NotRequired[Annotated[dict[str, int], gn.merge]]


class Partial(typing_extensions.TypedDict, total=False):
    """Typed with `typing_extensions`; only one field has to be there."""

    xs: typing_extensions.Required[Annotated[list[str], gn.append]]
    ro: typing_extensions.ReadOnly[list[int]]
    n: int


@dataclasses.dataclass
class Data:
    """A dataclass with a class-level default for what is boxed."""

    xs: Annotated[list[str], gn.append] = dataclasses.field(default_factory=list)
    anything: Any = None
    n: int = 0
    later: str = gn.UNSET
    constant: ClassVar[int] = 3

    @functools.cached_property
    def length(self) -> list[int]:
        """Computed once per view."""
        return [len(self.xs)]


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    """A frozen dataclass with slots."""

    rows: Annotated[list[dict[str, int]], gn.append] = dataclasses.field(default_factory=list)
    anything: Any = None
    later: str = gn.UNSET


@dataclasses.dataclass
class Checked:
    """A dataclass that checks itself and derives a field."""

    a: int
    double: int = dataclasses.field(init=False, default=0)
    xs: list[int] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        """Refuses negative numbers."""
        if self.a < 0:
            raise ValueError("a must not be negative")
        self.double = self.a * 2


@pydantic_dataclass
class PydanticData:
    """A pydantic dataclass with an alias."""

    a: int = Field(alias="A")
    xs: Annotated[list[int], gn.append] = Field(default_factory=list)


class Plain(BaseModel):
    """A model that is not frozen, with everything a model may have."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    xs: list[str] = []
    n: int = 0
    _scratch: int = PrivateAttr(default=7)
    _node: dict[str, int] = PrivateAttr(default_factory=dict)

    def doubled(self) -> int:
        """A method."""
        return self.n * 2

    @property
    def first(self) -> str:
        """A property."""
        return self.xs[0]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def length(self) -> int:
        """A computed field."""
        return len(self.xs)

    @functools.cached_property
    def lengths(self) -> list[int]:
        """A cached property."""
        return [len(each) for each in self.xs]


class Base(gn.State):
    """A state to inherit from."""

    a: int = 0


class Child(Base, Generic[T]):
    """Generic, with a forward reference, an alias and a factory that sees other fields."""

    items: list[T] = []
    later: Later | None = None
    derived: list[int] = Field(default_factory=lambda data: [data["a"]])
    named: int = Field(1, alias="outsideName")


class Later(BaseModel):
    """Defined after it was used."""

    z: int = 0


class Outer:
    """Holds a state class."""

    class Inner(gn.State):
        """A nested one."""

        n: int = 1
