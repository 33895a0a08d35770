"""Fields that go into a node and come back into themselves through a reducer that counts them twice.

Source: graph-engine §2 and pipeline-utilities §9, `projection_reducer_round_trip`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graphnb.graph.spec import BranchesNode, FanOutNode, NodeSpec, SubgraphNode, is_graph
from graphnb.state.schema import Schema


class RoundTrip(NamedTuple):
    """One field on its way: out of the parent's `field` into `child`, and back. `channel` says by which options."""

    node: str
    field: str
    child: str
    reducer: str
    channel: str

    @property
    def what(self) -> str:
        """The fault in a sentence."""
        return (
            f"field '{self.field}' goes in as '{self.child}' and comes back into itself ({self.channel}), "
            f"where {self.reducer} adds all of it once more"
        )

    @property
    def mend(self) -> str:
        """What to do."""
        if self.reducer.startswith("step.sum"):
            return "Give back what is to be added under a field of its own, or start that of the child from 0."
        return "Give back what is new under a field of its own, or use a reducer that can take it twice (merge_by_key)."


def round_trips_of(node: NodeSpec, parent: Schema) -> tuple[RoundTrip, ...]:
    """The round trips of a node, in the order of the fields that come back."""
    return tuple(dict.fromkeys(_found(node, parent)))


def _found(node: NodeSpec, parent: Schema) -> Iterator[RoundTrip]:
    if isinstance(node, SubgraphNode):
        child = node.graph.spec().schema
        channel = "projects_in and projects_out" if node.projection.has_sets else "inputs and outputs"
        ins, outs = node.projection.between(parent, child)
        yield from _between(node.name, parent, ins=ins, outs=outs, channel=channel)
    elif isinstance(node, FanOutNode):
        yield from _of_fan_out(node, parent)
    elif isinstance(node, BranchesNode):
        for name, branch in node.branches.items():
            channel = f"branch '{name}', inputs and outputs"
            yield from _between(node.name, parent, ins=branch.inputs or {}, outs=branch.outputs or {}, channel=channel)


def _of_fan_out(node: FanOutNode, parent: Schema) -> Iterator[RoundTrip]:
    yield from _between(node.name, parent, ins=node.inputs, outs=node.extra_outputs, channel="inputs and extra_outputs")
    if node.into is None or node.collect is None:
        return
    collected = {node.into: node.collect}
    yield from _between(node.name, parent, ins=node.inputs, outs=collected, channel="inputs and collect")
    if is_graph(node.worker) and node.over is not None and node.item is not None:
        yield from _between(node.name, parent, ins={node.item: node.over}, outs=collected, channel="item and collect")


def _between(
    node: str, parent: Schema, *, ins: Mapping[str, str], outs: Mapping[str, str], channel: str
) -> Iterator[RoundTrip]:
    """`ins` maps child fields to parent fields, `outs` parent fields to child fields."""
    for field, child in outs.items():
        declared = parent.fields.get(field)
        if ins.get(child) == field and declared is not None and declared.counts_twice:
            yield RoundTrip(node, field, child, declared.reducer, channel)
