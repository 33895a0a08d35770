"""Lists, dicts and sets that refuse to be changed."""

from __future__ import annotations

import copy
import dataclasses
import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from graphnb.errors import MutatedState
from graphnb.errors.text import kind_of
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownList
from graphnb.state.values.guarded import GuardedSet
from graphnb.state.views.guarding import FEW, GuardedDict, GuardedList, Place, guarded

PLACE = Place("plan", "log", "Return the change instead: return {'log': [the new items]}")


def _plus(value: Any, other: Any) -> None:
    value += other


def _times(value: Any) -> None:
    value *= 2


def _or(value: Any) -> None:
    value |= {"b": 1}


def _delete(value: Any, key: Any) -> None:
    del value[key]


LIST_CHANGES: dict[str, Callable[[Any], Any]] = {
    "append": lambda value: value.append(1),
    "extend": lambda value: value.extend([1]),
    "insert": lambda value: value.insert(0, 1),
    "remove": lambda value: value.remove(1),
    "pop": lambda value: value.pop(),
    "clear": lambda value: value.clear(),
    "sort": lambda value: value.sort(reverse=True),
    "reverse": lambda value: value.reverse(),
    "item assignment": lambda value: value.__setitem__(0, 1),
    "del": lambda value: _delete(value, slice(None)),
    "+=": lambda value: _plus(value, [1]),
    "*=": _times,
}
DICT_CHANGES: dict[str, Callable[[Any], Any]] = {
    "pop": lambda value: value.pop("a"),
    "popitem": lambda value: value.popitem(),
    "clear": lambda value: value.clear(),
    "update": lambda value: value.update(b=1),
    "setdefault": lambda value: value.setdefault("b", 1),
    "item assignment": lambda value: value.__setitem__("b", 1),
    "del": lambda value: _delete(value, "a"),
    "|=": _or,
}
SET_CHANGES: dict[str, Callable[[Any], Any]] = {
    "add": lambda value: value.add(1),
    "discard": lambda value: value.discard(1),
    "remove": lambda value: value.remove(1),
    "pop": lambda value: value.pop(),
    "clear": lambda value: value.clear(),
    "update": lambda value: value.update([1]),
    "difference_update": lambda value: value.difference_update([1]),
    "intersection_update": lambda value: value.intersection_update([1]),
    "symmetric_difference_update": lambda value: value.symmetric_difference_update([1]),
    "|=": lambda value: operator.ior(value, {1}),
    "&=": lambda value: operator.iand(value, {1}),
    "-=": lambda value: operator.isub(value, {1}),
    "^=": lambda value: operator.ixor(value, {1}),
}


def _set() -> Any:
    """What C code finds in a long list of sets."""
    return list.__getitem__(guarded(GrownList([{1, 2}] * (FEW + 1)), PLACE), 0)


@pytest.mark.parametrize("how", LIST_CHANGES)
def test_every_change_of_a_list_is_refused_by_name(how: str) -> None:
    """The error says node, field, what was tried and what to return instead."""
    with pytest.raises(MutatedState) as caught:
        LIST_CHANGES[how](guarded([1, 2], PLACE))

    assert f"node 'plan': tried to change field 'log' in place ({how})\n{PLACE.mend}" == str(caught.value)
    assert "plan" == caught.value.node


@pytest.mark.parametrize("how", DICT_CHANGES)
def test_every_change_of_a_dict_is_refused_by_name(how: str) -> None:
    """The same for dicts."""
    with pytest.raises(MutatedState) as caught:
        DICT_CHANGES[how](guarded({"a": 1}, PLACE))

    assert f"node 'plan': tried to change field 'log' in place ({how})\n{PLACE.mend}" == str(caught.value)


@pytest.mark.parametrize("how", SET_CHANGES)
def test_every_change_of_a_set_is_refused_by_name(how: str) -> None:
    """The same for the sets of a long list, which all readers share."""
    with pytest.raises(MutatedState) as caught:
        SET_CHANGES[how](_set())

    assert f"a node: tried to change field 'log' in place ({how})\n{PLACE.mend}" == str(caught.value)


@pytest.mark.parametrize(
    ("kind", "changes"), [(list, LIST_CHANGES), (dict, DICT_CHANGES), (set, SET_CHANGES)], ids=["list", "dict", "set"]
)
def test_no_method_that_changes_was_forgotten(kind: type, changes: dict[str, Any]) -> None:
    """What the guard leaves as it is does not change the value."""
    reading = {
        *("count", "index", "copy", "get", "items", "keys", "values", "fromkeys"),
        *("difference", "intersection", "symmetric_difference", "union", "isdisjoint", "issubset", "issuperset"),
        *(name for name in dir(kind) if name.startswith("__") and name not in ("__setitem__", "__delitem__")),
    } - {"__iadd__", "__imul__", "__ior__", "__iand__", "__isub__", "__ixor__"}
    guard = {list: GuardedList, dict: GuardedDict, set: GuardedSet}[kind]
    changing = [name for name in dir(kind) if name not in reading]

    assert [] == [name for name in changing if name not in vars(guard)]
    assert len(changes) == len(changing)


def test_plain_copies_may_be_changed() -> None:
    """copy, slices, deepcopy and pickle give plain lists and dicts."""
    items, entries = guarded([[1]], PLACE), guarded({"a": {"b": 1}}, PLACE)
    plain = [
        *(items.copy(), items[:], copy.copy(items), copy.deepcopy(items), pickle.loads(pickle.dumps(items))),
        *(entries.copy(), copy.copy(entries), copy.deepcopy(entries), pickle.loads(pickle.dumps(entries))),
    ]

    assert [list] * 5 + [dict] * 4 == [type(each) for each in plain]
    assert [list, list, dict, dict] == [type(plain[3][0]), type(plain[4][0]), type(plain[7]["a"]), type(plain[8]["a"])]


def test_guarded_set_is_a_set_to_everybody_who_reads() -> None:
    """What is made of it is plain."""
    value = _set()
    made = [
        *(value.copy(), value | {3}, {3} | value, value - {1}, value.union([3])),
        *(copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value)), detach(value)),
    ]

    assert {1, 2} == value
    assert isinstance(value, set)
    assert ("{1, 2}", "set") == (repr(value), kind_of(value))
    assert {set} == {type(each) for each in made}
    assert {1, 2} == made[-1] == made[-2] == made[-3] == made[-4]


def test_shallow_copy_still_guards_what_it_holds() -> None:
    """The items of a copied list belong to the node as little as those of the list."""
    with pytest.raises(MutatedState):
        guarded([[1]], PLACE).copy()[0].append(2)


def test_what_code_makes_by_the_type_of_a_guarded_value_is_its_own() -> None:
    """dataclasses.asdict calls type(value)(...): the result can be changed like any list or dict."""

    @dataclasses.dataclass
    class Data:
        xs: Any

    made = dataclasses.asdict(Data(guarded([{"a": [1]}], PLACE)))["xs"]
    made.append(2)
    made[0]["b"] = 1
    del made[0]["a"]
    made += [3]
    made.sort(key=str)

    assert [2, 3, {"b": 1}] == made


def test_deepcopy_keeps_what_is_shared() -> None:
    """A guarded list that stands twice in a value is copied once."""
    value = guarded([1], PLACE)
    copied = copy.deepcopy({"a": value, "b": value})

    assert copied["a"] is copied["b"]
