"""Pending: the interrupts of a run that wait for answers, as a sequence and as a table."""

from __future__ import annotations

from graphnb.graph.interrupt import Interrupt
from graphnb.show.record_table import Look, RecordTable
from graphnb.show.writing.tags import breakable, prose, row
from graphnb.show.writing.words import clipped
from graphnb.state.annotations.hints import type_text


def _cells(asked: Interrupt) -> tuple[str, ...]:
    kind = "" if asked.schema is None else type_text(asked.schema)
    return asked.id, asked.node, asked.field, clipped(asked.ask, 200), kind


def _row(asked: Interrupt) -> str:
    id_, node, field, ask, schema = _cells(asked)
    return row((f"<b>{breakable(id_)}</b>", breakable(node), breakable(field), prose(ask), breakable(schema)))


class Pending(RecordTable[Interrupt]):
    """The open interrupts in the order in which they were asked; shows itself as a table.

    `data` has one row per interrupt: id, node, field, ask, schema.
    """

    _look = Look(
        columns={"id": 18, "node": 18, "field": 18, "ask": 30, "schema": 16},
        caps=(24, 24, 24, 60, 24),
        nothing="nothing waits for an answer",
        cells=_cells,
        row=_row,
    )
