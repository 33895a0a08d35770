"""Where a diagnostic belongs in a drawing: at a node, an edge or a field, also of a graph within a node."""

from __future__ import annotations

from typing import Literal, NamedTuple

from graphnb.errors import BuildError
from graphnb.graph.edges import EdgeSpec, Links
from graphnb.graph.ends import Target
from graphnb.graph.topology import EdgeKey


class Spot(NamedTuple):
    """One place. `key` is the name of a node, parallel branch or field, or the key of an edge.

    "exit" is where routes leave the node of this name. `within` leads there from the outermost graph: the names of
    the nodes, and of the parallel branches of a node, that run the graph.
    """

    part: Literal["node", "edge", "field", "exit"]
    key: EdgeKey
    within: tuple[str, ...] = ()


class Fault(NamedTuple):
    """What keeps a graph from running, and where in its drawing that is; nowhere if it concerns the whole graph."""

    error: BuildError
    spots: tuple[Spot, ...] = ()


def spot_within(spot: Spot, path: tuple[str, ...]) -> Spot:
    """The spot as it is told from a graph further out.

    >>> spot_within(Spot("node", "a"), ("sub",))
    Spot(part='node', key='a', within=('sub',))
    """
    return spot._replace(within=(*path, *spot.within))


def spots_to(source: str, edge: EdgeSpec, *, target: Target) -> tuple[Spot, ...]:
    """The edges by which a node leads to a target."""
    if not isinstance(edge, Links):
        return (Spot("edge", (source, target)),)
    return tuple(Spot("edge", link.id) for link in edge.links if link.target == target)
