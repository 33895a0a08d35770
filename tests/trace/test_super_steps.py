"""Steps of a super-step in which several nodes ran: what was before and after, and what ran inside."""

from __future__ import annotations

import pytest

import graphnb as gn
from graphnb.trace.reading.unfinished import OpenStep
from tests.show.supersteps import Desk, diamond, fails, logs, mixed, run_of


def test_all_nodes_of_a_super_step_have_the_same_state_before_and_after() -> None:
    """That before the step, and that after the fold of all of them."""
    ask, read = run_of(diamond()).steps[1:3]

    assert (False, True) == (ask.is_joined, read.is_joined)
    assert ["plan"] == ask.before.log == read.before.log
    assert ["plan", "ask", "read"] == ask.after.log == read.after.log


def test_fan_out_whose_field_another_node_wrote_as_well_has_no_instances_at_its_delta() -> None:
    """The items of the field are told by node."""
    steps = {step.path: step for step in run_of(mixed()).steps}
    (notes,) = [delta for delta in steps["note"].deltas if delta.field == "notes"]

    assert ("each", "note") == notes.writers
    assert notes.instances is None
    assert steps["each"].instances is not None


@pytest.mark.filterwarnings("ignore::graphnb.UnfitWriteWarning")
def test_what_ran_inside_of_dropped_nodes_is_told() -> None:
    """The steps of a subgraph and of instances, with numbers of their own."""
    graph = gn.Graph(Desk, entry="plan", name="dropped")
    worker = gn.Graph(Desk, entry="look", name="worker")
    worker.node("look", logs("look"), to=gn.END)
    graph.node("plan", logs("plan", answers=["x"]), to=("a_each", "b_sub", "c"))
    graph.fan_out("a_each", worker, over="answers", item="topic", collect="log", into="facts", to=gn.END)
    graph.subgraph("b_sub", diamond(), to=gn.END)
    graph.node("c", fails, to=gn.END)
    trace = run_of(graph).trace

    assert ["a_each", "b_sub"] == [each.node for each in trace.open_steps if isinstance(each, OpenStep)]
    assert ["plan", "a_each[0]/look", "b_sub/plan", "b_sub/ask", "b_sub/read", "b_sub/write"] == [
        each.path for each in trace.steps
    ]
