"""Writes to fields of the step family that do not fit: what is told of them."""

from typing import Annotated

import pytest

import graphnb as gn
from graphnb.errors import ReducerError, StateValidationError
from graphnb.state.folding.fold import fold
from graphnb.state.schema import schema_of, start_values
from graphnb.state.values.detach import detach
from tests.state.folding.boards import SCHEMA


@pytest.mark.parametrize(
    ("update", "told"),
    [
        ({"log": 1}, "log: Input should be a valid string, not int: 1"),
        ({"log": ["a", None]}, "log[1]: Input should be a valid string, not None: None"),
        ({"log": ("a",)}, "To add its items make it a list: list(...)."),
        ({"log": [["a"]]}, "step.append opens one level of lists; gn.concat_flatten takes a list of lists."),
        ({"last": [1, True]}, "last[1]: Input should be a valid integer, not bool: True"),
        ({"flat": [{"a": 1}]}, "step.merge takes one mapping; gn.merge_all takes a list of them."),
        ({"flat": None}, "flat: Input should be a mapping of the entries to write, not None: None"),
        ({"flat": {"a": 1.0}}, "flat['a']: Input should be a valid integer, not float: 1.0"),
        ({"entry": {"z": 1}}, "entry['z']: There is no such key. Keys: ['x', 'inner']."),
        ({"entry": {1: 1}}, "entry['1']: There is no such key."),
        ({"entry": {"inner": {"a": "1"}}}, "entry['inner']['a']: Input should be a valid integer"),
        ({"profile": {"age": None}}, "profile['age']: Input should be a valid integer, not None: None"),
        ({"total": True}, "total: Input should be a valid number, not bool: True"),
        ({"total": None}, "total: Input should be a valid number, not None: None"),
        ({"total": "5"}, "total: Input should be a valid number, not str: '5'"),
        ({"count": 1.0}, "count: Input should be a valid integer, not float: 1.0"),
        ({"first": 5}, "first: Input should be a valid string, not int: 5"),
        ({"final": gn.UNSET}, "final: UNSET belongs in a declaration"),
        ({"log": gn.Replace("a")}, "log: Input should be a valid list, not str: 'a'"),
        ({"total": gn.Replace(11)}, "total: Input should be less than or equal to 10, not int: 11"),
        ({"log": 1, "total": True, "flat": 5}, "total: Input should be a valid number"),
    ],
)
def test_write_that_does_not_fit_changes_nothing(update, told):
    """The message names the field, the path, the value, and the reducer of the other family that would take it."""
    values = start_values(SCHEMA, {}, "start")
    before = detach(values)
    with pytest.raises(StateValidationError) as caught:
        fold(SCHEMA, values, {"unique": 1, **update}, "node 'n'")

    assert told in str(caught.value)
    assert tuple(update) == caught.value.fields
    assert repr(before) == repr(detach(values))


@pytest.mark.parametrize(
    ("annotation", "write"),
    [(Annotated[list[int], gn.append], 1), (Annotated[list[int], gn.bounded_append(2)], 1)],
)
def test_strict_reducer_that_refuses_an_item_names_the_one_that_takes_it(annotation, write):
    """`step.append` takes single items as well."""
    state = type("S", (gn.State,), {"__annotations__": {"log": annotation}, "log": []})
    schema = schema_of(state)
    with pytest.raises(ReducerError, match=r"A field declared with step\.append takes single items"):
        fold(schema, start_values(schema, {}, "start"), {"log": write}, "node")
