"""A node that gives candidates one brief and takes the first acceptable result; the others are cancelled."""

from __future__ import annotations

from typing import Any

from graphnb.engine.answers import is_yes
from graphnb.engine.carried import raised_of
from graphnb.engine.failing import error_of_option
from graphnb.engine.invocation import Within
from graphnb.engine.nodes.delegate import ask_delegate, brief_of, record_of, spreading_of
from graphnb.engine.nodes.made import Attempt, Made
from graphnb.engine.stopping import halt_instances
from graphnb.engine.work import Outcomes, Spread, Work, begin_outcomes
from graphnb.errors import NotAccepted
from graphnb.errors.text import shown
from graphnb.graph.delegation import copy_of_brief
from graphnb.graph.plan import PlannedDelegate, PlannedNode, is_async
from graphnb.graph.spec import RaceNode
from graphnb.trace.instances import PENDING, Instances
from graphnb.trace.log import Open


class _Won(Exception):
    """There is an acceptable result."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


def run_race(attempt: Attempt) -> Work[Made]:
    """The update of the first acceptable result: of several that came at once, that of the candidate named first.

    Candidates that fail, or whose result is not acceptable, are noted and nothing more. Raises DelegationError for a
    brief that cannot be copied, and a NodeException for what `accept` raises. Until it is committed the log has the
    candidates open.
    """
    node, log, spec = attempt.node, attempt.graph.log, attempt.node.spec
    assert isinstance(spec, RaceNode)
    candidates, count = node.delegates, len(node.delegates)
    given = yield from brief_of(spec.brief, spec.brief_from, "brief", attempt=attempt)
    brief = copy_of_brief(given, node.place)
    outcomes, ahead = begin_outcomes(count), iter(range(count))
    results: list[Any] = [PENDING] * count
    lost: dict[int, Exception] = {}
    accepted: list[int] = []
    found = Outcomes(results, lost)
    spreading = spreading_of(node, found, ahead=ahead, unit="candidate", briefs=(brief,) * count, into=())

    def contend(i: int) -> Work[None]:
        try:
            result = yield from ask_delegate(candidates[i], brief, attempt=attempt, logs=spreading.logs, i=i)
        except Exception as error:  # noqa: BLE001  user code
            lost[i] = raised_of(error)
            return
        refused = yield from _refusal_of(result, i, attempt=attempt)
        if refused is not None:
            lost[i] = refused
            return
        if accepted and not _is_plain(candidates[i]):
            return  # it was told to stop, and gave something all the same
        accepted.append(i)
        raise _Won(result)

    log.open = Open(len(log.commits), node.name, None, spreading)
    with Within():
        yield Spread(
            one=contend,
            items=ahead,
            outcomes=outcomes,
            concurrency=spec.concurrency,
            fail_fast=True,
            kind="work",
            has_plain=_asks_plainly(spec) or any(each.has_plain for each in candidates),
            has_async=(spec.accept is not None and is_async(spec.accept)) or any(each.has_async for each in candidates),
            leaves=True,
        )
    ending = next(iter(outcomes.errors.values()), None)  # they stand as they came
    if ending is not None and not isinstance(ending, _Won):
        raise ending
    won = {i: error.result for i, error in outcomes.errors.items() if isinstance(error, _Won)}
    if won:
        winner = min(won)
        results[winner] = won[winner]
    made = spreading.so_far()  # what was left behind goes on
    return Made(_update_of(node, made, results=results, lost=lost), None, halt_instances(made, node))


def _is_plain(candidate: PlannedDelegate) -> bool:
    """True for a function that nothing can stop: what it gives at the very same time counts, whatever its thread."""
    return candidate.child is None and not candidate.is_async


def _refusal_of(result: Any, i: int, *, attempt: Attempt) -> Work[Exception | None]:
    """Why the result of a candidate is not acceptable, None if it is."""
    node, spec = attempt.node, attempt.node.spec
    assert isinstance(spec, RaceNode)
    place = node.delegates[i].place
    if spec.accept is None:
        return None
    try:
        if is_yes((yield spec.accept, result, is_async(spec.accept))):
            return None
    except Exception as error:  # noqa: BLE001  user code
        raise error_of_option(node, "accept", error=error)  # noqa: B904  its cause is set
    refused = NotAccepted(place, f"gave {shown(result)}, which is not acceptable")
    refused.result = result
    return refused


def _asks_plainly(spec: RaceNode) -> bool:
    return spec.accept is not None and not is_async(spec.accept)


def _update_of(node: PlannedNode, made: Instances, *, results: list[Any], lost: dict[int, Exception]) -> dict[str, Any]:
    """The result and who gave it, None without one, and a record of each that has lost, in the order of candidates."""
    spec = node.spec
    assert isinstance(spec, RaceNode)
    winner = next((i for i, _ in made.given), None)
    update: dict[str, Any] = {}
    if spec.into is not None:
        update[spec.into] = None if winner is None else results[winner]
    if spec.winner_into is not None:
        update[spec.winner_into] = None if winner is None else made.label(winner)
    if spec.failures_into is not None:
        update[spec.failures_into] = [
            record_of(node.delegates[i], i, unit="candidate", error=lost[i]) for i, _ in made.errors
        ]
    return update
