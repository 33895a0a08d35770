"""How a run goes on from a node: the one outgoing edge that was declared for it, in its four forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphnb.graph.ends import Endpoint, Target

Router = Callable[[Any], Any]


class Edge(NamedTuple):
    """The fixed route from a node."""

    source: str
    target: Target


class Branch(NamedTuple):
    """The chosen route from a node: the router is asked about the state after the fold.

    `targets` maps what the router may return to where that leads; None if it was not declared, and then any
    node is possible.
    """

    source: str
    router: Router
    targets: Mapping[Any, Target] | None = None


class Link(NamedTuple):
    """One of several routes: it is taken whenever its sources have completed and its guard holds.

    One source makes a prong of a fork. A join (`is_join`) waits until all its sources have completed since it was
    last asked. `when` is a guard, or a function of the state after the fold; None always holds. `id` tells the
    links of one graph apart.
    """

    id: str
    sources: tuple[str, ...]
    target: Target
    when: Any = None
    is_join: bool = False


class Links(NamedTuple):
    """A node's routes where there are several, or guards or joins among them; a join stands at each of its sources."""

    source: str
    links: tuple[Link, ...]


EdgeSpec = Edge | Branch | Links


def targets_of(edge: EdgeSpec | None) -> tuple[Target, ...]:
    """Where an outgoing edge may lead, as far as it is declared, each target once."""
    if edge is None:
        return ()
    if isinstance(edge, Edge):
        return (edge.target,)
    if isinstance(edge, Links):
        return tuple(dict.fromkeys(link.target for link in edge.links))
    return tuple(dict.fromkeys((edge.targets or {}).values()))


def is_open(edge: EdgeSpec | None) -> bool:
    """True for a branch whose targets are not declared, so that it may lead to any node."""
    return isinstance(edge, Branch) and edge.targets is None


def joins_in(edges: Mapping[str, EdgeSpec]) -> tuple[Link, ...]:
    """The joins of a graph, each once, in declared order."""
    links = (link for edge in edges.values() if isinstance(edge, Links) for link in edge.links if link.is_join)
    return tuple({link.id: link for link in links}.values())


def arrive(arrived: dict[str, frozenset[str]], join: str, *, sources: Sequence[str], completed: Iterable[str]) -> bool:
    """Notes which sources of the join have completed in one super-step; True if none is missing any more.

    Then it begins anew: a source that has completed twice by then counts once. `arrived` is by join. Source: the
    super-step contract, joins.

    >>> arrived = {}
    >>> [arrive(arrived, "j", sources=("a", "b"), completed=step) for step in ("a", "ab", "b")], arrived
    ([False, True, False], {'j': frozenset({'b'})})
    """
    there = arrived.get(join, frozenset()).union(name for name in completed if name in sources)
    if there.issuperset(sources):
        arrived.pop(join, None)
        return True
    arrived[join] = there
    return False


def names_in(targets: tuple[Target, ...]) -> tuple[str, ...]:
    """The node names among the targets, END left out."""
    return tuple(target for target in targets if not isinstance(target, Endpoint))
