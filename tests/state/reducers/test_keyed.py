"""The three reducers with an option, against naive references, and the options that they refuse."""

import copy
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphnb.errors import ReducerConfigurationInvalid
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key

ITEMS = st.lists(st.integers(-4, 4), max_size=8)
PAIRS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 99)), max_size=8)
first = operator.itemgetter(0)


@given(st.integers(1, 5), ITEMS, ITEMS)
def test_bounded_append_keeps_the_last_items_of_the_whole(max_len, prior, update):
    """Items leave at the front, one by one, until the bound holds; an empty update drops nothing."""
    expected = prior + update
    while update and len(expected) > max_len:
        expected = expected[1:]

    assert expected == bounded_append(max_len)(prior, update)


@pytest.mark.parametrize("key", [None, abs])
@given(prior=ITEMS, update=ITEMS)
def test_dedupe_append_adds_the_first_item_of_every_new_key(key, prior, update):
    """Keys of the prior count, duplicates in the prior stay, and of equal new keys the first wins."""
    expected = list(prior)
    for item in update:
        if all((key or int)(item) != (key or int)(known) for known in expected):
            expected.append(item)

    assert expected == dedupe_append(key)(prior, update)


@given(PAIRS, PAIRS)
def test_merge_by_key_replaces_the_last_equal_key_or_adds_behind(prior, update):
    """Items are placed one after the other, each in place of the last item with its key, else at the end."""
    expected = list(prior)
    for item in update:
        places = [i for i, known in enumerate(expected) if known[0] == item[0]]
        if places:
            expected[places[-1]] = item
        else:
            expected.append(item)

    assert expected == merge_by_key(first)(prior, update)


@pytest.mark.parametrize("reducer", [bounded_append(3), dedupe_append(), dedupe_append(first), merge_by_key(first)])
@given(prior=PAIRS, update=PAIRS)
def test_arguments_stay_and_an_empty_update_changes_nothing(reducer, prior, update):
    """Emptying the result leaves both arguments; an empty update gives an equal list of the caller's own."""
    before = copy.deepcopy((prior, update))
    reducer(prior, update).clear()
    result = reducer(prior, [])

    assert before == (prior, update)
    assert prior == result
    assert prior is not result


@pytest.mark.parametrize("reducer", [bounded_append(3), dedupe_append(), merge_by_key(first)], ids=lambda one: one.name)
@pytest.mark.parametrize("value", [(1,), {1}, "ab", None, 3, {"a": 1}])
def test_what_is_no_list_is_refused(reducer, value):
    """As prior or as update: a TypeError that names the reducer, the role and the type."""
    kind = "None" if value is None else type(value).__name__

    with pytest.raises(TypeError, match=f"^{reducer.name} takes a list as prior, not {kind}: "):
        reducer(value, [])
    with pytest.raises(TypeError, match=f"^{reducer.name} takes a list as update, not {kind}: "):
        reducer([], value)


@pytest.mark.parametrize("reducer", [dedupe_append(), merge_by_key(lambda item: item)])
def test_unhashable_key_raises_and_leaves_the_prior(reducer):
    """An item that cannot be a key is a TypeError, also when another one was taken before it."""
    prior = [1]

    with pytest.raises(TypeError, match="unhashable"):
        reducer(prior, [2, [3]])
    assert [1] == prior


@pytest.mark.parametrize("max_len", [0, -1, True, 2.0, "3", None])
def test_bounded_append_with_a_wrong_bound_is_refused_when_it_is_made(max_len):
    """A bound is an int of at least 1; True is none."""
    with pytest.raises(
        ReducerConfigurationInvalid, match=r"(?s)must be an int of at least 1.*Try bounded_append\(10\)"
    ):
        bounded_append(max_len)


@pytest.mark.parametrize("factory", [dedupe_append, merge_by_key])
@pytest.mark.parametrize("key", ["id", 3])
def test_key_that_is_no_callable_is_refused_when_the_reducer_is_made(factory, key):
    """The message names the factory, the type of what was given, and a key that would do."""
    message = rf"(?s){factory.__name__}: key is {type(key).__name__} .*Try {factory.__name__}\(key=lambda item"

    with pytest.raises(ReducerConfigurationInvalid, match=message):
        factory(key)


def test_merge_by_key_without_a_key_is_refused():
    """None is no key, other than for dedupe_append."""
    with pytest.raises(ReducerConfigurationInvalid, match=r"key is None \(None\)"):
        merge_by_key(None)


@pytest.mark.parametrize(
    ("reducer", "text"),
    [
        (bounded_append(3), "bounded_append(max_len=3)"),
        (dedupe_append(), "dedupe_append()"),
        (dedupe_append(abs), "dedupe_append(key=abs)"),
        (merge_by_key(lambda item: item), "merge_by_key(key=...)"),
        (merge_by_key(first), "merge_by_key(key=itemgetter(0))"),
        (merge_by_key(operator.itemgetter("id", 1)), "merge_by_key(key=itemgetter('id', 1))"),
        (dedupe_append(operator.attrgetter("id")), "dedupe_append(key=attrgetter('id'))"),
    ],
)
def test_reducer_is_shown_as_the_call_that_makes_it(reducer, text):
    """A key is shown by its name, a lambda by dots: never by its address."""
    assert text == repr(reducer)
