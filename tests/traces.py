"""Traces made by hand: what an engine would have written, spelled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphnb.errors import NodeException, RunError
from graphnb.graph.ends import END, START, Target
from graphnb.graph.topology import Topology, TopologyEdge, TopologyField, TopologyNode
from graphnb.state.folding.fold import Fold, fold
from graphnb.state.schema import schema_of, start_values
from graphnb.trace.log import Commit, Failure, Instances, Log
from graphnb.trace.reading.steps import Delta
from graphnb.trace.trace import Status, Trace


class Made:
    """A log that grows by one step per call."""

    def __init__(self, cls: type, given: Mapping[str, Any] | None = None, *, name: str = "graph") -> None:
        self.schema = schema_of(cls)
        self.values = start_values(self.schema, given or {}, "graph")
        self.log = Log(name, self.schema, self.values)

    def step(
        self,
        node: str,
        update: Mapping[str, Any],
        to: Target | None = END,
        *,
        child: Made | None = None,
        instances: Instances | None = None,
    ) -> Made:
        """Add a completed node; `to` None leaves its edge unasked."""
        self.values, folds = fold(self.schema, self.values, update, f"node '{node}'")
        self.log.commits.append(Commit(node, folds, child.log if child else None, instances))
        if to is not None:
            self.log.routes.append((to,))
        return self

    def fail(self, node: str, error: RunError | None = None, *, at_edge: bool = False) -> Made:
        """End with a node that raised."""
        error = error or NodeException(f"node '{node}'", "raised ValueError: no luck", "Look at the node.")
        self.log.failure = Failure(node, error, at_edge=at_edge)
        return self

    def trace(self, status: Status | None = None, *, router: str | None = None) -> Trace:
        """The whole record."""
        failure = self.log.failure
        topology = topology_of_log(self.log, router)
        return Trace(
            self.log, topology, status or ("failed" if failure else "done"), failure.error if failure else None
        )


def topology_of_log(log: Log, router: str | None) -> Topology:
    """A topology with the nodes and routes that the log tells of; all routes chosen by `router`, if there is one."""
    nodes = {
        commit.node: TopologyNode(commit.node, "fan_out" if commit.instances else "node") for commit in log.commits
    }
    kind = "branch" if router else "edge"
    edges = [TopologyEdge(START, log.commits[0].node, "edge")] if log.commits else []
    pairs = {(commit.node, targets[0]) for commit, targets in zip(log.commits, log.routes, strict=False)}
    edges += [TopologyEdge(source, target, kind, router) for source, target in sorted(pairs, key=str)]
    fields = [TopologyField(each.name, each.type, each.reducer, each.default) for each in log.schema.fields.values()]
    return Topology(log.graph, log.schema.name, tuple(nodes.values()), tuple(edges), tuple(fields))


def fan_out(
    count: int,
    into: Sequence[str],
    *,
    over: str | None = None,
    logs: Sequence[Made | None] = (),
    errors: Mapping[int, BaseException] | None = None,
) -> Instances:
    """What a fan-out did; instances with an error gave nothing."""
    failed = errors or {}
    slots = tuple(i for i in range(count) if i not in failed)
    inner = tuple(each.log if each else None for each in logs)
    return Instances(count, inner, slots if failed else range(count), tuple(sorted(failed.items())), over, tuple(into))


def folded(cls: type, update: Mapping[str, Any], given: Mapping[str, Any] | None = None) -> Delta:
    """The delta of one update's first field, folded into a state that starts from `given`."""
    made = Made(cls, given).step("a", update)
    return Delta(made.log.commits[0].folds[0])


def delta(before: Any, written: Any, after: Any, reducer: str = "custom", instances: Instances | None = None) -> Delta:
    """A delta from its parts."""
    return Delta(Fold("value", reducer, before, written, after), instances)
