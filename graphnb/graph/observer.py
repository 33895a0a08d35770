"""Observers as they are declared: a function, its name, and the phases of which it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from graphnb.errors import InvalidDeclaration
from graphnb.errors.text import choices, kind_of, shown

Phase = Literal["started", "completed"]
PHASES: tuple[Phase, ...] = ("started", "completed")


@dataclass(frozen=True, slots=True)
class Observer:
    """A function of an event, plain or asynchronous; `phases` are those of which it is told."""

    function: Callable[[Any], Any]
    name: str
    phases: frozenset[str] = frozenset(PHASES)


def observer_of(
    function: object, place: str, *, phases: str | Iterable[str] = PHASES, name: str | None = None
) -> Observer:
    """The observer, checked; one that is made already keeps its phases, and its name unless another is given.

    Raises InvalidDeclaration for what cannot be called, for no or unknown phases, and for phases beside those that
    the observer has already. Source: graph-engine §6.
    """
    if isinstance(function, Observer):
        return _made_before(function, place, phases=phases, name=name)
    if not callable(function):
        raise InvalidDeclaration(place, f"observer is {shown(function)} ({kind_of(function)})", "Give a function.")
    chosen = _chosen(place, phases)
    own = getattr(function, "__name__", type(function).__name__)
    return Observer(function, str(own) if name is None else name, chosen)


def _made_before(made: Observer, place: str, *, phases: str | Iterable[str], name: str | None) -> Observer:
    chosen = made.phases if phases is PHASES else _chosen(place, phases)
    if chosen != made.phases:
        what = f"observer {made.name!r} is told of {_listed(made.phases)} already, and here of {_listed(chosen)}"
        raise InvalidDeclaration(place, what, "Say it once: give the bare function here, or leave phases out.")
    return made if name is None else replace(made, name=name)


def _chosen(place: str, phases: str | Iterable[str]) -> frozenset[str]:
    chosen = [phases] if isinstance(phases, str) or not isinstance(phases, Iterable) else list(phases)
    if not chosen:
        raise InvalidDeclaration(place, "an observer of no phase would never be told", choices("Phases", PHASES))
    for each in chosen:
        if each not in PHASES:
            raise InvalidDeclaration(place, f"{shown(each)} is no phase", choices("Phases", PHASES, each))
    return frozenset(chosen)


def _listed(phases: Iterable[str]) -> str:
    return " and ".join(sorted(phases, reverse=True))


def observer(
    function: Callable[[Any], Any], *, phases: str | Iterable[str] = PHASES, name: str | None = None
) -> Observer:
    """An observer of one run that is told of some phases only: `observers=[gn.observer(f, phases="started")]`.

    Raises InvalidDeclaration like `observer_of`.
    """
    return observer_of(function, "gn.observer", phases=phases, name=name)
