"""The step family of reducers: `from graphnb import step`, then `Annotated[list[str], step.append]`.

They fold all writes of one step at once, sorted by the name of the writing node, and they have a natural zero,
so that a field needs no default. One write is one item or a list of items:

    append       a list that grows           step.append(unique=True, max_length=50)
    union        a list in which equal items stand once   step.union(by="id")
    merge        a dict that is written over  step.merge(deep=True)
    sum          a number that is added to
    first_value  what was written first
    last_value   what was written last

By hand: `step.append.fold(prior, [write, write])`. Values are never coerced. None is a write like any other: `append`
and `union` add it as an item, `first_value` and `last_value` keep it, and within a write to `merge` it is an entry;
alone `merge` and `sum` do not take it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.reducers.stepwise.dicts import Merge
from graphnb.state.reducers.stepwise.lists import Append, Union
from graphnb.state.reducers.stepwise.picking import FirstValue, LastValue
from graphnb.state.reducers.stepwise.totals import Sum

__all__ = ["append", "first_value", "last_value", "merge", "sum", "union"]

append: Final = Append()
union: Final = Union()
merge: Final = Merge()
sum: Final = Sum()  # noqa: A001  named in the contract, and always read as step.sum
first_value: Final = FirstValue()
last_value: Final = LastValue()

STEP_REDUCERS: Final[Mapping[str, StepReducer]] = {
    each.type: each for each in (append, union, merge, sum, first_value, last_value)
}


def step_reducer_of(type_: str, opts: Any = None) -> StepReducer:
    """The reducer that a document names, with its options as they are: bad ones do nothing, unknown ones too.

    Raises KeyError for an unknown type.

    >>> step_reducer_of("append", {"max_length": 2.0}).fold([1, 2], [3])
    [1, 2, 3]
    """
    bare = STEP_REDUCERS[type_]
    return type(bare)(opts) if isinstance(opts, Mapping) and opts else bare
