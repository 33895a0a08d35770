"""Pending: the interrupts of a run that wait for answers, as a sequence and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, overload

from graphnb.graph.interrupt import Interrupt
from graphnb.show.writing.columns import aligned
from graphnb.show.writing.tags import breakable, escaped, head_row, quiet, row, table
from graphnb.show.writing.words import clipped, printable
from graphnb.state.annotations.hints import type_text

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: Final = {"id": 18, "node": 18, "field": 18, "ask": 30, "schema": 16}  # percent of the width
_CAPS: Final = (24, 24, 24, 60, 24)
_NONE: Final = "nothing waits for an answer"


class Pending(Sequence[Interrupt]):
    """The open interrupts in the order in which they were asked; shows itself as a table."""

    def __init__(self, interrupts: Sequence[Interrupt]) -> None:
        self._interrupts = tuple(interrupts)

    @overload
    def __getitem__(self, index: int) -> Interrupt: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Interrupt, ...]: ...
    def __getitem__(self, index: int | slice) -> Interrupt | tuple[Interrupt, ...]:
        return self._interrupts[index]

    def __len__(self) -> int:
        return len(self._interrupts)

    def __iter__(self) -> Iterator[Interrupt]:
        return iter(self._interrupts)

    def __eq__(self, other: object) -> bool:
        return self._interrupts == tuple(other) if isinstance(other, (Pending, tuple, list)) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(each.id for each in self._interrupts))

    @property
    def data(self) -> pd.DataFrame:
        """One row per interrupt: id, node, field, ask, schema."""
        import pandas as pd

        return pd.DataFrame([_cells(each) for each in self._interrupts], columns=list(_COLUMNS))

    def __repr__(self) -> str:
        if not self._interrupts:
            return _NONE
        return aligned([tuple(_COLUMNS), *(tuple(map(printable, _cells(each))) for each in self._interrupts)], _CAPS)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        rows = [
            row((f"<b>{breakable(id_)}</b>", breakable(node), breakable(field), escaped(ask), breakable(schema)))
            for id_, node, field, ask, schema in map(_cells, self._interrupts)
        ]
        html = table([head_row(_COLUMNS), *rows]) if rows else quiet(_NONE)
        return {"text/html": html, "text/plain": repr(self)}


def _cells(asked: Interrupt) -> tuple[str, str, str, str, str]:
    schema: Any = asked.schema
    kind = "" if schema is None else type_text(schema)
    return asked.id, asked.node, asked.field, clipped(asked.ask, 200), kind
