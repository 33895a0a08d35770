"""What came of a case: how it was run, what it gave, and what was noted on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.build import bodies_in
from graphnb.conformance.building.notes import RECORDER, Notes
from graphnb.conformance.building.observers import Watcher
from graphnb.conformance.building.probe import Probe
from graphnb.conformance.reading.cases import Case


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run a graph: with `graph.run`, or awaiting `graph.arun`; with `def` nodes, or with `async def`."""

    is_awaited: bool
    has_async: bool

    def __str__(self) -> str:
        return f"graph.{'arun' if self.is_awaited else 'run'}, {'async def' if self.has_async else 'def'} nodes"

    @property
    def is_plain(self) -> bool:
        """True where run and nodes are of one kind."""
        return self.is_awaited == self.has_async


WAYS: Final = tuple(Way(*flags) for flags in ((False, False), (True, True), (False, True), (True, False)))
"""All of them. A case holds only if it holds in each, with the same outcome."""


@dataclass(frozen=True, slots=True)
class Drained:
    """A drain: its summary, the timeout it was given, how long it took, and how much was delivered when it ended."""

    summary: gn.DrainSummary
    timeout: float | None
    seconds: float
    delivered: int


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of one invocation of a case, run in one way.

    `refused` is what building or compiling raised; `error` what the run raised, None if it ended well or was not
    wanted; `state` the final state by field, None without one; `order` the nodes in the order in which they were
    entered. `warned` are the categories of the warnings while compiling, `news` of those that only the run gave.
    `calls` counts the calls of mocks so far; `drain` is the one that the case asks for after the run. `earlier`
    are the outcomes of the invocations before this one, `further` that of one more, if the case needs it.
    `is_recorded` tells that the harness's own observer was there.
    """

    way: Way
    case: Case
    probe: Probe
    notes: Notes = field(default_factory=Notes)
    warned: tuple[str, ...] = ()
    news: tuple[str, ...] = ()
    refused: Exception | None = None
    error: BaseException | None = None
    state: dict[str, Any] | None = None
    order: tuple[str, ...] = ()
    steps: tuple[gn.Step, ...] = ()
    calls: int = 0
    invocation_id: str = ""
    correlation_id: str = ""
    watchers: tuple[Watcher, ...] = ()
    drain: Drained | None = None
    earlier: tuple[Outcome, ...] = ()
    further: Outcome | None = None
    is_recorded: bool = False

    @property
    def has_all_events(self) -> bool:
        """True unless the harness's own observer was not there, or a drain has dropped events."""
        return self.is_recorded and not (self.drain is not None and self.drain.summary.timeout_reached)

    @property
    def events(self) -> tuple[gn.NodeEvent, ...]:
        """The nodes' events in order, as the harness's own observer has received them."""
        return self.notes.of(RECORDER)

    @property
    def isolated(self) -> tuple[gn.FailureIsolated, ...]:
        """The events of failures that were isolated."""
        received = [each.event for each in self.notes.deliveries if each.observer == RECORDER]
        return tuple(event for event in received if isinstance(event, gn.FailureIsolated))

    @property
    def nodes(self) -> frozenset[str]:
        """The names of all nodes that the case declares, those of its subgraphs included."""
        return frozenset(name for body in bodies_in(self.case) for name in body.value["nodes"])

    @property
    def branches(self) -> frozenset[str]:
        """The names of all parallel branches that the case declares."""
        nodes = [node for body in bodies_in(self.case) for node in body.value["nodes"].values()]
        return frozenset(name for node in nodes for name in node.get("parallel_branches", {}).get("branches", ()))
