"""Finding the reducer beside a type, and naming it."""

import functools
import operator
from typing import Annotated

import pytest
from annotated_types import Len
from pydantic import AfterValidator, Field
from typing_extensions import Doc

from graphnb.errors import ConflictingReducers, ReducerConfigurationInvalid
from graphnb.state.reducers.annotated import FACTORIES, PLAIN, check_not_within, is_strict, name_of, reducer_in
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key
from graphnb.state.reducers.strict import append, merge


class Keep:
    """A reducer that is an instance."""

    def __call__(self, prior, update):
        return prior

    def method(self, prior, update):
        return prior


def test_metadata_without_a_callable_of_the_user_holds_no_reducer():
    """Words, constraints, pydantic's own objects and classes are no reducers."""
    metadata = ["words", Len(1), Field(max_length=3), AfterValidator(sorted), Doc("more words"), int, Keep]

    assert reducer_in(metadata, "field 'a'") is None


@pytest.mark.parametrize("reducer", [append, bounded_append(2), operator.add, Keep(), lambda prior, update: prior])
def test_callable_among_metadata_is_the_reducer(reducer):
    """Ours, a builtin function, a callable object or a lambda, wherever it stands."""
    assert reducer is reducer_in(["words", reducer, Len(1)], "field 'a'")


def test_two_reducers_on_one_field_are_refused_by_their_names():
    """The message names the place and both reducers."""
    with pytest.raises(ConflictingReducers, match=r"field 'a': has 2 reducers: append, merge\sKeep one of them"):
        reducer_in([append, merge], "field 'a'")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("bounded_append", r"bounded_append\(10\)"),
        ("dedupe_append", r"dedupe_append\(\)"),
        ("merge_by_key", r"merge_by_key\(key=\.\.\.\)"),
    ],
)
def test_factory_that_was_not_called_is_refused_beside_and_inside_the_type(name, call):
    """The mend is the call."""
    message = rf"field 'a': {name} makes a reducer and was not called\sWrite {call}"

    with pytest.raises(ReducerConfigurationInvalid, match=message):
        reducer_in([FACTORIES[name]], "field 'a'")
    with pytest.raises(ReducerConfigurationInvalid, match=message):
        check_not_within([FACTORIES[name]], "field 'a'")


def test_reducer_of_ours_inside_the_type_is_refused():
    """It would silently never be asked; the mend shows where it belongs."""
    message = r"(?s)reducer append stands inside the type.*Write Annotated\[the whole type, append\]"

    with pytest.raises(ReducerConfigurationInvalid, match=message):
        check_not_within(["words", append], "field 'a'")


def test_other_callables_inside_the_type_pass():
    """Only ours are surely meant as reducers there."""
    assert check_not_within([operator.add, "words", Len(1)], "field 'a'") is None


@pytest.mark.parametrize(
    ("reducer", "name"),
    [
        (append, "append"),
        (merge_by_key(abs), "merge_by_key(key=abs)"),
        (functools.partial(functools.partial(append)), "append"),
        (lambda prior, update: prior, "lambda"),
        (operator.add, "add"),
        (Keep(), "Keep"),
        (Keep().method, "Keep.method"),
        (set.union, "set.union"),
    ],
)
def test_name_tells_the_reducer_without_address_or_enclosing_function(reducer, name):
    """What tables and messages show is the same in every run."""
    assert name == name_of(reducer)


def test_strict_are_ours_and_no_others():
    """A partial of ours may do anything, hence is not trusted."""
    ours = [*PLAIN.values(), bounded_append(1), dedupe_append(), merge_by_key(abs)]

    assert all(map(is_strict, ours))
    assert not any(map(is_strict, [functools.partial(append), operator.add, bounded_append, None, Annotated]))


@pytest.mark.parametrize("name", ["append", "merge_all", "bounded_append"])
def test_reducer_named_as_text_is_refused(name):
    """A text beside the type says nothing to pydantic, so it would be dropped in silence."""
    with pytest.raises(
        ReducerConfigurationInvalid, match=rf"names the reducer '{name}' as text\nWrite gn.{name} without"
    ):
        reducer_in([name], "state S, field 'f'")
