"""A sequence of records that shows itself as a table, and when it is empty in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, overload

from graphnb.show.writing.columns import aligned
from graphnb.show.writing.tags import head_row, quiet, table
from graphnb.show.writing.words import printable

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


class Look(NamedTuple):
    """How records of one kind are shown.

    `columns` gives each its share of the width in percent, `caps` its most characters in text; `cells` are the texts
    of one record, and `row` makes its HTML. `nothing` stands for no records. With `is_numbered` the first column is the
    number of the record, from 1, which both are given as well.
    """

    columns: Mapping[str, int]
    caps: Sequence[int]
    nothing: str
    cells: Callable[..., tuple[str, ...]]
    row: Callable[..., str]
    is_numbered: bool = False


class RecordTable(Sequence[T]):
    """Records in their order; equal to any sequence of its own kind, tuple or list with equal records."""

    _look: ClassVar[Look]

    def __init__(self, records: Sequence[T]) -> None:
        self._records = tuple(records)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __eq__(self, other: object) -> bool:
        return self._records == tuple(other) if isinstance(other, (type(self), tuple, list)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._records)

    @property
    def data(self) -> pd.DataFrame:
        """One row per record, with the columns of the table."""
        import pandas as pd

        return pd.DataFrame([self._look.cells(*each) for each in self._given()], columns=list(self._look.columns))

    def __repr__(self) -> str:
        if not self:
            return self._look.nothing
        rows = [tuple(map(printable, self._look.cells(*each))) for each in self._given()]
        return aligned([tuple(self._look.columns), *rows], self._look.caps)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        rows = [head_row(self._look.columns), *(self._look.row(*each) for each in self._given())]
        return {"text/html": table(rows) if self else quiet(self._look.nothing), "text/plain": repr(self)}

    def _given(self) -> list[tuple[Any, ...]]:
        """Each record, with its number where it is shown by that."""
        return [*enumerate(self, start=1)] if self._look.is_numbered else [(each,) for each in self]
