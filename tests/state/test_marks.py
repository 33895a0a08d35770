"""UNSET and Replace."""

import copy
import dataclasses
import pickle

import pytest

from graphnb.state.marks import UNSET, Replace


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
