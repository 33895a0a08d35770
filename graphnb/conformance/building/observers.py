"""Observers of a case: what they do, and to what they are attached. Source: fixture language §6."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.building.nodes import MockFailure
from graphnb.conformance.building.notes import RECORDER, Delivered
from graphnb.conformance.building.probe import Probe
from graphnb.conformance.reading.parts import CaseFault, NotSupported, Part
from graphnb.conformance.reading.shapes import either, keyed, many, number, one_of, text
from graphnb.errors.text import choices
from graphnb.graph.observer import PHASES, Observer, observer_of
from graphnb.trace.events import Event

OUTER: Final = "outer"
"""What a case calls its outermost graph where it says to which graph an observer is attached."""

Function = Callable[[Event], Any]


@dataclass(frozen=True, slots=True)
class Watcher:
    """One observer as a case declares it.

    `phases` is None where the product's default holds. It sleeps `first` milliseconds before each event of the
    first invocation that it sees, `later` before those of others; None for no sleep at all.
    """

    name: str
    attach: str
    target: str
    behavior: str
    phases: tuple[str, ...] | None
    first: float | None = None
    later: float | None = None

    @property
    def sees_everything(self) -> bool:
        """True if every event of a run must reach it."""
        return self.target == OUTER and (self.phases is None or set(self.phases) == set(PHASES))


def watchers_of(case: Part) -> tuple[Watcher, ...]:
    """The observers of a case in their order. Raises CaseFault for a name that is taken."""
    listed = case.find("observers")
    watchers: list[Watcher] = []
    for part in () if listed is None else listed.entries():
        watcher = _watcher(part)
        if watcher.name == RECORDER or any(watcher.name == each.name for each in watchers):
            raise part.fault(f"a second observer is named {watcher.name!r}", "Rename one.")
        if watcher.attach == "invocation" and watcher.target != OUTER:
            mend = f"Write target: {OUTER}, or attach: graph."
            raise part.at("target").fault("an observer of an invocation sees the outermost graph", mend)
        watchers.append(watcher)
    return tuple(watchers)


def attach(
    watchers: Iterable[Watcher], graphs: Mapping[str, Sequence[gn.Graph]], *, probe: Probe, has_async: bool
) -> tuple[Observer, ...]:
    """Registers observers with graphs by name, and gives those of each invocation, the harness's recorder last."""
    own: list[Observer] = []
    for watcher in watchers:
        function = _function(watcher, probe, has_async=has_async)
        options: dict[str, Any] = {} if watcher.phases is None else {"phases": watcher.phases}
        if watcher.attach == "invocation":
            own.append(observer_of(function, "invocation", name=watcher.name, **options))
        elif watcher.target not in graphs:
            mend = choices("Graphs", graphs, watcher.target)
            raise CaseFault(f"observer {watcher.name!r}", f"{watcher.target!r} is no graph that the case runs", mend)
        else:
            for graph in graphs[watcher.target]:
                graph.observer(function, name=watcher.name, **options)
    return tuple(own)


def recorder_of(probe: Probe) -> Function:
    """The observer that the harness adds to a run: it notes everything."""
    return lambda event: probe.notes.deliveries.append(Delivered(RECORDER, event))


def _watcher(part: Part) -> Watcher:
    told = part.value
    sleep = told.get("sleep_ms_per_event")
    pauses = (sleep["first_invocation"], sleep["subsequent_invocations"]) if isinstance(sleep, dict) else (sleep, sleep)
    phases = tuple(told["phases"]) if "phases" in told else None
    return Watcher(told["name"], told["attach"], told["target"], told["behavior"], phases, *pauses)


def _function(watcher: Watcher, probe: Probe, *, has_async: bool) -> Function:
    seen: list[str] = []  # invocation ids, the first one first

    def note(event: Event) -> None:
        probe.notes.deliveries.append(Delivered(watcher.name, event))
        if watcher.behavior == "raise":
            raise MockFailure(f"observer {watcher.name!r} raises")

    async def waiting(event: Event) -> None:
        if event.invocation_id not in seen:
            seen.append(event.invocation_id)
        pause = watcher.first if event.invocation_id == seen[0] else watcher.later
        if pause and not probe.is_hurried:
            await asyncio.sleep(pause / 1000)  # before the note: a delivery that is cancelled leaves none
        note(event)

    return waiting if has_async or watcher.first is not None else note


def phase(part: Part) -> Iterator[CaseFault]:
    """The shape of a phase of which the product tells."""
    yield from text(part)
    if isinstance(part.value, str) and part.value and part.value not in PHASES:
        yield part.fault(f"not supported yet: {part.value}", choices("Phases", PHASES), kind=NotSupported)


OBSERVERS: Final = many(
    keyed(
        {
            "name": text,
            "attach": one_of("graph", "invocation"),
            "target": text,
            "behavior": one_of("record", "accumulate", "raise"),
        },
        {
            "phases": many(phase),
            "sleep_ms_per_event": either(keyed({"first_invocation": number, "subsequent_invocations": number}), number),
        },
    )
)
"""The shape of `observers`."""
