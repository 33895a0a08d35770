"""The state that a node gets where the state class is a TypedDict."""

import copy
import json
import operator
import pickle
from typing import Any, TypedDict

import pytest

from graphnb.errors import MutatedState, UnsetField
from graphnb.state.schema import schema_of, start_values
from graphnb.state.views.dictview import DictView


class Entries(TypedDict, total=False):
    n: int
    log: list[int]
    box: Any
    late: int


PLAIN = {"n": 1, "log": [1], "box": {"x": [1]}}
SCHEMA = schema_of(Entries)


@pytest.fixture
def view():
    """A view whose fields were not read yet."""
    return SCHEMA.view(start_values(SCHEMA, PLAIN, "start"), "judge")


@pytest.mark.parametrize(
    "read",
    [
        lambda v: {name: v[name] for name in v},
        dict,
        lambda v: {**v},
        lambda v: dict(v.items()),
        lambda v: dict(zip(v.keys(), v.values(), strict=True)),
        lambda v: {name: v.get(name) for name in v},
        lambda v: v | {},
        lambda v: {} | v,
        lambda v: v.copy(),
        copy.copy,
        copy.deepcopy,
        lambda v: pickle.loads(pickle.dumps(v)),
        lambda v: json.loads(json.dumps(v)),
        lambda v: type(v)(v),
    ],
)
def test_every_way_of_reading_gives_the_fields(view, read):
    """As a plain dict would; an unset field is not in it."""
    found = read(view)

    assert PLAIN == found
    assert list(PLAIN) == list(found)
    assert DictView is not type(found)


def test_view_equals_what_a_plain_dict_equals(view):
    """`==` and `!=` agree, also before anything was read, and between two views."""
    other = SCHEMA.view(start_values(SCHEMA, PLAIN, "start"), "judge")

    assert (True, False) == (operator.eq(view, PLAIN), operator.ne(other, PLAIN))
    assert (True, False) == (operator.eq(PLAIN, view), operator.ne(PLAIN, other))
    assert view == other
    assert (False, True) == (operator.eq(view, {**PLAIN, "n": 2}), operator.ne(view, {**PLAIN, "n": 2}))
    assert view != 3


def test_view_shows_itself_as_a_dict(view):
    """With all fields read."""
    assert repr(PLAIN) == repr(view)


def test_reader_who_goes_round_the_guard_finds_a_word_instead_of_the_value(view):
    """What the run keeps is out of reach, and the word says what to do."""
    assert "<not read yet: pass dict(s), not s>" == repr(dict.__getitem__(view, "log"))


def test_field_is_guarded_once(view):
    """Reading it again gives the same list, which refuses to be changed."""
    assert view["log"] is view["log"]
    with pytest.raises(MutatedState, match=r"node 'judge': tried to change field 'log' in place \(append\)"):
        view["log"].append(2)


def test_copy_can_be_changed_and_shares_nothing(view):
    """Neither with the view nor with the run."""
    own = view.copy()
    own["log"].append(2)
    own["box"]["x"].append(2)

    assert PLAIN == view


@pytest.mark.parametrize(
    ("change", "verb", "name"),
    [
        (lambda v: v.__setitem__("n", 2), "set", "n"),
        (lambda v: v.__delitem__("n"), "delete", "n"),
        (lambda v: v.pop("n"), "delete", "n"),
        (lambda v: v.popitem(), "delete", "everything"),
        (lambda v: v.clear(), "delete", "everything"),
        (lambda v: v.update({"n": 2}), "set", "n"),
        (lambda v: v.update(n=2), "set", "n"),
        (lambda v: v.setdefault("late", 2), "set", "late"),
        (lambda v: v.__ior__({"n": 2}), "set", "n"),
    ],
)
def test_every_change_is_refused(view, change, verb, name):
    """The message names node and field, and says to return the change."""
    what = rf"node 'judge': tried to {verb} '{name}' on the state it was given\nReturn the change instead"
    with pytest.raises(MutatedState, match=what):
        change(view)
    assert PLAIN == view


def test_unset_field_and_unknown_name_are_told_apart(view):
    """An unset field may be written later; an unknown one gets the nearest right name."""
    assert "late" not in view
    assert 7 == view.get("late", 7)
    with pytest.raises(UnsetField, match="read field 'late', which nothing has written yet"):
        view["late"]
    with pytest.raises(KeyError, match=r"'lgo'.*Did you mean 'log'"):
        view["lgo"]


def test_calling_the_class_gives_a_plain_dict(view):
    """As functions do that make a dict of the type that they were given."""
    assert dict is type(type(view)(a=1))
    assert {"a": 1} == type(view)(a=1)


def test_view_is_not_hashable(view):
    """As no dict is."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(view)


def test_field_that_is_read_as_an_attribute_is_an_error(view):
    """The message says how a TypedDict is read."""
    with pytest.raises(AttributeError, match=r"the state is a TypedDict, whose fields are read as s\['n'\]"):
        view.n  # noqa: B018  reading is the point
