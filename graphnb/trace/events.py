"""What observers are told: a node that starts or completes, a failure that was isolated. Source: graph-engine §6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphnb.errors import Causes, RunError, causes_of
from graphnb.graph.observer import Phase
from graphnb.state.schema import Schema, Values

Kept = tuple[Schema, Values]
"""A state as the log keeps it; observers get views of it."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where in a run something happens.

    `namespace` leads from the outermost graph to the node, its own name included. The chains have one entry per
    enclosing node, outermost first, None where that is no fan-out or no node of parallel branches. A graph that is a
    delegate or a candidate has its number in `fan_out_index_chain`, as an instance has.
    `attempt_index` counts the attempts of the innermost enclosing retry from 0.
    """

    namespace: tuple[str, ...]
    attempt_index: int = 0
    fan_out_index_chain: tuple[int | None, ...] = ()
    branch_name_chain: tuple[str | None, ...] = ()

    @property
    def fan_out_index(self) -> int | None:
        """The innermost enclosing instance, None outside every fan-out."""
        return next((each for each in reversed(self.fan_out_index_chain) if each is not None), None)

    @property
    def branch_name(self) -> str | None:
        """The innermost enclosing branch, None outside all branches."""
        return next((each for each in reversed(self.branch_name_chain) if each is not None), None)


@dataclass(frozen=True, slots=True)
class FanOutConfig:
    """How a fan-out runs this time; `concurrency` is None for no bound."""

    item_count: int
    concurrency: int | None
    error_policy: str
    parent_node_name: str


@dataclass(frozen=True, slots=True)
class ParallelBranchesConfig:
    """How parallel branches run this time; `branch_names` are all, `branch_count` how many of them run."""

    branch_names: tuple[str, ...]
    branch_count: int
    error_policy: str
    parent_node_name: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NodeEvent:
    """One attempt of a node has started, or has completed: then with either `post_state` or `error`.

    `step` counts from 0 over the whole invocation, inner nodes included; all attempts of one step share it.
    A subgraph as node has no events of its own. States are views, which refuse to be changed.
    """

    phase: Phase
    step: int
    lineage: Lineage
    invocation_id: str
    correlation_id: str
    kept_pre: Kept
    kept_parents: tuple[Kept, ...] = ()
    kept_post: Kept | None = None
    error: RunError | None = None
    fan_out_config: FanOutConfig | None = None
    parallel_branches_config: ParallelBranchesConfig | None = None

    @property
    def node_name(self) -> str:
        """The node's name in its own graph."""
        return self.lineage.namespace[-1]

    @property
    def namespace(self) -> tuple[str, ...]:
        """The names from the outermost graph down to the node's own."""
        return self.lineage.namespace

    @property
    def attempt_index(self) -> int:
        """See `Lineage`."""
        return self.lineage.attempt_index

    @property
    def fan_out_index(self) -> int | None:
        """See `Lineage`."""
        return self.lineage.fan_out_index

    @property
    def branch_name(self) -> str | None:
        """See `Lineage`."""
        return self.lineage.branch_name

    @property
    def fan_out_index_chain(self) -> tuple[int | None, ...]:
        """See `Lineage`."""
        return self.lineage.fan_out_index_chain

    @property
    def branch_name_chain(self) -> tuple[str | None, ...]:
        """See `Lineage`."""
        return self.lineage.branch_name_chain

    @property
    def pre_state(self) -> Any:
        """The state that the node was given, of its own graph."""
        return _view(self.kept_pre)

    @property
    def post_state(self) -> Any:
        """The state after the fold; None unless the attempt has succeeded."""
        return None if self.kept_post is None else _view(self.kept_post)

    @property
    def parent_states(self) -> tuple[Any, ...]:
        """The states of the enclosing graphs, outermost first, each as it was when the inner graph was entered."""
        return tuple(map(_view, self.kept_parents))

    @property
    def error_category(self) -> str | None:
        """The category of what caused the error, None if there is none; `error.category` is the wrapper's."""
        return None if self.error is None else causes_of(self.error).category

    def __repr__(self) -> str:
        end = "" if self.error is None else f", {self.error.category}"
        return f"NodeEvent({self.step}, {'/'.join(self.namespace)!r}, {self.phase}{end})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FailureIsolated:
    """A failure was caught and an update put in its place: it has no phase, and every observer gets it.

    `post_state` is the degraded update as it is, not folded. Source: pipeline-utilities §6.3.
    """

    event_name: str
    lineage: Lineage
    invocation_id: str
    correlation_id: str
    pre_state: Any
    post_state: Mapping[str, Any]
    caught_exception: Causes

    def __repr__(self) -> str:
        return f"FailureIsolated({self.event_name!r}, {'/'.join(self.lineage.namespace)!r})"


Event = NodeEvent | FailureIsolated


def _view(kept: Kept) -> Any:
    schema, values = kept
    return schema.view(values, "observer")
