"""Which fields cross the boundary of a subgraph, and under which names. Source: graph-engine §2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphnb.state.marks import UNSET
from graphnb.state.schema import Schema, Values
from graphnb.state.values.detach import detach


@dataclass(frozen=True, slots=True)
class Projection:
    """`inputs` maps child fields to parent fields; `outputs` maps parent fields to child fields.

    `outputs` of None is the default: every child field whose name the parent has, written or not. An empty
    mapping projects nothing.
    """

    inputs: Mapping[str, str] | None = None
    outputs: Mapping[str, str] | None = None


def project_in(projection: Projection, parent: Values) -> dict[str, Any]:
    """The child fields that are given a parent value, as own copies; all others keep their defaults."""
    return {
        child: detach(parent[source])
        for child, source in (projection.inputs or {}).items()
        if parent[source] is not UNSET
    }


def project_out(projection: Projection, child: Values, parent: Schema) -> dict[str, Any]:
    """The update to the parent: one final child value per projected field; unset child fields are left out."""
    outputs = projection.outputs
    if outputs is None:
        outputs = {name: name for name in child if name in parent.fields}
    return {name: detach(child[source]) for name, source in outputs.items() if child[source] is not UNSET}
