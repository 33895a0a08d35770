"""Going on from every commit must give every later commit again. Source: super-steps, the replan guarantee."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.conformance.documents.stored import Stored
from graphnb.graph.plan import Plan
from graphnb.trace.checkpoints import Checkpoint, log_at
from graphnb.trace.comparing.equality import are_logs_same
from graphnb.trace.log import Log


def replay_reasons(plan: Plan, run: Stored, *, first: int) -> Iterator[str]:
    """What comes out otherwise when the run goes on from one of its commits; `first` is the first of this operation."""
    checkpoints = run.checkpoints
    for i in range(first - 1, len(checkpoints) - 1):
        again = Stored(plan, log_at(run.log, checkpoints[i]))
        again.drive(plan, max_commits=_left(checkpoints[i + 1 :]))
        place = f"replayed from commit {i} ({checkpoints[i].kind})"
        got = [each.kind for each in again.checkpoints]
        wanted = [each.kind for each in checkpoints]
        if got != wanted:
            yield f"{place}: expected {wanted}, got {got}"
            continue
        for each in checkpoints[i + 1 :]:
            if not _are_same(log_at(run.log, each), log_at(again.log, each)):
                yield f"{place}: commit {each.kind} at {each.commits} is another one"


def _left(checkpoints: tuple[Checkpoint, ...]) -> int | None:
    """How many commits are to be made; None if the run came to an end with the last of them."""
    is_over = checkpoints[-1].kind in ("run_completed", "run_failed", "run_cancelled")
    return None if is_over else len(checkpoints)


def _are_same(one: Log, other: Log) -> bool:
    return are_logs_same(one, other) and one.parkings == other.parkings and one.starts == other.starts
