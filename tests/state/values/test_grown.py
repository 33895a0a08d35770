"""Growing lists and dicts: every version behaves like the plain copy that it stands for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphnb.state.values.grown import GrownDict, GrownList, added_since, entries_of, grown, items_of

STEPS = st.lists(st.tuples(st.integers(0, 30), st.lists(st.integers(0, 9), max_size=3)), max_size=15)
READS = st.lists(st.integers(0, 30), max_size=15)
UPDATES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9), max_size=3)


@given(st.lists(st.integers(0, 9), max_size=3), STEPS)
def test_grown_lists_behave_like_plain_copies_whichever_version_grows(start, steps):
    """Any earlier version may be extended again; no other version ever changes."""
    versions, plain = [GrownList(list(start))], [start]
    for chosen, items in steps:
        parent = chosen % len(versions)
        versions.append(versions[parent].extended(list(items)))
        plain.append(plain[parent] + items)

        assert items == versions[-1].since(versions[parent])

    assert plain == [each.to_list() for each in versions]
    assert plain == versions
    assert plain == [list(map(int, each)) for each in versions]
    assert [len(each) for each in plain] == [len(each) for each in versions]
    assert list(map(repr, plain)) == list(map(repr, versions))
    assert plain == [items_of(each) for each in versions]


@given(UPDATES, st.lists(st.tuples(st.integers(0, 30), UPDATES), max_size=15), READS)
def test_grown_dicts_behave_like_plain_copies_whichever_version_grows(start, steps, reads):
    """The same for dicts, with the order of keys, and reading versions in any order."""
    versions, plain = [GrownDict(dict(start))], [start]
    for chosen, update in steps:
        parent = chosen % len(versions)
        versions.append(versions[parent].extended(dict(update)))
        plain.append({**plain[parent], **update})
        if update:
            assert update == versions[-1].last_update()
            assert {key: plain[parent][key] for key in update if key in plain[parent]} == versions[-1].last_replaced()
    for read in reads:
        version, entries = versions[read % len(versions)], plain[read % len(versions)]

        assert list(entries.items()) == list(entries_of(version).items())

    assert plain == versions
    assert [list(each.items()) for each in plain] == [list(each.to_dict().items()) for each in versions]
    assert [len(each) for each in plain] == [len(each) for each in versions]
    assert [[(key, "f" in each) for key in each] for each in plain] == [
        [(key, "f" in each) for key in each] for each in versions
    ]
    assert list(map(repr, plain)) == list(map(repr, versions))


@pytest.mark.parametrize("index", [*range(-3, 3), slice(None), slice(1, None), slice(-2, None), slice(None, None, -1)])
def test_index_in_an_earlier_version_counts_from_that_version_s_end(index):
    """Items that a later version added are out of reach."""
    one = GrownList([1, 2, 3])
    one.extended([4, 5])

    assert [1, 2, 3][index] == one[index]


@pytest.mark.parametrize("index", [3, -4, 100])
def test_index_beyond_an_earlier_version_raises(index):
    """IndexError, although the buffer goes on."""
    one = GrownList([1, 2, 3])
    one.extended([4, 5])

    with pytest.raises(IndexError):
        one[index]


def test_empty_extension_gives_the_same_version():
    """Nothing was added, so that nothing is new."""
    items, entries = GrownList([1]), GrownDict({"a": 1})

    assert items is items.extended([])
    assert entries is entries.extended({})


def test_lists_and_dicts_given_out_are_the_caller_s_own():
    """Emptying them leaves the version."""
    items, entries = GrownList([1]), GrownDict({"a": 1})
    items.to_list().clear()
    entries.to_dict().clear()

    assert [1] == items
    assert {"a": 1} == entries


def test_versions_equal_lists_and_dicts_but_no_others():
    """As a list equals no tuple, and a dict equals no list of pairs; neither is hashable."""
    assert GrownList([1]) == GrownList([1])
    assert GrownDict({"a": 1}) == GrownDict({"a": 1})
    assert GrownList([1]) != (1,)
    assert GrownList([1]) != [2]
    assert GrownDict({"a": 1}) != [("a", 1)]
    assert GrownDict({"a": 1}) != {"a": 2}
    for each in (GrownList([1]), GrownDict({"a": 1})):
        with pytest.raises(TypeError, match="unhashable"):
            hash(each)


def test_first_version_of_a_dict_has_no_last_update():
    """It was not made by one."""
    assert ({}, {}) == (GrownDict({"a": 1}).last_update(), GrownDict({"a": 1}).last_replaced())


def test_missing_key_raises_in_an_earlier_version_only():
    """A key of a later version is not there yet."""
    one = GrownDict({"a": 1})
    two = one.extended({"b": 2})

    assert 2 == two["b"]
    with pytest.raises(KeyError):
        one["b"]


@pytest.mark.parametrize("most", [0, 2, 9])
def test_first_items_are_at_most_so_many(most):
    """In the order in which keys were written."""
    entries = GrownDict({"a": 1, "b": 2}).extended({"c": 3, "a": 4})

    assert [("a", 4), ("b", 2), ("c", 3)][:most] == entries.first_items(most)


def test_dict_that_grows_while_it_is_copied_gives_its_own_version():
    """Another thread may extend a version between the two looks at its ledger."""
    one = GrownDict({"a": 1})

    class Racing(dict):
        def keys(self):
            one.extended({"a": 2, "b": 3})
            return list(super().keys())

        def __iter__(self):  # so that dict() asks for the keys
            return super().__iter__()

    one._ledger.head = Racing(a=1)

    assert {"a": 1} == one.to_dict()


def test_grown_takes_exact_lists_and_dicts_alone():
    """A subclass may behave otherwise and stays as it is."""

    class Mine(list):
        pass

    mine = Mine([1])

    assert GrownList is type(grown([1]))
    assert GrownDict is type(grown({}))
    assert mine is grown(mine)
    assert 3 == grown(3)


def test_items_and_entries_of_plain_values_are_not_copied():
    """Reading them is free; what is no list becomes one."""
    items: list[Any] = [1]
    entries: dict[str, Any] = {"a": 1}

    assert items is items_of(items)
    assert entries is entries_of(entries)
    assert [1, 2] == items_of((1, 2))


def test_what_was_added_since_a_version_is_all_that_made_the_later_one():
    """Of lists the items, of dicts the entries as they are there, over any number of versions."""
    items, entries = GrownList([1]), GrownDict({"a": 1})

    assert [2, 3] == added_since(items, items.extended([2]).extended([3]))
    assert {"b": 3} == added_since(entries, entries.extended({"b": 2}).extended({"b": 3}))
    assert [] == added_since(items, items)
    assert {} == added_since(entries, entries)
    assert [1] == added_since(GrownList([]), GrownList([]).extended([1]))


def test_what_is_no_later_version_was_not_added_to():
    """One that parted ways, an earlier one, one of its own, or a value that does not grow."""
    items, entries = GrownList([1]), GrownDict({"a": 1})
    items.extended([2])
    entries.extended({"b": 2})

    assert added_since(items, items.extended([3])) is None
    assert added_since(entries, entries.extended({"c": 3})) is None
    assert added_since(items.extended([4]), items) is None
    later = GrownDict({})
    assert added_since(later.extended({"a": 1}), later) is None
    assert added_since([1], [1, 2]) is None
    assert added_since(items, [1, 2]) is None
    assert added_since(entries, {"a": 1}) is None
