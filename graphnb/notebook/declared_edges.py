"""The outgoing edges that cells have declared: which of them leave a node, and which give way to a new one."""

from __future__ import annotations

from collections.abc import Hashable

from graphnb.graph.edges import EdgeSpec
from graphnb.notebook.cells import Cell
from graphnb.notebook.declared import Declaration, copied
from graphnb.notebook.outgoing import are_rivals, key_of, sources_of


class DeclaredEdges:
    """The table of outgoing edges by what replaces them, see `key_of`."""

    def __init__(self) -> None:
        self.table: dict[Hashable, Declaration[EdgeSpec]] = {}
        self._leaving: dict[str, list[Hashable]] = {}  # source -> keys in the table

    def keys_from(self, source: str) -> list[Hashable]:
        """The keys under which edges from this node were declared, whether or not they stand."""
        return self._leaving.get(source, [])

    def rivals(self, edge: EdgeSpec) -> list[Declaration[EdgeSpec]]:
        """The standing edges that cannot stand beside this one."""
        return [self.table[key] for key in self._rival_keys(edge)]

    def put(self, edge: EdgeSpec, cell: Cell) -> list[tuple[str, Declaration[EdgeSpec]]]:
        """Adds an edge in place of its rivals, and gives these, each with every node that it left."""
        rivals = {key: self.table[key] for key in self._rival_keys(edge)}
        self.table.update(dict.fromkeys(rivals, Declaration(None, cell)))
        key = key_of(edge)
        for source in sources_of(edge):
            keys = self._leaving.setdefault(source, [])
            keys += [] if key in keys else [key]
        self.table[key] = Declaration(edge, cell)
        return [(source, each) for each in rivals.values() if each.spec is not None for source in sources_of(each.spec)]

    def copied(self) -> DeclaredEdges:
        """The same edges for a copy, see `declared.copied`."""
        copy = DeclaredEdges()
        copy.table = copied(self.table)
        copy._leaving = {source: list(keys) for source, keys in self._leaving.items()}
        return copy

    def _rival_keys(self, edge: EdgeSpec) -> list[Hashable]:
        keys = dict.fromkeys(key for source in sources_of(edge) for key in self.keys_from(source))
        specs = {key: self.table[key].spec for key in keys}
        return [key for key, spec in specs.items() if spec is not None and are_rivals(spec, edge)]
