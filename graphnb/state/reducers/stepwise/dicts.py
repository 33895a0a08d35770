"""The reducer of dicts: `step.merge`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from graphnb.state.reducers.stepwise.base import Option, StepReducer


class Merge(StepReducer):
    """The entries before, over which the writes are laid one after the other. None is a value, nothing is removed.

    With `deep=True` a dict over a dict is merged in the same way; all else is replaced, lists too. A run refuses a
    write that is no mapping before it is folded; by hand it is skipped (source: step reducers, merge).

    | options     | prior             | writes              | result                    |
    |-------------|-------------------|---------------------|---------------------------|
    |             | {'a': 1}          | {'b': 2}, {'b': 3}  | {'a': 1, 'b': 3}          |
    |             | {'n': {'x': 1}}   | {'n': {}}           | {'n': {}}                 |
    | deep=True   | {'n': {'x': 1}}   | {'n': {'y': 2}}     | {'n': {'x': 1, 'y': 2}}   |

    >>> from graphnb import step
    >>> step.merge.fold({"a": 1}, [{"b": 2}, {"b": 3}])
    {'a': 1, 'b': 3}
    >>> step.merge.fold({"n": {"x": 1}}, [{"n": {}}])
    {'n': {}}
    >>> step.merge(deep=True).fold({"n": {"x": 1}}, [{"n": {"y": 2}}])
    {'n': {'x': 1, 'y': 2}}
    """

    __slots__ = ()
    type = "merge"
    options: ClassVar[Mapping[str, Option]] = {"deep": (lambda value: type(value) is bool, "True or False")}

    @property
    def zero(self) -> Any:
        """An empty dict."""
        return {}

    @property
    def is_deep(self) -> bool:
        """True if dicts within are merged too; behind the checks only a literal True says so."""
        return self.opts.get("deep") is True

    def _folded(self, prior: Any, writes: Sequence[Any]) -> dict[Any, Any]:
        before = dict(prior) if isinstance(prior, Mapping) else {}
        return {**before, **self.entries_over(before, writes)}

    def entries_over(self, before: Mapping[Any, Any], writes: Iterable[Any]) -> dict[Any, Any]:
        """The entries that the writes put over those before; a write that is no mapping is skipped."""
        entries: dict[Any, Any] = {}
        for write in writes:
            for key, value in write.items() if isinstance(write, Mapping) else ():
                old = entries.get(key, before.get(key)) if self.is_deep else None
                both = isinstance(old, Mapping) and isinstance(value, Mapping)
                entries[key] = _merged_deep(old, value) if both else value  # type: ignore[arg-type]  # both are
        return entries


def _merged_deep(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> dict[Any, Any]:
    """Both merged, all the way down; neither is changed, and nothing recurses."""
    merged = dict(old)
    rest: list[tuple[dict[Any, Any], Mapping[Any, Any]]] = [(merged, new)]
    while rest:
        target, source = rest.pop()
        for key, value in source.items():
            below = target.get(key)
            if isinstance(below, Mapping) and isinstance(value, Mapping):
                target[key] = own = dict(below)
                rest.append((own, value))
            else:
                target[key] = value
    return merged
