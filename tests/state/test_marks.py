"""UNSET, Replace, and what is no value."""

import copy
import dataclasses
import pickle

import pytest

from graphnb.state.marks import UNSET, NoValue, Replace, find_no_value


def test_unset_is_false_and_shows_its_name():
    """It stands for nothing, in conditions and in signatures."""
    assert not UNSET
    assert "UNSET" == repr(UNSET)


def test_unset_copied_or_pickled_stays_the_one_instance():
    """`is UNSET` holds wherever the mark travels."""
    copies = [copy.copy(UNSET), copy.deepcopy([UNSET])[0], pickle.loads(pickle.dumps(UNSET))]

    assert all(each is UNSET for each in copies)


def test_replace_holds_the_value_and_cannot_be_changed():
    """The very value that was given; two with equal values are equal."""
    value = [1]
    replace = Replace(value)

    assert value is replace.value
    assert Replace([1]) == replace
    with pytest.raises(dataclasses.FrozenInstanceError):
        replace.value = [2]


def test_no_value_is_found_itself_or_as_an_item():
    """With the key or index that leads to it; what lies deeper is not looked for."""
    no_value = NoValue()

    assert ((), no_value) == find_no_value(no_value)
    assert ((1,), no_value) == find_no_value([0, no_value, no_value])
    assert (("b",), no_value) == find_no_value({"a": 0, "b": no_value})
    assert all(find_no_value(each) is None for each in (0, "x", [], {}, [0], {"a": 0}, [[no_value]], (no_value,)))
