"""Retry: a failed attempt is made again, after a pause, as often as is allowed. Source: pipeline-utilities §6.1."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final

from graphnb.engine.carried import call_carrying, raised_of
from graphnb.engine.middleware.dispatch import Dispatch, Following, check_answer, check_function
from graphnb.engine.work import Sleep, Work
from graphnb.errors import InvalidDeclaration, NodeException, category_of
from graphnb.errors.text import kind_of, shown
from graphnb.graph.plan import is_async

TRANSIENT: Final = frozenset({"provider_unavailable", "provider_rate_limit", "provider_model_not_loaded"})
"""Categories of failures that may pass by themselves."""
_LONGEST: Final = 30.0  # seconds

Classifier = Callable[[Exception, Any], bool]
Backoff = Callable[[int], float]
OnRetry = Callable[[Exception, int], Any]


@dataclass(frozen=True, slots=True, repr=False)
class Retry:
    """Made by `retry`."""

    max_attempts: int
    classifier: Classifier
    backoff: Backoff
    on_retry: OnRetry | None

    def around(self, state: Any, following: Following, dispatch: Dispatch) -> Work[Any]:
        """What the first attempt that succeeds gives. Raises what the last one raised; never stops a cancellation."""
        attempt_index = 0
        while True:
            dispatch.attempt_index, before = attempt_index, len(dispatch.failures)
            try:
                return (yield from following(state))
            except Exception as failed:
                error = raised_of(failed)
                yield from dispatch.end_attempt(error, before=before)
                if attempt_index + 1 == self.max_attempts or not self._is_worth_it(error, state, dispatch=dispatch):
                    raise
                if self.on_retry is not None:
                    yield _bind(self.on_retry, error, attempt_index=attempt_index), None, is_async(self.on_retry)
                pause = Sleep(self._ask_backoff(attempt_index, dispatch))
            yield pause
            attempt_index += 1

    def _is_worth_it(self, error: Exception, state: Any, *, dispatch: Dispatch) -> bool:
        answer = call_carrying(self.classifier, error, state)
        check_answer(self, "classifier", answer=answer, dispatch=dispatch)
        return bool(answer)

    def _ask_backoff(self, attempt_index: int, dispatch: Dispatch) -> float:
        """What `backoff` says. Raises NodeException if that is no time to wait."""
        given = call_carrying(self.backoff, attempt_index)
        check_answer(self, "backoff", answer=given, dispatch=dispatch)
        seconds = _seconds_of(given)
        if seconds is None:
            what = f"{self!r}: backoff gave {shown(given)} ({kind_of(given)}) after attempt {attempt_index}"
            raise NodeException(dispatch.place, what, "Let it give seconds: a number of at least 0.")
        return seconds

    def __repr__(self) -> str:
        return f"retry(max_attempts={self.max_attempts})"


def retry(
    max_attempts: int = 3,
    *,
    classifier: Classifier | None = None,
    backoff: Backoff | float | None = None,
    on_retry: OnRetry | None = None,
) -> Retry:
    """Middleware that makes a failed attempt again, up to `max_attempts` in all; 1 means never.

    `classifier(error, state)` tells whether an error is worth another attempt; without one, only transient
    errors are, see `is_transient`. `backoff(attempt_index)` gives the seconds to wait after attempt 0, 1, ...,
    a number the same seconds always; without one they are drawn from between 0 and 1, 2, 4, ... up to 30.
    `on_retry(error, attempt_index)`, plain or asynchronous, is called before each wait. Raises
    InvalidDeclaration.

    >>> retry(5, backoff=0)
    retry(max_attempts=5)
    """
    if isinstance(max_attempts, bool) or not isinstance(max_attempts, int) or max_attempts < 1:
        what = f"max_attempts is {shown(max_attempts)} ({kind_of(max_attempts)})"
        raise InvalidDeclaration("retry", what, "Give an int of at least 1.")
    check_function("retry", "classifier", given=classifier)
    check_function("retry", "on_retry", given=on_retry, may_be_async=True)
    return Retry(max_attempts, classifier or _is_worth_it, _backoff_of(backoff), on_retry)


def is_transient(error: BaseException) -> bool:
    """True if the error, or its direct cause, is marked `transient` or has one of the transient categories.

    >>> busy = RuntimeError("busy")
    >>> busy.category = "provider_unavailable"
    >>> is_transient(busy), is_transient(ValueError("no"))
    (True, False)
    """
    return any(
        each is not None and (getattr(each, "transient", False) is True or category_of(each) in TRANSIENT)
        for each in (error, error.__cause__)
    )


def is_transient_within(error: BaseException) -> bool:
    """The same, also where the error was raised in a graph of its own, whose error it is the cause of."""
    return is_transient(error) or (error.__cause__ is not None and is_transient(error.__cause__))


def _is_worth_it(error: Exception, state: object) -> bool:
    return is_transient(error)


def _backoff_of(given: Backoff | float | None) -> Backoff:
    if given is None:
        return _draw_seconds
    if callable(given):
        check_function("retry", "backoff", given=given)
        return given
    seconds = _seconds_of(given)
    if seconds is None:
        what = f"backoff is {shown(given)} ({kind_of(given)})"
        raise InvalidDeclaration("retry", what, "Give seconds, or a function of the attempt's index.")
    return functools.partial(_give_always, seconds)


def _seconds_of(given: object) -> float | None:
    """A time to wait, None for what is no finite number of at least 0."""
    if isinstance(given, bool) or not isinstance(given, Real):
        return None
    try:
        seconds = float(given)
    except OverflowError:  # an int that no float can hold
        return None
    return seconds if 0 <= seconds < math.inf else None


def _draw_seconds(attempt_index: int) -> float:
    return random.uniform(0, min(_LONGEST, 2.0 ** min(attempt_index, 10)))


def _give_always(seconds: float, attempt_index: int) -> float:
    return seconds


def _bind(on_retry: OnRetry, error: Exception, *, attempt_index: int) -> Callable[[Any], Any]:
    return lambda _: on_retry(error, attempt_index)
