"""Changes by who gave them: in which groups they stand, how many are shown, and what is said of the others."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.show.diff.groups import MOST_INSTANCES, MOST_WRITERS, Group, first_of, groups_of, rest_text
from graphnb.show.diff.making_rows import rows_of
from graphnb.show.diff.rows import Row
from graphnb.state.reducers.strict import concat_flatten
from graphnb.trace.comparing.changes import Change, changes_of
from tests.show.supersteps import run_of, three_writers


class Desk(gn.State):
    items: list[str] = []
    found: Annotated[list[str], concat_flatten] = []


def spread(*items: str) -> Row:
    """The row of a fan-out that gives the letters of each item, and fails for `!`."""

    def letters(item: str) -> list[str]:
        """Give a list for each item."""
        if item == "!":
            raise ValueError(item)
        return list(item)

    graph = gn.Graph(Desk, entry="each")
    graph.fan_out("each", letters, over="items", into="found", error_policy="collect", to=gn.END)
    (row,) = [each for each in rows_of(graph.run(items=list(items)).trace) if each.field == "found"]
    return row


def groups(row: Row) -> list[Group]:
    """The groups of all its changes."""
    assert row.delta is not None
    return groups_of(row, changes_of(row.delta))


def added(count: int) -> list[Change]:
    """So many elements that were added."""
    return [Change("added", key=i, after=i) for i in range(count)]


def test_elements_stand_with_the_instance_that_gave_them() -> None:
    """In item order, those that gave nothing and those that failed in their places."""
    told = [(each.instance, [change.after for change in each.changes]) for each in groups(spread("ab", "", "!", "c"))]

    assert [(0, ["a", "b"]), (1, []), (2, []), (3, ["c"])] == told
    assert [None, None, "!", None] == [each.error and str(each.error) for each in groups(spread("ab", "", "!", "c"))]


def test_instances_that_gave_nothing_are_counted_when_there_are_many() -> None:
    """One more than is shown have a group each, so that the limit is seen to be met."""
    *some, rest = groups(spread(*[""] * 20, "a"))

    assert MOST_INSTANCES + 2 == len(some)
    assert (None, [], list(range(MOST_INSTANCES + 1, 20))) == (rest.instance, [*rest.changes], [*rest.others])


def test_changes_without_instances_are_one_group() -> None:
    """In the order in which they came."""
    graph = gn.Graph(Desk, entry="a")
    graph.node("a", lambda s: {"items": ["b", "a"]}, to=gn.END)
    (row,) = rows_of(graph.run().trace)
    (group,) = groups(row)

    assert (None, None) == (group.part, group.instance)


def test_writes_of_several_nodes_stand_with_their_node() -> None:
    """What was there before has none; a field that has one value has one group."""
    written = [each for each in rows_of(run_of(three_writers()).trace) if each.delta and each.delta.contributions]
    rows = {each.field: each for each in written}

    assert [None, "ann", "bob", "cyd"] == [each.writer for each in groups(rows["log"])]
    assert ["ann", "bob", "cyd"] == [change.after for each in groups(rows["log"])[1:] for change in each.changes]
    assert [None] == [each.writer for each in groups(rows["cost"])]


def test_groups_are_shown_as_far_as_their_elements_have_room() -> None:
    """The last one is cut; kept elements take no room."""
    kept = Change("kept", key=0, count=9)
    shown, hidden = first_of([Group(0, None, [kept, *added(2)]), Group(1, None, added(3))], 4)

    assert [3, 2] == [len(each.changes) for each in shown]
    assert [1] == [len(each.changes) for each in hidden]
    assert ([], 2) == (
        first_of([Group(0, None, added(2))], 0)[0],
        len(first_of([Group(0, None, added(2))], 0)[1][0][2]),
    )


@pytest.mark.parametrize(
    ("most", "group"),
    [(MOST_INSTANCES, Group(None, 0, ())), (MOST_WRITERS, Group(None, None, (), writer="a"))],
)
def test_so_many_groups_are_shown_though_they_are_empty(most: int, group: Group) -> None:
    """Each takes a line; nodes may have more of them than instances."""
    shown, hidden = first_of([group] * (most + 3), 99)

    assert (most, 3) == (len(shown), len(hidden))


def test_what_is_hidden_is_told_in_words() -> None:
    """By instances where there are some, else by the elements alone."""
    row = spread("a")
    delta: Any = row.delta

    assert "… 3 more" == rest_text([Group(None, None, added(3))], delta)
    assert "… 1 more instance (3 more)" == rest_text([Group(0, 0, added(3))], delta)
    assert "… 4 more instances (0 more)" == rest_text([Group(None, None, (), others=[1, 2, 3, 4])], delta)
    assert "… of 1 more node (2 more)" == rest_text([Group(0, None, added(2), writer="a")], delta)
