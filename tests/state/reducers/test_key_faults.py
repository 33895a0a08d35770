"""Items without a key, or with one that cannot be compared: told with what would do."""

import operator
from types import SimpleNamespace

import pytest

from graphnb.errors import ReducerConfigurationInvalid
from graphnb.state.reducers.keyed import dedupe_append, merge_by_key

BY_ID = operator.itemgetter("id")
OF_ID = operator.attrgetter("id")


@pytest.mark.parametrize(
    ("item", "mend"),
    [
        ({"id": 1}, r"dedupe_append\(key=lambda item: item\['id'\]\)"),
        ({"n": 1, "name": "x"}, r"dedupe_append\(key=lambda item: item\['name'\]\)"),
        ({"n": 1, 3: 1}, r"dedupe_append\(key=lambda item: item\['n'\]\)"),
        ({}, r"dedupe_append\(key=lambda item: item\['id'\]\)"),
        ([1], r"dedupe_append\(key=tuple\)"),
        ({1}, r"dedupe_append\(key=lambda item: \.\.\.\)"),
    ],
    ids=["dict", "dict with a name", "dict with others", "empty", "list", "set"],
)
def test_unhashable_item_is_told_with_a_key_that_would_do(item, mend):
    """By place, role and value."""
    kind = type(item).__name__
    with pytest.raises(TypeError, match=rf"^item 1 of the update: unhashable type: '{kind}': .*\. Give a key: {mend}$"):
        dedupe_append()([], [1, item])
    with pytest.raises(TypeError, match=rf"^item 0 of the prior: unhashable type: '{kind}'"):
        dedupe_append()([item], [1])


@pytest.mark.parametrize("reducer", [merge_by_key(BY_ID), dedupe_append(BY_ID)], ids=["merge_by_key", "dedupe_append"])
def test_unhashable_key_is_told_as_such(reducer):
    """There is a key; it has to give something else."""
    told = (
        r"^item 0 of the update: unhashable type: 'list': \[3\]\. Let the key give a text, a number or a tuple of them$"
    )
    with pytest.raises(TypeError, match=told):
        reducer([], [{"id": [3]}])


@pytest.mark.parametrize("reducer", [merge_by_key(BY_ID), dedupe_append(BY_ID)], ids=["merge_by_key", "dedupe_append"])
def test_item_without_the_key_is_told_with_the_names_it_has(reducer):
    """And with the nearest of them."""
    told = (
        rf"key of {reducer.name}\(key=itemgetter\('id'\)\) raised KeyError: 'id' on \{{'ids': 1, 'n': 2\}}\. It has: "
    )
    with pytest.raises(
        LookupError, match=rf"^item 1 of the update: {told}\['ids', 'n'\]\. Did you mean 'ids'\?$"
    ) as caught:
        reducer([{"id": 1}], [{"id": 2}, {"ids": 1, "n": 2}])
    assert isinstance(caught.value.__cause__, KeyError)

    with pytest.raises(LookupError, match=rf"^item 0 of the prior: {told}"):
        reducer([{"ids": 1, "n": 2}], [])


def test_object_without_the_key_is_told_with_the_names_it_has():
    """Those that are not private."""
    with pytest.raises(LookupError, match=r"item 0 of the update: .* It has: \['idd'\]\. Did you mean 'idd'\?$"):
        merge_by_key(OF_ID)([], [SimpleNamespace(idd=1, _own=2)])


@pytest.mark.parametrize("item", [3, None, [], "x"])
def test_item_without_any_names_is_told_by_its_value(item):
    """Also where the key meets a wrong type."""
    with pytest.raises(
        LookupError, match=r"item 0 of the update: key of .* raised (TypeError|AttributeError|IndexError)"
    ):
        merge_by_key(lambda item: item[5]["id"] if item else item.id)([], [item])


def test_error_without_any_words_is_told_nonetheless():
    """A key may raise what it likes."""

    def key(item: object) -> str:
        raise LookupError

    with pytest.raises(
        LookupError, match=r"item 0 of the update: .* raised LookupError: *on \{'a': 1\}\. It has: \['a'\]$"
    ):
        merge_by_key(key)([], [{"a": 1}])


def test_error_that_does_not_come_again_is_raised_as_it_was():
    """A key that fails now and then is at no item in particular."""
    calls = []

    def key(item: object) -> object:
        calls.append(item)
        if len(calls) == 1:
            raise LookupError("once")
        return item

    for reducer in (merge_by_key(key), dedupe_append(key)):
        calls.clear()
        with pytest.raises(LookupError, match=r"^once$"):
            reducer([], [1])


@pytest.mark.parametrize("reducer", [merge_by_key(abs), dedupe_append(abs)], ids=["merge_by_key", "dedupe_append"])
def test_key_may_raise_anything_else_by_itself(reducer):
    """What is about no name, type or place is the user's own."""

    class Odd:
        def __abs__(self) -> int:
            raise ArithmeticError("odd")

    with pytest.raises(ArithmeticError, match=r"^odd$"):
        reducer([], [Odd()])


@pytest.mark.parametrize("factory", [dedupe_append, merge_by_key])
def test_asynchronous_key_is_refused(factory):
    """Every item would be new: nothing awaits what it gives."""

    async def key(item: object) -> object:
        return item

    with pytest.raises(
        ReducerConfigurationInvalid, match=rf"^{factory.__name__}: key is asynchronous .*\nGive a plain"
    ):
        factory(key)
