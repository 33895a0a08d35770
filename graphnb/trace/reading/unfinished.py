"""Nodes that were entered and did not complete, as records to look at, numbered like steps."""

from __future__ import annotations

from dataclasses import dataclass

from graphnb.errors import RunError
from graphnb.trace.instances import Instances
from graphnb.trace.log import Log
from graphnb.trace.places import Part, path_text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FailedStep:
    """A node that did not complete, or whose edge did not (`at_edge`); numbered like a step.

    `index` is how many nodes of its graph had completed before it. `instances` is what instances, branches or delegates
    had done when one of them ended it, or the fold of what they gave; None for other nodes. `failures` are the errors
    of attempts that were made before the last one; `is_entered` is False if middleware has failed without asking the
    node. `is_shared`: other nodes ran in the same super-step, of which nothing was committed.
    """

    number: int
    parents: tuple[Part, ...]
    log: Log
    index: int
    node: str
    error: RunError
    at_edge: bool
    instances: Instances | None = None
    failures: tuple[Exception, ...] = ()
    is_entered: bool = True
    is_shared: bool = False

    @property
    def attempts(self) -> int:
        """How often the node was tried before it failed for good; 0 if it was not asked."""
        return len(self.failures) + 1 if self.is_entered else 0

    @property
    def path(self) -> str:
        """Where the node stands, as in `Step.path`."""
        return path_text(self.parents, self.node)

    def __repr__(self) -> str:
        return f"FailedStep({self.number}, {self.path!r}, {self.error.category})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenStep:
    """A node in which the run was `stopped`, or which is running graphs at this moment; numbered like a step.

    `at_edge`: it had completed, and its edge was being asked. `is_finished`: it had come to its end, and what it wrote
    was not committed, since another node of its super-step goes on, has failed, or was stopped. `index`, `instances`
    and `is_shared` as in `FailedStep`.
    """

    number: int
    parents: tuple[Part, ...]
    log: Log
    index: int
    node: str
    stopped: bool
    at_edge: bool
    instances: Instances | None = None
    is_finished: bool = False
    is_shared: bool = False

    @property
    def path(self) -> str:
        """Where the node stands, as in `Step.path`."""
        return path_text(self.parents, self.node)

    @property
    def fate(self) -> str:
        """In one word what became of it: "stopped" or "running"; of one that is finished "dropped" or "finished"."""
        if self.is_finished:
            return "dropped" if self.stopped else "finished"
        return "stopped" if self.stopped else "running"

    def __repr__(self) -> str:
        return f"OpenStep({self.number}, {self.path!r}, {self.fate})"
