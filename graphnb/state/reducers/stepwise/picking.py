"""The two reducers that keep one of the writes: `step.last_value` and `step.first_value`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphnb.state.marks import UNSET
from graphnb.state.reducers.stepwise.base import StepReducer


class LastValue(StepReducer):
    """The last write. The value before plays no part.

    | prior | writes | result |
    |-------|--------|--------|
    | 1     | 2, 3   | 3      |
    | 1     | None   | None   |

    >>> from graphnb import step
    >>> step.last_value.fold(1, [2, 3])
    3
    >>> step.last_value.fold(1, {"n9": "nine", "n10": "ten"})
    'nine'
    """

    __slots__ = ()
    type = "last_value"

    def _folded(self, prior: Any, writes: Sequence[Any]) -> Any:
        return writes[-1]


class FirstValue(StepReducer):
    """The value before if there is one, else the first write; a declared default counts, None as one does not.

    | prior | writes | result |
    |-------|--------|--------|
    | UNSET | 2, 3   | 2      |
    | 1     | 2      | 1      |
    | None  | 2      | None   |

    >>> from graphnb import UNSET, step
    >>> step.first_value.fold(UNSET, [2, 3])
    2
    >>> step.first_value.fold(1, [2])
    1
    >>> step.first_value.fold(None, [2])
    """

    __slots__ = ()
    type = "first_value"

    def _folded(self, prior: Any, writes: Sequence[Any]) -> Any:
        return writes[0] if prior is UNSET else prior
