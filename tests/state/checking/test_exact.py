"""Validation that coerces nothing and keeps what was given."""

import datetime
import decimal
import enum
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from pydantic import AfterValidator, BaseModel, Field, ValidationError

from graphnb.state.checking.exact import ExactValidator
from graphnb.state.marks import UNSET
from graphnb.state.storable.values import is_exact


class Point(BaseModel):
    x: int


@dataclass
class Pair:
    x: int


class Size(enum.IntEnum):
    ONE = 1


DATE = datetime.date(2026, 1, 1)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (float, 1),
        (float, 1.5),
        (int, 10**30),
        (int | None, None),
        (float | str, 1),
        (list[float], [1, 2.0]),
        (dict[str, list[float]], {"a": [1]}),
        (tuple[float, ...], (1, 2.5)),
        (tuple[int, str], (1, "a")),
        (Annotated[float, Field(le=3)], 3),
        (list[Annotated[float, Field(le=3)] | None], [1, None]),
        (Any, {"a": [True, 1.0]}),
        (Point, Point(x=1)),
        (Pair, Pair(1)),
        (datetime.date, DATE),
        (Literal["a", 1], 1),
        (Size, Size.ONE),
        (set[int], {1}),
    ],
)
def test_what_fits_is_kept_exactly(annotation, value):
    """An int in a float field stays an int, at any depth; lists and dicts are the caller's own copies."""
    found = ExactValidator(annotation, None).check(value)

    assert is_exact(value, found)
    assert found is not value or not isinstance(value, (list, dict))


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, True),
        (int, 1.0),
        (int, "1"),
        (int, Size.ONE),
        (float, True),
        (float, decimal.Decimal(1)),
        (float, np.float64(1)),
        (float, np.int64(1)),
        (list[float], [True]),
        (dict[str, int], {"a": 1.0}),
        (str, b"a"),
        (list[int], (1,)),
        (int, None),
        (Point, {"x": 1}),
        (datetime.date, "2026-01-01"),
        (Size, 1),
        (bool, 1),
        (Annotated[float, Field(le=3)], 4),
        (Any, UNSET),
    ],
)
def test_what_would_have_to_be_coerced_is_refused(annotation, value):
    """Another type is another value."""
    with pytest.raises(ValidationError):
        ExactValidator(annotation, None).check(value)


def test_what_functions_in_the_annotation_make_of_a_value_is_kept():
    """They were written in order to change it."""
    assert "ab" == ExactValidator(Annotated[str, AfterValidator(str.lower)], None).check("AB")
    assert ["ab"] == ExactValidator(list[Annotated[str, AfterValidator(str.lower)]], None).check(["AB"])
