"""Which fields cross the boundary of a subgraph, and under which names. Source: graph-engine §2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphnb.state.marks import UNSET
from graphnb.state.schema import Schema, Values
from graphnb.state.values.detach import detach


class Crossing(NamedTuple):
    """A projection resolved: `ins` maps child fields to the parent's, `outs` parent fields to the child's."""

    ins: Mapping[str, str]
    outs: Mapping[str, str]


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

    def between(self, parent: Schema, child: Schema) -> Crossing:
        """The fields that cross between states of these schemas."""
        if self.has_sets:
            ins = {name: name for name in self.projects_in or ()}
            return Crossing(ins, {name: name for name in self.projects_out or ()})
        outs = self.outputs
        if outs is None:
            outs = {name: name for name in child.fields if name in parent.fields}
        return Crossing(self.inputs or {}, outs)


def project(fields: Mapping[str, str], values: Values) -> dict[str, Any]:
    """Own copies of the values of fields of one state, under their names in the other; unset ones are left out.

    On the way in they are what the child is given, and its other fields keep their defaults; on the way out they are
    the update to the parent.
    """
    return {name: detach(values[source]) for name, source in fields.items() if values[source] is not UNSET}
