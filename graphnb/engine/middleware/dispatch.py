"""One dispatch of a node, an instance or a branch through the middleware around it. Source: pipeline-utilities §2."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from graphnb.engine.carried import raised_of
from graphnb.engine.observers.scope import Scope
from graphnb.engine.work import Around, Tell, Work
from graphnb.errors import Causes, InvalidDeclaration, NodeException
from graphnb.errors.text import kind_of, shown
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import is_async
from graphnb.graph.spec import name_of_worker
from graphnb.state.values.detach import detach

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit

Following = Callable[[Any], Work[Any]]
"""The rest of the chain: from a state the work that gives its update, which may be done more than once."""


_MEND_INTERRUPT: Final = (
    "Where a node asks, next gives an interrupt, which is no dict: let middleware '{}' hand it on as it is, "
    "if isinstance(update, gn.Interrupt): return update."
)


class Middleware(Protocol):
    """Middleware that is itself work, so that it runs alike under every driver."""

    def around(self, state: Any, following: Following, dispatch: Dispatch) -> Work[Any]:
        """The update for the state, as a rule that of `following`."""


class Dispatch:
    """What is known while a chain runs.

    `node` is the name of what is around; `event_node` that under which events tell of it, the last of the namespace.
    `place` begins error messages. `gives_fields` is False where the update may be any value, as in an instance of a
    fan-out whose values are collected as they are. `attempt_index` is that of the innermost retry; `is_entered`
    tells whether the body was reached, `has_made` whether it has given something when it was asked last, `failures`
    how its attempts failed, in order: what it raised, or middleware instead of it. `has_asked`: the body, or
    middleware, has given an interrupt; `stumbled` has the error of middleware that took it for an update, and how to
    mend that. `visit` tells observers of a node's attempts; it is None if nobody watches, and for a unit that has no
    events of its own.
    """

    __slots__ = (
        "attempt_index", "event_node", "failures", "gives_fields", "has_asked", "has_made", "is_entered", "node",
        "place", "scope", "stumbled", "visit",
    )  # fmt: skip

    def __init__(
        self, node: str, scope: Scope, *, visit: Visit | None = None, place: str = "", event_node: str | None = None
    ) -> None:
        self.node = node
        self.event_node = node if event_node is None else event_node
        self.place = place
        self.gives_fields = True
        self.scope = scope
        self.visit = visit
        self.attempt_index = scope.attempt_index
        self.is_entered = False
        self.has_made = False
        self.has_asked = False
        self.failures: list[Exception] = []
        self.stumbled: tuple[Exception | None, str] = (None, "")

    def note_raised(self, error: Exception) -> None:
        """Notes what the body raised, whatever becomes of it."""
        self.failures.append(raised_of(error))
        if self.visit is not None:
            self.visit.note_raised(error)

    def earlier_failures_of(self, error: BaseException) -> tuple[Exception, ...]:
        """How the attempts before the last one failed, which this error has ended.

        It may be another one than that attempt has raised: middleware may have put it in its place.
        """
        failures = self.failures
        is_of_last = failures and (not self.has_made or _comes_of(raised_of(error), failures[-1]))
        return tuple(failures[:-1] if is_of_last else failures)

    def end_attempt(self, error: Exception, *, before: int) -> Work[None]:
        """Tells log and observers that this attempt is over, whatever becomes of the error.

        `before` is the number of `failures` when it began: the body may have raised nothing, as where middleware
        has refused its update, or given it up after a time.
        """
        if len(self.failures) == before:
            self.failures.append(error)
        if self.visit is not None:
            yield from self.visit.settle(error)

    def tell_isolated(self, event_name: str, state: Any, *, degraded: Mapping[str, Any], causes: Causes) -> Work[None]:
        """Tells observers of a failure that was caught."""
        scope = self.scope
        if scope.watch is not None:
            from graphnb.trace.events import FailureIsolated

            event = FailureIsolated(
                event_name=event_name,
                lineage=scope.lineage_of(self.event_node, self.attempt_index),
                invocation_id=scope.watch.invocation_id,
                correlation_id=scope.watch.correlation_id,
                pre_state=copy.copy(state) if hasattr(state, "_graphnb_copies") else state,
                post_state=detach(dict(degraded)) if isinstance(degraded, Mapping) else degraded,
                caught_exception=causes,
            )
            yield Tell(event, scope.all_observers)


def _comes_of(error: BaseException, failure: Exception) -> bool:
    """True if the error is the failure, or was raised because of it or while it was handled."""
    chain: list[BaseException | None] = [error]
    seen: set[int] = set()
    for each in chain:
        if each is failure:
            return True
        if each is not None and id(each) not in seen:  # user code may have made a ring of them
            seen.add(id(each))
            chain += (each.__cause__, each.__context__)
    return False


def check_function(place: str, option: str, *, given: object, may_be_async: bool = False) -> None:
    """Raises InvalidDeclaration for an option that is given and cannot be called, or has to be awaited."""
    if given is not None and not callable(given):
        raise InvalidDeclaration(place, f"{option} is {shown(given)} ({kind_of(given)})", "Give a function.")
    if callable(given) and not may_be_async and is_async(given):
        what = f"{option} is asynchronous, and its answer is needed at once: {shown(given)}"
        raise InvalidDeclaration(place, what, "Give a plain function: def, not async def.")


def check_answer(layer: object, option: str, *, answer: object, dispatch: Dispatch) -> None:
    """Raises NodeException for an answer that is still to be awaited, which would pass for a yes."""
    if hasattr(answer, "__await__"):
        getattr(answer, "close", list)()  # so that Python does not warn of it
        what = f"{layer!r}: {option} gave something to be awaited ({kind_of(answer)})"
        raise NodeException(dispatch.place, what, "Let it give the answer itself.")


def chain_layers(layers: Sequence[Any], body: Following, *, dispatch: Dispatch, is_quick: bool) -> Following:
    """The body within its layers, the first outermost.

    A layer is Middleware, or a function (state, next) -> update, plain or asynchronous. `is_quick` tells that
    the body calls one plain function and nothing else.
    """
    following = _note_attempts(body, dispatch)
    for layer in reversed(layers):
        following = _put_around(layer, following, dispatch=dispatch, is_quick=is_quick)
        is_quick = is_quick and not hasattr(layer, "around") and not is_async(layer)
    return following


def _note_attempts(body: Following, dispatch: Dispatch) -> Following:
    def attempt(state: Any) -> Work[Any]:
        dispatch.is_entered, dispatch.has_made = True, False
        try:
            made = yield from body(state)
        except Exception as error:
            dispatch.note_raised(error)
            raise
        dispatch.has_made = True
        dispatch.has_asked = dispatch.has_asked or type(made) is Interrupt
        if dispatch.visit is not None:
            dispatch.visit.note_given(made)
        return made

    return attempt


def _put_around(layer: Any, following: Following, *, dispatch: Dispatch, is_quick: bool) -> Following:
    if hasattr(layer, "around"):
        return lambda state: layer.around(state, following, dispatch)

    def around(state: Any) -> Work[Any]:
        try:
            given = yield Around(layer, state, following=following, is_async=is_async(layer), is_quick=is_quick)
        except (TypeError, AttributeError) as error:
            if dispatch.has_asked and error is not dispatch.stumbled[0] and _is_about_interrupts(error):
                dispatch.stumbled = error, _MEND_INTERRUPT.format(name_of_worker(layer))
            raise
        dispatch.has_asked = dispatch.has_asked or type(given) is Interrupt
        return given

    return around


def _is_about_interrupts(error: Exception) -> bool:
    """True for what Python says where an interrupt is unpacked, looked into or edited."""
    return any(isinstance(each, str) and "'Interrupt'" in each for each in error.args)
