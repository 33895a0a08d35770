"""How far a run has come, seen from beside."""

import gc
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.run import Execution, advance, begin
from graphnb.notebook.progress import Progress


class Diary(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []


def execution(steps: int) -> Execution:
    """A run in steps of a graph that counts."""
    graph = gn.Graph(Diary, entry="a", name="count")
    graph.node("a", lambda s: {"n": s.n + 1, "log": [f"{s.n}"]})
    graph.branch("a", lambda s: "a" if s.n < steps else gn.END, to=("a", gn.END))
    return begin(graph.compile().plan, {}, pauses=True)


def test_run_so_far_does_not_grow():
    """Each look gives what had happened by then, under one id."""
    under_way = execution(3)
    progress = Progress(under_way)
    seen = [progress.run]
    while advance(under_way) is None:
        seen.append(progress.run)

    assert [(0, []), (1, ["0"]), (2, ["0", "1"])] == [(len(run.steps), run.state.log) for run in seen]
    assert {under_way.run_id} == {run.run_id for run in seen}
    assert {"running"} == {run.status for run in seen}
    assert all(run.state == run.trace.state for run in seen)


def test_run_that_has_ended_is_the_same_at_every_look():
    """It is the one that was told, with the id that it had."""
    under_way = execution(1)
    progress = Progress(under_way)

    assert not progress.is_ended

    run = progress.end(advance(under_way))

    assert progress.is_ended
    assert run is progress.run is progress.run
    assert (under_way.run_id, "done", 1) == (run.run_id, run.status, progress.state.n)


def test_state_is_that_of_the_run_at_any_look():
    """Looked at or not in between, and more than once."""
    under_way = execution(6)
    progress = Progress(under_way)
    for i in range(6):
        if i % 2:
            assert (i, i) == (progress.state.n, progress.run.state.n)
        advance(under_way)

    assert 6 == progress.state.n == progress.state.n == len(progress.run.state.log)


def test_snapshot_older_than_the_last_look_has_its_own_state(monkeypatch):
    """Another thread may look further between the snapshot of a run and its values."""
    under_way = execution(4)
    progress = Progress(under_way)
    advance(under_way)
    snapshot = type(under_way.log).snapshot

    def slow_snapshot(log: Any) -> Any:
        taken = snapshot(log)
        advance(under_way)
        assert 2 == progress.state.n
        return taken

    with monkeypatch.context() as patched:
        patched.setattr(type(under_way.log), "snapshot", slow_snapshot)
        run = progress.run

    assert (1, ["0"]) == (run.state.n, run.state.log)
    assert 2 == progress.state.n == progress.run.state.n


@pytest.mark.parametrize("steps", [0, 1])
def test_run_that_nobody_can_drive_any_more_is_cancelled(steps):
    """Once what drives it is gone; everything up to there is kept."""
    under_way = execution(3)
    progress = Progress(under_way)
    for _ in range(steps):
        advance(under_way)
    run_id = under_way.run_id
    del under_way
    gc.collect()
    run = progress.run

    assert ("cancelled", steps, run_id) == (run.status, run.state.n, run.run_id)
    assert run is progress.run
    assert progress.is_ended
