"""Which rows of a step diff table are shown where there are too many, and what is told of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphnb.show.diff.rows import Row, inside_text
from graphnb.show.writing.words import things


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows that are not shown: how many, and of how many steps.

    `inside`: what all of them are within, in words, such as "branches"; empty if any is within none.
    """

    rows: int
    steps: int
    inside: str = ""

    @property
    def is_inside(self) -> bool:
        """True if all are within instances of a fan-out, parallel branches or delegates."""
        return bool(self.inside)


def selected(rows: Sequence[Row], limit: int | None) -> list[Row | Gap]:
    """At most `limit` rows, with the gaps between them; all for None.

    Steps within instances, branches and delegates give way to the others; then the first and the last rows are kept.
    """
    if limit is None or len(rows) <= limit:
        return list(rows)
    outer = [i for i, row in enumerate(rows) if not row.is_inside]
    if len(outer) <= limit:
        inner = (i for i, row in enumerate(rows) if row.is_inside)
        keep = {*outer, *(i for i, _ in zip(inner, range(limit - len(outer)), strict=False))}
    else:
        last = limit // 4
        keep = {*outer[: limit - last], *(outer[-last:] if last else ())}
    return _with_gaps(rows, keep)


def gap_text(gap: Gap) -> str:
    """What is not shown, and how to see it."""
    where = f" inside the {gap.inside}" if gap.inside else ""
    return f"… {things(gap.steps, 'more step')}{where} ({things(gap.rows, 'row')}) not shown: run.diff(limit=None)"


def _with_gaps(rows: Sequence[Row], keep: set[int]) -> list[Row | Gap]:
    shown: list[Row | Gap] = []
    hidden: list[Row] = []
    for i, row in enumerate(rows):
        if i not in keep:
            hidden.append(row)
            continue
        shown += _gap(hidden)
        shown.append(row)
        hidden = []
    return [*shown, *_gap(hidden)]


def _gap(hidden: Sequence[Row]) -> list[Gap]:
    if not hidden:
        return []
    steps = len({row.number for row in hidden})
    return [Gap(len(hidden), steps, inside_text(row.unit for row in hidden))]
