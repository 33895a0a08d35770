"""Encoders for what pandas keeps a column in where numpy has nothing for it, and for single values of such a column."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from graphnb.store.encoding.encoders import Encoder
from graphnb.store.encoding.shape import Refused

_pandas: Final[Any] = pd  # of which its types do not tell all


def cells_of(column: Any) -> Any:
    """What a column or index holds: an array of numpy's or of pandas', or a list of any objects."""
    if not isinstance(column.dtype, np.dtype):
        return column.array
    cells = column.to_numpy()
    return list(cells) if cells.dtype.hasobject else cells


def column_of(cells: Any) -> Any:
    """What a column is made of again. Raises Refused for anything else than `cells_of` gives."""
    if isinstance(cells, list):
        made = np.empty(len(cells), object)
        for i, each in enumerate(cells):
            made[i] = each  # one by one, since a cell may be a list
        return made if not cells else pd.Series(made, dtype=object).array
    if not isinstance(cells, (np.ndarray, pd.api.extensions.ExtensionArray)) or cells.ndim != 1:
        raise Refused("is no column")
    return cells


def _categories_parts(array: Any) -> dict[str, Any]:
    return {"codes": array.codes.tolist(), "categories": array.categories, "ordered": array.ordered}


def _categories_of(parts: Any) -> Any:
    return pd.Categorical.from_codes(parts["codes"], pd.Index(parts["categories"]), ordered=parts["ordered"])


def _moments_parts(array: Any) -> dict[str, Any]:
    return {"utc": array.tz_convert("UTC").tz_localize(None).to_numpy(), "tz": array.tz}


def _moments_of(parts: Any) -> Any:
    return pd.DatetimeIndex(parts["utc"]).tz_localize("UTC").tz_convert(parts["tz"]).array


def _periods_parts(array: Any) -> dict[str, Any]:
    return {"freq": array.freqstr, "ordinals": array.asi8}


def _periods_of(parts: Any) -> Any:
    return _pandas.PeriodIndex.from_ordinals(parts["ordinals"], freq=parts["freq"]).array


def _intervals_parts(array: Any) -> dict[str, Any]:
    return {"left": array.left, "right": array.right, "closed": array.closed}


def _intervals_of(parts: Any) -> Any:
    return pd.arrays.IntervalArray.from_arrays(parts["left"], parts["right"], closed=parts["closed"])


def _masked_parts(array: Any) -> dict[str, Any]:
    kind = array.dtype.numpy_dtype
    return {"values": array.to_numpy(dtype=kind, na_value=kind.type(0)), "missing": array.isna()}


def _masked_reader(kind: Any) -> Any:
    return lambda parts: kind(parts["values"], parts["missing"])


def _texts_parts(array: Any) -> dict[str, Any]:
    dtype = array.dtype
    values = [None if each is pd.NA or each is None or each != each else each for each in array]
    return {"storage": dtype.storage, "na": "NA" if dtype.na_value is pd.NA else "nan", "values": values}


def _texts_of(parts: Any) -> Any:
    storage = parts["storage"]
    dtype = pd.StringDtype(storage) if parts["na"] == "NA" else pd.StringDtype(storage, na_value=np.nan)
    return pd.array(parts["values"], dtype=dtype)


def _moment_parts(moment: Any) -> dict[str, Any]:
    return {"utc": moment.to_datetime64(), "tz": moment.tz}


def _moment_of(parts: Any) -> Any:
    moment = pd.Timestamp(parts["utc"])
    return moment if parts["tz"] is None else moment.tz_localize("UTC").tz_convert(parts["tz"])


def _constant(kind: type, value: Any, name: str) -> Encoder:
    return Encoder(kind, lambda _: None, lambda _: value, name)


_TEXTS: Final = dict.fromkeys(
    type(_pandas.array(["a"], dtype=each))
    for each in (pd.StringDtype("python"), pd.Series(["a"]).dtype)
    if isinstance(each, pd.StringDtype)
)
_MASKED: Final = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
COLUMNS: Final = (
    Encoder(pd.Categorical, _categories_parts, _categories_of, "pandas.Categorical"),
    Encoder(pd.arrays.DatetimeArray, _moments_parts, _moments_of, "pandas.DatetimeArray"),
    Encoder(pd.arrays.PeriodArray, _periods_parts, _periods_of, "pandas.PeriodArray"),
    Encoder(pd.arrays.IntervalArray, _intervals_parts, _intervals_of, "pandas.IntervalArray"),
    *(Encoder(kind, _masked_parts, _masked_reader(kind), f"pandas.{kind.__name__}") for kind in _MASKED),
    *(Encoder(kind, _texts_parts, _texts_of, f"pandas.{kind.__name__}") for kind in _TEXTS),
    Encoder(pd.Timestamp, _moment_parts, _moment_of, "pandas.Timestamp"),
    Encoder(pd.Timedelta, lambda value: value.to_timedelta64(), pd.Timedelta, "pandas.Timedelta"),
    Encoder(
        pd.Period,
        lambda value: [value.ordinal, value.freqstr],
        lambda given: pd.Period(**dict(zip(("ordinal", "freq"), given, strict=True))),
        "pandas.Period",
    ),
    Encoder(
        pd.Interval,
        lambda value: [value.left, value.right, value.closed],
        lambda given: pd.Interval(*given),
        "pandas.Interval",
    ),
    _constant(type(pd.NaT), pd.NaT, "pandas.NaT"),
    _constant(type(pd.NA), pd.NA, "pandas.NA"),
)
"""All of them."""
