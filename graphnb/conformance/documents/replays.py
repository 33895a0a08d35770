"""Going on from every commit must give every later commit again, by the same executions of the same nodes.

Source: super-steps, the replan guarantee.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.conformance.documents.stored import Call, Stored
from graphnb.errors.text import shown
from graphnb.graph.plan import Plan
from graphnb.trace.checkpoints import Checkpoint, log_at
from graphnb.trace.comparing.equality import are_logs_same
from graphnb.trace.log import Log


def replay_reasons(plan: Plan, run: Stored, *, first: int) -> Iterator[str]:
    """What comes out otherwise when the run goes on from one of its commits; `first` is the first of this operation."""
    checkpoints = run.checkpoints
    for i in range(first - 1, len(checkpoints) - 1):
        again = Stored(plan, log_at(run.log, checkpoints[i]), told=run.told)
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
        for number in range(i + 1, len(checkpoints)):
            why = _why_other(run.calls.get(number, []), again.calls.get(number, []))
            if why:
                yield f"{place}: before commit {number} ({checkpoints[number].kind}) {why}"


def _why_other(wanted: list[Call], got: list[Call]) -> str:
    """How the executions of nodes that led to a commit differ, whatever their order; empty if they do not."""
    keys, own = sorted(key for key, _ in wanted), sorted(key for key, _ in got)
    if keys != own:
        return f"nodes ran as {shown(own)}, and as {shown(keys)} in the run itself"
    others = {key for key, _ in {*got} - {*wanted}}
    return f"{shown(sorted(others))} saw other values than in the run itself" if others else ""


def _left(checkpoints: tuple[Checkpoint, ...]) -> int | None:
    """How many commits are to be made; None if the run came to an end with the last of them."""
    is_over = checkpoints[-1].kind in ("run_completed", "run_failed", "run_cancelled")
    return None if is_over else len(checkpoints)


def _are_same(one: Log, other: Log) -> bool:
    return are_logs_same(one, other) and one.parkings == other.parkings and one.starts == other.starts
