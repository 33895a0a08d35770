"""What the cells of a notebook declared of one graph, and the rule that one cell run is one edit."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

from graphnb.graph.edges import EdgeSpec
from graphnb.graph.observer import Observer
from graphnb.graph.spec import Layer, NodeSpec
from graphnb.notebook.cells import Cell, current_cell, follow_cells
from graphnb.notebook.declared import OUTSIDE, Declaration, by_rank, copied, standing, take_back
from graphnb.notebook.declared_edges import DeclaredEdges
from graphnb.notebook.edit_checks import check_edge, check_name, check_removal
from graphnb.notebook.outgoing import edges_by_source

T = TypeVar("T")


class Declarations:
    """The nodes, outgoing edges, middleware and observers that were declared so far; one cell run is one edit.

    Within one edit a name is declared once. A later cell run replaces by name, keeps the place, and says so if
    the earlier declaration stood in another cell. When a cell begins to run again, whatever it declared before
    and still owns is taken back. Middleware and observers stand in the order of the cells that first declared
    some, and within a cell in that of its last run. `place` names the graph in messages: `graph 'review'`.

    >>> from graphnb.graph.edges import Edge
    >>> from graphnb.graph.spec import FunctionNode
    >>> declared = Declarations("graph 'review'")
    >>> declared.declare(FunctionNode("plan", print), Edge("plan", "judge"))
    >>> declared.declare(FunctionNode("judge", print))
    >>> list(declared.nodes), list(declared.edges), declared.version
    (['plan', 'judge'], ['plan'], 2)
    """

    _TABLES = ("_nodes", "_layers", "_observers", "_first")  # beside the edges

    def __init__(self, place: str) -> None:
        self._place = place
        self._nodes: dict[str, Declaration[NodeSpec]] = {}
        self._edges = DeclaredEdges()
        self._layers: dict[str, Declaration[Layer]] = {}
        self._observers: dict[str, Declaration[Observer]] = {}
        self._first: dict[str, Declaration[str]] = {}  # the entry, under a name of no meaning
        self._latest: dict[str, int] = {}
        self._ranks: dict[str, int] = {}
        self._told: set[tuple[int, str, str, str]] = set()
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
    def layers(self) -> tuple[Layer, ...]:
        """The middleware around every node, in declared order."""
        with self._lock:
            return by_rank(self._layers)

    @property
    def observers(self) -> tuple[Observer, ...]:
        """The observers of every run, in declared order."""
        with self._lock:
            return by_rank(self._observers)

    @property
    def entry(self) -> str | None:
        """The name of the first node, None if no standing declaration gives it."""
        return standing(self._first).get("")

    @property
    def cells(self) -> tuple[str, ...]:
        """The labels of the cells whose declarations stand, in the order of what they declared."""
        with self._lock:
            every: list[Declaration[Any]] = [each for table in self._tables() for each in table.values()]
        cells = {each.cell.key: each.cell.label for each in every if each.spec is not None}
        return tuple(label for key, label in cells.items() if key != OUTSIDE.key)

    @property
    def is_emptied(self) -> bool:
        """True if something was declared here and nothing of it stands: it was taken back or removed."""
        nodes, edges = self._snapshot()
        return bool(self._nodes or self._edges.table) and not nodes and not edges

    def declare(self, node: NodeSpec | None = None, edge: EdgeSpec | None = None, *more: EdgeSpec) -> None:
        """Add or replace a node, outgoing edges, or both; if one is refused, none is added.

        Raises DuplicateName or MultipleOutgoingEdges if this edit has declared the same before.
        """
        cell = current_cell() or OUTSIDE
        edges = () if edge is None else (edge, *more)
        replaced: list[tuple[str, str, Declaration[Any] | None]] = []
        with self._lock:
            if node is not None:
                earlier = self._nodes.get(node.name)
                check_name(self._place, "node", name=node.name, earlier=earlier, cell=cell)
            for edge in edges:
                check_edge(self._place, edge, rivals=self._edges.rivals(edge), cell=cell)
            self._begin(cell)
            if node is not None:
                replaced.append(("node", node.name, self._nodes.get(node.name)))
                self._nodes[node.name] = Declaration(node, cell)
            for edge in edges:
                replaced += [("edge from", source, rival) for source, rival in self._edges.put(edge, cell)]
            self._changed()
        for kind, name, earlier in replaced:
            self._tell(kind, name, earlier=earlier, cell=cell)

    def declare_layer(self, name: str, layer: Layer) -> None:
        """Add or replace middleware around every node. Raises DuplicateName like `declare`."""
        self._declare_in(self._layers, "middleware", name=name, spec=layer)

    def declare_observer(self, observer: Observer) -> None:
        """Add or replace an observer. Raises DuplicateName like `declare`."""
        self._declare_in(self._observers, "observer", name=observer.name, spec=observer)

    def remove(self, name: str) -> None:
        """Take away a node and its outgoing edge; edges that lead to it stay.

        Raises InvalidDeclaration for a name that is not declared, unless it is gone because this same cell
        declared or removed it in an earlier run.
        """
        leaving = [(self._edges.table, key) for key in self._edges.keys_from(name)]
        self._remove("node", name, places=[(self._nodes, name), *leaving])

    def remove_layer(self, name: str) -> None:
        """Take away middleware around every node. Raises like `remove`."""
        self._remove("middleware", name, places=[(self._layers, name)])

    def remove_observer(self, name: str) -> None:
        """Take away an observer. Raises like `remove`."""
        self._remove("observer", name, places=[(self._observers, name)])

    def declare_entry(self, name: str) -> None:
        """Say which node is first; of several such in one edit the last counts."""
        cell = current_cell() or OUTSIDE
        with self._lock:
            self._begin(cell)
            earlier = self._first.get("")
            self._first[""] = Declaration(name, cell)
            self._changed()
        if earlier is not None and earlier.spec is not None:
            self._tell("entry", earlier.spec, earlier=earlier, cell=cell)

    def cell_begins(self, cell: Cell) -> None:
        """Take back what earlier runs of the cell declared and still own."""
        with self._lock:
            if cell.key in self._latest:
                self._begin(cell)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            tables: dict[str, Any] = {name: copied(getattr(self, name)) for name in self._TABLES}
            # The snapshots are views, which can be neither pickled nor deep-copied; nor can the lock.
            fresh: dict[str, Any] = {"_latest": {}, "_told": set(), "_shown": None, "_lock": None}
            return {**self.__dict__, **tables, **fresh, "_edges": self._edges.copied()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def _begin(self, cell: Cell) -> None:
        """Take back what earlier runs of this cell declared and still own, once per run.

        Where the shell tells that a cell begins, there is nothing left to be done at its first declaration.
        """
        # Code outside cells never runs again; a late thread of an earlier run adds to the later one.
        if cell is OUTSIDE or self._latest.get(cell.key, 0) >= cell.run:
            return
        self._latest[cell.key] = cell.run
        taken = [take_back(table, cell) for table in self._tables()]
        if any(taken):
            self._changed()
        follow_cells(self)

    def _tables(self) -> tuple[dict[Any, Declaration[Any]], ...]:
        return self._nodes, self._edges.table, self._layers, self._observers, self._first

    def _declare_in(self, table: dict[str, Declaration[T]], kind: str, *, name: str, spec: T) -> None:
        cell = current_cell() or OUTSIDE
        with self._lock:
            check_name(self._place, kind, name=name, earlier=table.get(name), cell=cell)
            self._begin(cell)
            earlier = table.get(name)
            own = self._ranks.setdefault(cell.key, len(self._ranks)), self._version
            rank = own if earlier is None or earlier.spec is None else earlier.rank
            table[name] = Declaration(spec, cell, rank)
            self._changed()
        self._tell(kind, name, earlier=earlier, cell=cell)

    def _remove(self, kind: str, name: str, *, places: Sequence[tuple[dict[Any, Declaration[Any]], Hashable]]) -> None:
        """Empties these places, (table, key); the first is that of the name itself."""
        cell = current_cell() or OUTSIDE
        with self._lock:
            found = [table[key] for table, key in places if key in table]
            known = standing(places[0][0])
            check_removal(self._place, kind, name=name, found=found, cell=cell, known=known)
            self._begin(cell)
            for table, key in places:
                if key in table:
                    table[key] = Declaration(None, cell)
            self._changed()

    def _tell(self, kind: str, name: str, *, earlier: Declaration[Any] | None, cell: Cell) -> None:
        """Say that a declaration of another cell was replaced: of a node and its edge once per name and cell."""
        if earlier is None or earlier.spec is None or earlier.cell.key == cell.key:
            return
        told = (cell.run, "node" if kind == "edge from" else kind, name, earlier.cell.key)
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
                shown = self._shown = (standing(self._nodes), edges_by_source(standing(self._edges.table).values()))
            return shown
