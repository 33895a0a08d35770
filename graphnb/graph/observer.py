"""Observers as they are declared: a function, its name, and the phases of which it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
    """The observer, checked; one that is made already stays as it is.

    Raises InvalidDeclaration for what cannot be called, and for no or unknown phases. Source: graph-engine §6.
    """
    if isinstance(function, Observer):
        return function
    if not callable(function):
        raise InvalidDeclaration(place, f"observer is {shown(function)} ({kind_of(function)})", "Give a function.")
    chosen = [phases] if isinstance(phases, str) or not isinstance(phases, Iterable) else list(phases)
    if not chosen:
        raise InvalidDeclaration(place, "an observer of no phase would never be told", choices("Phases", PHASES))
    for each in chosen:
        if each not in PHASES:
            raise InvalidDeclaration(place, f"{shown(each)} is no phase", choices("Phases", PHASES, each))
    own = getattr(function, "__name__", type(function).__name__)
    return Observer(function, str(own) if name is None else name, frozenset(chosen))


def observer(
    function: Callable[[Any], Any], *, phases: str | Iterable[str] = PHASES, name: str | None = None
) -> Observer:
    """An observer of one run that is told of some phases only: `observers=[gn.observer(f, phases="started")]`.

    Raises InvalidDeclaration like `observer_of`.
    """
    return observer_of(function, "gn.observer", phases=phases, name=name)
