"""What the cells of a notebook declared of one graph, and the rule that one cell run is one edit."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from graphnb.errors import DuplicateName, InvalidDeclaration, MultipleOutgoingEdges
from graphnb.errors.text import choices
from graphnb.graph.edges import EdgeSpec
from graphnb.graph.observer import Observer
from graphnb.graph.spec import Layer, NodeSpec
from graphnb.notebook.cells import Cell, current_cell, follow_cells
from graphnb.notebook.outgoing import allowed_ways, are_rivals, edges_by_source, key_of, listed_targets, sources_of

_Spec = TypeVar("_Spec")
# Code outside cells is one edit for ever; runs of cells are numbered from 1.
_OUTSIDE = Cell("", 0, "code outside the cells")


class _Entry(NamedTuple, Generic[_Spec]):
    """One name's declaration and the cell run that made it.

    Without `spec` the declaration is gone, by the doing of `cell`; the entry keeps the name's place. Middleware and
    observers, whose order matters, are in the order of `rank` instead.
    """

    spec: _Spec | None
    cell: Cell
    rank: tuple[int, int] = (0, 0)


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

    _TABLES = ("_nodes", "_edges", "_layers", "_observers", "_first")

    def __init__(self, place: str) -> None:
        self._place = place
        self._nodes: dict[str, _Entry[NodeSpec]] = {}
        self._edges: dict[Hashable, _Entry[EdgeSpec]] = {}
        self._leaving: dict[str, list[Hashable]] = {}  # source -> keys in `_edges`
        self._layers: dict[str, _Entry[Layer]] = {}
        self._observers: dict[str, _Entry[Observer]] = {}
        self._first: dict[str, _Entry[str]] = {}  # the entry, under a name of no meaning
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
            return _ordered(self._layers)

    @property
    def observers(self) -> tuple[Observer, ...]:
        """The observers of every run, in declared order."""
        with self._lock:
            return _ordered(self._observers)

    @property
    def entry(self) -> str | None:
        """The name of the first node, None if no standing declaration gives it."""
        return _standing(self._first).get("")

    @property
    def cells(self) -> tuple[str, ...]:
        """The labels of the cells whose declarations stand, in the order of what they declared."""
        with self._lock:
            entries: list[_Entry[Any]] = [entry for table in self._tables() for entry in table.values()]
        cells = {entry.cell.key: entry.cell.label for entry in entries if entry.spec is not None}
        return tuple(label for key, label in cells.items() if key != _OUTSIDE.key)

    @property
    def is_emptied(self) -> bool:
        """True if something was declared here and nothing of it stands: it was taken back or removed."""
        nodes, edges = self._snapshot()
        return bool(self._nodes or self._edges) and not nodes and not edges

    def declare(self, node: NodeSpec | None = None, edge: EdgeSpec | None = None, *more: EdgeSpec) -> None:
        """Add or replace a node, outgoing edges, or both; if one is refused, none is added.

        Raises DuplicateName or MultipleOutgoingEdges if this edit has declared the same before.
        """
        cell = current_cell() or _OUTSIDE
        edges = () if edge is None else (edge, *more)
        replaced: list[tuple[str, str, _Entry[Any] | None]] = []
        with self._lock:
            if node is not None:
                self._check_name("node", node.name, self._nodes.get(node.name), cell)
            for edge in edges:
                self._check_edge(edge, cell)
            self._begin(cell)
            if node is not None:
                replaced.append(("node", node.name, self._nodes.get(node.name)))
                self._nodes[node.name] = _Entry(node, cell)
            for edge in edges:
                replaced += self._put_edge(edge, cell)
            self._changed()
        for kind, name, earlier in replaced:
            self._tell(kind, name, earlier, cell)

    def declare_layer(self, name: str, layer: Layer) -> None:
        """Add or replace middleware around every node. Raises DuplicateName like `declare`."""
        self._declare_in(self._layers, "middleware", name, layer)

    def declare_observer(self, observer: Observer) -> None:
        """Add or replace an observer. Raises DuplicateName like `declare`."""
        self._declare_in(self._observers, "observer", observer.name, observer)

    def remove(self, name: str) -> None:
        """Take away a node and its outgoing edge; edges that lead to it stay.

        Raises InvalidDeclaration for a name that is not declared, unless it is gone because this same cell
        declared or removed it in an earlier run.
        """
        leaving = [(self._edges, key) for key in self._leaving.get(name, ()) if key in self._edges]
        self._remove("node", name, [(self._nodes, name), *leaving])

    def remove_layer(self, name: str) -> None:
        """Take away middleware around every node. Raises like `remove`."""
        self._remove("middleware", name, [(self._layers, name)])

    def remove_observer(self, name: str) -> None:
        """Take away an observer. Raises like `remove`."""
        self._remove("observer", name, [(self._observers, name)])

    def declare_entry(self, name: str) -> None:
        """Say which node is first; of several such in one edit the last counts."""
        cell = current_cell() or _OUTSIDE
        with self._lock:
            self._begin(cell)
            earlier = self._first.get("")
            self._first[""] = _Entry(name, cell)
            self._changed()
        if earlier is not None and earlier.spec is not None:
            self._tell("entry", earlier.spec, earlier, cell)

    def cell_begins(self, cell: Cell) -> None:
        """Take back what earlier runs of the cell declared and still own."""
        with self._lock:
            if cell.key in self._latest:
                self._begin(cell)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            tables = {name: _copied(getattr(self, name)) for name in self._TABLES}
            # The snapshots are views, which can be neither pickled nor deep-copied; nor can the lock.
            fresh: dict[str, Any] = {"_latest": {}, "_told": set(), "_shown": None, "_lock": None}
            fresh["_leaving"] = {source: list(keys) for source, keys in self._leaving.items()}
            return {**self.__dict__, **tables, **fresh}

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
        taken = [_take_back(table, cell) for table in self._tables()]
        if any(taken):
            self._changed()
        follow_cells(self)

    def _tables(self) -> tuple[dict[str, _Entry[Any]], ...]:
        return tuple(getattr(self, name) for name in self._TABLES)

    def _declare_in(self, table: dict[str, _Entry[_Spec]], kind: str, name: str, spec: _Spec) -> None:
        cell = current_cell() or _OUTSIDE
        with self._lock:
            self._check_name(kind, name, table.get(name), cell)
            self._begin(cell)
            earlier = table.get(name)
            own = self._ranks.setdefault(cell.key, len(self._ranks)), self._version
            rank = own if earlier is None or earlier.spec is None else earlier.rank
            table[name] = _Entry(spec, cell, rank)
            self._changed()
        self._tell(kind, name, earlier, cell)

    def _remove(self, kind: str, name: str, places: Sequence[tuple[dict[Any, _Entry[Any]], Hashable]]) -> None:
        """Empties the entries at these places, (table, key); the first is that of the name itself."""
        cell = current_cell() or _OUTSIDE
        with self._lock:
            self._check_removal(kind, name, cell, places)
            self._begin(cell)
            for table, key in places:
                if key in table:
                    table[key] = _Entry(None, cell)
            self._changed()

    def _check_name(self, kind: str, name: str, earlier: _Entry[Any] | None, cell: Cell) -> None:
        if not _is_in_edit(earlier, cell):
            return
        if cell is _OUTSIDE:
            mend = f"Outside a notebook's cells a name is declared once: give the second {kind} a name of its own."
        else:
            mend = f"Give the second {kind} a name of its own, or declare it in a later cell: that replaces the first."
        raise DuplicateName(self._place, f"{kind} {name!r} is declared twice in {_edit(cell)}", mend)

    def _check_edge(self, edge: EdgeSpec, cell: Cell) -> None:
        for _, earlier in self._rivals(edge):
            if _is_in_edit(earlier, cell):
                assert earlier.spec is not None
                source = next(each for each in sources_of(edge) if each in sources_of(earlier.spec))
                raise MultipleOutgoingEdges(
                    self._place,
                    f"node {source!r} gets two outgoing edges in {_edit(cell)}: the first leads to "
                    f"{listed_targets(earlier.spec)}, the second to {listed_targets(edge)}",
                    allowed_ways(source, earlier.spec, edge),
                )

    def _put_edge(self, edge: EdgeSpec, cell: Cell) -> list[tuple[str, str, _Entry[Any] | None]]:
        """Adds an edge in place of those that cannot stand beside it, and gives these."""
        replaced: list[tuple[str, str, _Entry[Any] | None]] = []
        for key, entry in self._rivals(edge):
            assert entry.spec is not None
            replaced += [("edge from", source, entry) for source in sources_of(entry.spec)]
            self._edges[key] = _Entry(None, cell)
        key = key_of(edge)
        for source in sources_of(edge):
            keys = self._leaving.setdefault(source, [])
            keys += [] if key in keys else [key]
        self._edges[key] = _Entry(edge, cell)
        return replaced

    def _rivals(self, edge: EdgeSpec) -> list[tuple[Hashable, _Entry[EdgeSpec]]]:
        """The standing edges that cannot stand beside this one."""
        keys = dict.fromkeys(key for source in sources_of(edge) for key in self._leaving.get(source, ()))
        entries = ((key, self._edges[key]) for key in keys)
        return [(key, entry) for key, entry in entries if entry.spec is not None and are_rivals(entry.spec, edge)]

    def _check_removal(
        self, kind: str, name: str, cell: Cell, places: Sequence[tuple[dict[Any, _Entry[Any]], Hashable]]
    ) -> None:
        entries = [table[key] for table, key in places if key in table]
        # A cell that runs again finds its work of the last run done.
        is_repeated = any(entry.cell.key == cell.key and entry.cell.run != cell.run for entry in entries)
        if is_repeated or any(entry.spec is not None for entry in entries):
            return
        label = "Middleware" if kind == "middleware" else f"{kind.capitalize()}s"
        what = f"there is no {kind} {name!r} to remove"
        raise InvalidDeclaration(self._place, what, choices(label, _standing(places[0][0]), name))

    def _tell(self, kind: str, name: str, earlier: _Entry[Any] | None, cell: Cell) -> None:
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
                shown = self._shown = (_standing(self._nodes), edges_by_source(_standing(self._edges).values()))
            return shown


def _standing(entries: dict[Any, _Entry[_Spec]]) -> Mapping[Any, _Spec]:
    return MappingProxyType({name: entry.spec for name, entry in entries.items() if entry.spec is not None})


def _ordered(entries: dict[str, _Entry[_Spec]]) -> tuple[_Spec, ...]:
    standing = sorted(entries.values(), key=lambda entry: entry.rank)
    return tuple(entry.spec for entry in standing if entry.spec is not None)


def _take_back(entries: dict[Any, _Entry[_Spec]], cell: Cell) -> bool:
    """Empties the entries that the cell owns; True if there were any. Their places are kept."""
    owned = [name for name, entry in entries.items() if entry.spec is not None and entry.cell.key == cell.key]
    for name in owned:
        entries[name] = _Entry(None, entries[name].cell)
    return bool(owned)


def _copied(entries: dict[Any, _Entry[_Spec]]) -> dict[Any, _Entry[_Spec]]:
    return {name: entry._replace(cell=_copied_cell(entry.cell)) for name, entry in entries.items()}


def _copied_cell(cell: Cell) -> Cell:
    """Where a copy's declaration stood: no cell owns it, since none that runs again would declare it on the copy."""
    return Cell(f"copied from {cell.label}", -1, cell.label) if cell.run > _OUTSIDE.run else cell


def _is_in_edit(entry: _Entry[Any] | None, cell: Cell) -> bool:
    """True for a declaration that stands and was made in this very run."""
    return entry is not None and entry.spec is not None and entry.cell.run == cell.run


def _edit(cell: Cell) -> str:
    return "one script" if cell is _OUTSIDE else f"one run of {cell.label}"
