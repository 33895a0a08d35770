"""Twins are made once for all versions, and not where readers need copies of their own."""

from __future__ import annotations

from typing import Any

import pytest

from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.guarded_items import GuardedEntries, GuardedItems
from graphnb.state.views.guarding import FEW, GuardedDict, GuardedList, Place, guarded
from graphnb.state.views.twins import twins_of


def _list(size: int = FEW + 1) -> GrownList:
    return GrownList([[i] for i in range(size)])


def _dict(size: int = FEW + 1) -> GrownDict:
    return GrownDict({i: [i] for i in range(size)})


class _Guard:
    """Counts what it guards."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.copied = self.unshared = False

    def __call__(self, item: Any) -> Any:
        self.seen.append(item)
        return ("twin", item)


def test_growing_list_makes_a_twin_per_item_once() -> None:
    """Reading every version costs what was added, not the whole list."""
    guard, value = _Guard(), _list(3)
    for i in range(3, 6):
        twins_of(value, guard, guard)
        value = value.extended([[i]])
    twins = twins_of(value, guard, guard)

    assert twins is not None
    assert [("twin", [i]) for i in range(6)] == twins.items
    assert [[i] for i in range(6)] == guard.seen


def test_growing_dict_makes_a_twin_per_write_once() -> None:
    """The same for a dict, whose later entries win."""
    guard, value = _Guard(), _dict(2)
    twins_of(value, guard, guard)
    value = value.extended({1: ["new"], 2: [2]})
    twins = twins_of(value, guard, guard)

    assert twins is not None
    assert {0: ("twin", [0]), 1: ("twin", ["new"]), 2: ("twin", [2])} == twins.entries
    assert [[0], [1], ["new"], [2]] == guard.seen


def test_earlier_list_shares_the_twins_of_a_later_one() -> None:
    """Its items are the first ones."""
    guard, first = _Guard(), _list(2)
    twins_of(first, guard, guard)
    twins_of(first.extended([[2]]), guard, guard)

    assert [[0], [1], [2]] == guard.seen
    assert twins_of(first, guard, guard) is first.twins
    assert 3 == len(guard.seen)


def test_earlier_dict_has_no_twins_once_a_later_one_was_read() -> None:
    """Its values may have been written over."""
    guard, first = _Guard(), _dict(2)
    twins_of(first.extended({0: ["new"]}), guard, guard)

    assert twins_of(first, guard, guard) is None


def test_list_that_parts_ways_has_twins_of_its_own() -> None:
    """Two continuations of one list never show each other's items."""
    first = _list()
    guarded(first, Place("a", "f", ""))
    left, right = first.extended([["left"]]), first.extended([["right"]])

    assert ["left"] == guarded(left, Place("a", "f", ""))[-1]
    assert ["right"] == guarded(right, Place("a", "f", ""))[-1]
    assert ["right"] == list.__getitem__(guarded(right, Place("a", "f", "")), -1)


@pytest.mark.parametrize(
    "value", [_list().extended([bytearray()]), _dict().extended({"x": bytearray()})], ids=["list", "dict"]
)
def test_items_that_cannot_refuse_are_copied_for_each_reader(value: Any) -> None:
    """A bytearray cannot refuse: all is guarded at once, and the copies are remembered, at every reading."""
    for _ in range(2):
        place = Place("a", "f", "")

        assert type(guarded(value, place)) in (GuardedList, GuardedDict)
        assert 1 == len(place.copies)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (GrownList(list(range(FEW))), GuardedList),
        (GrownList(list(range(FEW + 1))), GuardedList),
        (_list(FEW), GuardedList),
        (_list(FEW + 1), GuardedItems),
        (GrownDict(dict.fromkeys(range(FEW + 1))), GuardedDict),
        (_dict(FEW), GuardedDict),
        (_dict(FEW + 1), GuardedEntries),
    ],
    ids=["few atoms", "atoms", "few", "many", "atoms of a dict", "few of a dict", "many of a dict"],
)
def test_only_what_is_long_and_deep_is_guarded_item_by_item(value: Any, kind: type) -> None:
    """Atoms need no guard of their own, and few items are guarded at once."""
    own = guarded(value, Place("a", "f", ""))

    assert kind is type(own)
    assert own == value.to_list() if isinstance(value, GrownList) else own == value.to_dict()


def test_items_that_cannot_refuse_are_looked_for_once() -> None:
    """A list that grows behind one such item makes no twins again."""
    guard, value = _Guard(), _list(2)
    guard.unshared = True
    twins_of(value, guard, guard)

    assert twins_of(value.extended([[2]]), guard, guard) is None
    assert [[0], [1]] == guard.seen
