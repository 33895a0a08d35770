"""The commits of a run by their kinds, and the logs that it had at each of them."""

from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.position import position_of
from graphnb.engine.run import Execution, advance, begin
from graphnb.engine.supersteps.answering import fold_answers
from graphnb.trace.checkpoints import Checkpoint, checkpoints_of, log_at
from graphnb.trace.log import Log
from tests.documents import fails_below, gives, plan, tries, written

EDGES = {
    "s1": {"from": "$start", "to": "a"},
    "s2": {"from": "$start", "to": "b"},
    "e": {"from": "b", "to": "c"},
}


def ask(view: Any, context: gn.NodeContext) -> Any:
    """Asks once, and notes the answer."""
    return {"log": "a"} if "word" in view else gn.interrupt("word", id="q")


def driven() -> Execution:
    """A run in which one node asks, and another one is tried three times; it waits."""
    document = written("a", "b", "c", edges=EDGES, nodes={"c": tries(3)})
    execution = begin(plan(document, a=ask, b=gives({"log": "b"}), c=fails_below(3, {"log": "c"})), {}, pauses=True)
    while advance(execution) is None:
        pass
    return execution


def test_commits_are_told_in_their_order() -> None:
    """A step in which somebody asked, steps that were parked, one that was committed, an answer."""
    execution = driven()
    log = fold_answers(execution.plan, execution.log, status="waiting", answers={"q": "x"}).log

    assert (
        Checkpoint("run_initialized", 0, 0),
        Checkpoint("interrupt_requested", 2, 0),
        Checkpoint("retry_scheduled", 2, 1),
        Checkpoint("retry_scheduled", 2, 2),
        Checkpoint("step_committed", 3, 2),
        Checkpoint("interrupt_resolved", 4, 2),
    ) == checkpoints_of(log, "running")


@pytest.mark.parametrize(
    ("status", "kinds"),
    [
        ("done", ("run_completed",)),
        ("failed", ("run_failed",)),
        ("cancelled", ("run_cancelled",)),
        ("running", ()),
        ("waiting", ()),
    ],
)
def test_end_is_a_commit_of_its_own(status: Any, kinds: tuple[str, ...]) -> None:
    """Waiting is none."""
    log = Log("tea", plan(written("a"), a=gives({})).schema, {})

    assert ("run_initialized", *kinds) == tuple(each.kind for each in checkpoints_of(log, status))


def test_log_at_a_commit_is_that_of_then() -> None:
    """With the same steps, parked or not; the log itself stays as it is."""
    execution = driven()
    log = fold_answers(execution.plan, execution.log, status="waiting", answers={"q": "x"}).log
    logs = [log_at(log, each) for each in checkpoints_of(log, "running")]

    assert [0, 1, 1, 1, 2, 2] == [each.step for each in logs]
    assert [None, None, 1, 1, None, None] == [each.parked and each.parked.step for each in logs]
    assert [2, 3] == [each.parked.attempts["c"] for each in logs if each.parked is not None]
    assert [0, 1, 1, 1, 1, 0] == [len(position_of(execution.plan, each).open) for each in logs]
    assert [("a", "b")] * 6 == [each.starts for each in logs]
    assert all(each.pinned is execution.log.pinned for each in logs)
    assert 4 == len(log.commits)
