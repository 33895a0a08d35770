"""Finding the reducer in a field's annotation, and naming it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, Final

from graphnb.errors import ConflictingReducers, ReducerConfigurationInvalid
from graphnb.state.reducers.keyed import (
    BoundedAppend,
    DedupeAppend,
    MergeByKey,
    bounded_append,
    dedupe_append,
    merge_by_key,
)
from graphnb.state.reducers.step import STEP_REDUCERS
from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.reducers.strict import append, concat_flatten, last_write_wins, merge, merge_all

Reducer = Callable[[Any, Any], Any]

PLAIN: Final[dict[str, Reducer]] = {
    reducer.__name__: reducer for reducer in (last_write_wins, append, merge, concat_flatten, merge_all)
}
FACTORIES: Final[dict[str, Callable[..., Reducer]]] = {
    factory.__name__: factory for factory in (bounded_append, dedupe_append, merge_by_key)
}
_CALLS: Final = {"bounded_append": "bounded_append(10)", "dedupe_append": "dedupe_append()"}
_STEP_NAMES: Final = tuple(f"step.{name}" for name in STEP_REDUCERS)
_STRICT_TYPES: Final = (BoundedAppend, DedupeAppend, MergeByKey)
_NOT_OURS: Final = ("pydantic", "pydantic_core", "annotated_types", "typing", "typing_extensions")


def reducer_in(metadata: Iterable[object], place: str) -> Reducer | None:
    """The one reducer among an annotation's metadata, None if there is none.

    `place` names the field in errors. Raises ConflictingReducers for two, ReducerConfigurationInvalid for a
    factory that was not called. Source: graph-engine §2.
    """
    found: list[Reducer] = []
    for each in metadata:
        check_called(each, place)
        if _is_reducer(each):
            found.append(each)  # type: ignore[arg-type]
    if len(found) > 1:
        names = ", ".join(name_of(each) for each in found)
        raise ConflictingReducers(place, f"has {len(found)} reducers: {names}", "Keep one of them.")
    return found[0] if found else None


def check_called(candidate: object, place: str) -> None:
    """Raises ReducerConfigurationInvalid for `bounded_append` written without parentheses, or a reducer as text."""
    for name, factory in FACTORIES.items():
        if candidate is factory:
            mend = f"Write {_CALLS.get(name, 'merge_by_key(key=...)')}."
            raise ReducerConfigurationInvalid(place, f"{name} makes a reducer and was not called", mend)
    is_name = isinstance(candidate, str) and candidate in (*PLAIN, *FACTORIES, *_STEP_NAMES)
    if is_name:
        mend = f"Write {'' if candidate in _STEP_NAMES else 'gn.'}{candidate} without quotes."
        raise ReducerConfigurationInvalid(place, f"names the reducer '{candidate}' as text", mend)


def check_not_within(metadata: Iterable[object], place: str) -> None:
    """Raises ReducerConfigurationInvalid for a reducer inside the field's type, where none is looked for."""
    for each in metadata:
        check_called(each, place)
        if is_ours(each):
            name = name_of(each)  # type: ignore[arg-type]  # ours, hence a reducer
            mend = f"Write Annotated[the whole type, {name}]."
            raise ReducerConfigurationInvalid(place, f"reducer {name} stands inside the type, not beside it", mend)


def name_of(reducer: Reducer) -> str:
    """The name for messages and tables: `append`, `bounded_append(max_len=3)`, or a callable's own name.

    >>> name_of(append), name_of(bounded_append(3)), name_of(lambda prior, update: prior)
    ('append', 'bounded_append(max_len=3)', 'lambda')
    """
    if isinstance(reducer, (*_STRICT_TYPES, StepReducer)):
        return repr(reducer)
    if isinstance(reducer, functools.partial):
        return name_of(reducer.func)
    name = getattr(reducer, "__qualname__", "") or getattr(reducer, "__name__", "") or type(reducer).__name__
    return str(name).rpartition("<locals>.")[2].replace("<lambda>", "lambda")


def is_strict(reducer: object) -> bool:
    """True for the strict reducers, which fold one update at a time and never change what they are given."""
    return isinstance(reducer, _STRICT_TYPES) or any(reducer is each for each in PLAIN.values())


def is_ours(reducer: object) -> bool:
    """True for the reducers that graphnb brings along, of both families."""
    return is_strict(reducer) or isinstance(reducer, StepReducer)


def _is_reducer(candidate: object) -> bool:
    if not callable(candidate) or isinstance(candidate, type):
        return False
    return type(candidate).__module__.partition(".")[0] not in _NOT_OURS
