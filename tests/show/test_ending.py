"""Where a run was stopped, and what a fan-out had done by then."""

from __future__ import annotations

import pytest

from graphnb.errors import NodeException
from graphnb.show.ending import ending_html, ending_text
from graphnb.trace.log import Commit, Failure, Log, Open
from tests.show.pages import KEPT_ATTRIBUTES, KEPT_TAGS, checked, words
from tests.show.supersteps import broken, run_of
from tests.show.unfinished import Batch, failed, instances, planned, stopped, stopped_in_instances
from tests.traces import Made


def test_run_that_completed_has_nothing_to_tell():
    """Nor has one that failed in a node which runs no instances: its error says all."""
    assert ([], "") == (ending_text(planned().trace()), ending_html(planned().trace()))
    assert ([], "") == (ending_text(planned().fail("a").trace()), ending_html(planned().fail("a").trace()))


def test_stopped_node_is_named():
    """In one line."""
    trace = stopped().trace("cancelled")

    assert ["stopped at node 'read_each'"] == ending_text(trace)
    assert "stopped at node 'read_each'" == words(ending_html(trace))


def test_node_that_was_stopped_at_its_edge_is_told_apart():
    """It completed."""
    made = Made(Batch).step("plan", {"n": 1}, to=None)
    made.log.open = Open(1, "plan", at_edge=True, stopped=True)

    assert ["stopped at the edge of node 'plan'"] == ending_text(made.trace("cancelled"))


def test_innermost_of_graphs_within_each_other_is_named():
    """By its path."""
    child, outer = Made(Batch), Made(Batch)
    child.log.open = Open(0, "x", stopped=True)
    outer.log.open = Open(0, "child", child.log, stopped=True)

    assert ["stopped at node 'child/x'"] == ending_text(outer.trace("cancelled"))


def test_stopped_fan_out_tells_what_its_instances_had_done():
    """Below the line, one by one."""
    trace = stopped(instances("A", begun=3)).trace("cancelled")

    assert [
        "stopped at node 'read_each': 1 of 6 instances finished, 2 stopped, 3 never started",
        "  #0: 'A'",
        "  stopped: #1, #2",
        "  never started: #3 to #5",
    ] == ending_text(trace)


def test_places_within_instances_are_named():
    """The innermost ones, a few of them."""
    head = "stopped at node 'read_each' (in read_each[1]/note, read_each[2]/open): 1 of 6 instances finished"
    many = [Made(Batch) for _ in range(6)]
    for each in many:
        each.log.open = Open(0, "x", stopped=True)

    assert ending_text(stopped_in_instances().trace("cancelled"))[0].startswith(head)
    assert "(in read_each[0]/x, read_each[1]/x, read_each[2]/x, … 3 more)" in ending_html(
        stopped(instances(logs=many, begun=6)).trace("cancelled")
    )


def test_running_fan_out_tells_how_far_it_is():
    """In the words of something that goes on."""
    trace = stopped(instances("A"), is_running=True).trace("running")

    assert "running at node 'read_each': 1 of 6 instances finished, 3 running, 2 to come" == ending_text(trace)[0]


def test_failed_fan_out_tells_what_its_instances_had_done():
    """Values, errors, and which never started."""
    trace = failed(instances("A", "B", errors={2: ValueError("no luck")}, begun=3)).trace()

    assert [
        "read_each: 2 of 6 instances finished, 1 failed, 3 never started",
        "  #0: 'A'",
        "  #1: 'B'",
        "  #2: ✗ ValueError: no luck",
        "  never started: #3 to #5",
    ] == ending_text(trace)


def test_fan_out_within_a_subgraph_is_named_by_its_path():
    """As it stands in the table of steps."""
    outer = Made(Batch)
    outer.log.failure = Failure("child", NodeException("w", "w"), failed(instances("A")).log)

    assert ending_text(outer.trace())[0].startswith("child/read_each: 1 of 6 instances finished")


@pytest.mark.parametrize(
    "made",
    [failed(instances("<b>", errors={1: ValueError("<i>")})), stopped(instances("<b>"))],
    ids=["failed", "stopped"],
)
def test_html_says_what_the_text_says(made):
    """In tags that every front end keeps, and with all of the user's text escaped."""
    page = ending_html(made.trace())
    checker = checked(page)

    assert checker.tags <= KEPT_TAGS
    assert checker.attributes <= KEPT_ATTRIBUTES
    assert "'<b>'" in words(page)
    assert ("✗ ValueError: <i>" in words(page)) == (made.log.failure is not None)


def test_failed_super_step_tells_what_became_of_its_other_nodes():
    """Who failed beside the node of the error, and whose updates were dropped."""
    trace = run_of(broken()).trace

    assert ["in the same step: 'view' failed as well; what 'read' wrote was dropped"] == ending_text(trace)
    assert "what 'read' wrote was dropped" in words(ending_html(trace))


@pytest.mark.parametrize("others", [("slow",), ("slow", "slower")])
def test_nodes_of_a_stopped_super_step_are_named(others):
    """All that had not finished; of the others that what they wrote was dropped."""
    made = Made(Batch).step("plan", {"n": 1}, "quick")
    lanes = [Log("g", made.schema, made.values, first=1) for _ in ("quick", *others)]
    lanes[0].commits.append(Commit("quick", ()))
    for lane, name in zip(lanes[1:], others, strict=True):
        lane.open = Open(0, name, stopped=True)
    made.log.open = Open(1, "quick, slow", lanes=tuple(lanes), stopped=True)
    told = "node 'slow'" if len(others) == 1 else "the nodes 'slow' and 'slower'"

    assert ["in the same step: what 'quick' wrote was dropped", f"stopped at {told}"] == ending_text(
        made.trace("cancelled")
    )


def test_instances_are_told_of_the_node_that_runs_them():
    """Beside nodes that run none, however deep in graphs the others stand."""
    made = Made(Batch).step("plan", {"n": 1}, "each")
    each, other, child = (Log("g", made.schema, made.values, first=1) for _ in range(3))
    each.open = Open(0, "each", None, instances("A", begun=2, count=2), stopped=True)
    child.open = Open(0, "x", stopped=True)
    other.open = Open(0, "sub", child, stopped=True)
    made.log.open = Open(1, "each, sub", lanes=(each, other), stopped=True)

    assert [
        "stopped at the nodes 'each' and 'sub/x'; of 'each': 1 of 2 instances finished, 1 stopped",
        "  #0: 'A'",
        "  stopped: #1",
    ] == ending_text(made.trace("cancelled"))
