"""What the cells of a notebook declared of one graph, and the rule that one cell run is one edit."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from graphnb.errors import DuplicateName, InvalidDeclaration, MultipleOutgoingEdges
from graphnb.errors.text import choices
from graphnb.graph.ends import Target
from graphnb.graph.spec import EdgeSpec, NodeSpec, targets_of
from graphnb.notebook.cells import Cell, current_cell, follow_cells

_Spec = TypeVar("_Spec")
# Code outside cells is one edit for ever; runs of cells are numbered from 1.
_OUTSIDE = Cell("", 0, "code outside the cells")


@dataclass(frozen=True, slots=True)
class _Entry(Generic[_Spec]):
    """One name's declaration and the cell run that made it.

    Without `spec` the declaration is gone, by the doing of `cell`; the entry keeps the name's place.
    """

    spec: _Spec | None
    cell: Cell


class Declarations:
    """The nodes and outgoing edges that were declared so far, by name; one cell run is one edit.

    Within one edit a name is declared once. A later cell run replaces by name, keeps the place, and says so if
    the earlier declaration stood in another cell. When a cell begins to run again, whatever it declared before
    and still owns is taken back. `place` names the graph in messages: `graph 'review'`.

    >>> from graphnb.graph.spec import Edge, FunctionNode
    >>> declared = Declarations("graph 'review'")
    >>> declared.declare(FunctionNode("plan", print), Edge("plan", "judge"))
    >>> declared.declare(FunctionNode("judge", print))
    >>> list(declared.nodes), list(declared.edges), declared.version
    (['plan', 'judge'], ['plan'], 2)
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._nodes: dict[str, _Entry[NodeSpec]] = {}
        self._edges: dict[str, _Entry[EdgeSpec]] = {}
        self._latest: dict[str, int] = {}
        self._told: set[tuple[int, str, str]] = set()
        self._version = 0
        self._shown: tuple[Mapping[str, NodeSpec], Mapping[str, EdgeSpec]] | None = None
        self._lock = threading.RLock()  # a widget callback or a cell's thread may declare meanwhile

    @property
    def version(self) -> int:
        """A number that rises with every change."""
        return self._version

    @property
    def nodes(self) -> Mapping[str, NodeSpec]:
        """The nodes by name, in declared order: a snapshot that later declarations leave alone."""
        return self._snapshot()[0]

    @property
    def edges(self) -> Mapping[str, EdgeSpec]:
        """The outgoing edges by source, in declared order: a snapshot that later declarations leave alone."""
        return self._snapshot()[1]

    @property
    def cells(self) -> tuple[str, ...]:
        """The labels of the cells whose declarations stand, in the order of what they declared."""
        with self._lock:
            entries: list[_Entry[Any]] = [*self._nodes.values(), *self._edges.values()]
        cells = {entry.cell.key: entry.cell.label for entry in entries if entry.spec is not None}
        return tuple(label for key, label in cells.items() if key != _OUTSIDE.key)

    @property
    def is_emptied(self) -> bool:
        """True if something was declared here and nothing of it stands: it was taken back or removed."""
        nodes, edges = self._snapshot()
        return bool(self._nodes or self._edges) and not nodes and not edges

    def declare(self, node: NodeSpec | None = None, edge: EdgeSpec | None = None) -> None:
        """Add or replace a node, an outgoing edge, or both; if one is refused, neither is added.

        Raises DuplicateName or MultipleOutgoingEdges if this edit has declared the same before.
        """
        cell = current_cell() or _OUTSIDE
        replaced: list[tuple[str, str, _Entry[Any] | None]] = []
        with self._lock:
            if node is not None:
                self._check_node(node, cell)
            if edge is not None:
                self._check_edge(edge, cell)
            self._begin(cell)
            if node is not None:
                replaced.append(("node", node.name, self._nodes.get(node.name)))
                self._nodes[node.name] = _Entry(node, cell)
            if edge is not None:
                replaced.append(("edge from", edge.source, self._edges.get(edge.source)))
                self._edges[edge.source] = _Entry(edge, cell)
            self._changed()
        for kind, name, earlier in replaced:
            self._tell(kind, name, earlier, cell)

    def remove(self, name: str) -> None:
        """Take away a node and its outgoing edge; edges that lead to it stay.

        Raises InvalidDeclaration for a name that is not declared, unless it is gone because this same cell
        declared or removed it in an earlier run.
        """
        cell = current_cell() or _OUTSIDE
        with self._lock:
            self._check_removal(name, cell)
            self._begin(cell)
            if name in self._nodes:
                self._nodes[name] = _Entry(None, cell)
            if name in self._edges:
                self._edges[name] = _Entry(None, cell)
            self._changed()

    def cell_begins(self, cell: Cell) -> None:
        """Take back what earlier runs of the cell declared and still own."""
        with self._lock:
            if cell.key in self._latest:
                self._begin(cell)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            nodes, edges = _copied(self._nodes), _copied(self._edges)
            # The snapshots are views, which can be neither pickled nor deep-copied; nor can the lock.
            fresh = {"_nodes": nodes, "_edges": edges, "_latest": {}, "_told": set(), "_shown": None, "_lock": None}
            return {**self.__dict__, **fresh}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def _begin(self, cell: Cell) -> None:
        """Take back what earlier runs of this cell declared and still own, once per run.

        Where the shell tells that a cell begins, there is nothing left to be done at its first declaration.
        """
        # Code outside cells never runs again; a late thread of an earlier run adds to the later one.
        if cell is _OUTSIDE or self._latest.get(cell.key, 0) >= cell.run:
            return
        self._latest[cell.key] = cell.run
        nodes, edges = _take_back(self._nodes, cell), _take_back(self._edges, cell)
        if nodes or edges:
            self._changed()
        follow_cells(self)

    def _check_node(self, node: NodeSpec, cell: Cell) -> None:
        if not _is_in_edit(self._nodes.get(node.name), cell):
            return
        if cell is _OUTSIDE:
            mend = "Outside a notebook's cells a name is declared once: give the second node a name of its own."
        else:
            mend = "Give the second node a name of its own, or declare it in a later cell: that replaces the first."
        raise DuplicateName(self._place, f"node {node.name!r} is declared twice in {_edit(cell)}", mend)

    def _check_edge(self, edge: EdgeSpec, cell: Cell) -> None:
        earlier = self._edges.get(edge.source)
        if earlier is None or not _is_in_edit(earlier, cell):
            return
        first, second = targets_of(earlier.spec), targets_of(edge)
        raise MultipleOutgoingEdges(
            self._place,
            f"node {edge.source!r} gets two outgoing edges in {_edit(cell)}: "
            f"the first leads to {_listed(first)}, the second to {_listed(second)}",
            _allowed_ways(edge.source, first, second),
        )

    def _check_removal(self, name: str, cell: Cell) -> None:
        entries = [entry for entry in (self._nodes.get(name), self._edges.get(name)) if entry is not None]
        # A cell that runs again finds its work of the last run done.
        is_repeated = any(entry.cell.key == cell.key and entry.cell.run != cell.run for entry in entries)
        if is_repeated or any(entry.spec is not None for entry in entries):
            return
        raise InvalidDeclaration(
            self._place, f"there is no node {name!r} to remove", choices("Nodes", self.nodes, name)
        )

    def _tell(self, kind: str, name: str, earlier: _Entry[Any] | None, cell: Cell) -> None:
        """Say that a declaration of another cell was replaced, once per name and cell."""
        if earlier is None or earlier.spec is None or earlier.cell.key == cell.key:
            return
        told = (cell.run, name, earlier.cell.key)
        if told in self._told:
            return
        self._told.add(told)
        # For the reader of the notebook, in the output of the cell.
        print(f"graphnb: {kind} {name!r} replaced (it was declared in {earlier.cell.label})")  # noqa: T201

    def _changed(self) -> None:
        self._version += 1
        self._shown = None

    def _snapshot(self) -> tuple[Mapping[str, NodeSpec], Mapping[str, EdgeSpec]]:
        with self._lock:
            shown = self._shown
            if shown is None:
                shown = self._shown = (_standing(self._nodes), _standing(self._edges))
            return shown


def _standing(entries: dict[str, _Entry[_Spec]]) -> Mapping[str, _Spec]:
    return MappingProxyType({name: entry.spec for name, entry in entries.items() if entry.spec is not None})


def _take_back(entries: dict[str, _Entry[_Spec]], cell: Cell) -> bool:
    """Empties the entries that the cell owns; True if there were any. Their places are kept."""
    owned = [name for name, entry in entries.items() if entry.spec is not None and entry.cell.key == cell.key]
    for name in owned:
        entries[name] = _Entry(None, entries[name].cell)
    return bool(owned)


def _copied(entries: dict[str, _Entry[_Spec]]) -> dict[str, _Entry[_Spec]]:
    return {name: _Entry(entry.spec, _copied_cell(entry.cell)) for name, entry in entries.items()}


def _copied_cell(cell: Cell) -> Cell:
    """Where a copy's declaration stood: no cell owns it, since none that runs again would declare it on the copy."""
    return Cell(f"copied from {cell.label}", -1, cell.label) if cell.run > _OUTSIDE.run else cell


def _is_in_edit(entry: _Entry[Any] | None, cell: Cell) -> bool:
    """True for a declaration that stands and was made in this very run."""
    return entry is not None and entry.spec is not None and entry.cell.run == cell.run


def _edit(cell: Cell) -> str:
    return "one script" if cell is _OUTSIDE else f"one run of {cell.label}"


def _listed(targets: tuple[Target, ...]) -> str:
    return ", ".join(_shown_target(target) for target in targets) or "any node"


def _shown_target(target: Target) -> str:
    return repr(target) if isinstance(target, str) else f"gn.{target!r}"


def _allowed_ways(source: str, first: tuple[Target, ...], second: tuple[Target, ...]) -> str:
    """How to lead from one node to several, written with the targets at hand."""
    if first and first == second:
        return "Both lead to the same place: delete one of them."
    targets = [_shown_target(target) for target in dict.fromkeys(first + second)]
    several = ", ".join(targets if len(targets) > 1 else [*targets, "..."])
    return "\n".join(
        (
            "A node has one outgoing edge. To lead from it to several nodes, let a function of the state choose:",
            f"  @graph.branch({source!r}, to=({several}))",
        )
    )
