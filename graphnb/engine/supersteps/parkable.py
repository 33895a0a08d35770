"""A super-step of a document, as far as it has come: parked when attempts are to be repeated, and taken up again.

Source: super-steps, failure and retry.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Mapping, Sequence

from graphnb.engine.attempt import Given, unfolded_commit_of
from graphnb.engine.documents.context import NodeContext, bind_context
from graphnb.engine.documents.time_limits import limit_seconds
from graphnb.engine.failing import text_of
from graphnb.engine.middleware.dispatch import Dispatch
from graphnb.engine.nodes.made import Made
from graphnb.engine.observers.scope import Scope
from graphnb.engine.position import Position
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.supersteps.lanes import Lane, lane_of
from graphnb.errors import NodeException
from graphnb.graph.interrupt import is_invalid_interrupt
from graphnb.graph.plan import Policy
from graphnb.state.values.detach import detach
from graphnb.trace.log import Log, Open
from graphnb.trace.parking import Parking


class ParkableStep:
    """Who has given what, and who is to be tried, after how many milliseconds.

    `values` and `versions` are those that the nodes see, `attempts` has the number of the next attempt by node.
    `failures` are the errors of attempts by node, `texts` those of the last ones in words. Made of the parked step, if
    the log has one.
    """

    def __init__(self, graph: RunningGraph, position: Position) -> None:
        self.graph = graph
        self.given: dict[str, Given] = {}
        self.failures: dict[str, list[Exception]] = {}
        self.texts: dict[str, str] = {}
        parked = graph.log.parked
        if parked is not None:
            self._take_up(parked)
            return
        self.values = position.values
        self.versions: Mapping[str, int] = dict.fromkeys(graph.plan.schema.fields, 0) | position.versions
        self.attempts = dict.fromkeys(position.active, 1)
        self.waits = dict.fromkeys(self.attempts, 0)

    def _take_up(self, parked: Parking) -> None:
        log, nodes = self.graph.log, self.graph.plan.nodes
        self.values, self.versions = dict(parked.values), parked.versions
        self.attempts, self.waits = dict(parked.attempts), dict(parked.waits)
        for each in log.parkings:
            for name, text in each.failures.items() if each.step == parked.step else ():
                self.failures.setdefault(name, []).append(NodeException(nodes[name].place, f"raised {text}"))
        for name, update in parked.given.items():
            dispatch = Dispatch(name, Scope(1))
            dispatch.is_entered = True
            self.take(name, Given(update, Made(update), dispatch, None))

    @property
    def pause(self) -> int:
        """How many milliseconds there are until the next nodes are due."""
        return min(self.waits.values())

    def park(self) -> Parking:
        """What has to be kept of it."""
        return Parking(
            step=self.graph.log.step,
            commits=len(self.graph.log.commits),
            values=self.values,
            versions=self.versions,
            given={name: each.update for name, each in self.given.items()},
            attempts=dict(self.attempts),
            waits=dict(self.waits),
            failures=self.texts,
        )

    def take(self, name: str, given: Given) -> None:
        """Keeps what a node has given, and tells with it of the attempts that failed before."""
        given.dispatch.failures += self.failures.get(name, ())
        self.given[name] = given

    def may_repeat(self, name: str, error: Exception) -> bool:
        """True if the node may be tried once more after the attempt that it is at, which ended with this error."""
        return self.attempts[name] < self._policy_of(name).max_attempts and not is_invalid_interrupt(error.__cause__)

    def schedule(self, failed: Mapping[str, Exception]) -> None:
        """Goes on to when the next nodes are due: those that still wait, and these, whose attempts have failed."""
        pause = self.pause
        rest = {name: wait - pause for name, wait in self.waits.items() if wait > pause}
        self.texts = {}
        for name, error in failed.items():
            failure = error.__cause__ if isinstance(error.__cause__, Exception) else error
            self.failures.setdefault(name, []).append(failure)
            self.texts[name] = text_of(failure)
        self.attempts = {name: self.attempts[name] + (name in failed) for name in (*rest, *failed)}
        self.waits = rest | {name: self._policy_of(name).backoff_ms for name in failed}

    def next_lane_of(self, name: str) -> Lane:
        """A lane for the next attempt at a node, whose function calls the implementation with the context of it."""
        graph, node, policy = self.graph, self.graph.plan.nodes[name], self._policy_of(name)
        assert node.function is not None
        context = NodeContext(
            run_id="" if graph.scope.ids is None else graph.scope.ids.run_id,
            node=name,
            step=graph.log.step,
            attempt=self.attempts[name],
            versions=dict(self.versions),
            config=detach(policy.config),
            _values=self.values,
        )
        function = bind_context(node.function, context)
        if policy.timeout is not None:
            function = limit_seconds(function, policy.timeout, is_async=node.is_async)
        scope = graph.scope._replace(attempt_index=self.attempts[name] - 1)  # events count from 0
        return lane_of(graph, dataclasses.replace(node, function=function), values=self.values, scope=scope)

    def logs_of(self, lanes: Sequence[Lane], *, again: Container[str] = ()) -> dict[str, Log]:
        """The log of a lane for each node of a step that failed or was stopped, by name; these lanes ran last.

        They tell what was tried before, who would have been tried `again`, and who had finished earlier.
        """
        nodes = self.graph.plan.nodes
        tried = {lane.node.name: lane.log for lane in lanes}
        logs = dict(tried)
        for name in {*self.given, *self.attempts} - tried.keys():
            logs[name] = lane_of(self.graph, nodes[name], values=self.values).log
        for name, log in logs.items():
            if name in self.given:
                log.commits.append(unfolded_commit_of(nodes[name], self.given[name]))
            elif name in again or name not in tried:
                log.failure, log.open = None, Open(0, name, stopped=True)
            elif log.failure is not None:
                log.failure = log.failure._replace(failures=tuple(self.failures.get(name, ())))
        return {name: logs[name] for name in sorted(logs)}

    def _policy_of(self, name: str) -> Policy:
        """How the node is called."""
        return self.graph.plan.nodes[name].policy or Policy()
