"""The commits of a run in the words of the super-step contract, and the logs that it had at each of them.

Source: super-steps, durability.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.trace.log import Commit, Log, begun_like, count_joined, end_of_step
from graphnb.trace.trace import Status

CheckpointKind = Literal[
    "run_initialized",
    "step_committed",
    "interrupt_requested",
    "retry_scheduled",
    "interrupt_resolved",
    "run_completed",
    "run_failed",
    "run_cancelled",
]


class Checkpoint(NamedTuple):
    """One commit: its kind, and how much of the log there was with it: so many commits, and so many parked steps."""

    kind: CheckpointKind
    commits: int
    parkings: int


def checkpoints_of(log: Log, status: Status) -> tuple[Checkpoint, ...]:
    """The commits of a run in their order; that with which it ended is the last one."""
    ended: dict[Status, CheckpointKind] = {
        "done": "run_completed",
        "failed": "run_failed",
        "cancelled": "run_cancelled",
    }
    commits, parkings = len(log.routes), len(log.parkings)
    last = (Checkpoint(ended[status], commits, parkings),) if status in ended else ()
    return (Checkpoint("run_initialized", 0, 0), *_under_way(log), *last)


def log_at(log: Log, checkpoint: Checkpoint) -> Log:
    """The log as it was at a checkpoint."""
    own = begun_like(log)
    own.commits, own.routes = log.commits[: checkpoint.commits], log.routes[: checkpoint.commits]
    own.parkings = log.parkings[: checkpoint.parkings]
    own.joined = count_joined(own.commits)
    return own


def _under_way(log: Log) -> Iterator[Checkpoint]:
    first = parked = 0
    while True:
        while parked < len(log.parkings) and log.parkings[parked].commits == first:
            parked += 1
            yield Checkpoint("retry_scheduled", first, parked)
        if first >= len(log.routes):
            return
        last = end_of_step(log.commits, first)
        yield Checkpoint(_kind(log.commits[first:last]), last, parked)
        first = last


def _kind(step: list[Commit]) -> CheckpointKind:
    if type(step[0].interrupt) is Answer:
        return "interrupt_resolved"
    return "interrupt_requested" if any(type(each.interrupt) is Interrupt for each in step) else "step_committed"
