"""Where in a run a graph runs, and who is told of what happens there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from graphnb.engine.invocation import Ids
from graphnb.graph.observer import Observer

if TYPE_CHECKING:
    from graphnb.trace.events import Kept, Lineage


class Watch(NamedTuple):
    """What all events of one invocation share: its ids, the next step number, and the observers of this run alone."""

    invocation_id: str
    correlation_id: str
    steps: Iterator[int]
    observers: tuple[Observer, ...]


class Scope(NamedTuple):
    """What holds for all nodes of one running graph; without `watch` nobody is told, and only `max_steps` counts.

    `path` names the enclosing nodes, outermost first; `indices` and `branches` have an entry for each, as in
    `Lineage`; `parents` are the states in which they were entered. `observers` are those of the graphs from the
    outermost down to this one. `attempt_index` is that of the innermost enclosing retry. `ids` are
    those of the run.
    """

    max_steps: int
    watch: Watch | None = None
    path: tuple[str, ...] = ()
    indices: tuple[int | None, ...] = ()
    branches: tuple[str | None, ...] = ()
    parents: tuple[Kept, ...] = ()
    observers: tuple[Observer, ...] = ()
    attempt_index: int = 0
    ids: Ids | None = None

    @property
    def all_observers(self) -> tuple[Observer, ...]:
        """Who is told of an event here, in order: graphs' observers from outside in, then those of the run."""
        return self.observers if self.watch is None else (*self.observers, *self.watch.observers)

    def lineage_of(self, node: str, attempt_index: int) -> Lineage:
        """That of a node of this graph."""
        from graphnb.trace.events import Lineage

        return Lineage((*self.path, node), attempt_index, self.indices, self.branches)

    def of_part(self, *, index: int | None = None, branch: str | None = None) -> Scope:
        """That of an instance or a branch as a whole: events name the node, and which of its parts it is."""
        if self.watch is None:
            return self
        return self._replace(indices=(*self.indices, index), branches=(*self.branches, branch))

    def of_graph(
        self,
        node: str,
        parent: Kept,
        *,
        attempt_index: int,
        observers: tuple[Observer, ...] = (),
        index: int | None = None,
        branch: str | None = None,
    ) -> Scope:
        """That of a graph within the node, or of one of its instances or branches; `observers` are that graph's."""
        if self.watch is None:
            return self
        return self._replace(
            path=(*self.path, node),
            indices=(*self.indices, index),
            branches=(*self.branches, branch),
            parents=(*self.parents, parent),
            observers=(*self.observers, *observers),
            attempt_index=attempt_index,
        )
