"""What stands beside a drawing: the state's fields, what keeps the graph from running, and the legend."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from graphnb.graph.topology import Topology
from graphnb.show.drawing.labels import Line, note, small, stacked
from graphnb.show.drawing.legend import legend
from graphnb.show.drawing.signs import warnings_of
from graphnb.show.writing.palette import ALARM, INK, TAKEN, shortened

_MOST_FIELDS: Final = 30
_MOST_FAULTS: Final = 6


def notes_of(topology: Topology, kinds: set[str], *, depth: int) -> str:
    """The state's fields, what keeps the graph from running, warnings, and the legend, one below the other."""
    heads = [small(text) for text in ("type", "reducer", "default")] if topology.fields else [small("no fields")]
    rows = [[Line(f"state {shortened(topology.state, 40)}", bold=True), *heads]]
    for each in topology.fields[:_MOST_FIELDS]:
        name, kind = small(shortened(each.name, 28), INK), small(shortened(each.type, 32))
        reducer = small("–") if each.reducer is None else small(shortened(each.reducer, 28), TAKEN)
        rows.append([name, kind, reducer, small("required" if each.default is None else shortened(each.default, 20))])
        if each.warnings:
            rows[-1] = [small(name.text, ALARM), *rows[-1][1:], small("⚠", ALARM, bold=True)]
            kinds.add("warning")
    more = len(topology.fields) - _MOST_FIELDS
    rows += [[small(f"and {more} more")]] if more > 0 else []
    fields = note(rows, line="#C9BF9B", fill="#FFFDF3", space=4)
    faults = _told("not ready to run", topology.faults)
    warnings = _told("warnings", tuple(warnings_of(topology, depth)))
    return stacked((fields, faults, warnings, legend(kinds)))


def _told(title: str, messages: Sequence[str]) -> str:
    """A few messages below a title, as a table for `stacked`; empty without messages."""
    lines = [small(title, ALARM, bold=True)]
    for each in messages[:_MOST_FAULTS]:
        told = textwrap.wrap(shortened(each, 260), 58, initial_indent="• ", subsequent_indent="  ")
        lines.append(small("\n".join(told), INK))
    more = len(messages) - _MOST_FAULTS
    lines += [small(f"and {more} more: .check() has all")] if more > 0 else []
    return note([(line,) for line in lines], line=ALARM, fill="#FFF5F0", space=3) if messages else ""
