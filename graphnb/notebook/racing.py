"""Racing: several candidates at once, and the first result that is acceptable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphnb.engine.alone import arun_alone, run_alone
from graphnb.engine.nodes.made import Made
from graphnb.graph.plan import Plan
from graphnb.graph.spec import HasSpec
from graphnb.notebook.declaring_delegates import contending
from graphnb.notebook.planned_alone import plan_alone
from graphnb.show.answers import Attempted, Attempts
from graphnb.state.model import State
from graphnb.trace.instances import fates_of

_NAME = "gn.race"


class _Raced(State):
    result: Any = None
    winner: str | None = None


class Race:
    """How a race went: `result` is the first acceptable result, `winner` who gave it; None if nothing was acceptable.

    `attempts` has a record for each candidate in their order, and shows them as a table: candidate, status ("won",
    "failed", "not accepted", "cancelled", "never started"), result, error.
    """

    def __init__(self, result: Any, winner: str | None, *, attempts: Sequence[Attempted]) -> None:
        self.result = result
        self.winner = winner
        self.attempts = Attempts(attempts)

    @property
    def failure_history(self) -> tuple[Attempted, ...]:
        """The records of those that failed or were not accepted, in the order of the candidates."""
        return tuple(each for each in self.attempts if each.error is not None)

    def __repr__(self) -> str:
        return repr(self.attempts)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.attempts._repr_mimebundle_(include, exclude)


def race(
    candidates: Sequence[HasSpec | Callable[[Any], Any]],
    brief: Any,
    accept: Callable[[Any], object] | None = None,
    *,
    concurrency: int | None = None,
) -> Race:
    """Gives all candidates a copy of the same brief at once, and takes the first result that is acceptable.

    Candidates are what `delegate` takes. `accept` says of a result whether it is acceptable, without it every one is.
    Of results that come at once that of the candidate named first counts. The others are cancelled: asynchronous ones
    clean up before this returns, graphs stop at their next node, and a plain function that is being called is left to
    itself, as nothing can wake it; what it gives is dropped. A candidate that fails loses, and nothing else happens.

    Raises InvalidDeclaration before anything runs, and NodeException for what `accept` raises.

    >>> race([str.upper, str.title], "to be", accept=str.istitle).winner
    'title'
    """
    return _told(run_alone(_plan_of(candidates, brief, accept=accept, concurrency=concurrency), {}))


async def arace(
    candidates: Sequence[HasSpec | Callable[[Any], Any]],
    brief: Any,
    accept: Callable[[Any], object] | None = None,
    *,
    concurrency: int | None = None,
) -> Race:
    """Races in the running event loop, `await gn.arace(...)`; otherwise like `race`."""
    return _told(await arun_alone(_plan_of(candidates, brief, accept=accept, concurrency=concurrency), {}))


def _plan_of(candidates: object, brief: Any, *, accept: object, concurrency: object) -> Plan:
    options = {
        "accept": accept, "concurrency": concurrency, "into": "result", "winner_into": "winner", "failures_into": None,
    }  # fmt: skip
    node = contending(_NAME, _NAME, candidates=candidates, brief=brief, options=options)
    given = (lambda s: brief) if callable(brief) else brief  # a brief may be a function: there is no state to ask about
    return plan_alone(node._replace(brief=given), _Raced)


def _told(made: Made) -> Race:
    instances = made.instances
    assert instances is not None
    fates, errors = fates_of(instances), dict(instances.errors)
    result, winner = made.update["result"], made.update["winner"]
    won = fates.finished[0] if fates.finished else None
    attempts = []
    for i in range(instances.count):
        is_begun = i not in fates.unstarted
        gave = result if i == won else getattr(errors.get(i), "result", None)
        attempts.append(Attempted(i, str(instances.label(i)), gave, errors.get(i), i == won, is_begun))
    return Race(result, winner, attempts=attempts)
