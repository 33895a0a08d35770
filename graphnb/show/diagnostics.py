"""Diagnostics: what checking a graph or a document tells, as a sequence and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphnb.show.record_table import Look, RecordTable
from graphnb.show.writing.tags import ALARM, badge, breakable, prose, row
from graphnb.show.writing.words import things

if TYPE_CHECKING:
    from graphnb.graph.documents.verify.diagnostic import Diagnostic


def _cells(told: Diagnostic) -> tuple[str, ...]:
    return told.severity, told.code, told.where, told.message, told.mend


def _row(told: Diagnostic) -> str:
    is_error = told.severity == "error"
    severity = badge(told.severity, "Replace" if is_error else "default")
    cells = (severity, breakable(told.code), breakable(told.where), prose(told.message), prose(told.mend))
    return row(cells, ALARM if is_error else "")


class Diagnostics(RecordTable["Diagnostic"]):
    """Errors, which keep a graph from running, and warnings; shows itself as a table, and empty in words.

    `data` has one row per diagnostic: severity, code, where, message, mend.
    """

    _look = Look(
        columns={"severity": 9, "code": 16, "where": 20, "message": 28, "mend": 27},
        caps=(8, 30, 80, 300, 300),
        nothing="nothing to mend",
        cells=_cells,
        row=_row,
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
