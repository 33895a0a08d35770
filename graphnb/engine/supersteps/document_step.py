"""A super-step of a document: attempts that failed are repeated, and meanwhile the step is parked.

Source: super-steps, settling, failure and retry.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Mapping
from typing import Any

from graphnb.engine.attempt import Asked, finished
from graphnb.engine.documents.context import NodeContext, bound
from graphnb.engine.documents.given import given_of
from graphnb.engine.documents.time_limits import within_seconds
from graphnb.engine.failing import step_failed, told
from graphnb.engine.middleware.dispatch import Dispatch
from graphnb.engine.nodes.made import Made, RunGraph
from graphnb.engine.observers.scope import Scope
from graphnb.engine.observers.visit import Visit
from graphnb.engine.position import Position
from graphnb.engine.stopping import stop_step
from graphnb.engine.supersteps.together import commits_of, lane_of, open_lanes, run_lanes, tell_faults, unforeseen
from graphnb.engine.work import Sleep, Work
from graphnb.errors import NodeException, ReducerError
from graphnb.graph.documents.lowering import seconds_of
from graphnb.graph.plan import Plan, PlannedNode, Policy
from graphnb.state.values.detach import detach
from graphnb.trace.log import Commit, Log, Open
from graphnb.trace.parking import Parking

Settled = tuple[list[Commit], list[Visit | None]]


def run_document_step(
    plan: Plan, position: Position, log: Log, scope: Scope, run_graph: RunGraph, *, pauses: bool
) -> Work[Settled]:
    """The commits of one super-step, which the caller puts into the log, and what has still to tell observers.

    Goes on with a step that was parked. Raises the RunError of the first node, by name, that failed for good.
    """
    step = _Step(plan, position, log, None if scope.watch is None else next(scope.watch.steps))
    while step.attempts:
        yield from _attempt(step, scope, run_graph)
        if step.attempts:
            log.parkings = (*log.parkings, step.parking())
            log.open = None
            if pauses:
                yield None
    nodes = [plan.nodes[name] for name in sorted(step.given)]
    given = [step.given[node.name] for node in nodes]
    commits, faults = commits_of(nodes, given, log=log, values=position.values)
    if faults:
        for error in faults.values():
            if isinstance(error, ReducerError):  # the step family has no other one
                error.mend = "Let the nodes write smaller numbers: what they write and what was there are added up."
        lanes = open_lanes(log, nodes, position.values)
        for node, lane in zip(nodes, lanes, strict=True):
            lane.commits.append(finished(node, step.given[node.name]))
        errors = yield from tell_faults(plan, nodes, given, faults, lanes=lanes, values=position.values)
        raise step_failed(log, lanes, errors)
    return commits, [asked.visit for asked in given]


class _Step:
    """How far a super-step has come: who has given what, and who is to be tried, after how many milliseconds.

    `failures` are the errors of attempts by node, `texts` the same in words. `number` is that of events, None if
    nobody watches.
    """

    def __init__(self, plan: Plan, position: Position, log: Log, number: int | None) -> None:
        self.plan, self.log = plan, log
        parked = log.parked
        if parked is None:
            self.values = position.values
            self.versions: Mapping[str, int] = dict.fromkeys(plan.schema.fields, 0) | position.versions
            self.attempts = dict.fromkeys(position.active, 1)
            self.waits = dict.fromkeys(self.attempts, 0)
            self.failures: dict[str, tuple[Exception, ...]] = {}
            self.texts: dict[str, tuple[str, ...]] = {}
            self.given: dict[str, Asked] = {}
        else:
            self.values, self.versions = dict(parked.values), parked.versions
            self.attempts, self.waits = dict(parked.attempts), dict(parked.waits)
            self.texts = dict(parked.failures)
            self.failures = {
                name: tuple(NodeException(plan.nodes[name].place, f"raised {each}") for each in texts)
                for name, texts in parked.failures.items()
            }
            self.given = {name: self.restored(name, each) for name, each in parked.given.items()}
        self.number = number

    def restored(self, name: str, update: Any) -> Asked:
        """What a node has given before the step was parked."""
        dispatch = Dispatch(name, Scope(1))
        dispatch.is_entered = True
        return self.with_failures(name, Asked(update, Made(update), dispatch, None))

    def with_failures(self, name: str, asked: Asked) -> Asked:
        """The same, which tells of the attempts that failed before."""
        asked.dispatch.failures += self.failures.get(name, ())
        return asked

    def parking(self) -> Parking:
        """What has to be kept of it."""
        return Parking(
            step=self.log.step,
            commits=len(self.log.commits),
            values=self.values,
            versions=self.versions,
            given={name: each.update for name, each in self.given.items()},
            attempts=dict(self.attempts),
            waits=dict(self.waits),
            failures=dict(self.texts),
        )

    def policy(self, name: str) -> Policy:
        """How the node is called."""
        return self.plan.nodes[name].policy or Policy()

    def node(self, name: str, scope: Scope) -> PlannedNode:
        """The node, whose function calls the implementation with the context of its next attempt."""
        node, policy = self.plan.nodes[name], self.policy(name)
        assert node.function is not None
        context = NodeContext(
            run_id="" if scope.ids is None else scope.ids.run_id,
            node=name,
            step=self.log.step,
            attempt=self.attempts[name],
            versions=dict(self.versions),
            config=detach(policy.config),
            _values=self.values,
        )
        function = bound(node.function, context)
        if policy.timeout is not None:
            function = within_seconds(function, policy.timeout, is_async=node.is_async)
        return dataclasses.replace(node, function=function)

    def scope(self, name: str, scope: Scope) -> Scope:
        """That of the node's next attempt, which events count from 0."""
        return scope._replace(attempt_index=self.attempts[name] - 1)

    def all_lanes(self, tried: Mapping[str, Log], again: Container[str]) -> tuple[Log, ...]:
        """A lane for each node of a step that failed or was stopped, by name; `tried` are those of the last attempt.

        They tell what was tried before, who would have been tried again, and who had finished earlier.
        """
        others = {*self.given, *self.attempts} - tried.keys()
        lanes = {**tried, **{name: lane_of(self.log, self.values) for name in others}}
        for name, lane in lanes.items():
            if name in self.given:
                lane.commits.append(finished(self.plan.nodes[name], self.given[name]))
            elif name in again or name not in tried:
                lane.failure, lane.open = None, Open(0, name, stopped=True)
            elif lane.failure is not None:
                lane.failure = lane.failure._replace(failures=self.failures.get(name, ()))
        return tuple(lanes[name] for name in sorted(lanes))


def _attempt(step: _Step, scope: Scope, run_graph: RunGraph) -> Work[None]:
    """One attempt at each node whose time has come. Raises RunError for a failure that is not to be repeated."""
    pause = min(step.waits.values())  # what attempts take is not counted: who runs together must not depend on it
    if pause > 0:
        yield Sleep(seconds_of(pause))
    due = sorted(name for name, wait in step.waits.items() if wait == pause)
    assert step.plan.rules is not None
    nodes, scopes = [step.node(name, scope) for name in due], [step.scope(name, scope) for name in due]
    lanes = open_lanes(step.log, nodes, step.values)
    tried = dict(zip(due, lanes, strict=True))
    try:
        outcomes = yield from run_lanes(nodes, lanes, step.plan, scopes, run_graph, step=step.number)
    except Exception as error:  # noqa: BLE001  raised before any node had begun
        raise step_failed(step.log, lanes, [unforeseen(error, step.plan, nodes[0], lane=lanes[0], values=step.values)])  # noqa: B904  its cause is set
    except BaseException:
        stop_step(step.log, step.plan, step.all_lanes(tried, ()))
        raise
    raised: dict[str, Any] = {due[i]: error for i, error in sorted(outcomes.errors.items())}  # lanes raise RunErrors
    again = [name for name in raised if step.attempts[name] < step.policy(name).max_attempts]
    given: dict[int, Any] = {}
    faults: dict[int, Exception] = {}
    for i in (i for i, name in enumerate(due) if name not in raised):
        try:
            given[i] = given_of(step.log, step.plan.rules, nodes[i], outcomes.results[i].update)
        except Exception as error:  # noqa: BLE001  whatever is wrong with it; nobody is asked again
            faults[i] = error
    errors = [error for name, error in raised.items() if name not in again]
    errors += yield from tell_faults(step.plan, nodes, outcomes.results, faults, lanes=lanes, values=step.values)
    if errors:
        raise step_failed(step.log, step.all_lanes(tried, again), sorted(errors, key=lambda error: error.node or ""))
    for i, update in given.items():
        step.given[due[i]] = step.with_failures(due[i], outcomes.results[i]._replace(update=update))
    rest = {name: wait - pause for name, wait in step.waits.items() if name not in due}
    for name in again:
        failure = raised[name].__cause__ or raised[name]
        step.failures[name] = (*step.failures.get(name, ()), failure)
        step.texts[name] = (*step.texts.get(name, ()), told(failure))  # once: a node may be tried very often
    step.attempts = {name: step.attempts[name] + (name in again) for name in (*rest, *again)}
    step.waits = rest | {name: step.policy(name).backoff_ms for name in again}
