"""What a state class declares: a pydantic model, a dataclass or a TypedDict, read into one form."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import typing_extensions
from pydantic import BaseModel, ConfigDict
from pydantic import Field as PydanticField
from pydantic.errors import PydanticUndefinedAnnotation
from pydantic_core import PydanticUndefined

from graphnb.errors import InvalidDeclaration
from graphnb.state.annotations.hints import hint_of
from graphnb.state.marks import UNSET

MISSING: Final = PydanticUndefined
is_typeddict: Final = typing_extensions.is_typeddict  # also knows those of typing_extensions
# what a configuration says about values; the rest (title, frozen, ...) is about the class itself
_ABOUT_VALUES: Final = (
    *("arbitrary_types_allowed", "strict", "str_strip_whitespace", "str_to_lower", "str_to_upper", "str_min_length"),
    *("str_max_length", "allow_inf_nan", "coerce_numbers_to_str", "use_enum_values", "revalidate_instances"),
    *("regex_engine", "val_json_bytes", "val_temporal_unit", "url_preserve_empty_path", "cache_strings"),
)


class Declared(NamedTuple):
    """One field as the class declares it. `default` is MISSING for none, `factory` makes one anew."""

    name: str
    annotation: Any
    metadata: tuple[Any, ...]
    default: Any = MISSING
    factory: Callable[..., Any] | None = None


def declared_fields(cls: type) -> tuple[Declared, ...]:
    """The fields of a state class in their declared order. Raises InvalidDeclaration for what is no state class."""
    where = f"state {cls.__name__}"
    if getattr(cls, "__pydantic_root_model__", False):
        raise InvalidDeclaration(where, "is a RootModel and has no named fields", "Write class ...(gn.State): ...")
    try:
        if is_pydantic(cls):
            return tuple(_of_pydantic(cls))
        if dataclasses.is_dataclass(cls):
            return tuple(_of_dataclass(cls))
        if is_typeddict(cls):
            return tuple(_of_typeddict(cls))
    except (NameError, PydanticUndefinedAnnotation) as error:
        mend = "Define it, or run its cell, before the state is used in a graph."
        raise InvalidDeclaration(where, f"an annotation names {error.name!r}, which is not defined", mend) from error
    mend = f"Write class {cls.__name__}(gn.State): ..."
    raise InvalidDeclaration(where, "is no gn.State, pydantic model, dataclass or TypedDict", mend)


def is_pydantic(cls: type) -> bool:
    """True for a class whose instances pydantic makes and checks."""
    return issubclass(cls, BaseModel) or (dataclasses.is_dataclass(cls) and "__pydantic_validator__" in vars(cls))


def checks_whole(cls: type) -> bool:
    """True if the class has validators of its own, so that a state has to be checked as a whole."""
    decorators = getattr(cls, "__pydantic_decorators__", None)
    if decorators is not None and any(
        (decorators.model_validators, decorators.field_validators, decorators.validators, decorators.root_validators)
    ):
        return True
    if getattr(cls, "__pydantic_custom_init__", False) and issubclass(cls, BaseModel):
        return True
    hook = "model_post_init" if issubclass(cls, BaseModel) else "__post_init__"
    own = [vars(base)[hook] for base in cls.__mro__ if hook in vars(base) and base is not BaseModel]
    return any(getattr(each, "__name__", "") != "init_private_attributes" for each in own)


def needs_key(cls: Any, name: str, *, hint: Any) -> bool:
    """True if a dict of the TypedDict must have the key, whose hint this is."""
    required = hint_of(hint).required
    # the class's own word last: in annotations that are texts it overlooks NotRequired
    return name not in cls.__optional_keys__ if required is None else required


def config_of(cls: type) -> ConfigDict | None:
    """What the class's configuration says about values, None for nothing."""
    given = getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None)
    kept: Any = {key: given[key] for key in _ABOUT_VALUES if key in given} if given else {}
    if not is_pydantic(cls):
        kept = {"arbitrary_types_allowed": True, **kept}
    return kept or None


def tells_of_extra(cls: type) -> bool:
    """True if the class's configuration says what becomes of keys that are not declared."""
    return "extra" in (getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None) or {})


def field_config_of(cls: type) -> ConfigDict:
    """What counts at each field: `config_of`, and whether a TypedDict there takes keys that it does not declare.

    It takes none where the class says nothing of that: pydantic would drop them without a word.
    """
    given = getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None) or {}
    extra: Any = {"extra": given.get("extra") or "forbid"}
    return {**(config_of(cls) or {}), **extra}


def _of_pydantic(cls: Any) -> Iterator[Declared]:
    if not cls.__pydantic_complete__:
        _complete(cls)
    for name, each in cls.__pydantic_fields__.items():
        bare, metadata, _ = hint_of(each.annotation)
        chosen = (PydanticField(discriminator=each.discriminator),) if each.discriminator is not None else ()
        yield Declared(name, bare, (*metadata, *each.metadata, *chosen), each.default, each.default_factory)


def _complete(cls: Any) -> None:
    """Looks up the names that were not yet defined when the class was. Raises PydanticUndefinedAnnotation."""
    if issubclass(cls, BaseModel):
        cls.model_rebuild()
        return
    from pydantic.dataclasses import rebuild_dataclass  # loaded already, by the user's own module

    rebuild_dataclass(cls)


def _of_dataclass(cls: Any) -> Iterator[Declared]:
    hints = typing.get_type_hints(cls, include_extras=True)
    for each in dataclasses.fields(cls):
        bare, metadata, _ = hint_of(hints[each.name])
        default = MISSING if each.default is dataclasses.MISSING else each.default
        factory = None if each.default_factory is dataclasses.MISSING else each.default_factory
        yield Declared(each.name, bare, metadata, default, factory)


def _of_typeddict(cls: Any) -> Iterator[Declared]:
    for name, hint in typing_extensions.get_type_hints(cls, include_extras=True).items():
        bare, metadata, _ = hint_of(hint)
        yield Declared(name, bare, metadata, MISSING if needs_key(cls, name, hint=hint) else UNSET)
