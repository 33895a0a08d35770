"""Folding what several nodes wrote in one step: once per field, in the order of their names, all or nothing."""

from collections import UserDict
from types import MappingProxyType
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import model_validator

import graphnb as gn
from graphnb import step
from graphnb.errors import InvalidUpdate, ReducerError, StateValidationError
from graphnb.state.folding.fold import fold
from graphnb.state.folding.several import fold_step
from graphnb.state.folding.writes import ADDED, InFull, Writes, written_value
from graphnb.state.schema import schema_of, start_values
from graphnb.state.storable.values import is_exact
from graphnb.state.values.detach import detach


def joined(prior: str, update: str) -> str:
    """A reducer of the user's own."""
    return prior + update


class Desk(gn.State):
    """Both families, and a reducer of the user's own."""

    log: Annotated[list[str], step.append]
    window: Annotated[list[int], step.append(unique=True, max_length=2)] = [1, 2]
    tags: Annotated[list[int], step.union] = [1, 1]
    total: Annotated[float, step.sum]
    first: Annotated[str, step.first_value]
    last: Annotated[str, step.last_value]
    strict: Annotated[list[int], gn.append] = []
    text: Annotated[str, joined] = ""
    plain: int = 0


SCHEMA = schema_of(Desk)
VALUES = start_values(SCHEMA, {}, "start")


def folded(*updates: Any, values: Any = VALUES) -> tuple[Any, Any]:
    """The values and the folds after one step of nodes called as given."""
    return fold_step(SCHEMA, values, [(node, f"node '{node}'", update) for node, update in updates])


def told(fold_: Any) -> list[Any]:
    """Who wrote what, and what was lost."""
    return [(each.writer, each.written, each.is_lost) for each in fold_.written.parts]


def test_field_of_the_step_family_is_folded_once_over_all_writes():
    """Repetitions are left out and the window is cut over the whole step: two steps would give [3, 1]."""
    values, [change] = folded(("b", {"window": [1]}), ("a", {"window": [3]}))
    one, _ = folded(("a", {"window": [3]}))
    two, _ = folded(("b", {"window": [1]}), values=one)

    assert [2, 3] == values["window"]
    assert [3, 1] == two["window"]
    assert ("window", "step.append(unique=True, max_length=2)", [1, 2], [2, 3]) == (
        change.field,
        change.reducer,
        change.before,
        change.after,
    )
    assert [("a", [3], False), ("b", [1], False)] == told(change)


def test_writers_count_in_the_order_of_their_names_for_every_reducer():
    """By code point, whatever the order in which they finished."""
    updates = [
        (name, {"log": name, "strict": [i], "text": name, "plain": i}) for i, name in enumerate("n9 n10 Z a".split())
    ]
    values, folds = folded(*updates)
    other, same = folded(*reversed(updates))

    assert [["Z", "a", "n10", "n9"], [2, 3, 1, 0], "Zan10n9", 0] == [
        detach(values[name]) for name in ("log", "strict", "text", "plain")
    ]
    assert [detach(each) for each in values.values()] == [detach(each) for each in other.values()]
    assert ["log", "strict", "text", "plain"] == [each.field for each in folds] == [each.field for each in same]
    assert [("Z", [2], False), ("a", [3], False), ("n10", [1], False), ("n9", [0], False)] == told(folds[1])
    assert [[2], [3], [1], [0]] == written_value(folds[1].written, folds[1].before, folds[1].after)


def test_writes_that_were_lost_are_told():
    """Of the last value all but the last, of the first all but the first, or all if it was there."""
    both = {"first": "x", "last": "x", "plain": 1}
    values, folds = folded(("a", both), ("b", {"first": "y", "last": "y", "plain": 2}))
    again, more = folded(("a", both), ("b", both), values=values)

    assert ["x", "y", 2] == [values[name] for name in ("first", "last", "plain")]
    assert {"first": [False, True], "last": [True, False], "plain": [True, False]} == {
        each.field: [part.is_lost for part in each.written.parts] for each in folds
    }
    assert "x" == again["first"]
    assert [True, True] == [part.is_lost for part in more[0].written.parts]


def test_replace_takes_the_place_of_what_came_before_it():
    """Later writes are folded into it; as a single write would be marked, so is the last one."""
    values, folds = folded(
        ("a", {"log": "lost", "strict": [1], "total": 5, "plain": 3}),
        ("b", {"log": gn.Replace(["new"]), "strict": gn.Replace([9]), "total": gn.Replace(1), "plain": 1}),
        ("c", {"log": "more", "strict": [2]}),
    )
    by_field = {each.field: each for each in folds}

    assert [["new", "more"], [9, 2], 1] == [detach(values[name]) for name in ("log", "strict", "total")]
    assert {"log": "step.append", "strict": "append", "total": "Replace", "plain": "last_write_wins"} == {
        name: each.reducer for name, each in by_field.items()
    }
    assert [("a", "lost", True), ("b", ["new"], False), ("c", "more", False)] == told(by_field["log"])
    assert [("a", [1], True), ("b", [9], False), ("c", [2], False)] == told(by_field["strict"])
    assert [False, True] == [each.is_replace for each in by_field["total"].written.parts]
    assert [True, False] == [each.is_lost for each in by_field["total"].written.parts]


def test_replace_by_the_last_writer_is_the_value():
    """Whatever the family."""
    _, folds = folded(("a", {"strict": [1]}), ("b", {"strict": gn.Replace([2])}))

    assert ("Replace", [("a", [1], True), ("b", [2], False)]) == (folds[0].reducer, told(folds[0]))


def test_single_node_folds_as_without_steps():
    """The same values and the same brief records."""
    update = {"log": ["a"], "strict": [1]}
    values, folds = folded(("a", update))
    same, known = fold(SCHEMA, VALUES, update, "node 'a'")

    assert folds == known
    assert values == same
    assert ADDED is folds[0].written


def test_repetitions_in_the_value_before_are_left_out():
    """Also if nobody wrote anything new."""
    values, [change] = folded(("a", {"tags": []}), ("b", {"tags": 1}))

    assert ([1, 1], [1]) == (detach(change.before), detach(values["tags"]))


@pytest.mark.parametrize(
    ("updates", "kind", "message"),
    [
        ([("a", {"log": 1}), ("b", {})], StateValidationError, "node 'a': log: Input should be a valid string"),
        ([("a", {}), ("b", ["log"])], InvalidUpdate, "node 'b': returned list"),
        ([("a", {}), ("b", {"lgo": 1, "total": True})], StateValidationError, "node 'b': 'lgo' is no field"),
        ([("a", {"strict": 1, "log": 1}), ("b", {})], ReducerError, "node 'a': field 'strict': reducer append refused"),
        (
            [("a", {"strict": ["x"], "log": 1}), ("b", {})],
            StateValidationError,
            "node 'a': \n  - strict[0]: Input should be a valid integer, unable to parse string as an integer, not "
            "str: 'x'\n  - log: Input should be a valid string, not int: 1\nThe state declares",
        ),
        (
            [("b", {"strict": 1}), ("a", {"log": 1}), ("c", {"total": "x"})],
            StateValidationError,
            "Also node 'b': field 'strict': reducer append refused the update 1",
        ),
        ([("a", {"log": gn.Replace(1)}), ("b", {})], StateValidationError, "log: Input should be a valid list"),
        (
            [("a", {"total": 1e308}), ("b", {"total": 1e308})],
            ReducerError,
            "node 'a', together with 'b': field 'total': reducer",
        ),
    ],
)
def test_step_is_folded_as_a_whole_or_not_at_all(updates, kind, message):
    """Every node at fault is told, each with all that is wrong."""
    before = detach(VALUES)
    with pytest.raises(kind) as caught:
        folded(*updates, ("z", {"log": "fine", "strict": [5], "tags": [7]}))

    assert message in str(caught.value)
    assert repr(before) == repr(detach(VALUES))
    values, _ = folded(("a", {"log": "x", "tags": 7}), ("b", {"strict": [6]}))
    assert [["x"], [6], [1, 7]] == [detach(values[name]) for name in ("log", "strict", "tags")]


class Broken(UserDict):
    """A mapping that cannot be read."""

    def __iter__(self):
        raise KeyError("no")


def test_update_may_be_any_mapping_that_can_be_read():
    """As with a single node."""
    values, _ = folded(("a", UserDict({"log": "x", "strict": [1]})), ("b", {"log": "y"}))

    assert [["x", "y"], [1]] == [detach(values[name]) for name in ("log", "strict")]
    with pytest.raises(InvalidUpdate, match="node 'a': returned Broken whose entries cannot be read"):
        folded(("a", Broken({"log": "x"})), ("b", {}))


def test_errors_of_all_nodes_are_kept():
    """In the order of the nodes, each with its name."""
    with pytest.raises(StateValidationError) as caught:
        folded(("b", {"log": 1}), ("c", {}), ("a", {"total": True}))

    assert ["a", "b"] == [each.node for each in caught.value.problems]
    assert 1 == str(caught.value).count("Also node 'b': log: Input")
    assert "Also" not in str(caught.value.problems[1])


class Even(gn.State):
    """The total of a whole step has to be even."""

    total: Annotated[int, step.sum]
    log: Annotated[list[str], step.append]

    @model_validator(mode="after")
    def _check(self) -> "Even":
        if self.total % 2:
            raise ValueError("odd")
        return self


def test_update_may_be_any_mapping():
    """Of each of several nodes."""
    after, _ = folded(("a", MappingProxyType({"strict": [1], "total": 1})), ("b", {"strict": [2], "total": 2}))

    assert ([1, 2], 3) == (detach(after["strict"]), after["total"])


def test_class_validators_see_the_state_after_the_step_alone():
    """Not what is in between."""
    schema = schema_of(Even)
    values = start_values(schema, {}, "start")
    updates = [("a", "node 'a'", {"total": 1, "log": "x"}), ("b", "node 'b'", {"total": 1})]
    after, [total, log] = fold_step(schema, values, updates)

    assert (2, ["x"]) == (after["total"], detach(after["log"]))
    assert (2, ["x"]) == (total.after, detach(log.after))
    assert (Writes, InFull) == (type(total.written), type(log.written))
    with pytest.raises(StateValidationError, match="odd"):
        fold_step(schema, values, [*updates, ("c", "node 'c'", {"total": 1})])
    assert (values, ()) == fold_step(schema, values, [("a", "", {}), ("b", "", {})])


WRITES = st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(0, 4), max_size=3), min_size=1, max_size=4)


@given(WRITES, st.lists(st.integers(0, 4), max_size=3))
def test_step_is_the_fold_by_hand(writes, start):
    """For each reducer what its own `fold` gives for the sorted writes."""
    values = start_values(SCHEMA, {"tags": start, "window": start}, "start")
    after, _ = folded(*((node, {"tags": each, "window": each}) for node, each in writes.items()), values=values)

    assert is_exact(step.union.fold(start, writes), detach(after["tags"]))
    assert is_exact(step.append(unique=True, max_length=2).fold(start, writes), detach(after["window"]))
