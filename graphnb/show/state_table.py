"""The state at the end of a run as text and HTML: field, type, reducer and value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from graphnb.show.writing.columns import aligned
from graphnb.show.writing.tags import TALK, breakable, escaped, head_row, quiet, reducer_badge, row, table, wide_row
from graphnb.show.writing.values import value_html, value_text
from graphnb.show.writing.words import printable, things
from graphnb.trace.log import values_at
from graphnb.trace.reading.notices import listed
from graphnb.trace.trace import Trace

_COLUMNS: Final = {"field": 16, "type": 22, "reducer": 16, "value": 46}  # percent of the width
_CAPS: Final = (24, 24, 24, 64)
_MOST: Final = 60
_LEAST: Final = 12  # characters of a value beside who has asked for it


class StateRow(NamedTuple):
    """One field of the state; `value` as the run keeps it."""

    field: str
    type: str
    reducer: str
    value: Any


def state_rows(trace: Trace) -> Iterator[StateRow]:
    """The fields of the outermost state after the last step, in their declared order."""
    values = values_at(trace.log)
    for field in trace.log.schema.fields.values():
        yield StateRow(field.name, field.type, field.reducer, values[field.name])


def state_text(trace: Trace) -> str:
    """The state as aligned text."""
    rows, asked = list(state_rows(trace)), _asked(trace)
    cells = [
        (printable(each.field), printable(each.type), printable(each.reducer), _value_text(each, asked))
        for each in rows[:_MOST]
    ]
    lines = [aligned([tuple(_COLUMNS), *cells], _CAPS)]
    return "\n".join([*lines, _more(len(rows))] if len(rows) > _MOST else lines)


def state_html(trace: Trace) -> str:
    """The state as an HTML table."""
    rows, asked = list(state_rows(trace)), _asked(trace)
    cells = [
        row(
            (
                f"<b>{breakable(each.field)}</b>",
                breakable(each.type),
                reducer_badge(each.reducer),
                _value_html(each, asked),
            )
        )
        for each in rows[:_MOST]
    ]
    if len(rows) > _MOST:
        cells.append(wide_row(quiet(_more(len(rows))), len(_COLUMNS)))
    return table([head_row(_COLUMNS), *cells])


def _asked(trace: Trace) -> dict[str, str]:
    """Who waits for an answer to which field, in words."""
    nodes: dict[str, list[str]] = {}
    for each in trace.pending:
        nodes.setdefault(each.field, []).append(each.node)
    return {field: f"‖ {printable(listed(names))} asked for it" for field, names in nodes.items()}


def _value_text(each: StateRow, asked: Mapping[str, str]) -> str:
    room = _CAPS[-1] - 4
    if each.field not in asked:
        return value_text(each.value, room)
    left = max(room - len(asked[each.field]) - 2, _LEAST)
    return f"{value_text(each.value, left)}  {asked[each.field]}"


def _value_html(each: StateRow, asked: Mapping[str, str]) -> str:
    told = f'<div style="{TALK}">{escaped(asked[each.field])}</div>' if each.field in asked else ""
    return f"{value_html(each.value, 300)}{told}"


def _more(size: int) -> str:
    return f"… {things(size - _MOST, 'more field')}: run.state has all"
