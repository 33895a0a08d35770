"""Outgoing edges as cells declare them: which of them exclude each other, and what they come to for each node.

A node has one edge, branch or fork, or else any number of guarded edges. A join is the outgoing edge of each of its
sources, and may be guarded as well.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.graph.edges import Edge, EdgeSpec, Link, Links, targets_of
from graphnb.graph.ends import Target
from graphnb.graph.guards.guard import Guard
from graphnb.notebook.names import checked_name, checked_target
from graphnb.notebook.parameters import check_says_yes_or_no, check_takes_state

_WHEN: Final = "when=gn.field('name') == value"


def edge_of(place: str, source: str, *, to: object) -> tuple[EdgeSpec, ...]:
    """The edge that `to=` declares: to one node, or to several at once; none if it is not given."""
    return () if to is None else edges_of(place, source, target=to)


def edges_of(place: str, source: object, *, target: object, when: object = None) -> tuple[EdgeSpec, ...]:
    """The edges from one node or, joined, from several; to one target or to several at once; guarded or not."""
    if source is None or target is None:
        mend = "Name both ends, graph.edge('source', 'target'), or end there: graph.edge('source', gn.END)."
        what = f"an edge leads from a node's name to another, not from {shown(source)} to {shown(target)}"
        raise InvalidDeclaration(place, what, mend)
    if isinstance(source, (list, tuple)):
        return _joins_of(place, source, target=target, when=when)
    if isinstance(source, Iterable) and not isinstance(source, str):
        what = f"an edge leaves a node, or several that it joins, not {kind_of(source)}: {shown(source)}"
        raise InvalidDeclaration(place, what, "Name one in quotes; to wait for several give a tuple: ('a', 'b').")
    own = checked_name(place, source)
    targets = _listed(target)
    if when is None and len(targets) == 1:
        return (Edge(own, checked_target(place, targets[0])),)
    ends = _distinct(place, [checked_target(place, each) for each in targets], of=f"the edges from {own!r}")
    return _links((own,), ends, when=_checked_guard(place, when), is_join=False)


def _joins_of(place: str, sources: Sequence[object], *, target: object, when: object) -> tuple[Links, ...]:
    names = tuple(checked_name(place, each) for each in sources)
    _distinct(place, names, of="a join's sources")
    ends = _distinct(place, [checked_target(place, each) for each in _listed(target)], of="a join's targets")
    return _links(names, ends, when=_checked_guard(place, when), is_join=True)


def _links(sources: tuple[str, ...], targets: Sequence[Target], *, when: Any, is_join: bool) -> tuple[Links, ...]:
    """One declaration, or if it is guarded one for each target."""
    links = tuple(Link(f"{'+'.join(sources)}-{end}", sources, end, when, is_join) for end in targets)
    return (Links(sources[0], links),) if when is None else tuple(Links(sources[0], (link,)) for link in links)


def _listed(target: object) -> Sequence[object]:
    """One target or several; the order of a set changes from one process to the next."""
    return target if isinstance(target, (list, tuple)) else (target,)


def _distinct(place: str, given: Sequence[Target], *, of: str) -> tuple[Target, ...]:
    """The given ones, of which there has to be one at least, and each once."""
    if not given:
        raise InvalidDeclaration(place, f"{of} are none", "Name at least one node.")
    twice = next((each for each in given if given.count(each) > 1), None)
    if twice is not None:
        raise InvalidDeclaration(place, f"{of} name {shown(twice)} twice", "Name each node once.")
    return tuple(given)


def _checked_guard(place: str, when: object) -> Any:
    if when is None or isinstance(when, Guard):
        return when
    if callable(when):
        check_takes_state(place, "the guard", function=when)
        check_says_yes_or_no(place, "the guard", function=when, may_be_async=True)
        return when
    what = f"when is {shown(when)} ({kind_of(when)})"
    raise InvalidDeclaration(place, what, "Give a function of the state, or a guard: gn.field('name') == value.")


def key_of(edge: EdgeSpec) -> Hashable:
    """Under what a declaration is replaced: the source, of a join all of them; of a guarded edge its target as well."""
    if not isinstance(edge, Links):
        return edge.source
    first = edge.links[0]
    own = first.sources if first.is_join else edge.source
    return (own, first.target) if _is_guarded(edge) else own


def are_rivals(one: EdgeSpec, other: EdgeSpec) -> bool:
    """True if both cannot stand: they leave the same node, and are not two guarded edges to different targets."""
    if not set(sources_of(one)) & set(sources_of(other)):
        return False
    return not (_is_guarded(one) and _is_guarded(other)) or key_of(one) == key_of(other)


def sources_of(edge: EdgeSpec) -> tuple[str, ...]:
    """The nodes that an edge leaves: one, but for a join."""
    return edge.links[0].sources if isinstance(edge, Links) else (edge.source,)


def edges_by_source(declared: Iterable[EdgeSpec]) -> Mapping[str, EdgeSpec]:
    """The outgoing edge of each node, in declared order: guarded edges of one node are put together.

    >>> from graphnb.graph.edges import Edge
    >>> guarded = [Links("a", (Link(f"a-{to}", ("a",), to, len),)) for to in "bc"]
    >>> joined = Links("b", (Link("b+c-d", ("b", "c"), "d", is_join=True),))
    >>> [(source, targets_of(edge)) for source, edge in edges_by_source([*guarded, joined]).items()]
    [('a', ('b', 'c')), ('b', ('d',)), ('c', ('d',))]
    """
    edges: dict[str, EdgeSpec] = {}
    ids: set[str] = set()
    for edge in declared:
        if not isinstance(edge, Links):
            edges[edge.source] = edge
            continue
        own = tuple(link._replace(id=_taken(link.id, ids)) for link in edge.links)
        for source in sources_of(edge):
            known = edges.get(source)
            links = known.links if isinstance(known, Links) else ()
            edges[source] = Links(source, (*links, *own))
    return MappingProxyType(edges)


def _taken(wanted: str, ids: set[str]) -> str:
    """The id, numbered from 2 if another link bears it: names may hold what stands between them in an id."""
    numbered = (f"{wanted}-{i}" for i in itertools.count(2))
    own = wanted if wanted not in ids else next(each for each in numbered if each not in ids)
    ids.add(own)
    return own


def allowed_ways(source: str, rivals: tuple[EdgeSpec, EdgeSpec]) -> str:
    """The ways to lead from one node to several, written with the targets at hand."""
    first, second = rivals
    ends = targets_of(first), targets_of(second)
    joins = [sources_of(edge) for edge in rivals if _is_join(edge)]
    if ends[0] and ends[0] == ends[1] and sources_of(first) == sources_of(second):
        return _ways_to_one_place(first, second)
    if joins and sources_of(first) != sources_of(second):
        return _ways_beside_join(source, rivals)
    from_ = repr(sources_of(first) if joins else source)
    targets = [shown_target(target) for target in dict.fromkeys(ends[0] + ends[1])]
    several = ", ".join(targets if len(targets) > 1 else [*targets, "..."])
    guarded = targets[0] if targets else "..."
    choose = f"@graph.branch({source!r}, to=({several}))" if not joins else ""
    ways = {
        "go to all of them at once": f"graph.edge({from_}, ({several}))",
        "let a function of the state choose": choose,
        "guard each of the edges": f"graph.edge({from_}, {guarded}, {_WHEN})",
    }
    head = "A node has one outgoing edge." if not joins else "A join is the outgoing edge of each of its sources."
    listed = {way: text for way, text in ways.items() if text}
    count = "three" if len(listed) == 3 else "two"
    lines = (f"  {way:<34}   {text}" for way, text in listed.items())
    return "\n".join((f"{head} There are {count} ways to lead from it to several nodes:", *lines))


def _ways_to_one_place(first: EdgeSpec, second: EdgeSpec) -> str:
    """What to do about two edges from one place to another; without one of two guards it would be another graph."""
    guards = [link.when for edge in (first, second) if isinstance(edge, Links) for link in edge.links]
    if len(guards) != 2 or None in guards:
        return "Both lead to the same place: delete one of them."
    sources = sources_of(first)
    from_ = repr(sources if _is_join(first) else sources[0])
    both = "one | other" if all(isinstance(each, Guard) for each in guards) else "lambda s: one(s) or other(s)"
    to = ", ".join(map(shown_target, targets_of(first)))
    joined = f"graph.edge({from_}, {to}, when={both})"
    return f"Both lead to the same place. To go there if either holds write one edge: {joined}."


def _ways_beside_join(source: str, rivals: tuple[EdgeSpec, EdgeSpec]) -> str:
    """The ways to lead elsewhere as well from a node for which a join waits: nodes between, or guards."""
    ahead: list[str] = []
    between: list[str] = []
    for i, edge in enumerate(rivals, start=1):
        targets = ", ".join(map(shown_target, targets_of(edge))) or "..."
        if not _is_join(edge):
            ahead.append(targets)
            continue
        own = f"{source}_{i}"
        ahead.append(repr(own))
        sources = tuple(own if name == source else name for name in sources_of(edge))
        between.append(f"graph.edge({sources!r}, {_tuple_text(targets)})")
    guarded = [
        f"graph.edge({(sources_of(edge) if _is_join(edge) else source)!r}, "
        f"{_tuple_text(', '.join(map(shown_target, targets_of(edge))) or '...')}, {_WHEN})"
        for edge in rivals
    ]
    forked = f"graph.edge({source!r}, ({', '.join(ahead)}))"
    return "\n".join(
        (
            f"A join is the outgoing edge of each of its sources. Two ways to lead from {source!r} elsewhere as well:",
            *(f"  {'let nodes stand between':<26}   {forked}" if text is None else f"  {'':<26}   {text}"
              for text in (None, *between)),
            *(f"  {'guard each of the edges' if i == 0 else '':<26}   {text}" for i, text in enumerate(guarded)),
        )
    )  # fmt: skip


def _tuple_text(listed: str) -> str:
    return f"({listed})" if ", " in listed else listed


def listed_targets(edge: EdgeSpec) -> str:
    """Where an edge leads, in words."""
    return ", ".join(shown_target(target) for target in targets_of(edge)) or "any node"


def shown_target(target: Target) -> str:
    """A target as it is written."""
    return repr(target) if isinstance(target, str) else f"gn.{target!r}"


def _is_join(edge: EdgeSpec) -> bool:
    return isinstance(edge, Links) and edge.links[0].is_join


def _is_guarded(edge: EdgeSpec) -> bool:
    return isinstance(edge, Links) and all(link.when is not None for link in edge.links)
