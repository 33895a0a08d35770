"""The brief forms of a write give the write back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphnb.state.folding.writes import ADDED, REPLACED, Split, written_value
from graphnb.state.values.grown import GrownDict, GrownList

LISTS = st.lists(st.integers(), max_size=4)


@given(LISTS, LISTS, LISTS)
def test_added_to_a_list_is_what_lies_between_two_versions(prior, update, later):
    """Also after the list has grown further, and for an empty update."""
    before = GrownList(list(prior))
    after = before.extended(list(update))
    after.extended(list(later))

    assert update == written_value(ADDED, before, after)


@given(LISTS, st.lists(LISTS, max_size=4))
def test_split_gives_the_lists_that_were_opened(prior, update):
    """Empty inner lists included."""
    before = GrownList(list(prior))
    after = before.extended([item for inner in update for item in inner])

    assert update == written_value(Split(tuple(map(len, update))), before, after)


@pytest.mark.parametrize("update", [{}, {"a": 2, "b": 3}])
def test_added_to_a_dict_is_its_last_update(update):
    """Nothing, if the version is the same, although an earlier update made it."""
    before = GrownDict({}).extended({"a": 1})

    assert update == written_value(ADDED, before, before.extended(update))


def test_replaced_is_the_value_after_and_anything_else_the_write_itself():
    """A write without a brief form is kept as it was given."""
    written = [1]

    assert {"after": 1} == written_value(REPLACED, [], {"after": 1})
    assert written is written_value(written, [], [1])
