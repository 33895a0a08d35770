"""Reading the fields of a state class: a pydantic model, a dataclass or a TypedDict."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticUndefined

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import kind_of, shown
from graphnb.state.atoms import element_of, is_atomic
from graphnb.state.marks import UNSET
from graphnb.state.reducers import Reducer, name_of, reducer_in
from graphnb.state.validators import Validator
from graphnb.state.writers import Writer, writer_of

_MISSING: Final = PydanticUndefined
# what a configuration says about values; the rest (title, frozen, ...) is about the model itself
_ABOUT_VALUES: Final = (
    *("arbitrary_types_allowed", "strict", "str_strip_whitespace", "str_to_lower", "str_to_upper", "str_min_length"),
    *("str_max_length", "allow_inf_nan", "coerce_numbers_to_str", "use_enum_values", "revalidate_instances"),
    *("regex_engine", "ser_json_bytes", "val_json_bytes", "cache_strings"),
)


@dataclass(frozen=True, slots=True)
class Field:
    """One named part of a state.

    `reducer` is the reducer's name; `declared` tells whether one was declared or the default serves.
    `default` is the default as text, None for a required field. `atomic`: values cannot change, so that
    nodes read them without a copy; `flat`: a list or dict of such values.
    """

    name: str
    annotation: Any
    type: str
    reducer: str
    declared: bool
    default: str | None
    can_be_unset: bool
    atomic: bool
    flat: bool
    is_list: bool
    custom: Reducer | None
    whole: Validator
    writer: Writer

    @property
    def required(self) -> bool:
        """True if a run has to be given a value."""
        return self.default is None

    @property
    def mend(self) -> str:
        """How to write this field instead of changing it in place."""
        forms = {
            "append": f"{{'{self.name}': [the new items]}}",
            "concat_flatten": f"{{'{self.name}': [[the new items]]}}",
            "merge": f"{{'{self.name}': {{the new entries}}}}",
            "merge_all": f"{{'{self.name}': [{{the new entries}}]}}",
        }
        form = forms.get(self.reducer, f"{{'{self.name}': the whole new value}}" if not self.declared else "")
        return f"Return the change instead: return {form or '{' + repr(self.name) + ': the update}'}"


@dataclass(frozen=True, slots=True)
class _Declared:
    name: str
    annotation: Any
    metadata: tuple[Any, ...]
    default: Any = _MISSING
    factory: Callable[..., Any] | None = None


def fields_of(cls: type, *, whole_model: bool) -> dict[str, Field]:
    """The fields of a state class in their declared order.

    With `whole_model` the class checks whole states, so that no field is validated by itself. Raises
    ConflictingReducers, ReducerConfigurationInvalid, or InvalidDeclaration if the class cannot be a state.
    """
    config = _config_of(cls)
    return {each.name: _field(cls, each, config, whole_model) for each in _declared(cls)}


def _field(cls: type, declared: _Declared, config: ConfigDict | None, whole_model: bool) -> Field:
    place = f"state {cls.__name__}, field '{declared.name}'"
    reducer = reducer_in(declared.metadata, place)
    constraints = tuple(each for each in declared.metadata if each is not reducer)
    annotation = Annotated[(declared.annotation, *constraints)] if constraints else declared.annotation
    element = element_of(declared.annotation)
    is_list = element is not None and _bare(declared.annotation) is list
    is_dict = element is not None and _bare(declared.annotation) is dict
    whole = Validator(Any if whole_model else annotation, None if whole_model else config)
    parts = None
    if not constraints and not whole_model and (is_list or is_dict):
        parts = Validator(annotation, config, list if is_list else dict)
    if reducer is not None and parts is not None and declared.default is UNSET:
        parts = None  # nothing to grow from yet
    return Field(
        name=declared.name,
        annotation=annotation,
        type=type_text(declared.annotation),
        reducer=name_of(reducer) if reducer else "last_write_wins",
        declared=reducer is not None,
        default=_default_text(declared),
        can_be_unset=declared.default is UNSET,
        atomic=is_atomic(declared.annotation) and declared.default is not UNSET,
        flat=element is not None and is_atomic(element),
        is_list=is_list,
        custom=reducer,
        whole=whole,
        writer=writer_of(reducer, annotation, whole, parts),
    )


def type_text(annotation: object) -> str:
    """The annotation as a reader would write it, without module names.

    >>> type_text(dict[str, list[int]]), type_text(int | None)
    ('dict[str, list[int]]', 'int | None')
    """
    text = annotation.__name__ if isinstance(annotation, type) and not typing.get_args(annotation) else str(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", text.replace("<locals>.", "")).replace("NoneType", "None")


def _declared(cls: type) -> Iterator[_Declared]:
    if issubclass(cls, BaseModel):
        for name, each in cls.model_fields.items():
            yield _Declared(name, each.annotation, tuple(each.metadata), each.default, each.default_factory)
        return
    if not dataclasses.is_dataclass(cls) and not typing.is_typeddict(cls):
        raise InvalidDeclaration(
            f"state {cls.__name__}",
            "is no gn.State, pydantic model, dataclass or TypedDict",
            f"Write class {cls.__name__}(gn.State): ...",
        )
    hints = typing.get_type_hints(cls, include_extras=True)
    defaults = {each.name: each for each in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else {}
    for name, hint in hints.items():
        annotation, metadata = _split(hint)
        default: Any = _MISSING
        factory: Callable[..., Any] | None = None
        if name in defaults:
            given = defaults[name]
            default = _MISSING if given.default is dataclasses.MISSING else given.default
            factory = None if given.default_factory is dataclasses.MISSING else given.default_factory
        elif dataclasses.is_dataclass(cls):
            continue  # an InitVar or a ClassVar
        elif name in cls.__optional_keys__:  # type: ignore[attr-defined]
            default = UNSET
        yield _Declared(name, annotation, metadata, default, factory)


def _split(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """The bare type and the metadata of an annotation; Required and NotRequired are looked through."""
    if typing.get_origin(hint) in (typing.Required, typing.NotRequired):
        return _split(typing.get_args(hint)[0])
    if typing.get_origin(hint) is Annotated:
        bare, *metadata = typing.get_args(hint)
        return bare, tuple(metadata)
    return hint, ()


def _bare(annotation: Any) -> Any:
    origin = typing.get_origin(annotation)
    return origin if origin is not None else annotation


def _config_of(cls: type) -> ConfigDict | None:
    given = getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None)
    kept: Any = {key: given[key] for key in _ABOUT_VALUES if key in given} if given else {}
    return kept or None


def _default_text(declared: _Declared) -> str | None:
    if declared.factory is not None:
        empty = {list: "[]", dict: "{}", set: "set()"}
        name = getattr(declared.factory, "__name__", kind_of(declared.factory))
        return empty.get(declared.factory, f"{name}()")  # type: ignore[call-overload,no-any-return]
    return None if declared.default is _MISSING else shown(declared.default)
