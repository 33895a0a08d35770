"""What observers are told of one node's execution: each attempt starts, and completes exactly once."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from graphnb.engine.failing import error_of_node
from graphnb.engine.observers.scope import Scope
from graphnb.engine.work import Tell, Work
from graphnb.errors import RunError
from graphnb.graph.observer import Phase
from graphnb.state.folding.fold import fold
from graphnb.state.schema import Schema, Values, state_of
from graphnb.trace.events import FanOutConfig, NodeEvent, ParallelBranchesConfig

Config = FanOutConfig | ParallelBranchesConfig


class _Started(NamedTuple):
    """One that has started and not completed yet."""

    pre: Values
    attempt_index: int
    config: Config | None


class Visit:
    """The events of one execution of a node; all its attempts share one step, which the first of them takes.

    `place` begins the message of an error, `before` are the values before the node; `step` is given where nodes of
    one super-step share it. An attempt that failed is completed as soon as a retry has seen it; else its end is decided
    when the chain around it has ended, or asks for another one. One that was interrupted or cancelled, as siblings of a
    failed instance are, is never completed; nor is one that had finished and was dropped with its super-step.
    Source: graph-engine §6; decision D-4 on the specification.
    """

    __slots__ = ("_attempt", "_before", "_error", "_given", "_name", "_place", "_schema", "_scope", "_step")

    def __init__(
        self, name: str, scope: Scope, *, place: str, schema: Schema, before: Values, step: int | None = None
    ) -> None:
        self._name = name
        self._place = place
        self._schema = schema
        self._scope = scope
        self._before = before
        self._step = step
        self._attempt: _Started | None = None
        self._error: Exception | None = None
        self._given: tuple[Any, ...] = ()

    def tell_started(self, pre: Values, attempt_index: int, *, config: Config | None = None) -> Work[None]:
        """An attempt begins, with the state that the body was given."""
        if self._attempt is not None:  # middleware has called the body again, and is no retry
            if self._error is not None:
                yield from self.settle(self._error)
            elif self._given:
                yield from self.tell_completed_alone(*self._given)
        self._attempt, self._error, self._given = _Started(pre, attempt_index, config), None, ()
        yield self._tell("started", self._attempt)

    def note_raised(self, error: Exception) -> None:
        """The body has raised; whether the attempt has failed depends on what is around it."""
        self._error = error

    def note_given(self, update: Any) -> None:
        """The body has given its update, of which middleware may make something else."""
        self._given = (dict(update) if isinstance(update, dict) else update,)

    def settle(self, error: Exception) -> Work[None]:
        """The attempt has failed for good, whatever becomes of the node."""
        failed = self._copy_error(error_of_node(self._place, error))
        failed.recoverable_state = state_of(self._schema, self._before)
        yield from self._complete(error=failed)

    def tell_failed(self, error: RunError) -> Work[None]:
        """The node has failed, or its edge."""
        yield from self._complete(error=self._copy_error(error))

    def tell_completed(self, post: Values) -> Work[None]:
        """The node has completed and its edge was chosen; `post` are the values after the fold."""
        yield from self._complete(post=post)

    def tell_completed_alone(self, update: Any) -> Work[None]:
        """The attempt has completed, with the state that its update alone makes of the one before the node.

        That is none if it does not fit; whoever merges it says so too, with observers or without.
        """
        try:
            after, _ = fold(self._schema, self._before, update, self._place)
        except Exception as error:  # noqa: BLE001  user code: reducers
            yield from self.settle(error)
        else:
            yield from self.tell_completed(after)

    def _complete(self, *, post: Values | None = None, error: RunError | None = None) -> Work[None]:
        attempt, self._attempt = self._attempt, None
        if attempt is not None:
            yield self._tell("completed", attempt, post=post, error=error)

    def _copy_error(self, error: RunError) -> RunError:
        """The error for observers: the run's own is told more of its place when it leaves the graphs around."""
        own = copy.copy(error)
        own.__cause__ = error.__cause__
        own.node, own.path = self._name, (*self._scope.path, self._name)
        return own

    def _tell(
        self, phase: Phase, attempt: _Started, *, post: Values | None = None, error: RunError | None = None
    ) -> Tell:
        scope, schema, config = self._scope, self._schema, attempt.config
        assert scope.watch is not None
        if self._step is None:
            self._step = next(scope.watch.steps)
        event = NodeEvent(
            phase=phase,
            step=self._step,
            lineage=scope.lineage_of(self._name, attempt.attempt_index),
            invocation_id=scope.watch.invocation_id,
            correlation_id=scope.watch.correlation_id,
            kept_pre=(schema, attempt.pre),
            kept_parents=scope.parents,
            kept_post=None if post is None else (schema, post),
            error=error,
            fan_out_config=config if isinstance(config, FanOutConfig) else None,
            parallel_branches_config=config if isinstance(config, ParallelBranchesConfig) else None,
        )
        return Tell(event, scope.all_observers)
