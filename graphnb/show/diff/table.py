"""Diff: the step diff table of a run, as text, as HTML and as a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from graphnb.errors import GraphError
from graphnb.errors.text import choices
from graphnb.show.diff.html import diff_html
from graphnb.show.diff.making_rows import rows_of
from graphnb.show.diff.rows import Row
from graphnb.show.diff.selecting import selected
from graphnb.show.diff.text import diff_text
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

_MOST_BYTES: Final = 90_000
_MOST_COPIED: Final = 2_000_000
_LEAST_ROWS: Final = 4
_MOST_BITS: Final = 2_000  # of an int that Python is sure to write


@dataclass(frozen=True, eq=False, repr=False)  # no slots: the table is made once and kept
class Diff:
    """The rows of a run's step diff table, which shows itself; `.data` is the DataFrame of all of them.

    At most `limit` rows are shown, all for None; the table itself tells what it leaves out.
    """

    trace: Trace
    rows: tuple[Row, ...]
    limit: int | None

    @cached_property
    def data(self) -> pd.DataFrame:
        """All rows. Index (step, node, field), which is unique; columns reducer, before, written, after, change.

        The node has a branch in brackets where a parallel branch made the write. The field is "" where a step wrote
        nothing, "(attempts)" for attempts that failed before, "(error)" for a failure, "(stopped)" or "(running)" for
        a node that came to no end, "(dropped)" for one that had finished when another node of its step failed,
        "(instances)" for a fan-out that did not complete: there `written` maps instances to what they gave, and
        "(asks)" for a node that has asked instead of completing. The answer stands under the field that it was written
        to and the node with " (answer)" behind it. A node that comes again under one number, as one may that middleware
        answers for, has " (2)" behind it.

        A field that several nodes wrote in one step has one row: its node is all of them in the order of the fold, as
        in "b, c", and `written` the list of what each of them wrote, in the same order. Values are own copies. Where
        copies of growing lists and dicts would hold more than two million elements in all, those cells hold read-only
        sequences and mappings instead, which read and compare like them.
        """
        import pandas as pd

        copied = _own if sum(map(_size, self.rows)) <= _MOST_COPIED else _own_unless_grown
        columns = ("before", "written", "after")
        index = pd.MultiIndex.from_tuples(
            [(row.number, row.path, row.field) for row in self.rows], names=["step", "node", "field"]
        )
        values: dict[str, Any] = {"reducer": [row.reducer for row in self.rows]}
        for name in columns:
            values[name] = [copied(getattr(row, name)) for row in self.rows]
        values["change"] = [row.change for row in self.rows]
        series = {name: pd.Series(_objects(column), index=index, dtype=object) for name, column in values.items()}
        return pd.DataFrame(series, index=index, columns=list(values), dtype=object)

    def html(self, most_bytes: int | None = _MOST_BYTES) -> str:
        """The table as HTML. With a limit, fewer rows are shown rather than more than so many bytes."""
        limit = self.limit
        while True:
            text = diff_html(selected(self.rows, limit), total=len(self.rows), topology=self.trace.topology)
            if limit is None or most_bytes is None or limit <= _LEAST_ROWS or len(text.encode()) <= most_bytes:
                return text
            limit = min(limit, len(self.rows)) * 2 // 3

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return diff_text(selected(self.rows, self.limit), total=len(self.rows))

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}


def diff_of(
    trace: Trace, *, step: int | None = None, node: str | None = None, field: str | None = None, limit: int | None = 50
) -> Diff:
    """The step diff table of a run, or of one step, node or field of it.

    `step` is a number, negative ones count from the end. `node` is a name, or a path such as "read[2]/open"; rows of a
    field that several nodes wrote are found by each of them.
    Raises GraphError for a step, node or field that the run does not have, and for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise GraphError("diff", f"limit is {limit}", "It must be at least 1, or None to show all rows.")
    rows: Iterable[Row] = tuple(rows_of(trace))
    if step is not None:
        rows = _of_step(tuple(rows), step)
    if node is not None:
        rows = _of_node(tuple(rows), node)
    if field is not None:
        rows = _of_field(tuple(rows), field, trace=trace)
    return Diff(trace, tuple(rows), limit)


def _of_step(rows: Sequence[Row], step: int) -> Iterator[Row]:
    last = max((row.number for row in rows), default=-1)
    number = step if step >= 0 else last + 1 + step
    if not 0 <= number <= last:
        mend = f"Steps: 0 to {last}." if rows else "The run has no steps."
        raise GraphError("diff", f"there is no step {step}", mend)
    return (row for row in rows if row.number == number)


def _of_node(rows: Sequence[Row], node: str) -> Iterator[Row]:
    names = dict.fromkeys(name for row in rows for name in _names_of(row))
    if node not in names:
        raise GraphError("diff", f"no step of node '{node}'", choices("Nodes that ran", names, node))
    return (row for row in rows if node in _names_of(row))


def _names_of(row: Row) -> tuple[str, ...]:
    """What the nodes of a row are called: each of several that wrote its field, and all together."""
    return (*row.nodes, *row.paths, row.path)


def _of_field(rows: Sequence[Row], field: str, *, trace: Trace) -> Iterator[Row]:
    names = dict.fromkeys([*trace.log.schema.fields, *(row.field for row in rows if row.delta)])
    if field not in names:
        raise GraphError("diff", f"no field '{field}'", choices("Fields", names, field))
    return (row for row in rows if row.field == field)


def _size(row: Row) -> int:
    """How many elements a plain copy of the row's growing values would hold."""
    return sum(len(value) for value in (row.before, row.after) if isinstance(value, (GrownList, GrownDict)))


class _Long(int):
    """An int that shows how long it is: Python may refuse to write it, and pandas would try."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<int of {self.bit_length():,} bits>"

    __str__ = __repr__


def _own(value: Any) -> Any:
    own = [detach(value)]
    rest, met = [own], {id(own)}  # lists and dicts alone: what else there is writes itself
    while rest:
        part: Any = rest.pop()
        if type(part) is dict and any(map(_is_long, part)):
            entries = [(_Long(key) if _is_long(key) else key, each) for key, each in part.items()]
            part.clear()
            part.update(entries)
        for key, each in part.items() if type(part) is dict else enumerate(part):
            if _is_long(each):
                part[key] = _Long(each)
            elif type(each) in (list, dict) and id(each) not in met:
                met.add(id(each))
                rest.append(each)
    return own[0]


def _is_long(value: object) -> bool:
    return type(value) is int and value.bit_length() > _MOST_BITS


def _own_unless_grown(value: Any) -> Any:
    return value if isinstance(value, (GrownList, GrownDict)) else _own(value)


def _objects(column: list[Any]) -> Any:
    """The cells as an array of objects: pandas would spread lists and arrays over rows."""
    import numpy as np

    cells = np.empty(len(column), dtype=object)
    for i, value in enumerate(column):
        cells[i] = value
    return cells
