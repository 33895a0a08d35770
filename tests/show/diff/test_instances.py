"""What had become of the instances of a fan-out that did not complete."""

from __future__ import annotations

from typing import Annotated

import pytest

import graphnb as gn
from graphnb.show.diff.element_marks import Mark
from graphnb.show.diff.instances import instances_marks, instances_text, item_of, numbers_text, split_lines, tag_marks
from graphnb.show.diff.text import marks_text
from graphnb.trace.instances import Instances
from graphnb.trace.reading.steps import Entry
from graphnb.trace.reading.walking import walk
from tests.show.unfinished import failed, instances, stopped
from tests.traces import Made

NO_LUCK = {2: ValueError("no luck")}


def last(made: Made) -> Entry:
    """The fan-out that did not complete."""
    return next(each for each in walk(made.log) if each.node == "read_each")


def lines(made: Instances, *, is_running: bool = False, errors: bool = True) -> list[str]:
    """What is told of the instances, a text for each line."""
    step = last(stopped(made, is_running=is_running) if is_running else failed(made))
    return [marks_text(line) for line in split_lines(instances_marks(step, errors=errors))]


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (instances("A", "B", errors=NO_LUCK), "2 of 6 instances finished, 1 failed, 1 stopped, 2 never started"),
        (instances(count=1, begun=0), "0 of 1 instance finished, 1 never started"),
        (instances("A", count=1, begun=1), "1 of 1 instance finished"),
    ],
)
def test_instances_are_counted_by_what_became_of_them(made, text):
    """Those of which there are none are left out."""
    assert text == instances_text(last(failed(made)))


def test_instances_that_go_on_are_running():
    """They were not stopped, and others are still to come."""
    step = last(stopped(instances("A"), is_running=True))

    assert "1 of 6 instances finished, 3 running, 2 to come" == instances_text(step)


def test_values_and_errors_stand_with_their_instances():
    """Then the numbers of those that were stopped, and of those that never started."""
    assert [
        "#0: 'A'",
        "#1: 'B'",
        "#2: ✗ ValueError: no luck",
        "stopped: #3",
        "never started: #4, #5",
    ] == lines(instances("A", "B", errors=NO_LUCK))


def test_errors_are_left_out_where_rows_of_their_own_tell_them():
    """The rest stays."""
    assert ["#0: 'A'", "stopped: #1, #3", "never started: #4, #5"] == lines(
        instances("A", errors=NO_LUCK), errors=False
    )


def test_running_instances_are_told_so():
    """In their own words."""
    assert ["#0: 'A'", "running: #1 to #3", "to come: #4, #5"] == lines(instances("A"), is_running=True)


def test_value_for_several_fields_names_them():
    """One for each field that would have received a list."""
    assert "#0: notes: 'A', sizes: 3" == lines(instances(("A", 3), into=("notes", "sizes")))[0]


def test_value_that_no_field_receives_is_shown_all_the_same():
    """A worker that is run for its effects."""
    assert "#0: 'A'" == lines(instances("A", into=()))[0]


def test_many_instances_are_abbreviated():
    """Six of each kind one by one, with the number of the others; long values and messages are cut."""
    errors = {i: ValueError("x" * 1000) for i in range(100, 120)}
    told = lines(instances(*["v" * 1000] * 100, errors=errors, begun=200, count=10_000))

    assert ["… 94 more finished", "… 14 more failed"] == [line for line in told if line.startswith("…")]
    assert ["stopped: #120 to #199", "never started: #200 to #9999"] == told[-2:]
    assert 6 + 6 + 4 == len(told)
    assert max(map(len, told)) < 200


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([3], "#3"),
        ([3, 4], "#3, #4"),
        ([3, 4, 5, 7], "#3 to #5, #7"),
        (range(0, 20, 2), "#0, #2, #4, #6, … 6 more"),
        (range(5, 9), "#5 to #8"),
    ],
)
def test_numbers_in_a_row_are_told_by_their_ends(numbers, text):
    """A few stretches, then how many more there are."""
    assert text == numbers_text(numbers)


def test_tag_has_the_item_of_its_instance():
    """The one in the list as it was before the fan-out, also if no step has written it."""
    step = last(failed(instances("A")))

    assert [Mark("line", ""), Mark("instance", "#1"), Mark("item", "'b.py'")] == tag_marks(step, 1)


def test_instance_of_a_count_has_no_item():
    """Its number says all."""
    step = last(failed(instances("A", over=None)))

    assert [Mark("line", ""), Mark("instance", "#1")] == tag_marks(step, 1)
    with pytest.raises(LookupError):
        item_of(step, 1)


def test_branches_are_told_by_their_names():
    """Those that have finished, and those that go on or never began."""
    made = Instances(4, (), (), (), None, (), 3, ((0, ({"n": 1},)),), ("a", "b", "c", "d"), unit="branch")
    step = last(failed(made))

    assert "1 of 4 branches finished, 2 stopped, 1 never started" == instances_text(step)
    assert ["#a: {'n': 1}", "stopped: #b, #c", "never started: #d"] == lines(made)


def test_few_of_many_branches_are_named():
    """The others are counted."""
    names = tuple("abcdefgh")

    assert ["stopped: #a, #b, #c, #d, #e, #f, … 2 more"] == lines(
        Instances(8, (), (), (), None, (), 8, (), names, unit="branch")
    )


class Reading(gn.State):
    files: list[str] = ["a", "b"]
    notes: Annotated[list[str], gn.append] = []


def test_items_are_those_from_before_the_super_step():
    """What another node of the step has written into the field no instance was given."""
    graph = gn.Graph(Reading, entry="plan")
    graph.node("plan", lambda s: {}, to=("change", "read_each"))
    graph.node("change", lambda s: {"files": ["c", "d"]}, to=gn.END)
    graph.fan_out("read_each", str.upper, over="files", into="notes", to=gn.END)
    step = next(each for each in graph.run().steps if each.node == "read_each")

    assert ["a", "b"] == [item_of(step, i) for i in range(2)]
