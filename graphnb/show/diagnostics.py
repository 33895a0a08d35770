"""Diagnostics: what checking a graph or a document tells, as a sequence and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, overload

from graphnb.show.writing.columns import aligned
from graphnb.show.writing.tags import ALARM, badge, breakable, escaped, head_row, quiet, row, table
from graphnb.show.writing.words import printable, things

if TYPE_CHECKING:
    import pandas as pd

    from graphnb.graph.documents.verify.diagnostic import Diagnostic

_COLUMNS: Final = {"severity": 9, "code": 16, "where": 20, "message": 28, "mend": 27}  # percent of the width
_CAPS: Final = (8, 30, 80, 300, 300)
_NONE: Final = "nothing to mend"


class Diagnostics(Sequence["Diagnostic"]):
    """Errors, which keep a graph from running, and warnings; shows itself as a table, and empty in words."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self._diagnostics = tuple(diagnostics)

    @overload
    def __getitem__(self, index: int) -> Diagnostic: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Diagnostic, ...]: ...
    def __getitem__(self, index: int | slice) -> Diagnostic | tuple[Diagnostic, ...]:
        return self._diagnostics[index]

    def __len__(self) -> int:
        return len(self._diagnostics)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._diagnostics)

    def __eq__(self, other: object) -> bool:
        return self._diagnostics == tuple(other) if isinstance(other, (Diagnostics, tuple, list)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._diagnostics)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Those that keep the graph from running."""
        return tuple(each for each in self._diagnostics if each.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Those that keep nothing from running."""
        return tuple(each for each in self._diagnostics if each.severity == "warning")

    @property
    def data(self) -> pd.DataFrame:
        """One row per diagnostic: severity, code, where, message, mend."""
        import pandas as pd

        return pd.DataFrame([_cells(each) for each in self._diagnostics], columns=list(_COLUMNS))

    def __repr__(self) -> str:
        if not self._diagnostics:
            return _NONE
        rows = [tuple(map(printable, _cells(each))) for each in self._diagnostics]
        return f"{aligned([tuple(_COLUMNS), *rows], _CAPS)}\n{self._summary()}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        html = table([head_row(_COLUMNS), *map(_row, self._diagnostics)]) if self._diagnostics else quiet(_NONE)
        return {"text/html": html, "text/plain": repr(self)}

    def _summary(self) -> str:
        return f"{things(len(self.errors), 'error')}, {things(len(self.warnings), 'warning')}"


def _cells(told: Diagnostic) -> tuple[str, str, str, str, str]:
    return told.severity, told.code, told.where, told.message, told.mend


def _row(told: Diagnostic) -> str:
    is_error = told.severity == "error"
    severity = badge(told.severity, "Replace" if is_error else "default")
    cells = (severity, breakable(told.code), breakable(told.where), escaped(told.message), escaped(told.mend))
    return row(cells, ALARM if is_error else "")
