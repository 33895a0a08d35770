"""The edges of a graph as lines of its outline: where they lead, under which condition, and what was taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from graphnb.graph.ends import Target
from graphnb.graph.topology import Mark, Topology, TopologyEdge
from graphnb.show.drawing.joins import Join, joins_of, orders_of_join, waits_of
from graphnb.show.drawing.outline_words import LONGEST, aligned, error_words, flat, name_text, warning_lines
from graphnb.show.writing.words import clipped
from graphnb.trace.reading.visits import Visits

_WHEN: Final = {"join": ("when all have come",), "fork": ("at once",)}


def edges_of(topology: Topology) -> tuple[str, ...]:
    """The edges of the graph, each as `a → b`, or `a ⇢ b` for one that is taken under a condition or if chosen.

    A join is one edge, as in `a + b → c`.

    >>> from graphnb.graph.ends import END, START
    >>> edges = (TopologyEdge(START, "plan", "edge"), TopologyEdge("plan", END, "branch", "choose"))
    >>> edges_of(Topology("g", "S", (), edges, ()))
    ('START → plan', 'plan ⇢ END')
    """
    joins = joins_of(topology)
    return tuple(_edge(each, each.target, joins=joins) for each in _each_once(topology.edges))


def edge_lines(topology: Topology, visits: Visits | None, *, told: Callable[[Sequence[int]], str]) -> Iterator[str]:
    """The edges with what was chosen; `told` says in words in which order, or how often, one was taken."""
    taken = {ends: told(orders) for ends, orders in visits.edges.items()} if visits else {}
    joins, joined = joins_of(topology), _join_texts(topology, visits, told=told)
    rows: list[tuple[str, str, str]] = []
    marks: dict[int, tuple[Mark, ...]] = {}
    routed: dict[Target, tuple[Mark, ...]] = {}  # what concerns all that a router may choose is told once
    for edge in _each_once(topology.edges):
        before = routed.get(edge.source, ()) if edge.router is not None else ()
        marks[len(rows)] = tuple(each for each in _marks(edge, topology) if each not in before)
        routed[edge.source] = before + marks[len(rows)]
        errors = error_words(_marks(edge, topology))
        if edge.join is not None:
            words = (joined.get(edge.join, ""), *errors)
            rows.append((_edge(edge, edge.target, joins=joins), _choice(edge), ", ".join(filter(None, words))))
        elif edge.target is not None:
            words = (taken.get((edge.source, edge.target), ""), *errors)
            rows.append((_edge(edge, edge.target), _choice(edge), ", ".join(filter(None, words))))
        else:
            rows.append((_edge(edge, None), _choice(edge), ", ".join(errors)))
            said = [(target, words) for (source, target), words in taken.items() if source == edge.source]
            rows += [(_edge(edge, target), "not declared", words) for target, words in said]
    for i, line in enumerate(aligned(rows)):
        yield line
        yield from warning_lines(marks.get(i, ()))


def _each_once(edges: Iterable[TopologyEdge]) -> Iterator[TopologyEdge]:
    """The edges, of a join that of its first source alone."""
    seen: set[str] = set()
    for edge in edges:
        if edge.join is None or edge.join not in seen:
            yield edge
        seen.update([edge.join] if edge.join is not None else [])


def _join_texts(
    topology: Topology, visits: Visits | None, *, told: Callable[[Sequence[int]], str]
) -> Mapping[str, str]:
    """How often each join was taken, and whether it waits, by its id."""
    texts: dict[str, str] = {}
    waits = waits_of(topology, visits) if visits else {}
    for join in joins_of(topology):
        orders = orders_of_join(join, visits) if visits else None
        taken = [told(orders)] if orders else []
        texts[join.id] = ", ".join([*taken, *([waits[join.id].text] if join.id in waits else [])])
    return texts


def _marks(edge: TopologyEdge, topology: Topology) -> tuple[Mark, ...]:
    """The marks of an edge, of a join those at each of its sources."""
    edges = [edge] if edge.join is None else [each for each in topology.edges if each.join == edge.join]
    return tuple(dict.fromkeys(mark for each in edges for mark in each.marks))


def _edge(edge: TopologyEdge, target: Target | None, *, joins: Sequence[Join] = ()) -> str:
    arrow = "→" if edge.label is None and edge.router is None else "⇢"
    sources = next((each.sources for each in joins if each.id == edge.join), (edge.source,))
    return f"{' + '.join(map(name_text, sources))} {arrow} {'?' if target is None else name_text(target)}"


def _choice(edge: TopologyEdge) -> str:
    if edge.router is None:
        when = [f"if {flat(edge.label)}"] if edge.label is not None else []
        return ", ".join([*_WHEN.get(edge.kind, ()), *when])
    router = name_text(edge.router or "")
    if edge.target is None:
        return f"wherever {router} says, targets not declared"
    said = edge.target if edge.label is None else edge.label
    return f"if {router} says {clipped(repr(said), LONGEST)}"
