"""The five reducers without options: their laws, their strictness, and what their refusals say."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all
from graphnb.state.values.grown import GrownDict, GrownList

ITEMS = st.lists(st.integers() | st.lists(st.integers(), max_size=2), max_size=6)
ENTRIES = st.dictionaries(st.sampled_from("abcde"), st.integers() | st.lists(st.integers(), max_size=2))
LAWFUL = {
    append: (ITEMS, ITEMS),
    concat_flatten: (ITEMS, st.lists(ITEMS, max_size=4)),
    merge: (ENTRIES, ENTRIES),
    merge_all: (ENTRIES, st.lists(ENTRIES, max_size=4)),
}
NO_LISTS = [(1,), {1}, "ab", b"a", None, 3, {"a": 1}, range(2), GrownList([1])]
NO_MAPPINGS = [[1], [("a", 1)], ("a", 1), {"a"}, "ab", None, 3]
each_reducer = pytest.mark.parametrize("reducer", LAWFUL, ids=lambda reducer: reducer.__name__)


def _halves(update, at):
    if isinstance(update, dict):
        return dict(list(update.items())[:at]), dict(list(update.items())[at:])
    return update[:at], update[at:]


@each_reducer
@given(data=st.data())
def test_update_folded_in_two_halves_gives_what_folding_it_once_gives(reducer, data):
    """Cutting an update anywhere and folding the halves in turn changes nothing, the order of keys included."""
    prior, update = map(data.draw, LAWFUL[reducer])
    first, second = _halves(update, data.draw(st.integers(0, len(update))))
    once, twice = reducer(prior, update), reducer(reducer(prior, first), second)

    assert once == twice
    assert list(once) == list(twice)


@each_reducer
@given(data=st.data())
def test_empty_update_gives_an_equal_prior_that_is_another_object(reducer, data):
    """Nothing to add: the result equals the prior, in its order, yet is the caller's own."""
    prior, update = map(data.draw, LAWFUL[reducer])
    result = reducer(prior, type(update)())

    assert prior == result
    assert list(prior) == list(result)
    assert prior is not result


@each_reducer
@given(data=st.data())
def test_arguments_stay_and_the_result_is_neither_of_them(reducer, data):
    """Emptying the result leaves both arguments as they were given."""
    prior, update = map(data.draw, LAWFUL[reducer])
    before = copy.deepcopy((prior, update))
    reducer(prior, update).clear()

    assert before == (prior, update)


@given(ITEMS, st.lists(ITEMS, max_size=4))
def test_concat_flatten_is_append_of_each_inner_list(prior, update):
    """One level is opened, and no more: inner lists of inner lists stay."""
    expected = prior
    for inner in update:
        expected = append(expected, inner)

    assert expected == concat_flatten(prior, update)


@given(ENTRIES, st.lists(ENTRIES, max_size=4))
def test_merge_all_is_merge_of_each_mapping(prior, update):
    """The mappings are merged from left to right; keys keep the place where they first stood."""
    expected = prior
    for inner in update:
        expected = merge(expected, inner)
    result = merge_all(prior, update)

    assert expected == result
    assert list(expected) == list(result)


@given(st.integers() | ITEMS, st.integers() | ITEMS | st.none())
def test_last_write_wins_gives_the_very_update(prior, update):
    """The update becomes the value whatever its shape, and is not copied."""
    assert update is last_write_wins(prior, update)


def test_merge_replaces_nested_dicts_whole():
    """The union is shallow: a nested dict of the update replaces the one before."""
    assert {"a": {"y": 2}} == merge({"a": {"x": 1}}, {"a": {"y": 2}})


def test_mappings_that_are_no_dicts_are_taken():
    """Any mapping will do as prior and update; the result is a plain dict."""
    result = merge(GrownDict({"a": 1}), GrownDict({"b": 2}))

    assert {"a": 1, "b": 2} == result
    assert type(result) is dict
    assert {"a": 1, "b": 2} == merge_all(GrownDict({"a": 1}), [GrownDict({"b": 2})])


@pytest.mark.parametrize("reducer", [append, concat_flatten])
@pytest.mark.parametrize("value", NO_LISTS)
def test_list_reducer_refuses_what_is_no_list(reducer, value):
    """As prior or as update: a TypeError that names the reducer, the role and the type."""
    kind = "None" if value is None else type(value).__name__

    with pytest.raises(TypeError, match=rf"^{reducer.__name__} takes a list as prior, not {kind}: "):
        reducer(value, [])
    with pytest.raises(TypeError, match=rf"^{reducer.__name__} takes a list( of lists)? as update, not {kind}: "):
        reducer([], value)


@pytest.mark.parametrize("value", NO_MAPPINGS)
def test_merge_refuses_what_is_no_mapping(value):
    """A list of pairs, which dict.update would take, is refused as well."""
    kind = "None" if value is None else type(value).__name__

    with pytest.raises(TypeError, match=f"^merge takes a mapping as prior, not {kind}: "):
        merge(value, {})
    with pytest.raises(TypeError, match=f"^merge takes a mapping as update, not {kind}: "):
        merge({}, value)
    with pytest.raises(TypeError, match=f"^merge_all takes a mapping as prior, not {kind}: "):
        merge_all(value, [])


@pytest.mark.parametrize("value", NO_LISTS)
def test_merge_all_refuses_what_is_no_list(value):
    """A bare mapping is never taken for a list of one."""
    kind = "None" if value is None else type(value).__name__

    with pytest.raises(TypeError, match=f"^merge_all takes a list of mappings as update, not {kind}: "):
        merge_all({}, value)


@pytest.mark.parametrize(
    ("reducer", "prior", "update", "message"),
    [
        (append, [], 2, "append takes a list as update, not int: 2. Wrap a single item: [2]"),
        (append, [], (1,), "append takes a list as update, not tuple: (1,). Make it a list: list(...)"),
        (append, [], {1}, "append takes a list as update, not set: {1}. Make it a list: list(...)"),
        (concat_flatten, [], "ab", "concat_flatten takes a list of lists as update, not str: 'ab'"),
        (
            *(concat_flatten, [], [[1], 2]),
            "concat_flatten takes a list of lists as update, but item 1 is int: 2. For a flat list use append",
        ),
        (merge, {}, [{}], "merge takes a mapping as update, not list: [{}]. For a list of mappings use merge_all"),
        (merge, {}, 5, "merge takes a mapping as update, not int: 5"),
        (
            *(merge_all, {}, {"a": 1}),
            "merge_all takes a list of mappings as update, not dict: {'a': 1}. For a single mapping use merge",
        ),
        (merge_all, {}, 5, "merge_all takes a list of mappings as update, not int: 5"),
        (merge_all, {}, [{}, [1]], "merge_all takes a list of mappings as update, but item 1 is list: [1]"),
    ],
)
def test_refusal_says_what_was_given_and_how_to_mend_it(reducer, prior, update, message):
    """The whole message: reducer, want, what was given, and the reducer or form that fits."""
    with pytest.raises(TypeError) as caught:
        reducer(prior, update)

    assert message == str(caught.value)
