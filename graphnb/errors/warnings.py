"""Warnings: what is allowed and yet seldom meant, and what went wrong beside a run."""

from __future__ import annotations

from typing import ClassVar


class GraphWarning(UserWarning):
    """Built as `(where, what, mend)` like an error; `category` is the specification's word where it has one."""

    category: ClassVar[str] = "graph_warning"

    def __init__(self, where: str, what: str, mend: str = "") -> None:
        super().__init__(where, what, mend)
        self.where = where
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.mend}".rstrip()


class ProjectionRoundTripWarning(GraphWarning):
    """A field goes into a node and comes back into itself through a reducer that adds it again.

    `field`, `reducer` and `channel` (the options that lead in and out) say which. Source: graph-engine §2.
    """

    category = "projection_reducer_round_trip"
    field: str = ""
    reducer: str = ""
    channel: str = ""


class UnfitWriteWarning(GraphWarning):
    """A node writes what the reducer of a field cannot fold, as far as types tell; `field` and `reducer` say which.

    Source: proposal 0036, the fan-out collection pattern.
    """

    category = "unfit_write"
    field: str = ""
    reducer: str = ""


class ObserverWarning(GraphWarning):
    """An observer raised; the run and the other observers go on. Source: graph-engine §6."""

    category = "observer_failed"
