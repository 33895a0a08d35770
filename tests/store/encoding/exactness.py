"""Classes that the tests of encoding store, and an equality that overlooks nothing."""

import collections
import dataclasses
import datetime
import enum
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar

from pydantic import BaseModel, PrivateAttr

from graphnb.state.values.same import contents_of, is_same

Item = TypeVar("Item")


class Color(enum.Enum):
    RED = 1
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mood(enum.StrEnum):
    CALM = "calm"


class Right(enum.Flag):
    READ = 1
    WRITE = 2


class Mask(enum.IntFlag):
    READ = 1
    WRITE = 2


class Note(BaseModel):
    author: str
    pages: int = 1


class DatedNote(Note):
    day: datetime.date | str


class Open(BaseModel):
    model_config = {"extra": "allow"}

    day: datetime.date


class Hidden(BaseModel):
    name: str = ""
    _seen: list[Any] = PrivateAttr(default_factory=list)
    _last: Note | None = PrivateAttr(default=None)


class Tree(BaseModel):
    parts: list["Tree"] = []


class Box(BaseModel, Generic[Item]):
    item: Item


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    x: float
    around: frozenset[int] = frozenset()


@dataclasses.dataclass
class Pair(Generic[Item]):
    left: Item
    right: Item


class Entry(NamedTuple):
    name: str
    day: datetime.date


class Draft(TypedDict, total=False):
    day: datetime.date
    parts: list["Draft"]


Loose = collections.namedtuple("Loose", "one other")


def is_identical(one: Any, other: Any) -> bool:
    """True if nothing tells the two apart: types, signs of zero, zones and folds, order of entries, what was set."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return is_same(one, other) and (math.isnan(one) or math.copysign(1, one) == math.copysign(1, other))
    if isinstance(one, complex):
        return is_identical(one.real, other.real) and is_identical(one.imag, other.imag)
    if isinstance(one, (datetime.datetime, datetime.time)):
        zones = is_identical(one.tzinfo, other.tzinfo) and str(one.tzinfo) == str(other.tzinfo)
        return zones and one.isoformat() == other.isoformat() and one.fold == other.fold
    if isinstance(one, (list, tuple, collections.deque)):
        return len(one) == len(other) and all(map(is_identical, one, other))
    if isinstance(one, Mapping):
        return all(map(is_identical, one, other)) and is_identical(list(one.values()), list(other.values()))
    if isinstance(one, AbstractSet):
        return is_same(one, other)
    if isinstance(one, BaseModel):
        is_set = one.model_fields_set == other.model_fields_set
        return is_set and is_identical(contents_of(one), contents_of(other)) and one == other
    if dataclasses.is_dataclass(one):
        return is_identical(contents_of(one), contents_of(other))
    return is_same(one, other) and repr(one) == repr(other)
