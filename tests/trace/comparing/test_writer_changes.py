"""Changes inside a value that several nodes of one step wrote: which write gave which element."""

from __future__ import annotations

import operator
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb import step
from graphnb.state.folding.several import fold_step
from graphnb.state.marks import UNSET, Replace
from graphnb.state.schema import schema_of, start_values
from graphnb.trace.comparing.changes import changes_of
from graphnb.trace.reading.steps import Delta


def smallest_first(before: list[int], written: list[int]) -> list[int]:
    """Give the items in order, so that the list before does not stay in front."""
    return sorted(before + written)


def longest(before: str, written: Any) -> str:
    """Take whatever is longer, from a write of any type."""
    return max(before, str(written), key=len)


def delta(reducer: Any, start: Any, *writes: Any, kind: Any = Any) -> Delta:
    """What became of a field that nodes `0`, `1`, ... wrote in one step."""

    class Written(gn.State):
        value: Annotated[kind, reducer] = start

    schema = schema_of(Written)
    updates = [(str(i), f"node '{i}'", {"value": each}) for i, each in enumerate(writes)]
    _, (fold,) = fold_step(schema, start_values(schema, {}, "start"), updates)
    return Delta(fold)


def told(made: Delta) -> list[tuple[str, Any, Any, int | None]]:
    """Kind, key, value after and part of each change."""
    return [(each.kind, each.key, each.after, each.part) for each in changes_of(made)]


LISTS = {
    "append": (gn.append, [1], [[2], [3, 4]], [("added", 1, 2, 0), ("added", 2, 3, 1), ("added", 3, 4, 1)]),
    "step.append": (step.append, [1], [2, [3]], [("added", 1, 2, 0), ("added", 2, 3, 1)]),
    "custom": (operator.add, [1], [[2], [3]], [("added", 1, 2, 0), ("added", 2, 3, 1)]),
    "dedupe_append": (
        gn.dedupe_append(),
        [1],
        [[2, 1], [2, 3]],
        [("added", 1, 2, 0), ("deduplicated", 1, 1, 0), ("deduplicated", 2, 2, 1), ("added", 2, 3, 1)],
    ),
    "step.append(unique)": (
        step.append(unique=True),
        [1],
        [2, [2, 3]],
        [("added", 1, 2, 0), ("deduplicated", 1, 2, 1), ("added", 2, 3, 1)],
    ),
    "step.union": (step.union, [1], [2, [1, 3]], [("added", 1, 2, 0), ("deduplicated", 1, 1, 1), ("added", 2, 3, 1)]),
    "bounded_append": (
        gn.bounded_append(2),
        [1, 2],
        [[3], [4]],
        [("dropped", 0, None, None), ("dropped", 1, None, None), ("added", 0, 3, 0), ("added", 1, 4, 1)],
    ),
    "step.append(max_length)": (
        step.append(max_length=2),
        [1, 2],
        [3, [4]],
        [("dropped", 0, None, None), ("dropped", 1, None, None), ("added", 0, 3, 0), ("added", 1, 4, 1)],
    ),
    "step.append(unique, max_length)": (
        step.append(unique=True, max_length=3),
        [1, 2],
        [3, [1, 3, 5]],
        [("dropped", 0, None, None), ("added", 1, 3, 0), ("added", 2, 5, 1)],
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_items_of_a_list_are_told_by_their_write(name: str) -> None:
    """Those that were added and those that were left out."""
    reducer, start, writes, expected = LISTS[name]

    assert expected == [each for each in told(delta(reducer, start, *writes, kind=list[int])) if each[0] != "kept"]


def test_items_of_opened_lists_are_told_by_their_write() -> None:
    """Which list of the write they stood in is not told."""
    made = delta(gn.concat_flatten, [], [[1], [2]], [[], [3]], kind=list[int])

    added = [each for each in told(made) if each[0] == "added"]
    assert [("added", 0, 1, 0), ("added", 1, 2, 0), ("added", 2, 3, 1)] == added


def test_records_replaced_in_place_are_told_by_the_last_write() -> None:
    """The earlier one is told as overwritten."""
    reducer = gn.merge_by_key(key=lambda item: item["id"])
    made = delta(reducer, [{"id": 1}], [{"id": 1, "v": 2}], [{"id": 1, "v": 3}], kind=list[dict[str, int]])

    assert ("replaced", 0, {"id": 1, "v": 3}, 1) in told(made)
    assert ("deduplicated", 0, {"id": 1, "v": 2}, 0) in told(made)


@pytest.mark.parametrize("reducer", [gn.merge, step.merge])
def test_keys_are_told_by_the_write_that_set_them(reducer: Any) -> None:
    """A key that two set by the last one; what the first wrote is told as overwritten."""
    made = delta(reducer, {"a": 1}, {"b": 2, "c": 3}, {"c": 4}, kind=dict[str, int])

    assert [
        ("added", "b", 2, 0),
        ("added", "c", 4, 1),
        ("deduplicated", "c", 3, 0),
    ] == [each for each in told(made) if each[0] != "kept"]


def test_keys_of_several_dicts_in_one_write_are_told_by_it() -> None:
    """Where the reducer lays each item of the write over."""
    made = delta(gn.merge_all, {}, [{"a": 1}, {"b": 2}], [{"c": 3}], kind=dict[str, int])

    assert [("a", 0), ("b", 0), ("c", 1)] == [(key, part) for kind, key, _, part in told(made) if kind == "added"]


def test_deep_merge_tells_keys_that_one_write_alone_has() -> None:
    """What several merged into has no single writer."""
    made = delta(step.merge(deep=True), {"a": {"x": 1}}, {"a": {"y": 2}, "b": 1}, {"a": {"z": 3}}, kind=dict[str, Any])

    assert ("replaced", "a", {"x": 1, "y": 2, "z": 3}, None) in told(made)
    assert ("added", "b", 1, 0) in told(made)


def test_elements_of_a_custom_reducer_are_traced_back() -> None:
    """If one write alone has them, of whatever kind it is."""
    assert [("added", 3, 1), ("added", 7, 0)] == [
        (kind, after, part)
        for kind, _, after, part in told(delta(smallest_first, [5], [7], [3], kind=list[int]))
        if kind == "added"
    ]
    assert [None, None] == [
        part for kind, *_, part in told(delta(smallest_first, [5], [4], [4], kind=list[int])) if kind == "added"
    ]
    assert [(2, 0), (3, 1)] == [
        (key, part) for kind, key, _, part in told(delta(operator.or_, {1}, {2}, {3}, kind=set[int])) if kind == "added"
    ]
    assert [("changed", "longer", None)] == [
        (kind, after, part) for kind, _, after, part in told(delta(longest, "", "longer", "long", kind=str))
    ]


@pytest.mark.parametrize("reducer", [gn.last_write_wins, step.last_value])
def test_a_value_that_one_write_gave_as_a_whole_has_no_parts(reducer: Any) -> None:
    """The others are lost, and told by the contributions."""
    made = delta(reducer, 1, 2, 3, kind=int)

    assert [("changed", None, 3, None)] == told(made)
    assert [True, False] == [each.is_lost for each in made.contributions]


def test_first_value_keeps_what_was_there() -> None:
    """Then nothing has changed; else the first write is the value."""
    assert [("kept", None, None, None)] == told(delta(step.first_value, 1, 2, 3, kind=int))
    assert [("changed", None, 2, None)] == told(delta(step.first_value, UNSET, 2, 3, kind=int))


def test_replace_among_the_writes_takes_the_place_of_all() -> None:
    """Said as such."""
    (change,) = changes_of(delta(gn.append, [1], [2], Replace([9]), [3], kind=list[int]))

    assert ("changed", [9, 3]) == (change.kind, change.after)
    assert change.note.startswith("replaced")


def test_contributions_and_writers_of_a_delta() -> None:
    """In the order of the fold; a single writer has none."""
    made = delta(gn.append, [], ["a"], ["b"], kind=list[str])

    assert [("0", ["a"]), ("1", ["b"])] == [(each.writer, each.written) for each in made.contributions]
    assert ("0", "1") == made.writers
    assert [["a"], ["b"]] == made.written
    assert ((), ()) == (delta(gn.append, [], ["a"]).contributions, delta(gn.append, [], ["a"]).writers)
