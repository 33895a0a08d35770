"""Which fields cross the boundary of a subgraph, and under which names. Source: graph-engine §2."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from graphnb.state.marks import UNSET
from graphnb.state.schema import Schema, Values
from graphnb.state.values.detach import detach


class Projection(NamedTuple):
    """One of three forms: nothing declared, maps, or sets of names that are the same on both sides.

    `inputs` maps child fields to parent fields, `outputs` parent fields to child fields. Without `outputs` every
    child field whose name the parent has comes out, written or not; an empty mapping projects nothing. With
    either of the sets only listed names cross, and an absent set means that nothing crosses that way.
    """

    inputs: Mapping[str, str] | None = None
    outputs: Mapping[str, str] | None = None
    projects_in: tuple[str, ...] | None = None
    projects_out: tuple[str, ...] | None = None

    @property
    def has_sets(self) -> bool:
        """True if either set was declared, even an empty one."""
        return self.projects_in is not None or self.projects_out is not None

    @property
    def has_maps(self) -> bool:
        """True if either map was declared, even an empty one."""
        return self.inputs is not None or self.outputs is not None

    def ins(self) -> Mapping[str, str]:
        """The child fields that are given a value, each with the parent field it comes from."""
        return {name: name for name in self.projects_in or ()} if self.has_sets else self.inputs or {}

    def outs(self, child: Iterable[str], parent: Container[str]) -> Mapping[str, str]:
        """The parent fields that are written, each with the child field it is given."""
        if self.has_sets:
            return {name: name for name in self.projects_out or ()}
        return {name: name for name in child if name in parent} if self.outputs is None else self.outputs


def project_in(projection: Projection, parent: Values) -> dict[str, Any]:
    """The child fields that are given a parent value, as own copies; all others keep their defaults."""
    return {child: detach(parent[source]) for child, source in projection.ins().items() if parent[source] is not UNSET}


def project_out(projection: Projection, child: Values, parent: Schema) -> dict[str, Any]:
    """The update to the parent: one final child value per projected field; unset child fields are left out."""
    outs = projection.outs(child, parent.fields)
    return {name: detach(child[source]) for name, source in outs.items() if child[source] is not UNSET}
