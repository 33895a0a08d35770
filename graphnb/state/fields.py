"""The fields of a state class, each with its reducer, its validator and what is known of its values."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import typing_extensions
from pydantic import ConfigDict
from pydantic.fields import FieldInfo

from graphnb.errors.text import kind_of, shown
from graphnb.state.annotations.classes import (
    MISSING,
    Declared,
    declared_fields,
    field_config_of,
    is_pydantic,
    is_typeddict,
)
from graphnb.state.annotations.hints import bare_of, hint_of, metadata_within, type_text
from graphnb.state.annotations.kinds import can_refuse, is_atomic, levels_of
from graphnb.state.checking.exact import ExactValidator
from graphnb.state.checking.uncheckable import check_type
from graphnb.state.checking.validators import Validator
from graphnb.state.folding.step_writers import step_writer_of
from graphnb.state.folding.writers import Writer, writer_of
from graphnb.state.marks import UNSET
from graphnb.state.reducers.annotated import Reducer, check_not_within, name_of, reducer_in
from graphnb.state.reducers.keyed import BoundedAppend
from graphnb.state.reducers.natural import Natural, natural_of
from graphnb.state.reducers.pairing import check_pairing
from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.reducers.stepwise.lists import Append
from graphnb.state.reducers.stepwise.totals import Sum
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge_all
from graphnb.state.values.mends import Mends, mends_of

_EMPTY: Final[dict[Any, str]] = {list: "[]", dict: "{}", set: "set()"}


@dataclass(frozen=True, slots=True)  # every step reads it, and a slot is read faster than an item of a tuple
class Field:
    """One named part of a state.

    `reducer` is the name of the reducer `function`; `declared` tells whether one was declared or the default serves.
    `default` is the default as text, None for a required field; `trusted`: it surely fits the type, so that
    it need not be validated. `mend` says how to write the field instead of setting it on the state, `mends`
    instead of changing its value in place. `is_natural`: the default is not the class's, but what the reducer
    starts from.

    `atomic`: values cannot change, so that nodes read them without a copy; `flat`: a list or dict of such
    values; `levels`: of so many levels of lists and dicts above such values, 0 if not known; `refuses`: made of
    what refuses to be changed, so that nothing has to be compared afterwards.
    """

    name: str
    annotation: Any
    type: str
    reducer: str
    declared: bool
    default: str | None
    trusted: bool
    mend: str
    mends: Mends
    can_be_unset: bool
    is_natural: bool
    atomic: bool
    flat: bool
    levels: int
    refuses: bool
    is_list: bool
    source: Declared
    function: Reducer | None
    whole: Validator
    writer: Writer

    @property
    def is_stepwise(self) -> bool:
        """True if its reducer is of the step family, whose results nobody checks."""
        return isinstance(self.function, StepReducer)

    @property
    def required(self) -> bool:
        """True if a run has to be given a value."""
        return self.default is None

    @property
    def holds_atoms_alone(self) -> bool:
        """True if nothing but lists and dicts above atoms gets in: no reducer of the user's own makes what it likes."""
        return self.levels > 0 and self.function in (None, last_write_wins, append, concat_flatten, merge_all)

    @property
    def counts_twice(self) -> bool:
        """True if folding a value into itself adds it again. Source: graph-engine §2, the round-trip warning."""
        if isinstance(self.function, Append):
            return not self.function.is_unique
        return self.function in (append, concat_flatten, merge_all) or isinstance(self.function, (BoundedAppend, Sum))


def fields_of(cls: type, *, whole_model: bool) -> dict[str, Field]:
    """The fields of a state class in their declared order.

    With `whole_model` the class checks whole states, so that no field is validated by itself. Raises
    ConflictingReducers, ReducerConfigurationInvalid, or InvalidDeclaration if the class cannot be a state.
    """
    config = field_config_of(cls)
    fields = {each.name: _field(cls, each, config=config, whole_model=whole_model) for each in declared_fields(cls)}
    for name, each in fields.items():  # of its own classes pydantic has made the validators already
        validator = None if is_pydantic(cls) else each.whole
        check_type(f"state {cls.__name__}, field '{name}'", each.annotation, validator=validator)
    return fields


def _field(cls: type, declared: Declared, *, config: ConfigDict | None, whole_model: bool) -> Field:
    place = f"state {cls.__name__}, field '{declared.name}'"
    reducer = reducer_in(declared.metadata, place)
    check_not_within(metadata_within(declared.annotation), place)
    is_stepwise = isinstance(reducer, StepReducer)
    if isinstance(reducer, StepReducer):
        check_pairing(reducer, declared.annotation, place=place)
    natural = _natural(reducer, declared)
    if natural is not MISSING:
        declared = declared._replace(default=natural, factory=None)
    constraints = tuple(each for each in declared.metadata if each is not reducer and not _is_mere_word(each))
    annotation = Annotated[(declared.annotation, *constraints)] if constraints else declared.annotation
    bare = bare_of(declared.annotation)
    own_config = None if whole_model else config
    whole = (ExactValidator if is_stepwise else Validator)(Any if whole_model else annotation, own_config, kind=bare)
    has_parts = bare in (list, dict) and not constraints and not whole_model and declared.default is not UNSET
    levels = 0 if whole_model else levels_of(annotation)
    name = name_of(reducer) if reducer else "last_write_wins"
    update = update_form(declared.name, name, is_declared=reducer is not None)
    read = f"s['{declared.name}']" if is_typeddict(cls) else f"s.{declared.name}"
    is_reduced = name not in ("last_write_wins", "step.last_value")
    return Field(
        name=declared.name,
        annotation=annotation,
        type=type_text(declared.annotation),
        reducer=name,
        declared=reducer is not None,
        default=_default_text(declared),
        trusted=natural is not MISSING
        or _is_zero(reducer, declared)
        or _is_trusted(declared, annotation, config=config),
        mend=f"Return the change instead: return {update}",
        mends=mends_of(declared.name, update, kind=bare, read=read, is_reduced=is_reduced, is_flat=levels == 1),
        can_be_unset=declared.default is UNSET,
        is_natural=natural is not MISSING,
        atomic=not whole_model and declared.default is not UNSET and is_atomic(annotation),
        flat=levels == 1,
        levels=levels,
        refuses=not whole_model and can_refuse(annotation),
        is_list=bare is list,
        source=declared,
        function=reducer,
        whole=whole,
        writer=step_writer_of(reducer, declared.annotation, whole=annotation, config=config)
        if isinstance(reducer, StepReducer)
        else writer_of(reducer, whole, has_parts=has_parts),
    )


def _natural(reducer: Reducer | None, declared: Declared) -> Any:
    """What the reducer starts from where the class declares nothing, MISSING where it does."""
    if isinstance(declared.factory, Natural):  # a gn.State has been given it, so that it can be called without a value
        return declared.factory.zero
    return MISSING if declared.factory else natural_of(reducer, declared.annotation, default=declared.default)


def _is_mere_word(metadata: object) -> bool:
    """True for metadata that says nothing about values: a comment, or a pydantic `Field` with a description alone."""
    if isinstance(metadata, FieldInfo):
        return not metadata.metadata and metadata.discriminator is None
    return isinstance(metadata, (str, typing_extensions.Doc))


def _is_zero(reducer: Reducer | None, declared: Declared) -> bool:
    """True for the integer 0 of `step.sum`, which need not fit the field."""
    return isinstance(reducer, Sum) and type(declared.default) is int and declared.default == 0


def _is_trusted(declared: Declared, annotation: Any, *, config: ConfigDict | None) -> bool:
    if declared.factory is not None:
        return declared.factory is (get_origin(annotation) or annotation)
    if declared.default is MISSING or declared.default is UNSET:
        return True
    return not (config or {}).keys() - {"arbitrary_types_allowed", "extra"} and _fits(declared.default, annotation)


def _fits(default: Any, annotation: Any) -> bool:
    """True if pydantic would surely take the default as it is; False if that has to be tried."""
    bare, metadata, _ = hint_of(annotation)
    origin = get_origin(bare) or bare
    if metadata:
        return False
    if origin is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(default, part) for part in get_args(bare))
    if origin is Literal:
        return any(type(each) is type(default) and each == default for each in get_args(bare))
    if default is None or isinstance(default, enum.Enum):
        return bare is None or bare is type(default)
    if type(default) is float and not math.isfinite(default):
        return False  # a field of the step family takes none
    return type(default) is origin and (origin not in (list, dict, set, tuple, frozenset) or not default)


def update_form(field: str, reducer: str, *, is_declared: bool) -> str:
    """How a node's update writes the field, in words."""
    items, entries = f"{{'{field}': [the new items]}}", f"{{'{field}': {{the new entries}}}}"
    forms = {
        **dict.fromkeys(("append", "bounded_append", "dedupe_append", "merge_by_key"), items),
        "concat_flatten": f"{{'{field}': [[the new items]]}}",
        "merge": entries,
        "merge_all": f"{{'{field}': [{{the new entries}}]}}",
        **dict.fromkeys(("step.append", "step.union"), items),
        "step.merge": entries,
        "step.sum": f"{{'{field}': the number to add}}",
        "step.last_value": f"{{'{field}': the whole new value}}",
    }
    whole = f"{{'{field}': {'the update' if is_declared else 'the whole new value'}}}"
    return forms.get(reducer.partition("(")[0], whole)


def _default_text(declared: Declared) -> str | None:
    if declared.factory is not None:
        name = getattr(declared.factory, "__name__", kind_of(declared.factory)).replace("<lambda>", "lambda")
        return next((text for kind, text in _EMPTY.items() if declared.factory is kind), f"{name}()")
    return None if declared.default is MISSING else shown(declared.default)
