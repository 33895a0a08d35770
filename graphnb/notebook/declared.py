"""What one name was declared to be and by which cell run, and tables of that: what stands, what a cell owns."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, TypeVar

from graphnb.notebook.cells import Cell

T = TypeVar("T")

OUTSIDE: Final = Cell("", 0, "code outside the cells")
"""Code outside cells is one edit for ever; runs of cells are numbered from 1."""


class Declaration(NamedTuple, Generic[T]):
    """What one name was declared to be, and the cell run that did it.

    Without `spec` the declaration is gone, by the doing of `cell`; it still keeps the name's place. Middleware and
    observers, whose order matters, are in the order of `rank` instead.
    """

    spec: T | None
    cell: Cell
    rank: tuple[int, int] = (0, 0)


def is_in_edit(declared: Declaration[Any] | None, cell: Cell) -> bool:
    """True for a declaration that stands and was made in this very run."""
    return declared is not None and declared.spec is not None and declared.cell.run == cell.run


def standing(table: dict[Any, Declaration[T]]) -> MappingProxyType[Any, T]:
    """What stands, by name, in the order of places."""
    return MappingProxyType({name: each.spec for name, each in table.items() if each.spec is not None})


def by_rank(table: dict[str, Declaration[T]]) -> tuple[T, ...]:
    """What stands, in the order of ranks."""
    ranked = sorted(table.values(), key=lambda each: each.rank)
    return tuple(each.spec for each in ranked if each.spec is not None)


def take_back(table: dict[Any, Declaration[T]], cell: Cell) -> bool:
    """Empties what the cell owns; True if there were any. Their places are kept."""
    owned = [name for name, each in table.items() if each.spec is not None and each.cell.key == cell.key]
    for name in owned:
        table[name] = Declaration(None, table[name].cell)
    return bool(owned)


def copied(table: dict[Any, Declaration[T]]) -> dict[Any, Declaration[T]]:
    """The same declarations for a copy: no cell owns them, since none that runs again would declare them on it."""
    return {name: each._replace(cell=_copied_cell(each.cell)) for name, each in table.items()}


def _copied_cell(cell: Cell) -> Cell:
    return Cell(f"copied from {cell.label}", -1, cell.label) if cell.run > OUTSIDE.run else cell
