"""What C code finds in a long list of models reads like the models, and refuses to be changed."""

from __future__ import annotations

import abc
import collections
import copy
import dataclasses
import functools
import json
import pickle
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pydantic
import pytest
from pydantic import BaseModel, ConfigDict, PrivateAttr, TypeAdapter, computed_field, model_validator

from graphnb.errors import MutatedState
from graphnb.errors.text import kind_of
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.guarded_items import GuardedItems
from graphnb.state.values.guarded_records import GuardedRecord, is_guardable
from graphnb.state.values.same import is_same
from graphnb.state.views.guarding import FEW, GuardedList, Place, guarded

PLACE = Place("plan", "log", "Return more.")
T = TypeVar("T")


class Item(BaseModel):
    """What it says."""

    x: int = 0
    tags: list[str] = []
    inner: Item | None = None
    _notes: list[str] = PrivateAttr(default_factory=list)

    @computed_field
    @property
    def double(self) -> int:
        return 2 * self.x

    @functools.cached_property
    def text(self) -> str:
        return "".join(self.tags)

    @classmethod
    def made(cls) -> Item:
        return cls(x=7)

    @property
    def broken(self) -> int:
        raise AttributeError("out of order")

    def size(self) -> int:
        return len(self.tags) + self.x

    def noted(self) -> list[str]:
        return self._notes

    def grow(self) -> None:
        self.x += 1

    def tag(self) -> None:
        self.tags.append("new")


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    x: int = 0
    tags: list[str] = []


@dataclasses.dataclass
class Data:
    x: int = 0
    tags: list[str] = dataclasses.field(default_factory=list)
    inner: Any = None

    def __post_init__(self) -> None:
        self.seen = [self.x]


@dataclasses.dataclass(slots=True)
class Slotted:
    x: int = 0
    tags: list[str] = dataclasses.field(default_factory=list)
    inner: Any = None


@dataclasses.dataclass(frozen=True)
class Frozen(abc.ABC):  # noqa: B024  its metaclass is what is tried
    x: int = 0
    tags: Any = ()


@pydantic.dataclasses.dataclass
class Checked:
    x: int = 0
    tags: list[str] = dataclasses.field(default_factory=list)


class Box(BaseModel, Generic[T]):
    x: int = 0
    tags: list[T] = []


class Sized(BaseModel):
    """Not true though it is there."""

    x: int = 1
    tags: list[str] = []

    def __len__(self) -> int:
        return 0


def _noted() -> Item:
    item = Item(x=1, tags=["a"], inner=Item(tags=["b"]))
    item._notes.append("n")
    return item


RECORDS: dict[str, Callable[[], Any]] = {
    "model": _noted,
    "extra": lambda: Open(x=1, tags=["a"], more=[1]),
    "sized": lambda: Sized(tags=["a"]),
    "generic": lambda: Box[str](x=1, tags=["a"]),
    "dataclass": lambda: Data(1, ["a"], {"b": [Data()]}),
    "slots": lambda: Slotted(1, ["a"], Slotted()),
    "frozen": lambda: Frozen(1, ["a"]),
    "pydantic dataclass": lambda: Checked(1, ["a"]),
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda value: value,
    "repr": repr,
    "str": str,
    "equal": lambda value: [value == copy.deepcopy(value), value == 1, value == type(value)(x=9)],
    "is instance": lambda value: [isinstance(value, (Item, Open)), value.__class__, value.__doc__, value.__module__],
    "kind": kind_of,
    "fields": lambda value: [value.x, value.tags, getattr(value, "inner", None), getattr(value, "seen", None)],
    "extra field": lambda value: getattr(value, "more", None),
    "dump": lambda value: [value.model_dump(), value.model_dump_json(), value.model_fields_set],
    "dump by type": lambda value: TypeAdapter(value.__class__).dump_python(value),
    "dump of anything": lambda value: TypeAdapter(Any).dump_json(value),
    "model_copy": lambda value: [value.model_copy(), value.model_copy(update={"x": 3}, deep=True)],
    "iteration": list,
    "validated": lambda value: TypeAdapter(value.__class__).validate_python(value),
    "validated again": lambda value: (
        pydantic.create_model(
            "Again", __config__=ConfigDict(revalidate_instances="always"), one=(value.__class__, ...)
        )(one=value).one
    ),
    "asdict": lambda value: [dataclasses.asdict(value), dataclasses.astuple(value)],
    "replace": lambda value: dataclasses.replace(value, x=4),
    "json": lambda value: json.dumps(value, default=lambda each: each.__dict__),
    "vars": lambda value: dict(vars(value)),
    "attributes": lambda value: [name for name in dir(value) if name in ("x", "tags", "grow", "more", "seen")],
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "detached": detach,
    "by its type": lambda value: type(value)(x=3),
    "methods": lambda value: [value.size(), value.noted(), value.made(), value.double, value.text, value.text],
    "unknown": lambda value: value.nothing,
    "broken": lambda value: value.broken,
    "hash": hash,
    "truth": bool,
    "pattern": lambda value: _matched(value),
    "dispatch": lambda value: _dispatched(value),
}


@functools.singledispatch
def _dispatched(value: object) -> str:
    return "other"


@_dispatched.register
def _(value: Item) -> str:
    return f"item {value.x}"


def _matched(value: Any) -> Any:
    match value:
        case Data(x, tags) | Slotted(x, tags) | Frozen(x, tags):
            return ["by place", x, tags]
        case Item(x=x, inner=Item(tags=tags)):
            return ["by name", x, tags]
    return None


def _twin(record: Any) -> Any:
    """What lies in a long list that holds the record."""
    value = guarded(GrownList([record, *([1] * FEW)]), PLACE)
    assert isinstance(value, GuardedItems)
    twin = list.__getitem__(value, 0)
    assert isinstance(twin, GuardedRecord)
    return twin


def _outcome(way: Callable[[Any], Any], value: Any) -> Any:
    try:
        return detach(way(value))
    except Exception as error:
        return type(error), "" if isinstance(error, TypeError) else str(error)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("record", RECORDS)
def test_twin_of_a_record_reads_like_the_record(record: str, way: str) -> None:
    """Every way of reading gives what the record gives, errors included."""
    assert _outcome(WAYS[way], RECORDS[record]()) == _outcome(WAYS[way], _twin(RECORDS[record]()))


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle", "detached", "by its type"])
@pytest.mark.parametrize("record", RECORDS)
def test_copy_of_a_twin_is_a_record_of_the_callers_own(record: str, way: str) -> None:
    """Of the user's very class, and plain all the way down."""
    made = WAYS[way](_twin(RECORDS[record]()))

    assert type(RECORDS[record]()) is type(made)
    assert type(made.tags) in (list, tuple)
    assert is_same(WAYS[way](RECORDS[record]()), made)


def _delete(value: Any) -> None:
    del value.x


CHANGES: dict[str, Callable[[Any], Any]] = {
    "setting 'x'": lambda value: setattr(value, "x", 5),
    "setting 'novel'": lambda value: setattr(value, "novel", 5),
    "deleting 'x'": _delete,
    "append": lambda value: value.tags.append("X"),
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("record", RECORDS)
def test_every_change_of_a_twin_is_refused_by_name(record: str, how: str) -> None:
    """The error says field, what was tried and what to return instead."""
    with pytest.raises(MutatedState) as caught:
        CHANGES[how](_twin(RECORDS[record]()))

    assert f"a node: tried to change field 'log' in place ({how})\nReturn more." == str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda twin: twin.grow(),
        lambda twin: twin.tag(),
        lambda twin: twin.noted().append("X"),
        lambda twin: twin.inner.tags.append("X"),
        lambda twin: setattr(twin.inner, "x", 1),
        lambda twin: twin.model_fields_set.add("X"),
        lambda twin: setattr(twin, "_notes", []),
    ],
)
def test_methods_and_what_lies_deeper_refuse_too(change: Callable[[Any], Any]) -> None:
    """Wherever the change comes from."""
    with pytest.raises(MutatedState, match="field 'log' in place"):
        change(_twin(_noted()))


SABOTAGE: dict[str, Callable[[Any], Any]] = {
    "object.__setattr__": lambda value: object.__setattr__(value, "x", 99),
    "a name of its own": lambda value: object.__setattr__(value, "novel", 99),
    "object.__delattr__": lambda value: object.__delattr__(value, "x"),
    "vars": lambda value: vars(value).update(x=99, novel=99),
    "object's __dict__": lambda value: object.__getattribute__(value, "__dict__").update(x=99, novel=99),
    "list.append": lambda value: list.append(value.tags, "X"),
    "extra": lambda value: dict.update(value.__pydantic_extra__, more=99, novel=99),
    "private": lambda value: dict.update(object.__getattribute__(value, "__pydantic_private__"), _notes=99),
    "private set": lambda value: object.__setattr__(value, "__pydantic_private__", {"_notes": 99}),
    "slot deleted": lambda value: object.__delattr__(value, "__pydantic_extra__"),
    "slot": lambda value: type(value).x.__set__(value, 99),
    "fields set": lambda value: set.add(value.__pydantic_fields_set__, "X"),
    "__init__": lambda value: value.__init__(x=99),
    "class": lambda value: object.__setattr__(value, "__class__", Item),
    "setstate": lambda value: value.__setstate__({"x": 99, "__dict__": {"x": 99}}),
    "reduce": lambda value: [setattr(each, "x", 99) for each in value.__reduce_ex__(4)[1]],
}


@pytest.mark.parametrize("how", SABOTAGE)
@pytest.mark.parametrize("record", RECORDS)
def test_going_round_the_guard_of_a_twin_changes_nothing(record: str, how: str) -> None:
    """Neither what the run keeps nor what the next reader finds in the same place."""
    kept = RECORDS[record]()
    twin = _twin(kept)
    text = repr(twin)
    _outcome(SABOTAGE[how], twin)

    assert is_same(RECORDS[record](), kept)
    assert RECORDS[record]() == twin == kept
    assert text == repr(twin)
    assert not hasattr(twin, "novel")


def test_records_that_refer_to_each_other_in_a_ring_have_twins() -> None:
    """Each is guarded when it is reached, and a list that holds itself is one on every round."""
    one, two = Data(1), Data(2)
    one.inner, two.inner = two, one
    ring: list[Any] = [1]
    ring.append(ring)
    two.tags = ring
    twin = _twin(one)

    assert (1, 2, 1) == (twin.x, twin.inner.x, twin.inner.inner.x)
    assert twin.inner.tags[1][1][0] == 1
    with pytest.raises(MutatedState):
        twin.inner.tags[1].append(2)


def test_slot_that_is_empty_stays_empty() -> None:
    """Reading it fails as it does on the record."""
    record = Slotted(1)
    del record.inner
    twin = _twin(record)

    assert not hasattr(twin, "inner")
    assert 1 == twin.x


def test_what_a_class_computes_later_is_copied() -> None:
    """The record may get a value after its twin was made, even one that cannot refuse."""
    record = Data(1)
    twin = _twin(record)
    record.__dict__["later"] = collections.deque([1])
    twin.later.append(2)

    assert collections.deque([1]) == twin.later == record.later


def test_subclasses_that_a_class_counts_are_its_own() -> None:
    """Its `__init_subclass__` is not called for what stands for it."""
    known = []

    class Counted(BaseModel):
        tags: list[str] = []

        def __init_subclass__(cls, **options: Any) -> None:
            known.append(cls)

    twin = _twin(Counted(tags=["a"]))

    assert isinstance(twin, Counted)
    assert [] == known


class Derived(Item):
    y: int = 1


class Bare(BaseModel):
    pass


class OnBare(Bare):
    tags: list[str] = []


class Judged(BaseModel):
    tags: list[str] = []

    @model_validator(mode="after")
    def _tagged(self) -> Judged:
        self.tags = [*self.tags, "judged"]
        return self


class Schemed(BaseModel):
    tags: list[str] = []

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return handler(source)


class OfDerived(Derived, Generic[T]):
    pass


class Meta(type):
    pass


@dataclasses.dataclass
class Ruled(metaclass=Meta):
    tags: list[str]


@dataclasses.dataclass
class Failure(Exception):
    tags: list[str]


@dataclasses.dataclass
class Reading:
    tags: list[str]

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Plain:
    def __init__(self) -> None:
        self.tags = ["a"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (OnBare(tags=["a"]), True),
        (Box(tags=["a"]), True),
        ([(1, {"a": {1}}, Data())], True),
        (Derived(), False),
        (OfDerived[str](), False),
        (Box[str](tags=["a"]), True),
        (Judged(), False),
        (Schemed(), False),
        (Ruled([]), False),
        (Failure([]), False),
        (Reading([]), False),
        (Plain(), False),
        (collections.deque(), False),
        (collections.Counter(), False),
        (bytearray(), False),
        (Data(inner=[collections.deque()]), False),
        (Item.model_construct(tags={"a": Plain()}), False),
        (Slotted(inner=(Plain(),)), False),
        (frozenset({Failure}), True),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_only_records_that_a_subclass_can_stand_for_are_guarded(value: Any, expected: bool) -> None:
    """What needs more than attributes, or holds something that does, is copied for each reader instead."""
    assert expected is is_guardable(value)
    assert (GuardedItems if expected else GuardedList) is type(guarded(GrownList([value, *([[1]] * FEW)]), PLACE))


def test_record_that_holds_a_lock_is_handed_on() -> None:
    """What cannot be copied is the same for every reader, as everywhere."""
    record = Data(inner=threading.Lock())

    assert record is guarded(GrownList([record, *([[1]] * FEW)]), PLACE)[0]


def test_derived_models_are_written_as_what_they_are() -> None:
    """Why a record that inherits fields has no twin: pydantic would write a subclass of Derived as an Item."""

    class Batch(BaseModel):
        items: list[Item | Derived]

    class Stand(Derived):
        pass

    many = guarded(GrownList([Derived(y=i) for i in range(FEW + 1)]), PLACE)

    assert "y" not in Batch(items=[Stand()]).model_dump()["items"][0]
    assert list(range(FEW + 1)) == [each["y"] for each in Batch(items=many).model_dump()["items"]]


def test_validators_of_a_model_may_set_its_fields() -> None:
    """Why a model with such validators has no twin: pydantic runs them on instances too."""

    class Batch(BaseModel):
        items: list[Judged]

    many = guarded(GrownList([Judged() for _ in range(FEW + 1)]), PLACE)

    assert ["judged", "judged"] == Batch(items=many).items[0].tags


@pytest.mark.parametrize("made", [GrownList, lambda items: GrownDict(dict(enumerate(items)))], ids=["list", "dict"])
@pytest.mark.parametrize("record", RECORDS)
def test_ordinary_reading_gives_a_copy_of_the_very_class(record: str, made: Callable[[Any], Any]) -> None:
    """As from a short list: it may be changed, and the change is found out unless the node writes the field."""
    place = Place("plan", "log", "")
    value = guarded(made([RECORDS[record]() for _ in range(FEW + 1)]), place)
    assert [] == place.copies
    own = value[3]

    assert type(RECORDS[record]()) is type(own)
    assert own is value[3] is (list.__getitem__(value, 3) if isinstance(value, list) else dict.__getitem__(value, 3))
    assert [own] == [each for _, _, each in place.copies]
