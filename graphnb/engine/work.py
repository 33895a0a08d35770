"""The one interface between the pure core and the drivers: work that asks for calls and is sent their results.

A piece of work is a generator. It yields requests and never calls a node itself, so that the same step runs
under every driver; what a call raises is thrown in at the yield. These are the kinds of request:

- a tuple `(function, argument, is_async)`: call the function, await what it gives if need be. A bare tuple,
  because one is made in every step.
- a `Spread`: do one thing for every item, several at a time, and answer with its `Outcomes`.
- an `Around`: call a function that is middleware, and let it have the rest done.
- a `Sleep`: wait so many seconds.
- a `Tell`: let observers know; the answer is None.
- None: a pause, of which the driver may make use; the answer is None.

The classes are no NamedTuples: a driver would take one for a call.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from graphnb.graph.observer import Observer
from graphnb.trace.instances import PENDING

if TYPE_CHECKING:
    from graphnb.trace.events import Event

T = TypeVar("T")

Call = tuple[Callable[[Any], Any], Any, bool]


class Spread:
    """`one(item)` for every item, at most `concurrency` at a time, None for all at once.

    What `one` gives: with `kind` "plain" the value, with "async" something to await, with "work" a piece of
    work, in which `has_plain` and `has_async` tell what kinds of functions it will ask for. With `fail_fast`
    the first failure stops the rest: what has not started stays unstarted. An item is taken from `items` when
    its turn has come, not before. What comes of it goes into `outcomes` at once, where it is seen by those who
    look at the run, and is still there after an interruption. Each has a copy of the context variables. `is_apart`:
    there are few items, of which most are quick: the calling thread does its share, and they are begun in order.
    `leaves`: once a failure stops the rest, plain functions that are under way are not waited for, as nothing can wake
    them; what they give comes too late.
    """

    __slots__ = (
        "concurrency", "fail_fast", "has_async", "has_plain", "is_apart", "items", "kind", "leaves", "one", "outcomes",
    )  # fmt: skip

    def __init__(
        self,
        one: Callable[[Any], Any],
        items: Iterator[Any],
        *,
        outcomes: Outcomes,
        concurrency: int | None,
        fail_fast: bool,
        kind: Literal["plain", "async", "work"],
        has_plain: bool,
        has_async: bool,
        is_apart: bool = False,
        leaves: bool = False,
    ) -> None:
        self.one = one
        self.items = items
        self.outcomes = outcomes
        self.concurrency = concurrency
        self.fail_fast = fail_fast
        self.kind = kind
        self.has_plain = has_plain
        self.has_async = has_async
        self.is_apart = is_apart
        self.leaves = leaves

    @property
    def workers(self) -> int:
        """How many items may be under way at once."""
        count = len(self.outcomes.results)
        return count if self.concurrency is None else min(self.concurrency, count)


class Outcomes(NamedTuple):
    """What a `Spread` gives: `results[i]` for item i, PENDING as long as it has not finished; errors by item."""

    results: list[Any]
    errors: dict[int, Exception]


def begin_outcomes(count: int) -> Outcomes:
    """The outcomes of so many items before any of them has begun."""
    return Outcomes([PENDING] * count, {})


class Around:
    """Call `layer(state, next)`: `next(state)` does the work that `following(state)` gives, and gives its result.

    `is_async` tells that both the layer and its `next` are awaited; `is_quick` that the work calls one plain
    function and nothing else.
    """

    __slots__ = ("following", "is_async", "is_quick", "layer", "state")

    def __init__(
        self,
        layer: Callable[[Any, Any], Any],
        state: Any,
        *,
        following: Callable[[Any], Work[Any]],
        is_async: bool,
        is_quick: bool,
    ) -> None:
        self.layer = layer
        self.state = state
        self.following = following
        self.is_async = is_async
        self.is_quick = is_quick


class Sleep:
    """Go on after so many seconds."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class Tell:
    """Let these observers know of the event, without waiting for them."""

    __slots__ = ("event", "observers")

    def __init__(self, event: Event, observers: Sequence[Observer]) -> None:
        self.event = event
        self.observers = observers


Request = Call | Spread | Around | Sleep | Tell | None
Work = Generator[Request, Any, T]
