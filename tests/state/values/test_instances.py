"""Instances of the user's class, made without validating again."""

import dataclasses
from typing import TypedDict

import pytest
from pydantic import BaseModel, ConfigDict, PrivateAttr

import graphnb as gn
from graphnb.state.values.instances import plain_state


class Model(gn.State):
    a: list[int] = []
    b: int = gn.UNSET


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int = 0


class Private(BaseModel):
    a: int = 0
    _twice: int = PrivateAttr(0)

    def model_post_init(self, context):
        self._twice = 2 * self.a


@dataclasses.dataclass(frozen=True)
class Record:
    a: list[int]


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    a: list[int]


class Entries(TypedDict, total=False):
    a: list[int]
    b: int


def test_model_holds_the_values_as_they_are():
    """They are not copied; only the set fields count as given."""
    values = {"a": [1], "b": gn.UNSET}
    state = plain_state(Model, values)

    assert values["a"] is state.a
    assert {"a"} == state.model_fields_set
    assert state == state.model_copy()
    assert {"a": [1]} == state.model_dump(exclude_unset=True)


def test_model_that_allows_more_has_room_for_it():
    """As one that pydantic made."""
    assert Open(a=1) == plain_state(Open, {"a": 1})
    assert {} == plain_state(Open, {"a": 1}).model_extra


def test_private_attributes_are_made_by_the_class():
    """Its own hook is asked."""
    assert 6 == plain_state(Private, {"a": 3})._twice


def test_failing_hook_of_the_class_is_passed_over():
    """It may need a field that is still unset."""
    state = plain_state(Private, {"a": None})

    assert state.a is None


@pytest.mark.parametrize("cls", [Record, Slotted])
def test_dataclass_holds_the_values_although_it_is_frozen(cls):
    """With a dict or with slots."""
    items = [1]
    state = plain_state(cls, {"a": items})

    assert cls(items) == state
    assert items is state.a


def test_typed_dict_leaves_unset_fields_out():
    """A key that is not there says so itself."""
    assert {"a": [1]} == plain_state(Entries, {"a": [1], "b": gn.UNSET})
