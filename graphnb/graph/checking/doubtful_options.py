"""What the options of a node say that is allowed and hardly meant: values that nobody gets, numbers that fail a run.

Source: pipeline-utilities §9.1, §9.2 and §11, which let all of this pass until it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.spec import BranchesNode, FanOutNode, NodeSpec, ParallelBranch, is_graph


class Doubt(NamedTuple):
    """One of them. `code` is that of its diagnostic, `sign` what a drawing has room for, `branch` a branch by name."""

    code: str
    what: str
    mend: str
    sign: str
    branch: str | None = None


def doubts_of(node: NodeSpec) -> Iterator[Doubt]:
    """What is doubtful about the options of a node, in their order."""
    if isinstance(node, FanOutNode):
        yield from lost_in_fan_out(node)
        yield from _failing_numbers(node)
    elif isinstance(node, BranchesNode):
        for name, branch in node.branches.items():
            yield from lost_in_branch(branch, name=name)


def lost_in_fan_out(node: FanOutNode) -> Iterator[Doubt]:
    """Values that go to a field which is not there, or to none."""
    if not is_graph(node.worker):
        return
    if node.into is not None and node.collect is None:
        what = f"into {node.into!r} receives nothing"
        yield Doubt("lost_value", what, "Give collect='field of the worker'.", f"nothing for {node.into}")
    if node.over is not None and node.item is not None:
        fields = node.worker.spec().schema.fields
        if node.item not in fields:
            what = f"no instance gets its item: {node.item!r} is no field of the worker"
            yield Doubt("lost_value", what, choices("Fields", fields, node.item), "no instance gets its item")


def lost_in_branch(branch: ParallelBranch, *, name: str | None = None) -> Iterator[Doubt]:
    """What a graph gives whose fields go nowhere."""
    if is_graph(branch.worker) and branch.outputs is None:
        what = "what the graph gives is lost: it has no outputs"
        mend = "Give outputs={'field of the parent': 'field of the branch'}."
        yield Doubt("lost_value", what, mend, "is lost: no outputs", name)


def _failing_numbers(node: FanOutNode) -> Iterator[Doubt]:
    """Numbers with which every run fails; the specification has that told when it runs."""
    for option, given, least in (("count", node.count, 0), ("concurrency", node.concurrency, 1)):
        if isinstance(given, int) and given < least:
            what = f"{option} is {shown(given)} ({kind_of(given)}), so that every run fails here"
            mend = f"It must be an int of at least {least}."
            yield Doubt(f"fan_out_invalid_{option}", what, mend, f"{option} is {shown(given)}")
