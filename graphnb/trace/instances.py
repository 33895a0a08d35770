"""What the instances of a fan-out did: all of them in the end, or as far as they have come."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

from graphnb.errors.text import addressless
from graphnb.state.values.detach import detach
from graphnb.state.values.same import is_same

if TYPE_CHECKING:  # a circle of types alone: a log has commits, these have instances, and these have logs
    from graphnb.trace.log import Log


T = TypeVar("T")
Unit = Literal["instance", "branch", "delegate", "candidate"]
"""What the parts of a node are that runs several at once."""


class _Pending:
    """The type of `PENDING`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "PENDING"

    def __reduce__(self) -> str:
        return "PENDING"


PENDING: Final = _Pending()
"""Stands for the contribution of an instance that has not finished."""


class Tries(NamedTuple):
    """What the middleware around one instance or branch has made of its attempts, where there is something to tell.

    `failures` are the errors of attempts before the last one, or of all of them if `is_degraded`: then middleware has
    put something in their place. `is_entered` is False if middleware has ended it without asking the worker.
    """

    failures: tuple[Exception, ...] = ()
    is_entered: bool = True
    is_degraded: bool = False


class Instances(NamedTuple):
    """What a fan-out did.

    `logs` holds one log per started instance, in item order; it is empty for a plain function as worker.
    `slots` are the instances whose value was collected, in the order of the collected list; `errors` pairs
    an instance with what it raised, by instance. `over` is the list field or None, `into` the fields that
    received a list.

    Of a fan-out that did not complete nothing was collected. Then `begun` tells how many instances had begun,
    the first ones in item order, and `given` pairs each one that had finished with copies of what it gave:
    a value for each field of `into`, or the one value of a worker whose values no field receives.

    `unit` tells what stands for instances, in declared order: parallel branches, of which `names` are those that ran,
    or delegates, or the candidates of a race, with their `names` and the `briefs` that they were given. A race that is
    over is told as one that did not complete: what it has not waited for was stopped. Of branches `owners` has for each
    fold of the commit the place of the branch that made it, None for what the node itself wrote.

    `tries` pairs an instance or branch with what became of its attempts, by instance, where not just the first has
    given what it gave.
    """

    count: int  # type: ignore[assignment]  # tuples have a method of that name, which nobody needs here
    logs: tuple[Log | None, ...]
    slots: tuple[int, ...] | range
    errors: tuple[tuple[int, BaseException], ...]
    over: str | None
    into: tuple[str, ...]
    begun: int | None = None
    given: tuple[tuple[int, tuple[Any, ...]], ...] = ()
    names: tuple[str, ...] | None = None
    owners: tuple[int | None, ...] = ()
    tries: tuple[tuple[int, Tries], ...] = ()
    unit: Unit = "instance"
    briefs: tuple[Any, ...] | None = None

    def label(self, index: int) -> int | str:
        """What an instance is called: its number, or the name of the branch or delegate."""
        return index if self.names is None else self.names[index]

    def writer(self, fold: int) -> str | None:
        """The branch that made this fold of the commit, None for what the node itself wrote."""
        owner = self.owners[fold] if self.owners else None
        return self.names[owner] if self.names is not None and owner is not None else None


class Spreading(NamedTuple):
    """The instances of a fan-out that is under way: whoever runs them fills it, everybody else reads.

    `results[i]` is PENDING until instance i has finished, and then its contribution: the bare value if `first`
    is None, else a tuple in which the values for `into` stand from place `first` on. `ahead` gives the items of
    the instances that have not begun. `tries` has what is to be told of instances that have ended. `names`, `unit` and
    `briefs` as in `Instances`.
    """

    results: list[Any]
    errors: dict[int, Exception]
    ahead: Iterator[Any]
    logs: list[Log | None]
    over: str | None
    into: tuple[str, ...]
    first: int | None
    tries: dict[int, Tries]
    names: tuple[str, ...] | None = None
    unit: Unit = "instance"
    briefs: tuple[Any, ...] | None = None

    def collected(self, slots: tuple[int, ...] | range) -> Instances:
        """What the instances have done of which these gave something, once all have ended."""
        errors, tries = _in_order(self.errors), _in_order(self.tries)
        return self._told(len(self.results), tuple(self.logs), slots, errors, tries=tries)

    def so_far(self) -> Instances:
        """What the instances have done, which does not change when they go on."""
        results, errors, tries = self.results[:], self.errors.copy(), self.tries.copy()
        count = len(results)
        begun = count - operator.length_hint(self.ahead)  # read last: what has finished has begun
        given = tuple((i, self._values_of(each)) for i, each in enumerate(results) if each is not PENDING)
        told, logs = _in_order(errors), tuple(self.logs)
        return self._told(count, logs, (), told, tries=_in_order(tries))._replace(begun=begun, given=given)

    def _told(
        self,
        count: int,
        logs: tuple[Log | None, ...],
        slots: tuple[int, ...] | range,
        errors: tuple[tuple[int, Exception], ...],
        *,
        tries: tuple[tuple[int, Tries], ...],
    ) -> Instances:
        return Instances(
            count,
            logs,
            slots,
            errors,
            self.over,
            self.into,
            names=self.names,
            tries=tries,
            unit=self.unit,
            briefs=self.briefs,
        )

    def _values_of(self, contribution: Any) -> tuple[Any, ...]:
        values = (contribution,) if self.first is None else contribution[self.first :]
        return tuple(map(_own, values))


def _in_order(told: Mapping[int, T]) -> tuple[tuple[int, T], ...]:
    return tuple((i, told[i]) for i in sorted(told)) if told else ()


class Fates(NamedTuple):
    """The instances of a fan-out by what became of them; `stopped` ones had begun and came to no end."""

    finished: Sequence[int]
    failed: Sequence[int]
    stopped: Sequence[int]
    unstarted: Sequence[int]


def fates_of(made: Instances) -> Fates:
    """What became of each instance.

    >>> fates_of(Instances(6, (), (), ((1, ValueError()),), "items", ("out",), 4, ((0, (5,)),)))
    Fates(finished=(0,), failed=(1,), stopped=(2, 3), unstarted=range(4, 6))
    """
    failed = tuple(i for i, _ in made.errors)
    if made.begun is None:
        has_all = made.unit != "delegate" or not failed  # a delegate that failed has a slot all the same
        return Fates(made.slots if has_all else tuple(i for i in made.slots if i not in failed), failed, (), ())
    finished = tuple(i for i, _ in made.given)
    ended = {*finished, *failed}
    stopped = tuple(i for i in range(made.begun) if i not in ended)
    return Fates(finished, failed, stopped, range(made.begun, made.count))


def have_ended_alike(one: Instances | None, other: Instances | None) -> bool:
    """True if the same ones were asked the same, gave something or won, and the others failed with the same errors.

    >>> first, third = (Instances(3, (), (), ((i, KeyError()),), "items", ()) for i in (0, 2))
    >>> have_ended_alike(first, first), have_ended_alike(first, third), have_ended_alike(first, None)
    (True, False, False)
    """
    if one is None or other is None:
        return one is other
    if not are_asked_alike(one, other) or one.slots != other.slots:
        return False
    if not is_same(one.given[:1], other.given[:1]):  # of a race: who has won, and with what
        return False
    return [(i, _told(error)) for i, error in one.errors] == [(i, _told(error)) for i, error in other.errors]


def are_asked_alike(one: Instances | None, other: Instances | None) -> bool:
    """True if the same branches ran, or delegates or candidates of the same names were given the same briefs."""
    if one is None or other is None:
        return one is other
    if (one.unit, one.names) != (other.unit, other.names):
        return False
    pairs = zip(one.briefs or (), other.briefs or (), strict=True)
    told = {(id(mine), id(theirs)): (mine, theirs) for mine, theirs in pairs}  # one brief for all is compared once
    return all(is_same(*pair) for pair in told.values())


def _told(error: BaseException) -> tuple[str, str]:
    name = type(error).__qualname__
    try:
        return name, addressless(str(error))
    except Exception:  # noqa: BLE001  a user's exception may fail to say what it is
        return name, ""


def _own(value: Any) -> Any:
    try:
        return detach(value)
    except Exception:  # noqa: BLE001  a worker's own value, which other instances may be changing just now
        return value
