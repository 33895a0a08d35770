"""What stands beside a drawing: the state's fields, what keeps the graph from running, and the legend."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from graphnb.graph.topology import Mark, Topology
from graphnb.show.drawing.labels import Line, note, small, stacked
from graphnb.show.drawing.legend import legend
from graphnb.show.drawing.remarks import remarks_of
from graphnb.show.drawing.signs import tag_of, tip_of
from graphnb.show.writing.palette import ALARM, INK, TAKEN, WARN, shortened

_MOST_FIELDS: Final = 30
_MOST_REMARKS: Final = 6
_LOOKS: Final = {"error": (ALARM, "#FFF5F0"), "warning": (WARN, "#FFFAEE")}


def notes_of(topology: Topology, kinds: set[str]) -> str:
    """The state's fields, what keeps the graph from running, warnings, and the legend, one below the other."""
    heads = [small(text) for text in ("type", "reducer", "default")] if topology.fields else [small("no fields")]
    rows = [[Line(f"state {shortened(topology.state, 40)}", bold=True), *heads]]
    for each in topology.fields[:_MOST_FIELDS]:
        name, kind = small(shortened(each.name, 28), INK), small(shortened(each.type, 32))
        reducer = small("–") if each.reducer is None else small(shortened(each.reducer, 28), TAKEN)
        rows.append([name, kind, reducer, small("required" if each.default is None else shortened(each.default, 20))])
        if each.marks:
            numbers = sorted(mark.number for mark in each.marks)
            severity = min(mark.severity for mark in each.marks)  # "error" comes first
            tip = tip_of(each.name, each.marks)
            rows[-1].append(Line("", tag=replace(tag_of(severity, numbers), tip=tip)))
            kinds.add(severity)
    more = len(topology.fields) - _MOST_FIELDS
    rows += [[small(f"and {more} more")]] if more > 0 else []
    fields = note(rows, line="#C9BF9B", fill="#FFFDF3", space=4)
    faults = _told("not ready to run", topology.faults)
    warnings = _told("warnings", topology.warnings)
    return stacked((fields, faults, warnings, legend(kinds)))


def _told(title: str, marks: Sequence[Mark]) -> str:
    """Diagnostics of one severity below a title, as a table for `stacked`; empty without any."""
    if not marks:
        return ""
    severity = marks[0].severity
    line, fill = _LOOKS[severity]
    rows: list[list[Line]] = [[small(title, line, bold=True)]]
    remarks = list(remarks_of(marks))
    for each in remarks[:_MOST_REMARKS]:
        told = small("\n".join(textwrap.wrap(each.text, 58)), INK)
        rows.append([Line("", tag=tag_of(severity, each.numbers)), told])
    more = len(remarks) - _MOST_REMARKS
    rows += [[small(f"and {more} more: .check() has all")]] if more > 0 else []
    return note(rows, line=line, fill=fill, space=3)
