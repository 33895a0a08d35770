"""Validation that coerces nothing: what fits is kept as it was given. Source: step reducers, validating one write."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, ForwardRef, Literal, NotRequired, Required, get_args, get_origin
from typing import Union as AnyOf

import typing_extensions
from pydantic import BaseModel, BeforeValidator, ConfigDict, Tag
from pydantic_core import PydanticCustomError, PydanticKnownError

from graphnb.state.annotations.classes import MISSING, declared_fields, is_typeddict
from graphnb.state.annotations.hints import hint_of, is_constraint, metadata_within
from graphnb.state.checking.reasons import CHOICE
from graphnb.state.checking.validators import Validator, check_set
from graphnb.state.storable.values import exact_key
from graphnb.state.values.detach import detach

_TypedDict: Final[Any] = typing_extensions.TypedDict  # made at run time, of which no type checker knows


class Committed:
    """A value that a fold of the step family gave: the checks of its field let it pass, whatever bounds it has."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class ExactValidator(Validator):
    """`check(value)` gives a copy of the value itself, or raises pydantic's ValidationError.

    Pydantic's strict mode decides, with this beside it: a float field takes ints, which stay ints, and no other
    number; True is no number, and no Literal takes it for 1; no float is NaN or infinite. A TypedDict takes the keys
    that it declares alone, unless its configuration or that of the state says what else. If functions in the annotation
    make something else of a value, that is kept.
    """

    __slots__ = ()

    def __init__(self, annotation: Any, config: ConfigDict | None, *, kind: type | None = None) -> None:
        super().__init__(annotation, {"extra": "forbid", **(config or {})}, kind=kind)

    def _built(self) -> Callable[[Any], Any]:
        adapter = self._adapter(_exact(self._annotation, {}))
        validate = adapter.validator.validate_python
        metadata = (*hint_of(self._annotation).metadata, *metadata_within(self._annotation))
        is_kept = all(map(is_constraint, metadata))

        def check(value: Any) -> Any:
            check_set(value)
            found = validate(value, strict=True)
            return detach(value if is_kept else found)

        return check


def _exact(annotation: Any, made: Mapping[Any, Any]) -> Any:
    """The annotation with all that is in it taking its own values alone; `made` has what types around it become."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return Annotated[(_exact(parts[0], {**made, **_told_apart(annotation)}), *parts[1:])]
    if origin is Literal:
        is_text = all(type(each) in (str, types.NoneType) for each in parts)
        return annotation if is_text else Annotated[annotation, BeforeValidator(_one_of(parts))]
    if origin in (AnyOf, types.UnionType):
        return AnyOf[tuple(_choice(_exact(part, made)) for part in parts)]  # noqa: UP007  they come as a tuple
    if origin in _CONTAINERS and parts:
        return origin[tuple(each if each is Ellipsis else _exact(each, made) for each in parts)]
    if origin is not None and not hasattr(annotation, "__value__"):
        return annotation
    if annotation in made:
        return made[annotation]
    if hasattr(annotation, "__value__"):  # type Log = list[str]
        bare, metadata, _ = hint_of(annotation)
        if _has_name(bare):  # which means something where the alias stands, and nowhere else
            return annotation
        return _beside(_exact(bare, {**made, annotation: annotation}), metadata)
    if is_typeddict(annotation):
        return _exact_typeddict(annotation, made)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return Annotated[annotation, BeforeValidator(_instance_of(annotation))]
    return _EXACT.get(annotation, annotation)


def _exact_typeddict(cls: Any, made: Mapping[Any, Any]) -> Any:
    """A TypedDict of the same keys; where it holds itself, so does this one."""
    fields = {each.name: each for each in declared_fields(cls)}
    kinds: dict[str, Any] = {
        name: Required if each.default is MISSING else NotRequired for name, each in fields.items()
    }
    own = _TypedDict(cls.__name__, {name: kind[Any] for name, kind in kinds.items()})
    within = {**made, cls: own}
    own.__annotations__ = {
        name: kinds[name][_beside(_exact(each.annotation, within), each.metadata)] for name, each in fields.items()
    }
    if hasattr(cls, "__pydantic_config__"):
        own.__pydantic_config__ = cls.__pydantic_config__
    return own


def _has_name(annotation: Any) -> bool:
    """True if a part of it is the name of a type, as text."""
    if isinstance(annotation, (str, ForwardRef)):
        return True
    return get_origin(annotation) is not Literal and any(map(_has_name, get_args(annotation)))


def _beside(annotation: Any, metadata: Sequence[Any]) -> Any:
    return Annotated[(annotation, *metadata)] if metadata else annotation


def _told_apart(annotation: Any) -> dict[Any, Any]:
    """The TypedDicts of a union that are told apart by a key, as they are: pydantic wants nothing around that key."""
    bare, metadata, _ = hint_of(annotation)
    has_key = any(getattr(each, "discriminator", None) is not None for each in metadata)
    return {part: part for part in get_args(bare) if has_key and is_typeddict(part)}


def _choice(annotation: Any) -> Any:
    """A part of a union, named so that the path to a fault can leave out which part has found it."""
    is_named = any(isinstance(each, Tag) for each in get_args(annotation)[1:])  # by the user, to tell it from others
    return annotation if is_named or annotation is types.NoneType else Annotated[annotation, Tag(CHOICE)]


def _one_of(values: Sequence[Any]) -> Callable[[Any], Any]:
    """A check that lets only what is exactly equal to one of the values pass."""
    known = {exact_key(each) for each in values}
    *some, last = map(repr, values)

    def check(value: Any) -> Any:
        if exact_key(value) not in known:
            raise PydanticKnownError("literal_error", {"expected": f"{', '.join(some)} or {last}" if some else last})
        return value

    return check


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
    if type(value) is float and not math.isfinite(value):
        raise PydanticKnownError("finite_number")
    return value


def _is_finite(value: Any) -> Any:
    """The value, of any kind, if no float in it is NaN or infinite."""
    rest, met = [value], set[int]()
    while rest:
        part = rest.pop()
        if isinstance(part, float) and not math.isfinite(part):
            raise PydanticKnownError("finite_number")
        if isinstance(part, _CONTAINERS) and id(part) not in met:
            met.add(id(part))
            rest += part.values() if isinstance(part, dict) else part
    return value


_CONTAINERS: Final = (list, dict, tuple, set, frozenset)
_ANY: Any = Annotated[Any, BeforeValidator(_is_finite)]
_EXACT: Final[Mapping[Any, Any]] = {
    int: Annotated[int, BeforeValidator(_is_int)],
    float: Annotated[float, BeforeValidator(_is_number)],
    **dict.fromkeys((Any, object), _ANY),
    **{kind: kind[_ANY] for kind in (list, set, frozenset)},
    dict: dict[_ANY, _ANY],
    tuple: tuple[_ANY, ...],
}
