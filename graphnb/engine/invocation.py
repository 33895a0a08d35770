"""Which run is executing: for user code that needs to know, wherever it was called from."""

from __future__ import annotations

import uuid
from contextvars import ContextVar
from typing import Final, NamedTuple


class Invocation(NamedTuple):
    """One run from the outside: its ids, and where in it the caller stands.

    `fan_out_index` is the innermost instance that is running, if that is a graph or has middleware around it (a
    function by itself is given its item and nothing else); `branch_name` the innermost parallel branch. None outside.
    """

    invocation_id: str
    correlation_id: str
    fan_out_index: int | None = None
    branch_name: str | None = None


class Ids:
    """The ids of one run, each drawn when it is first asked for unless it was given."""

    __slots__ = ("_drawn",)

    def __init__(
        self, invocation_id: str | None = None, correlation_id: str | None = None, *, run_id: str | None = None
    ) -> None:
        self._drawn: dict[str, str] = {}
        if invocation_id is not None:
            self._drawn["invocation"] = invocation_id
        if correlation_id is not None:
            self._drawn["correlation"] = correlation_id
        if run_id is not None:
            self._drawn["run"] = run_id

    @property
    def run_id(self) -> str:
        """The log, from its beginning on."""
        return self._draw("run")

    @property
    def invocation_id(self) -> str:
        """This drive of the log."""
        return self._draw("invocation")

    @property
    def correlation_id(self) -> str:
        """What the run belongs to."""
        return self._draw("correlation")

    def _draw(self, name: str) -> str:
        # setdefault makes threads agree that ask at once
        return self._drawn.get(name) or self._drawn.setdefault(name, str(uuid.uuid4()))

    def __getstate__(self) -> tuple[None, dict[str, dict[str, str]]]:
        return None, {"_drawn": {name: self._draw(name) for name in ("run", "invocation", "correlation")}}


_ids: Final[ContextVar[tuple[Ids, ...]]] = ContextVar("graphnb_invocation", default=())
"""Those of the runs within each other that have called this code, the outermost first."""
_index: Final[ContextVar[int | None]] = ContextVar("graphnb_fan_out_index", default=None)
_branch: Final[ContextVar[str | None]] = ContextVar("graphnb_branch_name", default=None)
enter_instance: Final = _index.set
"""Says that the instance of this number runs from now on in this thread or task."""
enter_branch: Final = _branch.set
"""The same for the parallel branch of this name."""


def invocation() -> Invocation | None:
    """The run that has called this code, None outside of every run.

    >>> invocation() is None
    True
    """
    runs = _ids.get()
    if not runs:
        return None
    return Invocation(runs[-1].invocation_id, runs[-1].correlation_id, _index.get(), _branch.get())


def find_enclosing() -> frozenset[str]:
    """The invocation ids of all runs that have called this code: the innermost, and those in whose nodes it runs."""
    return frozenset(ids.invocation_id for ids in _ids.get())


class Within:
    """A context manager around what runs instances or branches: afterwards the outer ones are running again."""

    __slots__ = ("_branch", "_index")

    def __enter__(self) -> None:
        self._index, self._branch = _index.get(), _branch.get()

    def __exit__(self, *error: object) -> None:
        _index.set(self._index)
        _branch.set(self._branch)


class Inside(Within):
    """A context manager around what drives a run; a run within another one's node is a run of its own."""

    __slots__ = ("_before", "_own")

    def __init__(self, ids: Ids) -> None:
        self._own = ids

    def __enter__(self) -> None:
        before = self._before = _ids.get()
        _ids.set((*before, self._own))
        if before:
            super().__enter__()
            _index.set(None)
            _branch.set(None)

    def __exit__(self, *error: object) -> None:
        if self._before:
            super().__exit__(*error)
        _ids.set(self._before)
