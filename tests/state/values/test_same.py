"""Equality that never raises and never guesses; and what surely differs from a copy."""

import copy
import dataclasses
import decimal
import functools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.same import has_changed, is_same

NAN = float("nan")


@dataclasses.dataclass
class Loose:
    items: Any


class Model(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    items: Any = None


class Plain:
    """An object without an equality of its own."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class Slotted:
    __slots__ = ("__weakref__", "a", "b")


class OneSlot:
    __slots__ = "a"


class Computing:
    @functools.cached_property
    def total(self):
        return 3

    def remember(self):
        self._known = [1]


class Failing:
    def __eq__(self, other):
        raise ValueError("never ask me")

    __hash__ = None


class NotItself:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return False

    __hash__ = None


SCALARS = st.sampled_from([0, 1, True, False, 1.0, 0.0, -0.0, NAN, "", "1", b"1", None, 1j, complex(NAN, 1)])
KEYS = st.sampled_from([0, 1, True, 1.0, "a", (1,), (True,)])
VALUES = st.recursive(
    SCALARS | st.builds(decimal.Decimal, st.sampled_from(["1", "NaN"])) | st.frozensets(KEYS, max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=2)
        | st.builds(Loose, inner)
    ),
    max_leaves=4,
)


@given(VALUES)
def test_every_value_is_the_same_as_itself_and_as_its_copy(value):
    """Reflexive, NaN at any depth included."""
    assert is_same(value, value)
    assert is_same(value, copy.deepcopy(value))
    assert not has_changed(value, copy.deepcopy(value))


@given(VALUES, VALUES, VALUES)
def test_sameness_is_symmetric_and_transitive(one, two, three):
    """An equivalence relation, so that it does not matter who is compared with whom."""
    assert is_same(one, two) == is_same(two, one)
    assert not (is_same(one, two) and is_same(two, three)) or is_same(one, three)


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [x], lambda x: {"a": x}, lambda x: {x: 1}, lambda x: {x}])
@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0, False), ((1,), (True,)), ("1", b"1")])
def test_values_of_different_types_differ_at_every_depth(wrap, one, other):
    """1, True and 1.0 are equal to Python, but not shown alike: as items, values, keys or members."""
    assert not is_same(wrap(one), wrap(other))


@pytest.mark.parametrize(
    "make",
    [
        lambda: float("nan"),
        lambda: complex("nan+1j"),
        lambda: decimal.Decimal("NaN"),
        lambda: np.float64("nan"),
        lambda: [np.array([1.0, NAN])],
        lambda: pd.DataFrame({"a": [1.0, NAN]}),
        lambda: Loose(float("nan")),
        lambda: Model(items=[np.array([NAN])]),
    ],
)
def test_nan_made_anew_is_the_same(make):
    """Alone, in arrays and tables, and in records whose own equality says otherwise."""
    assert is_same(make(), make())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (complex(NAN, 1), complex(NAN, 2)),
        (np.array([1]), np.array([1.0])),
        (np.array([1, 2]), np.array([1, 3])),
        (np.array([1]), np.array([[1]])),
        (np.array([1]), np.array([1, 2])),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
        (Loose([1]), Loose([2])),
        (Model(items=1), Model(items=2)),
        ([1], [1, 2]),
        ([1], (1,)),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({1}, {1, 2}),
        (Plain(), Plain()),
        (Failing(), Failing()),
    ],
)
def test_values_that_differ_are_not_the_same(one, other):
    """In a part, a shape, a kind, a key or a length; and whatever cannot be compared."""
    assert not is_same(one, other)


def test_order_of_keys_does_not_tell_dicts_apart():
    """As with Python's own equality."""
    assert is_same({"a": 1, "b": [2]}, {"b": [2], "a": 1})


def test_kept_versions_are_compared_by_their_items():
    """Versions of growing lists and dicts like lists and dicts, but not the same as those."""
    assert is_same(GrownList([NAN]), GrownList([NAN]))
    assert is_same(GrownDict({"a": [1]}), GrownDict({}).extended({"a": [1]}))
    assert not is_same(GrownDict({"a": 1}), GrownDict({"a": True}))


def test_subclasses_of_list_and_dict_are_lists_and_dicts():
    """A guarded list is the same as the list that it was made of."""

    class MyList(list):
        pass

    class MyDict(dict):
        pass

    assert is_same(MyList([1]), [1])
    assert is_same({"a": 1}, MyDict(a=1))


def test_list_that_holds_itself_is_the_same_as_itself_alone():
    """Comparing two rings does not end by itself; nothing is raised."""
    one: list[Any] = [1]
    one.append(one)

    assert is_same(one, one)
    assert not is_same(one, copy.deepcopy(one))


def _slotted(**attributes: Any) -> Slotted:
    made = Slotted()
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


CHANGES = {
    "list": (lambda: [[1]], lambda x: x[0].append(2)),
    "dict value": (lambda: {"a": [1]}, lambda x: x["a"].append(2)),
    "dict key": (lambda: {"a": [1]}, lambda x: x.update(b=1)),
    "tuple": (lambda: (Plain(), [1]), lambda x: x[1].append(2)),
    "set": (lambda: {1}, lambda x: x.add(2)),
    "set of equal size": (lambda: {1}, lambda x: (x.add(2), x.remove(1))),
    "attribute": (lambda: Plain(a=[1]), lambda x: x.a.append(2)),
    "new attribute": (lambda: Plain(a=1), lambda x: setattr(x, "b", 2)),
    "attribute gone": (lambda: Plain(a=1, b=2), lambda x: delattr(x, "b")),
    "private attribute": (lambda: Plain(_a=[1]), lambda x: x._a.append(2)),
    "slot": (lambda: _slotted(a=[1]), lambda x: x.a.append(2)),
    "new slot of object": (lambda: Plain(a=_slotted(a=1)), lambda x: setattr(x.a, "a", 2)),
    "array": (lambda: np.array([1, 2]), lambda x: x.put(0, 9)),
    "array of objects": (lambda: np.array([Plain(a=1), None]), lambda x: setattr(x[0], "a", 2)),
    "shape of an array of objects": (lambda: np.array([Plain(), None]), lambda x: setattr(x, "shape", (2, 1))),
    "table": (lambda: pd.DataFrame({"a": [1]}), lambda x: x.insert(0, "b", [2])),
    "cell of a table": (lambda: pd.DataFrame({"a": [1, 2]}), lambda x: x.__setitem__("a", [1, 3])),
    "index of a table": (lambda: pd.DataFrame({"a": [1, 2]}), lambda x: setattr(x, "index", [5, 6])),
    "column of arrays": (lambda: pd.Series([np.array([1, 2]), None]), lambda x: x.__setitem__(1, 3)),
    "bytearray": (lambda: bytearray(b"a"), lambda x: x.extend(b"b")),
}


@pytest.mark.parametrize(("make", "change"), CHANGES.values(), ids=CHANGES)
def test_change_of_a_copy_is_noticed_and_nothing_else_is(make, change):
    """A fresh copy has not changed, the same copy after the change has."""
    value = make()
    copied = copy.deepcopy(value)

    assert not has_changed(value, copied)
    change(copied)
    assert has_changed(value, copied)


def test_copy_of_another_type_has_changed():
    """Whatever it holds."""
    assert has_changed([1], (1,))
    assert has_changed(1, True)


def test_what_a_class_computes_for_itself_is_no_change():
    """A cached property and a private attribute appear when an object is read."""
    value = Computing()
    copied = copy.deepcopy(value)
    copied.remember()

    assert 3 == copied.total
    assert not has_changed(value, copied)


def test_objects_without_attributes_differ_only_by_an_equality_of_their_own():
    """Two bare objects cannot be told apart; what has an equality and denies it has changed."""
    assert not has_changed(object(), object())
    assert has_changed(decimal.Decimal(1), decimal.Decimal(2))
    assert not has_changed(OneSlot(), OneSlot())


def test_attributes_decide_where_equality_denies_itself():
    """An object that equals nothing, itself included, is compared by what it holds."""
    assert not has_changed(NotItself(1), NotItself(1))
    assert has_changed({1: Plain(x=1)}, {1: Plain(x=2)})


def test_set_of_objects_that_are_equal_to_themselves_alone_is_taken_as_unchanged():
    """Copies of such members are never found in the other set; only the number tells."""
    value = {Plain(), Plain()}

    assert not has_changed(value, copy.deepcopy(value))
    assert has_changed(value, {Plain()})


def test_what_raises_when_compared_counts_as_unchanged():
    """Only what surely differs is a change."""

    class Hidden:
        __slots__ = ()

        def __getattribute__(self, name):
            raise ValueError("never ask me")

    assert not has_changed(Hidden(), Hidden())


def _family() -> Plain:
    parent = Plain(name="a", children=[])
    parent.children += [Plain(name=name, parent=parent, children=[]) for name in "bcd"]
    return parent


def test_objects_that_refer_to_each_other_are_compared_once_each():
    """A tree whose nodes know their parents: comparing ends soon, and finds the change."""
    value = _family()
    copied = copy.deepcopy(value)

    assert not has_changed(value, copied)
    copied.children[2].children.append(1)
    assert has_changed(value, copied)


def test_list_that_holds_itself_twice_has_not_changed():
    """Comparing rings ends."""
    ring: list[Any] = []
    ring += [ring, ring]

    assert not has_changed(ring, copy.deepcopy(ring))


def test_texts_of_numpy_are_compared_as_texts():
    """They call themselves arrays as well."""
    assert is_same(np.str_("a"), np.str_("a")) and is_same(np.bytes_(b"a"), np.bytes_(b"a"))
    assert not is_same(np.str_("a"), np.str_("b"))
    assert not is_same(np.str_("a"), "a")
