"""Asking several delegates at once, and what all of them gave: side by side, and nothing made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from graphnb.engine.alone import arun_alone, run_alone
from graphnb.engine.nodes.made import Made
from graphnb.graph.delegation import briefs_for
from graphnb.graph.plan import Plan
from graphnb.graph.spec import HasSpec, OnEmpty, OnError
from graphnb.notebook.declaring_delegates import asked_delegates
from graphnb.notebook.planned_alone import plan_alone
from graphnb.show.answers import Answer, Answers
from graphnb.state.model import State

if TYPE_CHECKING:
    import pandas as pd

_NAME = "gn.delegate"


class _Asked(State):
    results: list[Any] = []


class Delegation(Sequence[Any]):
    """What the delegates gave, in their order, as it is: a sequence of results that shows them side by side.

    `answers` has a record for each: delegate, brief, result, status ("done" or "failed") and error.
    """

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = Answers(answers)
        self._results = [each.result for each in answers]

    @property
    def results(self) -> list[Any]:
        """The raw results, in the order of the delegates; None for one that failed."""
        return self._results

    @property
    def result(self) -> list[Any]:
        """The same list."""
        return self._results

    @property
    def errors(self) -> tuple[Answer, ...]:
        """The records of those that failed, in order: index, delegate, error."""
        return tuple(each for each in self.answers if each.error is not None)

    def table(self) -> pd.DataFrame:
        """One row per delegate: delegate, brief, result, status; values are as they were given, and None stays None."""
        import pandas as pd

        rows = [(each.delegate, each.brief, each.result, each.status) for each in self.answers]
        # as objects: a None must not become a NaN, nor a large int a float
        return pd.DataFrame(rows, columns=["delegate", "brief", "result", "status"], dtype=object)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._results[index]

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        return repr(self.answers)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.answers._repr_mimebundle_(include, exclude)


def delegate(
    delegates: Sequence[HasSpec | Callable[[Any], Any]],
    briefs: Any,
    *,
    concurrency: int | None = None,
    on_error: OnError = "raise",
    on_empty: OnEmpty = "raise",
) -> Delegation:
    """Gives each delegate a copy of its brief, all at once, waits for all, and gives what they gave in their order.

    A delegate is a function of the brief, plain or asynchronous, or a graph: that takes the brief in its field `brief`
    (without one: a dict of its fields) and gives its field `result` (without one: its last state). `briefs` is a list
    or tuple with one for each, or a single value for all. `concurrency` bounds how many are asked at once. `on_error`
    "keep" leaves None for a delegate that failed, and its error in `.errors`; `on_empty` "noop" allows no delegates.

    Raises InvalidDeclaration before anything runs, also for briefs of another number than delegates, and
    DelegateFailed, which carries what the others gave, once all have ended. Source: the fan-out pattern.

    >>> delegate([len, str.upper], "four").results
    [4, 'FOUR']
    """
    plan = _plan_of(delegates, briefs, {"concurrency": concurrency, "on_error": on_error, "on_empty": on_empty})
    return _told(run_alone(plan, {}))


async def adelegate(
    delegates: Sequence[HasSpec | Callable[[Any], Any]],
    briefs: Any,
    *,
    concurrency: int | None = None,
    on_error: OnError = "raise",
    on_empty: OnEmpty = "raise",
) -> Delegation:
    """Asks in the running event loop, `await gn.adelegate(...)`; otherwise like `delegate`."""
    plan = _plan_of(delegates, briefs, {"concurrency": concurrency, "on_error": on_error, "on_empty": on_empty})
    return _told(await arun_alone(plan, {}))


def _plan_of(delegates: object, briefs: Any, options: dict[str, Any]) -> Plan:
    """A brief may be a function here: there is no state that it could be asked about."""
    own = {**options, "into": "results", "errors_into": None}
    asked = asked_delegates(_NAME, _NAME, delegates=delegates, briefs=briefs, options=own)
    return plan_alone(asked._replace(briefs=briefs_for(len(asked.delegates), briefs, place=_NAME)), _Asked)


def _told(made: Made) -> Delegation:
    instances = made.instances
    assert instances is not None and instances.briefs is not None
    errors = dict(instances.errors)
    results = made.update["results"]
    return Delegation(
        [
            Answer(i, str(instances.label(i)), brief, results[i], errors.get(i))
            for i, brief in enumerate(instances.briefs)
        ]
    )
