"""The heading of a step in the diff table: its number, where its node stands, what it is, and where the run went."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from graphnb.graph.ends import Target
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.graph.topology import Topology, is_end
from graphnb.show.diff.rows import ANSWER
from graphnb.show.drawing.joins import joins_of
from graphnb.show.writing.palette import UNIT_KINDS
from graphnb.show.writing.tags import QUIET, badge, breakable, quiet
from graphnb.show.writing.words import clipped, printable
from graphnb.trace.instances import Unit
from graphnb.trace.places import Part, graph_of
from graphnb.trace.reading.steps import Entry, Step
from graphnb.trace.reading.unfinished import FailedStep, OpenStep

_MOST_NAMES: Final = 8
_MOST_NODES: Final = 16


def heading_html(nodes: Sequence[Entry], topology: Topology) -> str:
    """The heading of one super-step; nodes that ran side by side stand under one number, alike ones together."""
    number = f"<b>{nodes[0].number}</b> &nbsp;"
    if len(nodes) == 1:
        each = nodes[0]
        return f"{number}<b>{_path(each.parents, each.node)}</b>{_told(each, topology)}"
    around = "".join(f"{link} / " for link in _links(nodes[0].parents))
    told: dict[str, list[str]] = {}
    taken = {(each.node, target) for each in nodes if isinstance(each, Step) for target in each.targets}
    for each in nodes[:_MOST_NODES]:
        told.setdefault(_told(each, topology, taken=taken), []).append(f"<b>{breakable(each.node)}</b>")
    parts = [f"{', '.join(names)}{_asking(len(names)) if what == _asking() else what}" for what, names in told.items()]
    hidden = len(nodes) - _MOST_NODES
    parts += [quiet(f"… {hidden:,} more")] if hidden > 0 else []
    return f"{number}{around}{' &nbsp;·&nbsp; '.join(parts)}"


def _told(step: Entry, topology: Topology, *, taken: Collection[tuple[str, Target]] = ()) -> str:
    """What the node is, and what became of it or where it led; `taken` are the edges that its super-step took."""
    if isinstance(step, FailedStep):
        tries = f" after {step.attempts} attempts" if step.attempts > 1 else ""
        return f" <b>✗ {'its edge failed' if step.at_edge else f'failed{tries}'}</b>"
    if isinstance(step, OpenStep):
        stopped = "⊘ stopped at its edge" if step.at_edge else f"⊘ {step.fate}"
        return f" <b>{stopped if step.stopped else f'… {step.fate}'}</b>"
    if isinstance(step.interrupt, Interrupt):
        return _asking()
    if isinstance(step.interrupt, Answer):
        return f" {quiet(ANSWER)}"
    return f" {_kind(step, topology)} {_next(step, topology, taken=taken)}"


def _asking(nodes: int = 1) -> str:
    return f" <b>‖ {'asks' if nodes == 1 else 'ask'}</b>"


def _path(parents: Iterable[Part], node: str) -> str:
    """The path, with the instances as badges."""
    return " / ".join([*_links(parents), breakable(node)])


def _links(parents: Iterable[Part]) -> Iterator[str]:
    for name, instance, unit in parents:
        yield breakable(name) + (f" {instance_html(instance, unit)}" if instance is not None else "")


def instance_html(instance: int | str, unit: Unit) -> str:
    """The number of an instance, or the name of a branch or delegate, as a badge."""
    return badge(f"#{instance}", UNIT_KINDS[unit])


def _kind(step: Step, topology: Topology) -> str:
    made = step.instances
    if made is not None and made.unit == "delegate":
        return badge(f"delegates: {_names(made.names or ()) or 'none'}", "delegates")
    if made is not None and made.unit == "candidate":
        won = next((str(made.label(i)) for i, _ in made.given), "")
        told = f"won: {clipped(printable(won), 40)}" if made.given else "none was accepted"
        return f"{badge(f'race: {_names(made.names or ())}', 'race')} {quiet(told)}"
    if made is not None and made.unit == "branch":
        names = made.names or ()
        graph = graph_of(step.parents, topology)
        node = next((each for each in graph.nodes if each.name == step.node), None) if graph else None
        skipped = [each.name for each in node.branches if each.name not in names] if node else []
        told = badge(f"branches: {_names(names) or 'none'}", "branches")
        return f"{told} {quiet(f'skipped: {_names(skipped)}')}" if skipped else told
    if made is not None:
        return badge(f"fan-out × {made.count:,}", "fan_out")
    if step.log.commits[step.index].child is not None:
        return badge("subgraph", "subgraph")
    return ""


def _next(step: Step, topology: Topology, *, taken: Collection[tuple[str, Target]]) -> str:
    """Where the run went; a join is taken by all of its sources if the last of them came in this super-step."""
    targets = list(step.targets)
    waits: list[Target] = []
    graph = graph_of(step.parents, topology)
    for join in joins_of(graph) if graph else ():
        if step.node in join.sources and join.target not in targets:
            is_taken = any((source, join.target) in taken for source in join.sources)
            (targets if is_taken else waits).append(join.target)
    arrived = [f'<span style="{QUIET}">came to the join to {", ".join(map(_target, waits))}</span>'] if waits else []
    router = router_of(step, topology)
    chosen = quiet(f" chosen by {clipped(printable(router), 80)}") if router else ""
    return ", ".join([*([f"→ {', '.join(map(_target, targets))}{chosen}"] if targets else []), *arrived])


def _target(target: Target) -> str:
    return "END" if is_end(target) else breakable(str(target))


def router_of(step: Step, topology: Topology) -> str | None:
    """The name of the router that chose the next node, None for a fixed edge."""
    graph = graph_of(step.parents, topology)
    edges = graph.edges if graph else ()
    return next((edge.router for edge in edges if edge.source == step.node and edge.router), None)


def _names(names: Sequence[str]) -> str:
    more = [f"… {len(names) - _MOST_NAMES:,} more"] if len(names) > _MOST_NAMES else []
    return ", ".join([*(clipped(each, 40) for each in names[:_MOST_NAMES]), *more])
