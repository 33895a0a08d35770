"""Long guarded lists and dicts behave like those that are guarded at once, and give out guarded forms."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from graphnb.errors import MutatedState
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.guarded import Place
from graphnb.state.values.guarded_items import GuardedEntries, GuardedItems
from graphnb.state.views.guard import FEW, guarded

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
