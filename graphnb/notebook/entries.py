"""One name's declaration with the cell run that made it, and tables of these: what stands in them, what a cell owns."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, TypeVar

from graphnb.notebook.cells import Cell

T = TypeVar("T")

OUTSIDE: Final = Cell("", 0, "code outside the cells")
"""Code outside cells is one edit for ever; runs of cells are numbered from 1."""


class Entry(NamedTuple, Generic[T]):
    """What one name was declared to be, and the cell run that did it.

    Without `spec` the declaration is gone, by the doing of `cell`; the entry keeps the name's place. Middleware and
    observers, whose order matters, are in the order of `rank` instead.
    """

    spec: T | None
    cell: Cell
    rank: tuple[int, int] = (0, 0)


def is_in_edit(entry: Entry[Any] | None, cell: Cell) -> bool:
    """True for a declaration that stands and was made in this very run."""
    return entry is not None and entry.spec is not None and entry.cell.run == cell.run


def standing(table: dict[Any, Entry[T]]) -> MappingProxyType[Any, T]:
    """What stands, by name, in the order of places."""
    return MappingProxyType({name: entry.spec for name, entry in table.items() if entry.spec is not None})


def by_rank(table: dict[str, Entry[T]]) -> tuple[T, ...]:
    """What stands, in the order of ranks."""
    entries = sorted(table.values(), key=lambda entry: entry.rank)
    return tuple(entry.spec for entry in entries if entry.spec is not None)


def take_back(table: dict[Any, Entry[T]], cell: Cell) -> bool:
    """Empties the entries that the cell owns; True if there were any. Their places are kept."""
    owned = [name for name, entry in table.items() if entry.spec is not None and entry.cell.key == cell.key]
    for name in owned:
        table[name] = Entry(None, table[name].cell)
    return bool(owned)


def copied(table: dict[Any, Entry[T]]) -> dict[Any, Entry[T]]:
    """The same declarations for a copy: no cell owns them, since none that runs again would declare them on it."""
    return {name: entry._replace(cell=_copied_cell(entry.cell)) for name, entry in table.items()}


def _copied_cell(cell: Cell) -> Cell:
    return Cell(f"copied from {cell.label}", -1, cell.label) if cell.run > OUTSIDE.run else cell
