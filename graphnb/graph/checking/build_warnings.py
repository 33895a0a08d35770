"""What compiling warns of: a graph may do it, and hardly anybody means it."""

from __future__ import annotations

from collections.abc import Iterator

from graphnb.errors import GraphWarning, ProjectionRoundTripWarning, UnfitWriteWarning
from graphnb.graph.checking.node_warnings import loose_end
from graphnb.graph.checking.reaching import loose_ends_of
from graphnb.graph.checking.round_trips import round_trips_of
from graphnb.graph.checking.unfit_writes import unfit_writes_of
from graphnb.graph.spec import GraphSpec


def warnings_of(spec: GraphSpec) -> tuple[GraphWarning, ...]:
    """The warnings of a sound graph, those of the graphs within it left out."""
    return (*_round_trips(spec), *_unfit_writes(spec), *dead_ends_of(spec))


def dead_ends_of(spec: GraphSpec) -> list[GraphWarning]:
    """Nodes from which nothing leads on; as was checked, a run comes there only if a router chooses to."""
    found = ((name, loose_end(name)) for name in loose_ends_of(spec))
    return [GraphWarning(f"graph '{spec.name}', node '{name}'", each.what, each.mend) for name, each in found]


def _round_trips(spec: GraphSpec) -> Iterator[ProjectionRoundTripWarning]:
    for node in spec.nodes.values():
        for trip in round_trips_of(node, spec.schema):
            warning = ProjectionRoundTripWarning(f"graph '{spec.name}', node '{node.name}'", trip.what, trip.mend)
            warning.field, warning.reducer, warning.channel = trip.field, trip.reducer, trip.channel
            yield warning


def _unfit_writes(spec: GraphSpec) -> Iterator[UnfitWriteWarning]:
    for node in spec.nodes.values():
        for unfit in (each for each in unfit_writes_of(node, spec) if each.is_certain):
            warning = UnfitWriteWarning(f"graph '{spec.name}', node '{node.name}'", unfit.what, unfit.mend)
            warning.field, warning.reducer = unfit.field, spec.schema.fields[unfit.field].reducer
            yield warning
