"""Which types a reducer of the step family can fold. Source: step reducers, compilation."""

from __future__ import annotations

from types import UnionType
from typing import Any, Final, get_args, get_origin
from typing import Union as AnyOf

from pydantic import BaseModel

from graphnb.errors import ReducerSchemaMismatch
from graphnb.state.annotations.classes import is_typeddict
from graphnb.state.annotations.hints import bare_of, hint_of, type_text
from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.reducers.stepwise.dicts import Merge
from graphnb.state.reducers.stepwise.lists import Append, Union
from graphnb.state.reducers.stepwise.totals import Sum

_WANTS: Final = {
    Append: "a list: Annotated[list[...], step.append]",
    Union: "a list: Annotated[list[...], step.union]",
    Sum: "a number: Annotated[int, step.sum] or Annotated[float, step.sum]",
    Merge: "a dict, a TypedDict or a pydantic model: Annotated[dict[str, ...], step.merge]",
}


def check_pairing(reducer: StepReducer, annotation: Any, *, place: str) -> None:
    """Raises ReducerSchemaMismatch if the field's type is none that the reducer folds; `place` names the field."""
    if fits_type(reducer, annotation):
        return
    want = _WANTS[type(reducer)]
    mend = f"Declare {want}. To write whole values, declare the field without a reducer."
    raise ReducerSchemaMismatch(place, f"{reducer} cannot fold a {type_text(annotation)}", mend)


def fits_type(reducer: StepReducer, annotation: Any) -> bool:
    """True if the reducer folds values of the type: lists for append and union, numbers for sum, dicts for merge."""
    bare = bare_of(annotation)
    if isinstance(reducer, (Append, Union)):
        return bare is list
    if isinstance(reducer, Sum):
        return numbers_in(annotation) is not None
    if isinstance(reducer, Merge):
        return bare is dict or is_typeddict(bare) or (isinstance(bare, type) and issubclass(bare, BaseModel))
    return True


def numbers_in(annotation: Any) -> tuple[type, ...] | None:
    """The types of number that a field takes, an int where a float may stand too; None if it takes anything else."""
    bare = hint_of(annotation).bare
    parts = get_args(bare) if get_origin(bare) in (AnyOf, UnionType) else (bare,)
    kinds = {hint_of(part).bare for part in parts}
    if not kinds <= {int, float}:
        return None
    return (int, float) if float in kinds else (int,)
