"""Joins as they are drawn and told: what they wait for, and which of them wait still."""

from __future__ import annotations

from typing import NamedTuple

from graphnb.graph.ends import Target
from graphnb.graph.topology import Topology
from graphnb.show.writing.palette import shortened
from graphnb.trace.reading.stalled import Stalled, is_over, stalled_joins
from graphnb.trace.reading.visits import Visits


class Join(NamedTuple):
    """One join: its sources in declared order, its target, and the condition under which it is taken, if any."""

    id: str
    sources: tuple[Target, ...]
    target: Target
    label: str | None


class Wait(NamedTuple):
    """What is to be told of a join for which some of its sources have come. `is_over`: the others never will."""

    text: str
    is_over: bool


def joins_of(topology: Topology) -> tuple[Join, ...]:
    """The joins of a graph in declared order."""
    joins: dict[str, Join] = {}
    for edge in topology.edges:
        if edge.join is not None and edge.target is not None:
            known = joins.get(edge.join, Join(edge.join, (), edge.target, edge.label))
            joins[edge.join] = known._replace(sources=(*known.sources, edge.source))
    return tuple(joins.values())


def orders_of_join(join: Join, visits: Visits) -> list[int] | None:
    """The orders in which a join was taken, None if it was not: the line leads from its last source to the target."""
    taken = [visits.edges[source, join.target] for source in join.sources if (source, join.target) in visits.edges]
    return sorted(order for orders in taken for order in orders) if taken else None


def waits_of(topology: Topology, visits: Visits) -> dict[str, Wait]:
    """The joins that wait, or waited to the end, by their ids."""
    joins = {(each.target, frozenset(each.sources)): each.id for each in joins_of(topology)}
    if not joins:
        return {}
    found: dict[str, list[tuple[Stalled, bool]]] = {}
    for log in visits.logs:
        for each in stalled_joins(log, topology):
            name = joins[each.target, frozenset(each.arrived + each.missing)]
            found.setdefault(name, []).append((each, is_over(log)))
    return {name: _wait(some, len(visits.logs)) for name, some in found.items()}


def _wait(some: list[tuple[Stalled, bool]], runs: int) -> Wait:
    over = [stalled for stalled, has_ended in some if has_ended]
    if not over:
        return Wait(f"waits for {_missing(some[0][0])}", is_over=False)
    often = f" in {len(over):,} of {runs:,} runs" if runs > 1 else ""
    return Wait(f"still waited for {_missing(over[0])}{often}", is_over=True)


def _missing(stalled: Stalled) -> str:
    names = [shortened(name, 24) for name in stalled.missing[:3]]
    hidden = len(stalled.missing) - len(names)
    return ", ".join([*names, *([f"… {hidden:,} more"] if hidden else [])])
