"""The reducer of numbers: `step.sum`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from graphnb.errors.text import kind_of, shown
from graphnb.state.reducers.stepwise.base import StepReducer


class ReductionFailed(ArithmeticError):
    """A fold of valid writes has no result: a total beyond all floats."""


class Sum(StepReducer):
    """The number before plus the total of the writes, which are added up first, from left to right.

    Ints stay ints of any size. Floats are added plainly: 1e16 plus 1.0 and 1.0 gives 1e16 + 2. A total beyond all
    floats is an error, and so is a write that is no number, such as True or None.

    | prior | writes   | result |
    |-------|----------|--------|
    | 10    | 1, 2     | 13     |
    | UNSET | 1.5, 2   | 3.5    |
    | 5     | -5       | 0      |
    | 1e308 | 1e308    | error  |
    | 1     | True     | error  |

    >>> from graphnb import UNSET, step
    >>> step.sum.fold(10, [1, 2])
    13
    >>> step.sum.fold(UNSET, [1.5, 2])
    3.5
    >>> step.sum.fold(1e16, [1.0, 1.0]) == 1e16 + 2
    True
    >>> step.sum.fold(1e308, [1e308])
    Traceback (most recent call last):
    graphnb.state.reducers.stepwise.totals.ReductionFailed: step.sum: 1e+308 + 1e+308 is beyond the range of floats
    >>> step.sum.fold(1, [True])
    Traceback (most recent call last):
    TypeError: step.sum takes numbers as writes, not bool: True
    """

    __slots__ = ()
    type = "sum"

    @property
    def zero(self) -> Any:
        """The integer 0, also for floats."""
        return 0

    def _folded(self, prior: Any, writes: Sequence[Any]) -> Any:
        base = prior if isinstance(prior, (int, float)) and not isinstance(prior, bool) else 0
        total: Any = 0
        try:
            for write in writes:
                if type(write) is not int and type(write) is not float:  # True is no number
                    raise TypeError(f"step.sum takes numbers as writes, not {kind_of(write)}: {shown(write)}")
                total = total + write  # no sum(): it compensates rounding from Python 3.12 on
            result = base + total
            is_finite = type(result) is int or math.isfinite(result)
        except OverflowError as error:
            raise ReductionFailed(f"step.sum: {error}") from error
        if not is_finite:
            raise ReductionFailed(f"step.sum: {shown(base)} + {shown(total)} is beyond the range of floats")
        return result
