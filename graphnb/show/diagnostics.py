"""Diagnostics: what checking a graph or a document tells, as a sequence and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphnb.show.drawing.signs import tag_of
from graphnb.show.record_table import Look, RecordTable
from graphnb.show.writing.tags import ALARM, badge, breakable, prose, quiet, row
from graphnb.show.writing.words import things

if TYPE_CHECKING:
    from graphnb.graph.documents.verify.diagnostic import Diagnostic


def _cells(number: int, told: Diagnostic) -> tuple[str, ...]:
    return str(number), told.severity, told.code, told.where, told.message, told.mend


def _row(number: int, told: Diagnostic) -> str:
    is_error = told.severity == "error"
    severity = badge(told.severity, "Replace" if is_error else "default")
    sign = quiet(tag_of(told.severity, [number]).text)
    cells = (sign, severity, breakable(told.code), breakable(told.where), prose(told.message), prose(told.mend))
    return row(cells, ALARM if is_error else "")


class Diagnostics(RecordTable["Diagnostic"]):
    """Errors, which keep a graph from running, and warnings; shows itself as a table, and empty in words.

    `data` has one row per diagnostic: number, severity, code, where, message, mend. The number, from 1, is the one that
    the drawing of the graph shows where it belongs.
    """

    _look = Look(
        columns={"number": 6, "severity": 9, "code": 16, "where": 17, "message": 26, "mend": 26},
        caps=(6, 8, 30, 80, 300, 300),
        nothing="nothing to mend",
        cells=_cells,
        row=_row,
        is_numbered=True,
    )

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Those that keep the graph from running."""
        return tuple(each for each in self if each.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Those that keep nothing from running."""
        return tuple(each for each in self if each.severity == "warning")

    def __repr__(self) -> str:
        counts = f"\n{things(len(self.errors), 'error')}, {things(len(self.warnings), 'warning')}"
        return super().__repr__() + (counts if self else "")
