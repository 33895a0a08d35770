"""How the writes of a step reach a field whose reducer is of the step family.

Each write is checked by its shape, with exact types; then all are folded at once, and the result is nobody's to
check. Where the reducer only adds, the value grows and is never copied. Source: step reducers, validating one write.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from graphnb.errors.text import choices, shown
from graphnb.state.annotations.classes import declared_fields, is_typeddict
from graphnb.state.annotations.hints import bare_of, element_of, hint_of
from graphnb.state.checking.exact import ExactValidator
from graphnb.state.checking.validators import Validator, unfit
from graphnb.state.folding.writes import ADDED, InFull
from graphnb.state.reducers.pairing import numbers_in
from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.reducers.stepwise.dicts import Merge
from graphnb.state.reducers.stepwise.lists import Append, Union, first_of_equal, items_of_writes
from graphnb.state.reducers.stepwise.totals import Sum
from graphnb.state.storable.values import exact_key
from graphnb.state.values.grown import GrownList, entries_of, grown


class Check(Protocol):
    """What checks one write; its `check` gives the write, owned by the caller, or raises ValidationError."""

    @property
    def check(self) -> Callable[[Any], Any]:
        """See above."""


class StepWriter:
    """A writer whose fold takes all writes of a step: any reducer, on values that are folded as they are."""

    folds_whole = False

    def __init__(self, reducer: StepReducer, write: Check) -> None:
        self.reducer = reducer
        self._write = write

    def stage(self, prior: Any, update: Any) -> Any:
        """Nothing is folded before all writes are checked."""
        return update

    def settle(self, prior: Any, staged: Any) -> tuple[Any, Any]:
        """The value after one write, and the write. Raises ValidationError, or what the fold raises."""
        write = self.check(staged)
        return self.fold(prior, (write,)), write

    def check(self, update: Any) -> Any:
        """One write, owned by the caller. Raises ValidationError."""
        return self._write.check(update)

    def fold(self, prior: Any, writes: Sequence[Any]) -> Any:
        """The value after all these writes, which were checked."""
        return self.reducer.fold(prior, writes)

    def keep(self, value: Any) -> Any:
        """As for every writer."""
        return value

    def hint(self, update: Any) -> str:
        """What would take a write that is refused, as a sentence; empty if nothing comes to mind."""
        return self._write.hint(update) if isinstance(self._write, (_Contributed, _Entries)) else ""


class _Contributed:
    """Checks what is added to a list of these elements: one of them, or a list of them."""

    def __init__(self, reducer: StepReducer, annotation: Any, config: ConfigDict | None) -> None:
        element = element_of(annotation)
        self._reducer = reducer
        self._item = ExactValidator(element, config)
        self._items = ExactValidator(list[element], config)  # type: ignore[valid-type]  # a type at run time
        self._is_flat = bare_of(element) is not list

    def check(self, update: Any) -> Any:
        return (self._items if isinstance(update, list) else self._item).check(update)

    def hint(self, update: Any) -> str:
        if isinstance(update, (tuple, set, frozenset)):
            return "To add its items make it a list: list(...)."
        if self._is_flat and isinstance(update, list) and any(isinstance(each, list) for each in update):
            return f"{self._reducer} opens one level of lists; gn.concat_flatten takes a list of lists."
        return ""


class _Growing(StepWriter):
    """`step.append` without options: only the new items are stored."""

    def settle(self, prior: Any, staged: Any) -> tuple[Any, Any]:
        write = self.check(staged)
        return self.fold(prior, (write,)), ADDED if isinstance(write, list) else write

    def fold(self, prior: Any, writes: Sequence[Any]) -> Any:
        return prior.extended(items_of_writes(writes))

    def keep(self, value: Any) -> Any:
        return grown(value)


class _GrowingUnique(StepWriter):
    """`step.append(unique=True)` and `step.union`: the keys of a growing list are kept beside it."""

    def __init__(self, reducer: Append | Union, write: Check) -> None:
        super().__init__(reducer, write)
        self._key = reducer.key if isinstance(reducer, Union) else exact_key

    def settle(self, prior: Any, staged: Any) -> tuple[Any, Any]:
        write = self.check(staged)
        base, after = self._folded(prior, (write,))
        return after, write if base is prior else InFull(write)

    def fold(self, prior: Any, writes: Sequence[Any]) -> Any:
        return self._folded(prior, writes)[1]

    def _folded(self, prior: GrownList, writes: Sequence[Any]) -> tuple[GrownList, GrownList]:
        """The value before without duplicates, itself if it has none, and what it grows to."""
        seen = prior.known
        if seen is None or seen.stop != prior.stop:
            items = prior.to_list()
            distinct = first_of_equal(items, self._key)
            if len(distinct) < len(items):
                prior = GrownList(distinct)
            seen = Seen(set(map(self._key, distinct)), prior.stop)
        new = []
        for item in items_of_writes(writes):
            key = self._key(item)
            if key not in seen.keys:
                seen.keys.add(key)
                new.append(item)
        after = prior.extended(new)
        seen.stop = after.stop
        after.known = seen
        return prior, after

    def keep(self, value: Any) -> Any:
        return grown(value)


class Seen:
    """The keys of the first `stop` items of a growing list, all of which differ."""

    __slots__ = ("keys", "stop")

    def __init__(self, keys: set[Hashable], stop: int) -> None:
        self.keys = keys
        self.stop = stop


class _Entries:
    """Checks entries that are laid over a dict or a TypedDict, or over the fields of a model."""

    def __init__(self, reducer: StepReducer, annotation: Any, config: ConfigDict | None) -> None:
        bare = hint_of(annotation).bare
        self._reducer = reducer
        self._entries = ExactValidator(bare, config) if bare_of(bare) is dict else None
        self._parts = {} if self._entries else _validators_of(bare, config)

    def check(self, update: Any) -> Any:
        if not isinstance(update, Mapping):
            raise unfit("Input should be a mapping of the entries to write", update, kind="dict_type")
        return self._entries.check(update) if self._entries else _checked_parts(self._parts, update)

    def hint(self, update: Any) -> str:
        is_list = isinstance(update, list) and any(isinstance(each, Mapping) for each in update)
        return f"{self._reducer} takes one mapping; gn.merge_all takes a list of them." if is_list else ""


class _Laying(StepWriter):
    """`step.merge` on a dict or a TypedDict: only the written entries are stored."""

    reducer: Merge

    def settle(self, prior: Any, staged: Any) -> tuple[Any, Any]:
        write = self.check(staged)
        return self.fold(prior, (write,)), write if self.reducer.is_deep else ADDED

    def fold(self, prior: Any, writes: Sequence[Any]) -> Any:
        return prior.extended(self.reducer.entries_over(entries_of(prior), writes))

    def keep(self, value: Any) -> Any:
        return grown(value)


class _Filling(StepWriter):
    """`step.merge` on a pydantic model: some fields are written, the others stay."""

    def __init__(self, reducer: Merge, write: Check, model: type[BaseModel]) -> None:
        super().__init__(reducer, write)
        self._model = model

    def check(self, update: Any) -> Any:
        if isinstance(update, self._model):
            update = {name: getattr(update, name) for name in update.model_fields_set}
        return super().check(update)

    def fold(self, prior: Any, writes: Sequence[Any]) -> Any:
        before = {name: each for name, each in vars(prior).items() if name in prior.model_fields_set}
        return self._model.model_construct(**self.reducer.fold(before, writes))


def step_writer_of(reducer: StepReducer, whole: Any, annotation: Any, config: ConfigDict | None) -> StepWriter:
    """The writer for a reducer and a type that it folds: `annotation`, or `whole` with all that constrains it."""
    if isinstance(reducer, (Append, Union)):
        return writer_for(reducer, _Contributed(reducer, annotation, config))
    if isinstance(reducer, Merge):
        entries, bare = _Entries(reducer, annotation, config), bare_of(annotation)
        is_dict = bare is dict or is_typeddict(bare)
        return writer_for(reducer, entries) if is_dict else _Filling(reducer, entries, bare)
    if isinstance(reducer, Sum):
        return writer_for(reducer, ExactValidator((numbers_in(annotation) or (float,))[-1], None))
    return writer_for(reducer, ExactValidator(whole, config))


def writer_for(reducer: StepReducer, write: Check) -> StepWriter:
    """The writer for a reducer whose writes are checked by `write`: one that grows the value where that will do."""
    if isinstance(reducer, Union) or (isinstance(reducer, Append) and reducer.is_unique and reducer.window is None):
        return _GrowingUnique(reducer, write)
    if isinstance(reducer, Append) and reducer.window is None:
        return _Growing(reducer, write)
    return (_Laying if isinstance(reducer, Merge) else StepWriter)(reducer, write)


def _validators_of(cls: type, config: ConfigDict | None) -> dict[str, Validator]:
    """For each field of a TypedDict or a model what checks it."""
    return {
        each.name: ExactValidator(
            Annotated[(each.annotation, *each.metadata)] if each.metadata else each.annotation, config
        )
        for each in declared_fields(cls)
    }


def _checked_parts(parts: Mapping[str, Validator], update: Mapping[Any, Any]) -> dict[str, Any]:
    """Some fields, each checked by itself. Raises ValidationError with all that is wrong."""
    checked, faults = {}, []
    for name, value in update.items():
        if name not in parts:
            told = PydanticCustomError("extra_forbidden", f"There is no such key. {choices('Keys', parts, name)}")
            faults.append(
                InitErrorDetails(type=told, loc=(name if isinstance(name, str) else shown(name),), input=value)
            )
            continue
        try:
            checked[name] = parts[name].check(value)
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_context=False):
                told = PydanticCustomError(fault["type"], fault["msg"])
                faults.append(InitErrorDetails(type=told, loc=(name, *fault["loc"]), input=fault["input"]))
    if faults:
        raise ValidationError.from_exception_data("field", faults)
    return checked
