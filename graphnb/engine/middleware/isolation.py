"""Failure isolation: an update in place of a failure. Source: pipeline-utilities §6.3."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from graphnb.engine.carried import call_carrying, raised_of
from graphnb.engine.middleware.dispatch import Dispatch, Following, check_answer, check_function
from graphnb.engine.work import Work
from graphnb.errors import Causes, InvalidDeclaration, InvalidUpdate, causes_of
from graphnb.errors.text import kind_of, shown
from graphnb.graph.plan import is_async
from graphnb.state.values.detach import detach

Degraded = Mapping[str, Any] | Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, repr=False)
class FailureIsolation:
    """Made by `failure_isolation`."""

    degraded_update: Degraded
    event_name: str
    catch: frozenset[str] | None
    predicate: Callable[[Exception], bool] | None
    on_caught: Callable[[Exception], Any] | None

    def around(self, state: Any, following: Following, dispatch: Dispatch) -> Work[Any]:
        """What follows gives, or the degraded update if it fails in a way that is to be caught."""
        before = len(dispatch.failures)
        try:
            return (yield from following(state))
        except Exception as failed:
            error = raised_of(failed)
            causes = causes_of(error)
            if not self._catches(error, causes, dispatch=dispatch):
                raise
            if dispatch.is_entered and len(dispatch.failures) == before:  # middleware within has raised it
                dispatch.failures.append(error)
            degraded = self._degrade(state, dispatch)
            yield from dispatch.tell_isolated(self.event_name, state, degraded=degraded, causes=causes)
            if self.on_caught is not None:
                yield self.on_caught, error, is_async(self.on_caught)
            return degraded

    def _catches(self, error: Exception, causes: Causes, *, dispatch: Dispatch) -> bool:
        if self.catch is not None and causes.category not in self.catch:
            return False
        if self.predicate is None:
            return True
        answer = call_carrying(self.predicate, error)
        check_answer(self, "predicate", answer=answer, dispatch=dispatch)
        return bool(answer)

    def _degrade(self, state: Any, dispatch: Dispatch) -> Any:
        """The degraded update. Raises InvalidUpdate if it is none, before anybody is told of it."""
        given = self.degraded_update
        if not callable(given):
            return detach(dict(given))  # others may edit theirs
        degraded = call_carrying(given, state)
        check_answer(self, "degraded_update", answer=degraded, dispatch=dispatch)
        if dispatch.gives_fields and not isinstance(degraded, Mapping):
            where = f"{dispatch.place}, {self!r}"
            what = f"its function returned {kind_of(degraded)}, want a dict of fields: {shown(degraded)}"
            raise InvalidUpdate(where, what, "Return a dict such as {'field': value}, or {} to change nothing.")
        return degraded

    def __repr__(self) -> str:
        return f"failure_isolation({self.event_name!r})"


def failure_isolation(
    degraded_update: Degraded,
    *,
    event_name: str,
    catch: Collection[str] | None = None,
    predicate: Callable[[Exception], bool] | None = None,
    on_caught: Callable[[Exception], Any] | None = None,
) -> FailureIsolation:
    """Middleware that returns an update in place of a failure, and tells observers of it under `event_name`.

    `degraded_update` is the update, or a function of the state that gives it. `catch` are categories, compared
    with that of the cause (see `causes_of`); `predicate` is asked about the error as it arrives here. Without
    either, every ordinary exception is caught; never a cancellation. `on_caught`, plain or asynchronous, is
    called with the error before the update is returned. Put it outside of `retry`. Raises InvalidDeclaration.
    """
    if not callable(degraded_update) and not isinstance(degraded_update, Mapping):
        what = f"degraded_update is {shown(degraded_update)} ({kind_of(degraded_update)})"
        raise InvalidDeclaration("failure_isolation", what, "Give a dict, or a function of the state.")
    if not isinstance(event_name, str) or not event_name:
        raise InvalidDeclaration("failure_isolation", f"event_name is {shown(event_name)}", "Give a name.")
    if callable(degraded_update):
        check_function("failure_isolation", "degraded_update", given=degraded_update)
    check_function("failure_isolation", "predicate", given=predicate)
    check_function("failure_isolation", "on_caught", given=on_caught, may_be_async=True)
    return FailureIsolation(degraded_update, event_name, _categories_of(catch), predicate, on_caught)


def _categories_of(catch: object) -> frozenset[str] | None:
    if catch is None:
        return None
    if isinstance(catch, str):
        raise InvalidDeclaration("failure_isolation", f"catch is {shown(catch)}", f"Give a set: {{{catch!r}}}.")
    if isinstance(catch, Collection) and all(isinstance(each, str) for each in catch):
        return frozenset(catch)
    mend = "Give a set of categories, such as {'provider_unavailable'}; for types of errors there is predicate."
    raise InvalidDeclaration("failure_isolation", f"catch is {shown(catch)} ({kind_of(catch)})", mend)
