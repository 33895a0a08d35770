"""A node that returns a whole state: the update that says the same."""

import dataclasses
import operator
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

import graphnb as gn
from graphnb import step
from graphnb.errors import InvalidUpdate
from graphnb.state.folding.fold import fold
from graphnb.state.folding.returned import is_state, update_of
from graphnb.state.marks import UNSET, Replace
from graphnb.state.schema import schema_of, start_values, state_of


def _id(item):
    return item["id"]


class S(gn.State):
    plain: int = 0
    last: Annotated[list[int], gn.last_write_wins] = []
    log: Annotated[list[int], gn.append] = [1]
    flat: Annotated[list[int], gn.concat_flatten] = [1]
    window: Annotated[list[int], gn.bounded_append(2)] = [1]
    once: Annotated[list[int], gn.dedupe_append()] = [1]
    rows: Annotated[list[dict[str, int]], gn.merge_by_key(_id)] = [{"id": 1, "n": 0}, {"id": 2, "n": 0}]
    table: Annotated[dict[str, int], gn.merge] = {"a": 1}
    tables: Annotated[dict[str, int], gn.merge_all] = {"a": 1}
    added: Annotated[list[int], operator.add] = [1]
    own: Annotated[dict[str, int], operator.or_] = {"a": 1}
    total: Annotated[int, operator.add] = 1
    late: Annotated[list[int], gn.append] = gn.UNSET


SCHEMA = schema_of(S)
VALUES = start_values(SCHEMA, {}, "start")


def _returned(**changed: Any) -> Any:
    return state_of(SCHEMA, VALUES).model_copy(update=changed)


@pytest.mark.parametrize(
    ("changed", "update"),
    [
        ({}, {}),
        ({"plain": 3}, {"plain": 3}),
        ({"last": [5]}, {"last": [5]}),
        ({"log": [1, 2, 3]}, {"log": [2, 3]}),
        ({"flat": [1, 2, 3]}, {"flat": [[2, 3]]}),
        ({"window": [1, 2]}, {"window": [2]}),
        ({"once": [1, 2]}, {"once": [2]}),
        ({"rows": [{"id": 1, "n": 0}, {"id": 2, "n": 5}, {"id": 3, "n": 1}]},) * 2,
        ({"table": {"a": 1, "b": 2}}, {"table": {"b": 2}}),
        ({"table": {"a": 5}}, {"table": {"a": 5}}),
        ({"tables": {"a": 1, "b": 2}}, {"tables": [{"b": 2}]}),
        ({"late": [1]}, {"late": Replace([1])}),
        ({"unknown": 3}, {}),
    ],
)
def test_changed_state_is_put_as_the_update_that_leads_to_it(changed, update):
    """Only what changed is written, and folding the update gives the returned value."""
    if "rows" in changed:
        update = {"rows": changed["rows"][1:]}
    returned = _returned(**changed)
    found = update_of(SCHEMA, VALUES, returned)

    assert update == found
    after = state_of(SCHEMA, fold(SCHEMA, VALUES, found, "node 'a'")[0])
    assert all(getattr(after, name) == changed[name] for name in changed if name != "unknown")


@pytest.mark.parametrize(
    "changed",
    [
        {"log": [2]},
        {"log": []},
        {"log": "ab"},
        {"flat": [0, 1]},
        {"rows": [{"id": 2, "n": 0}]},
        {"rows": [{"id": 1, "n": 0}, {"id": 1, "n": 1}]},
        {"rows": [{"id": 1, "n": 0}, {"id": 2, "n": 0}, {"no": 1}]},
        {"table": {"b": 1}},
        {"table": [1]},
        {"added": [1, 2]},
        {"own": {"a": 2}},
        {"total": 3},
    ],
)
def test_change_that_no_update_surely_expresses_is_refused(changed):
    """Items that are gone, moved or replaced, keys that are gone, and whatever a custom reducer would make of it."""
    (name,) = changed

    with pytest.raises(InvalidUpdate, match=f"node 'a': returned a S whose field '{name}' has changed"):
        update_of(SCHEMA, VALUES, _returned(**changed), "node 'a'")


def test_refusal_names_reducer_other_fields_and_the_form_of_an_update():
    """All unclear fields are named, the first in full."""
    with pytest.raises(InvalidUpdate) as caught:
        update_of(SCHEMA, VALUES, _returned(log=[], table={}, plain=1), "node 'a'")

    assert "no update for reducer append expresses (likewise table)" in str(caught.value)
    assert "Return a dict of updates: {'log': [the new items]}. To set it as a whole: gn.Replace" in str(caught.value)


def test_very_view_that_a_node_was_given_says_nothing():
    """Returning the state untouched is an empty update."""
    view = SCHEMA.view(VALUES, "a")

    assert is_state(SCHEMA, view)
    assert {} == update_of(SCHEMA, VALUES, view)


def test_view_of_other_values_is_compared():
    """Such as one that was kept from an earlier step."""
    earlier = start_values(SCHEMA, {"plain": 9}, "start")

    assert {"plain": 9} == update_of(SCHEMA, VALUES, SCHEMA.view(earlier, "a"))


def test_new_model_says_only_the_fields_that_were_given():
    """Defaults that it fills in were not meant."""
    values = start_values(SCHEMA, {"plain": 9, "log": [1, 2]}, "start")

    assert {} == update_of(SCHEMA, values, S(plain=9, log=[1, 2]))
    assert {"log": [3]} == update_of(SCHEMA, values, S(log=[1, 2, 3]))


@dataclasses.dataclass(frozen=True)
class Record:
    n: int = 0
    log: Annotated[list[int], gn.append] = dataclasses.field(default_factory=list)


class Entries(TypedDict, total=False):
    n: int
    log: Annotated[list[int], gn.append]


def test_changed_dataclass_is_compared_in_all_its_fields():
    """As dataclasses.replace makes one."""
    schema = schema_of(Record)
    values = start_values(schema, {}, "start")
    changed = dataclasses.replace(schema.view(values, "a"), log=[3])

    assert is_state(schema, changed)
    assert {"log": [3]} == update_of(schema, values, changed)


def test_plain_dict_is_an_update_and_no_state_of_a_typed_dict():
    """Only the very view counts as a state there."""
    schema = schema_of(Entries)
    values = start_values(schema, {"n": 1}, "start")
    view = schema.view(values, "a")

    assert is_state(schema, view)
    assert not is_state(schema, {"n": 1})
    assert {} == update_of(schema, values, view)


def test_field_that_was_unset_in_the_returned_state_is_passed_over():
    """Nothing can be written by not writing it."""
    values = start_values(SCHEMA, {"late": [1]}, "start")

    assert {} == update_of(SCHEMA, values, state_of(SCHEMA, values).model_copy(update={"late": UNSET}))


@given(
    log=st.lists(st.integers(), max_size=3),
    table=st.dictionaries(st.sampled_from("abc"), st.integers(), max_size=3),
    rows=st.lists(st.fixed_dictionaries({"id": st.integers(1, 4), "n": st.integers(0, 2)}), max_size=4),
    plain=st.integers(),
)
def test_folding_the_update_gives_the_returned_state(log, table, rows, plain):
    """Whatever a node added, merged, replaced or set."""
    kept = state_of(SCHEMA, VALUES)
    changed = {
        "log": kept.log + log,
        "flat": kept.flat + log,
        "table": kept.table | table,
        "tables": kept.tables | table,
        "rows": gn.merge_by_key(_id)(kept.rows, rows),
        "plain": plain,
    }
    update = update_of(SCHEMA, VALUES, _returned(**changed))
    after = state_of(SCHEMA, fold(SCHEMA, VALUES, update, "node 'a'")[0])

    assert kept.model_copy(update=changed) == after


class Part(BaseModel):
    x: int = 0
    y: int = 0


class Stepwise(gn.State):
    log: Annotated[list[int], step.append] = [1]
    tags: Annotated[list[int], step.union] = [1]
    table: Annotated[dict[str, int], step.merge] = {"a": 1}
    deep: Annotated[dict[str, Any], step.merge(deep=True)] = {"a": {"x": 1}}
    part: Annotated[Part, step.merge] = Part()
    total: Annotated[int, step.sum] = 1
    first: Annotated[str, step.first_value]
    set: Annotated[str, step.first_value] = "x"
    last: Annotated[str, step.last_value] = "x"


STEPWISE = schema_of(Stepwise)
START = start_values(STEPWISE, {}, "start")


@pytest.mark.parametrize(
    ("changed", "update"),
    [
        ({"log": [1, 2]}, {"log": [2]}),
        ({"tags": [1, 2]}, {"tags": [2]}),
        ({"table": {"a": 2, "b": 1}}, {"table": {"a": 2, "b": 1}}),
        ({"deep": {"a": {"x": 1}, "b": 2}}, {"deep": {"b": 2}}),
        ({"deep": {"a": {"x": 1, "y": 1}}}, {"deep": {"a": {"x": 1, "y": 1}}}),
        ({"part": Part(y=2, x=0)}, {"part": Part(y=2, x=0)}),
        ({"total": 4}, {"total": 3}),
        ({"first": "y"}, {"first": "y"}),
        ({"last": "y"}, {"last": "y"}),
    ],
)
def test_changed_field_of_the_step_family_is_put_as_a_write(changed, update):
    """Folding it gives the returned value."""
    found = update_of(STEPWISE, START, state_of(STEPWISE, START).model_copy(update=changed))

    assert update == found
    after = state_of(STEPWISE, fold(STEPWISE, START, found, "node 'a'")[0])
    assert all(getattr(after, name) == value for name, value in changed.items())


@pytest.mark.parametrize(
    "changed",
    [
        {"log": []},
        {"log": 5},
        {"tags": [2, 1]},
        {"table": {}},
        {"table": 5},
        {"deep": {"a": {"y": 1}}},
        {"total": "x"},
        {"set": "y"},
    ],
)
def test_change_that_no_write_of_the_step_family_expresses_is_refused(changed):
    """A first value stays, entries are never removed."""
    (name,) = changed

    with pytest.raises(InvalidUpdate, match=f"field '{name}' has changed in a way that no update for reducer step"):
        update_of(STEPWISE, START, state_of(STEPWISE, START).model_copy(update=changed))
