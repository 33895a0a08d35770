"""Encoders for pandas: tables, columns and labels. Imported when such a value is met.

A table is written as its labels and one array for each column, and an array as what numpy or its own class holds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from graphnb.store.encoding.columns import COLUMNS, cells_of, column_of
from graphnb.store.encoding.encoders import Encoder
from graphnb.store.encoding.shape import Refused


def _frame_parts(frame: pd.DataFrame) -> dict[str, Any]:
    columns = [cells_of(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return {"index": frame.index, "columns": frame.columns, "values": columns, **_attributes(frame)}


def _frame_of(parts: Any) -> pd.DataFrame:
    index, columns, values = _index(parts["index"]), _index(parts["columns"]), parts["values"]
    if len(columns) != len(values):
        raise Refused(f"has {len(values)} columns and {len(columns)} labels")
    frame = pd.DataFrame({i: column_of(each) for i, each in enumerate(values)}, index=index)
    frame.columns = columns
    frame.attrs = parts.get("attrs", {})
    return frame


def _series_parts(series: Any) -> dict[str, Any]:
    return {"index": series.index, "name": series.name, "values": cells_of(series), **_attributes(series)}


def _series_of(parts: Any) -> Any:
    series = pd.Series(column_of(parts["values"]), index=_index(parts["index"]), name=parts["name"])
    series.attrs = parts.get("attrs", {})
    return series


def _attributes(table: Any) -> dict[str, Any]:
    return {"attrs": table.attrs} if table.attrs else {}


def _index(value: Any) -> Any:
    if not isinstance(value, pd.Index):
        raise Refused("has labels that are no index")
    return value


def _index_parts(index: Any) -> dict[str, Any]:
    freq = getattr(index, "freqstr", None) if not isinstance(index, pd.PeriodIndex) else None
    return {"values": cells_of(index), "name": index.name, **({"freq": freq} if freq is not None else {})}


def _index_reader(kind: Any) -> Any:
    def index_of(parts: Any) -> Any:
        index = pd.Index(column_of(parts["values"]), name=parts["name"], tupleize_cols=False)
        if "freq" in parts:
            index = kind(index, freq=parts["freq"])
        if type(index) is not kind:
            raise Refused(f"is no {kind.__name__}")
        return index

    return index_of


def _range_parts(index: Any) -> dict[str, Any]:
    return {"start": index.start, "stop": index.stop, "step": index.step, "name": index.name}


def _levels_parts(index: Any) -> dict[str, Any]:
    codes = [np.asarray(each).tolist() for each in index.codes]
    return {"levels": list(index.levels), "codes": codes, "names": list(index.names)}


def _levels_of(parts: Any) -> Any:
    return pd.MultiIndex(levels=list(map(_index, parts["levels"])), codes=parts["codes"], names=parts["names"])


_INDEXES: Final = (
    *(pd.Index, pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex, pd.IntervalIndex, pd.CategoricalIndex),
)
TABLES: Final = (
    Encoder(pd.DataFrame, _frame_parts, _frame_of, "pandas.DataFrame"),
    Encoder(pd.Series, _series_parts, _series_of, "pandas.Series"),
    Encoder(pd.RangeIndex, _range_parts, lambda parts: pd.RangeIndex(**parts), "pandas.RangeIndex"),
    Encoder(pd.MultiIndex, _levels_parts, _levels_of, "pandas.MultiIndex"),
    *(Encoder(kind, _index_parts, _index_reader(kind), f"pandas.{kind.__name__}") for kind in _INDEXES),
    *COLUMNS,
)
"""All of them."""
