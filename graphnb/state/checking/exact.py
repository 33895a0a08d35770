"""Validation that coerces nothing: what fits is kept as it was given. Source: step reducers, validating one write."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Annotated, Any, Final, get_args, get_origin
from typing import Union as AnyOf

from pydantic import BaseModel, BeforeValidator
from pydantic_core import PydanticCustomError

from graphnb.state.annotations.hints import hint_of, is_constraint, metadata_within
from graphnb.state.checking.validators import Validator, check_set
from graphnb.state.values.detach import detach


class Committed:
    """A value that a fold of the step family gave: the checks of its field let it pass, whatever bounds it has."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class ExactValidator(Validator):
    """`check(value)` gives a copy of the value itself, or raises pydantic's ValidationError.

    Pydantic's strict mode decides, with this beside it: a float field takes ints, which stay ints, and no other
    number; True is no number. If functions in the annotation make something else of a value, that is kept.
    """

    __slots__ = ()

    def _built(self) -> Callable[[Any], Any]:
        adapter = self._adapter(_exact(self._annotation))
        validate = adapter.validator.validate_python
        metadata = (*hint_of(self._annotation).metadata, *metadata_within(self._annotation))
        is_kept = all(map(is_constraint, metadata))

        def check(value: Any) -> Any:
            check_set(value)
            found = validate(value, strict=True)
            return detach(value if is_kept else found)

        return check


def _exact(annotation: Any) -> Any:
    """The annotation with every int, float and model in it taking these alone."""
    if annotation in (int, float):
        return _INT if annotation is int else _FLOAT
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return Annotated[(_exact(parts[0]), *parts[1:])]
    if origin in (AnyOf, types.UnionType):
        return AnyOf[tuple(map(_exact, parts))]  # noqa: UP007  they come as a tuple
    if origin in (list, dict, tuple, set, frozenset):
        return origin[tuple(each if each is Ellipsis else _exact(each) for each in parts)]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return Annotated[annotation, BeforeValidator(_instance_of(annotation))]
    return annotation


def _instance_of(model: type[BaseModel]) -> Callable[[Any], Any]:
    """A check that lets instances pass alone: whether strict mode takes dicts differs between pydantic's versions."""

    def check(value: Any) -> Any:
        if not isinstance(value, model):
            raise PydanticCustomError("model_type", f"Input should be an instance of {model.__name__}")
        return value

    return check


def _is_int(value: Any) -> Any:
    if type(value) is not int:
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


def _is_number(value: Any) -> Any:
    if type(value) is not int and type(value) is not float:
        raise PydanticCustomError("float_type", "Input should be a valid number")
    return value


_INT: Final = Annotated[int, BeforeValidator(_is_int)]
_FLOAT: Final = Annotated[float, BeforeValidator(_is_number)]
