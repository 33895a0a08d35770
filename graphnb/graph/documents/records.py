"""What a graph document says, as records. Their equality is identity: 1 and True differ, so compare hashes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from graphnb.graph.guards.guard import Guard
from graphnb.state.storable.schemas import ValueSchema

SCHEMA_VERSION: Final = 1
"""The only version of the form there is."""
COLLECTIONS: Final = ("inputs", "fields", "outputs", "nodes", "edges")
"""The parts of a document that are keyed by id."""
_Content = Mapping[str, Any]
"""Content that is kept as it is, whatever it says; nobody changes it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReducerRecord:
    """A step reducer by its name in documents, with its options as given."""

    type: str
    opts: _Content = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FieldRecord:
    """An input or a state field; `kind` is "input" or "state". A default of None is none."""

    id: str
    kind: str = "state"
    label: str | None = None
    description: str | None = None
    schema: ValueSchema | None = None
    reducer: ReducerRecord | None = None
    required: bool = False
    default: Any = None
    metadata: _Content = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutputRecord:
    """An output; `source` is the input or field that it shows."""

    id: str
    source: str | None = None
    label: str | None = None
    description: str | None = None
    schema: ValueSchema | None = None
    metadata: _Content = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeRecord:
    """A node. `implementation` is as written: `{"type": "module", "implementation": name}` can be executed."""

    id: str
    label: str | None = None
    description: str | None = None
    implementation: _Content | None = None
    branches: Any = field(default_factory=dict)
    config: _Content = field(default_factory=dict)
    policies: _Content = field(default_factory=dict)
    metadata: _Content = field(default_factory=dict)

    @property
    def module(self) -> str | None:
        """The name under which a registry has the implementation; None for one that cannot be executed."""
        told = self.implementation
        if isinstance(told, dict) and told.get("type") == "module" and isinstance(told.get("implementation"), str):
            return str(told["implementation"])
        return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgeRecord:
    """An edge; a `source` that is a tuple, even of one id, makes it a join."""

    id: str
    source: str | tuple[str, ...] | None = None
    target: str | None = None
    label: str | None = None
    description: str | None = None
    source_handle: str | None = None
    target_handle: str | None = None
    guard: Guard | None = None
    metadata: _Content = field(default_factory=dict)

    @property
    def sources(self) -> tuple[str, ...]:
        """All sources, of either form."""
        if isinstance(self.source, tuple):
            return self.source
        return () if self.source is None else (self.source,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """A whole graph document, its records keyed by their ids."""

    id: str
    schema_version: int = SCHEMA_VERSION
    name: str | None = None
    description: str | None = None
    inputs: Mapping[str, FieldRecord] = field(default_factory=dict)
    fields: Mapping[str, FieldRecord] = field(default_factory=dict)
    outputs: Mapping[str, OutputRecord] = field(default_factory=dict)
    nodes: Mapping[str, NodeRecord] = field(default_factory=dict)
    edges: Mapping[str, EdgeRecord] = field(default_factory=dict)
    policies: _Content = field(default_factory=dict)
    metadata: _Content = field(default_factory=dict)
