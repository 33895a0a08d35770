"""What one edit may not declare a second time, and what there is not to be removed, each refused in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphnb.errors import DuplicateName, InvalidDeclaration, MultipleOutgoingEdges
from graphnb.errors.text import choices
from graphnb.graph.edges import EdgeSpec
from graphnb.notebook.cells import Cell
from graphnb.notebook.declared import OUTSIDE, Declaration, is_in_edit
from graphnb.notebook.outgoing import allowed_ways, listed_targets, sources_of


def check_name(place: str, kind: str, *, name: str, earlier: Declaration[Any] | None, cell: Cell) -> None:
    """Raises DuplicateName if this edit has declared the name before, which is what `earlier` tells."""
    if not is_in_edit(earlier, cell):
        return
    if cell is OUTSIDE:
        mend = f"Outside a notebook's cells a name is declared once: give the second {kind} a name of its own."
    else:
        mend = f"Give the second {kind} a name of its own, or declare it in a later cell: that replaces the first."
    raise DuplicateName(place, f"{kind} {name!r} is declared twice in {_edit(cell)}", mend)


def check_edge(place: str, edge: EdgeSpec, *, rivals: Iterable[Declaration[EdgeSpec]], cell: Cell) -> None:
    """Raises MultipleOutgoingEdges if one of those that cannot stand beside the edge was declared in this edit."""
    for earlier in rivals:
        if is_in_edit(earlier, cell):
            assert earlier.spec is not None
            source = next(each for each in sources_of(edge) if each in sources_of(earlier.spec))
            raise MultipleOutgoingEdges(
                place,
                f"node {source!r} gets two outgoing edges in {_edit(cell)}: the first leads to "
                f"{listed_targets(earlier.spec)}, the second to {listed_targets(edge)}",
                allowed_ways(source, (earlier.spec, edge)),
            )


def check_removal(
    place: str, kind: str, *, name: str, found: Iterable[Declaration[Any]], cell: Cell, known: Mapping[str, object]
) -> None:
    """Raises InvalidDeclaration if nothing of this name stands, which `found` tells; `known` are those to choose from.

    A cell that runs again finds its work of the last run done, and that is well.
    """
    for each in found:
        if each.spec is not None or (each.cell.key == cell.key and each.cell.run != cell.run):
            return
    label = "Middleware" if kind == "middleware" else f"{kind.capitalize()}s"
    raise InvalidDeclaration(place, f"there is no {kind} {name!r} to remove", choices(label, known, name))


def _edit(cell: Cell) -> str:
    return "one script" if cell is OUTSIDE else f"one run of {cell.label}"
