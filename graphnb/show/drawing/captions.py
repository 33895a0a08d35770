"""What drawings say in words of nodes and of the graph as a whole: middleware, observers, how often, how many."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from graphnb.graph.topology import Topology, TopologyNode
from graphnb.show.writing import palette
from graphnb.show.writing.palette import shortened
from graphnb.show.writing.words import things, units

_LINE_LENGTH: Final = 48


def layers_around_all(topology: Topology) -> tuple[str, ...]:
    """The middleware that is outermost around each node of a graph which has several."""
    stacks = [node.middleware for node in topology.nodes if node.kind != "missing"]
    if len(stacks) < 2:
        return ()
    alike = itertools.takewhile(lambda layers: len(set(layers)) == 1, zip(*stacks, strict=False))
    return tuple(layers[0] for layers in alike)


def layers_of(node: TopologyNode, topology: Topology) -> tuple[str, ...]:
    """The middleware around a node, without what is around each node of its graph."""
    return node.middleware[len(layers_around_all(topology)) :]


def layers_text(layers: Sequence[str], word: str = "within") -> tuple[str, ...]:
    """Middleware as lines of a label, outermost first.

    >>> layers_text(("timed", "retry(max_attempts=3)"))
    ('within timed, retry(max_attempts=3)',)
    """
    told = [f"{shortened(each, 60)}{',' if i < len(layers) else ''}" for i, each in enumerate(layers, start=1)]
    lines = [f"{word} {told[0]}"]
    for each in told[1:]:
        if len(lines[-1]) + len(each) < _LINE_LENGTH:
            lines[-1] += f" {each}"
        else:
            lines.append(each)
    return tuple(lines)


def captions_of(topology: Topology) -> Iterator[str]:
    """What is true of the graph as a whole: who observes it, and the middleware around each of its nodes."""
    observers = topology.observers
    if observers:
        more = f" and {len(observers) - 4} more" if len(observers) > 4 else ""
        yield f"observed by {', '.join(shortened(each, 30) for each in observers[:4])}{more}"
    yield from layers_text(layers, "each node within") if (layers := layers_around_all(topology)) else ()


def lanes_of(node: TopologyNode) -> str:
    """How many branches a node runs, in words."""
    return f"{things(len(node.branches), 'branch', many='branches')} at once"


def delegates_of(node: TopologyNode) -> str:
    """How many delegates a node asks, or candidates, in words.

    >>> delegates_of(TopologyNode("ask", "delegates"))
    'no delegates'
    """
    if node.kind == "race":
        return f"{units(len(node.branches), 'candidate')}, the first acceptable result"
    told = {0: "no delegates", 1: "1 delegate with a brief"}
    return told.get(len(node.branches)) or f"{units(len(node.branches), 'delegate')}, a brief for each"


def delegate_names(node: TopologyNode, *, lines: int = 4, failed: Collection[str] = ()) -> tuple[str, ...]:
    """The names of the delegates on a few lines, those that failed first and marked; of many how many more.

    >>> from graphnb.graph.topology import TopologyBranch
    >>> ask = TopologyNode("ask", "delegates", branches=(TopologyBranch("ada", "ada"), TopologyBranch("bo", "bo")))
    >>> delegate_names(ask, failed={"bo"})
    ('✗ bo · ada',)
    """
    names = sorted((each.name for each in node.branches), key=lambda name: name not in failed)
    told = palette.joined((("✗ " if name in failed else "") + shortened(name, 30) for name in names), _LINE_LENGTH)
    if len(told) <= lines:
        return told
    kept = told[: lines - 1]
    return (*kept, f"… {len(names) - sum(line.count(' · ') + 1 for line in kept):,} more")


def times_of(node: TopologyNode) -> str:
    """Which worker a fan-out runs, and how often, in words.

    >>> times_of(TopologyNode("read_each", "fan_out", (("over", "files"),), "reader"))
    'reader, once per item'
    """
    count = dict(node.details).get("count")
    often = "once per item" if count is None else f"{shortened(count, 20)} times"
    return f"{shortened(node.worker or 'a worker', 30)}, {often}"
