"""Long guarded lists and dicts behave like those that are guarded at once, and give out guarded forms."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from graphnb.errors import MutatedState
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.guarded import Place
from graphnb.state.values.guarded_items import GuardedEntries, GuardedItems
from graphnb.state.views.guarding import FEW, guarded

ROWS = [{"x": i, "tags": [str(i)]} for i in range(FEW + 4)]
TABLE = {str(i): row for i, row in enumerate(ROWS)}


class Holder(BaseModel):
    one: Any = None
    items: list[Any] = []


def _items() -> Any:
    value = guarded(GrownList(copy.deepcopy(ROWS)), Place("plan", "log", "Return more."))
    assert isinstance(value, GuardedItems)
    return value


def _entries() -> Any:
    value = guarded(GrownDict(copy.deepcopy(TABLE)), Place("plan", "table", "Return more."))
    assert isinstance(value, GuardedEntries)
    return value


LIST_READS: dict[str, Callable[[Any], Any]] = {
    "length": len,
    "first": lambda value: value[0],
    "last": lambda value: value[-1],
    "slice": lambda value: value[2:9:3],
    "all": lambda value: list(value),
    "reversed": lambda value: list(reversed(value)),
    "contains": lambda value: [{"x": 3, "tags": ["3"]} in value, {"x": 3} in value],
    "index": lambda value: [value.index({"x": 3, "tags": ["3"]}), value.index({"x": 3, "tags": ["3"]}, 2, 9)],
    "count": lambda value: value.count({"x": 3, "tags": ["3"]}),
    "equal": lambda value: [value == ROWS, ROWS == value, value != ROWS, value == 1, value == value[:]],
    "plus": lambda value: value + [1],  # noqa: RUF005  the operator is what is tried
    "plus before": lambda value: [1] + value,  # noqa: RUF005
    "times": lambda value: [value * 2, 2 * value],
    "copy": lambda value: [value.copy(), copy.copy(value)],
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "detached": detach,
    "repr": repr,
    "json": lambda value: [json.dumps(value), json.dumps(value, indent=1)],
    "less": lambda value: [value[:0] < value[:1]],
    "sorted": lambda value: sorted(value, key=lambda row: -row["x"]),
    "model": lambda value: Holder(items=value).items,
}
DICT_READS: dict[str, Callable[[Any], Any]] = {
    "length": len,
    "one": lambda value: value["3"],
    "get": lambda value: [value.get("3"), value.get("none"), value.get("none", 1)],
    "contains": lambda value: ["3" in value, "none" in value],
    "keys": lambda value: [list(value), list(value.keys()), list(reversed(value))],
    "values": lambda value: list(value.values()),
    "items": lambda value: list(value.items()),
    "equal": lambda value: [value == TABLE, TABLE == value, value != TABLE, value == 1, value == dict(value)],
    "dict": dict,
    "double star": lambda value: {**value},
    "union": lambda value: [value | {"z": 1}, {"z": 1} | value],
    "copy": lambda value: [value.copy(), copy.copy(value)],
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "detached": detach,
    "repr": repr,
    "json": json.dumps,
}


@pytest.mark.parametrize("way", LIST_READS)
def test_long_list_reads_like_a_list(way: str) -> None:
    """Every way of reading gives what a plain list gives."""
    assert LIST_READS[way](copy.deepcopy(ROWS)) == LIST_READS[way](_items())


@pytest.mark.parametrize("way", DICT_READS)
def test_long_dict_reads_like_a_dict(way: str) -> None:
    """Every way of reading gives what a plain dict gives."""
    assert DICT_READS[way](copy.deepcopy(TABLE)) == DICT_READS[way](_entries())


@pytest.mark.parametrize("made", [_items, _entries], ids=["list", "dict"])
def test_two_readings_of_one_value_are_equal(made: Callable[[], Any]) -> None:
    """Comparing two guarded forms compares what they stand for."""
    assert made() == made()
    assert not made() != made()  # noqa: SIM202  the operator is what is tried


def test_long_list_and_dict_are_unhashable_as_plain_ones_are() -> None:
    """Equal to a list or dict, hence without hash."""
    for value in (_items(), _entries()):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)


@pytest.mark.parametrize("index", [FEW + 4, -FEW - 5])
def test_index_out_of_range_is_told_as_by_a_list(index: int) -> None:
    """The error is list's own."""
    with pytest.raises(IndexError, match=r"^list index out of range$"):
        _items()[index]


def test_missing_key_is_told_as_by_a_dict() -> None:
    """The error is dict's own."""
    with pytest.raises(KeyError, match="none"):
        _entries()["none"]


def test_item_is_one_object_however_often_it_is_read() -> None:
    """Identity holds within one reading, as in a plain list or dict."""
    items, entries = _items(), _entries()

    assert items[0] is next(iter(items)) is items[-len(items)]
    assert entries["3"] is entries.get("3") is dict(entries)["3"]


@pytest.mark.parametrize(
    "change",
    [
        lambda: _items().append(1),
        lambda: _items()[3].update(x=1),
        lambda: next(iter(_items()))["tags"].append("x"),
        lambda: _items()[2:4][0].clear(),
        lambda: Holder(items=_items()).items[0].update(x=1),
        lambda: _entries().update(x=1),
        lambda: _entries()["3"].update(x=1),
        lambda: next(iter(_entries().values())).clear(),
        lambda: dict(_entries())["3"].clear(),
    ],
)
def test_every_change_is_refused(change: Callable[[], Any]) -> None:
    """The list, its items, and what C code reads out of it."""
    with pytest.raises(MutatedState, match=r"tried to change field '(log|table)' in place"):
        change()


def test_item_tells_which_node_read_it() -> None:
    """The error of an item names the node; that of what C code has read cannot."""
    value = _items()
    with pytest.raises(MutatedState, match=r"^node 'plan': "):
        value[0].clear()
    with pytest.raises(MutatedState, match=r"^a node: "):
        list.__getitem__(value, 0).clear()


def test_what_code_makes_by_the_type_is_its_own() -> None:
    """dataclasses.asdict calls type(value)(...): the results are plain."""

    @dataclasses.dataclass
    class Data:
        xs: Any
        table: Any

    made = dataclasses.asdict(Data(_items(), _entries()))

    assert [list, dict] == [type(made["xs"]), type(made["table"])]
    assert {"xs": ROWS, "table": TABLE} == made


class Item(BaseModel):
    x: int = 0
    tags: list[str] = []


@dataclasses.dataclass
class Slot:
    x: int
    tags: list[str]


RECORDS = {
    "models": [Item(x=i, tags=[str(i)]) for i in range(FEW + 4)],
    "dataclasses": [Slot(i, [str(i)]) for i in range(FEW + 4)],
    "sets": [{i} for i in range(FEW + 4)],
    "within": [{"one": [Item(x=i)], "two": ({i},)} for i in range(FEW + 4)],
}
OF_RECORDS = {
    **{
        name: each for name, each in LIST_READS.items() if name not in ("contains", "index", "count", "equal", "sorted")
    },
    "contains": lambda value: [value[3] in value, Item(x=77) in value, {3} in value],
    "index": lambda value: value.index(copy.deepcopy(value[3])),
    "count": lambda value: [value.count(value[3]), value.count(1)],
    "equal": lambda value: [value == value[:], value == [], value != value[:], value == copy.deepcopy(value)],
    "sorted": lambda value: sorted(value, key=repr),
    "json": lambda value: json.dumps(value, default=repr),
}


def _made_of(items: list[Any]) -> tuple[Any, Any]:
    kept = copy.deepcopy(items)
    place = Place("plan", "log", "Return more.")
    return guarded(GrownList(kept), place), guarded(GrownDict(dict(enumerate(kept))), place)


@pytest.mark.parametrize("way", OF_RECORDS)
@pytest.mark.parametrize("kind", RECORDS)
def test_long_list_of_records_or_sets_reads_like_a_list(kind: str, way: str) -> None:
    """Every way of reading gives what a plain list gives."""
    value, _ = _made_of(RECORDS[kind])

    assert isinstance(value, GuardedItems)
    assert OF_RECORDS[way](copy.deepcopy(RECORDS[kind])) == OF_RECORDS[way](value)


@pytest.mark.parametrize(
    "way", [name for name in DICT_READS if name not in ("one", "get", "contains", "equal", "json")]
)
@pytest.mark.parametrize("kind", RECORDS)
def test_long_dict_of_records_or_sets_reads_like_a_dict(kind: str, way: str) -> None:
    """The same for dicts."""
    _, value = _made_of(RECORDS[kind])

    assert isinstance(value, GuardedEntries)
    assert DICT_READS[way](dict(enumerate(copy.deepcopy(RECORDS[kind])))) == DICT_READS[way](value)
    assert value == dict(value) == value
    assert value != {}


READERS: dict[str, Callable[[Any], Any]] = {
    "detached": detach,
    "deepcopy": copy.deepcopy,
    "validated": TypeAdapter(list[Item] | dict[int, Item]).validate_python,
    "written": lambda value: [Item(**each) for each in TypeAdapter(Any).dump_python(value)],
}


@pytest.mark.parametrize("reader", READERS)
def test_everybody_sees_what_became_of_the_copies(reader: str) -> None:
    """What a node changes in what it got, and writes, is written: also where C code reads it."""
    items, entries = _made_of(RECORDS["models"])
    for value in (items,) if reader == "written" else (items, entries):
        value[3].x = 99
        seen = READERS[reader](value)

        assert [2, 99, 4] == [seen[i].x for i in (2, 3, 4)]


def test_list_that_was_emptied_round_the_guard_still_reads() -> None:
    """The guard reads what the run keeps."""
    for value in _made_of(RECORDS["models"]):
        (list if isinstance(value, list) else dict).clear(value)

        assert 3 == value[3].x


class Probe:
    """Equal to everything, and changes it."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __eq__(self, other: Any) -> bool:
        self.seen.append(other)
        return False

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    "compare",
    [
        lambda value, probe: probe in value,
        lambda value, probe: value == [probe] * len(value),
        lambda value, probe: value == dict.fromkeys(value, probe) if isinstance(value, dict) else None,
        lambda value, probe: value == [{"x": probe}] * len(value),
        lambda value, probe: value.count(probe),
        lambda value, probe: value.index(probe),
    ],
)
def test_comparing_never_gives_away_what_the_run_keeps(compare: Callable[[Any, Any], Any]) -> None:
    """The code of a class that is compared gets what refuses, or a copy."""
    for items in (ROWS, RECORDS["models"], RECORDS["sets"]):
        kept = copy.deepcopy(items)
        for value in (
            guarded(GrownList(kept), Place("plan", "log", "")),
            guarded(GrownDict(dict(enumerate(kept))), Place("plan", "log", "")),
        ):
            probe = Probe()
            with contextlib.suppress(ValueError, AttributeError):
                compare(value, probe)

            assert not {id(each) for each in probe.seen} & {id(each) for each in kept}
