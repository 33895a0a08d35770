"""How the writes of a step reach a field whose reducer is of the step family.

All of them, once checked, are folded at once, and the result is nobody's to check. Where the reducer only adds, the
value grows and is never copied. Source: step reducers, validating one write.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from graphnb.state.annotations.classes import is_typeddict
from graphnb.state.annotations.hints import bare_of
from graphnb.state.checking.exact import ExactValidator
from graphnb.state.folding.step_checks import EntriesCheck, ItemsCheck, WriteCheck
from graphnb.state.folding.writes import ADDED, InFull
from graphnb.state.reducers.pairing import numbers_in
from graphnb.state.reducers.stepwise.base import StepReducer
from graphnb.state.reducers.stepwise.dicts import Merge
from graphnb.state.reducers.stepwise.lists import Append, Union, first_of_equal, items_of_writes
from graphnb.state.reducers.stepwise.totals import Sum
from graphnb.state.storable.values import exact_key
from graphnb.state.values.grown import GrownList, entries_of, grown


class StepWriter:
    """A writer whose fold takes all writes of a step: any reducer, on values that are folded as they are."""

    folds_whole = False

    def __init__(self, reducer: StepReducer, write: WriteCheck) -> None:
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
        return self._write.hint(update) if isinstance(self._write, (ItemsCheck, EntriesCheck)) else ""


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

    def __init__(self, reducer: Append | Union, write: WriteCheck) -> None:
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

    def __init__(self, reducer: Merge, write: WriteCheck, model: type[BaseModel]) -> None:
        super().__init__(reducer, write)
        self._model = model

    def check(self, update: Any) -> Any:
        if isinstance(update, self._model):
            update = {name: getattr(update, name) for name in update.model_fields_set}
        return super().check(update)

    def fold(self, prior: Any, writes: Sequence[Any]) -> Any:
        before = {name: each for name, each in vars(prior).items() if name in prior.model_fields_set}
        return self._model.model_construct(**self.reducer.fold(before, writes))


def step_writer_of(reducer: StepReducer, annotation: Any, *, whole: Any, config: ConfigDict | None) -> StepWriter:
    """The writer for a reducer and a type that it folds: `annotation`, or `whole` with all that constrains it."""
    if isinstance(reducer, (Append, Union)):
        return writer_for(reducer, ItemsCheck(reducer, annotation, config))
    if isinstance(reducer, Merge):
        entries, bare = EntriesCheck(reducer, annotation, config), bare_of(annotation)
        is_dict = bare is dict or is_typeddict(bare)
        return writer_for(reducer, entries) if is_dict else _Filling(reducer, entries, bare)
    if isinstance(reducer, Sum):
        return writer_for(reducer, ExactValidator((numbers_in(annotation) or (float,))[-1], None))
    return writer_for(reducer, ExactValidator(whole, config))


def writer_for(reducer: StepReducer, write: WriteCheck) -> StepWriter:
    """The writer for a reducer whose writes are checked by `write`: one that grows the value where that will do."""
    if isinstance(reducer, Union) or (isinstance(reducer, Append) and reducer.is_unique and reducer.window is None):
        return _GrowingUnique(reducer, write)
    if isinstance(reducer, Append) and reducer.window is None:
        return _Growing(reducer, write)
    return (_Laying if isinstance(reducer, Merge) else StepWriter)(reducer, write)
