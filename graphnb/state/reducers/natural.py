"""What a field of the step family starts from where its class declares nothing. Source: step reducers, zeros."""

from __future__ import annotations

import copy
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from graphnb.state.annotations.classes import MISSING
from graphnb.state.annotations.hints import bare_of
from graphnb.state.marks import UNSET
from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.reducers.stepwise.picking import FirstValue


class Natural:
    """Makes what a field starts from that declares nothing; it need not fit the field's type."""

    def __init__(self, zero: Any) -> None:
        self.zero = zero

    def __call__(self) -> Any:
        """A copy of its own."""
        return copy.copy(self.zero)


def natural_of(reducer: object, annotation: Any, *, default: object) -> Any:
    """The reducer's zero, UNSET if it has none; MISSING where the declared default serves.

    None as the default of a `step.first_value` is none, else nothing could ever be the first. The zero of a
    pydantic model is an instance of which nothing is set but its own defaults.
    """
    if not isinstance(reducer, StepReducer):
        return MISSING
    is_first = isinstance(reducer, FirstValue) and default is None
    if default is not MISSING and default is not UNSET and not is_first:
        return MISSING
    bare = bare_of(annotation)
    if reducer.zero is not UNSET and isinstance(bare, type) and issubclass(bare, BaseModel):
        return bare.model_construct()
    return reducer.zero


def declare_natural(field: FieldInfo) -> None:
    """Gives a pydantic field its natural default, if it has one, so that the class can be called without it."""
    reducer = next((each for each in field.metadata if isinstance(each, StepReducer)), None)
    field.metadata.sort(key=lambda each: isinstance(each, StepReducer))  # what has been folded goes round all checks
    natural: Any = MISSING if field.default_factory else natural_of(reducer, field.annotation, default=field.default)
    if natural is UNSET or type(natural) is int:
        field.default = natural
    elif natural is not MISSING:
        field.default = MISSING
        field.default_factory = Natural(natural)
