"""Where a node stands: the enclosing nodes, from the outermost graph down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphnb.graph.topology import Topology
from graphnb.trace.instances import Unit


class Part(NamedTuple):
    """One link of the path to a node: an enclosing node, and which of its instances, branches or delegates.

    `unit` tells which of these it is; it means nothing where `instance` is None.
    """

    node: str
    instance: int | str | None
    unit: Unit = "instance"


def path_text(parents: tuple[Part, ...], node: str) -> str:
    """The path as text, instances, branches and delegates in brackets.

    >>> path_text((Part("read", 2), Part("child", None)), "a")
    'read[2]/child/a'
    """
    return "/".join([*_links(parents), node])


def place_text(parents: tuple[Part, ...]) -> str:
    """The path to a graph as text; empty for the outermost one.

    >>> place_text((Part("read", 2), Part("child", None)))
    'read[2]/child'
    """
    return "/".join(_links(parents))


def graph_of(parents: Iterable[Part], topology: Topology) -> Topology | None:
    """The graph to which these parents lead, None if it is not known."""
    graph: Topology | None = topology
    for part in parents:
        node = next((each for each in graph.nodes if each.name == part.node), None) if graph else None
        branches = node.branches if node else ()
        branch = next((each for each in branches if each.name == part.instance), None)
        graph = branch.inner if branch else node.inner if node else None
    return graph


def _links(parents: tuple[Part, ...]) -> list[str]:
    return [part.node if part.instance is None else f"{part.node}[{part.instance}]" for part in parents]
