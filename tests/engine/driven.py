"""Running a graph under each driver, with what its observers were told."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import graphnb as gn

DRIVERS = ("run", "run within a loop", "arun")


@dataclass(eq=False)
class Driven:
    """One run: how it ended, and its events in the order in which an observer got them."""

    run: Any = None
    error: Any = None
    events: list[Any] = field(default_factory=list)

    @property
    def state(self) -> Any:
        """The state at the end."""
        return self.run.state

    @property
    def told(self) -> list[tuple[str, str]]:
        """Phase and path of each event, the name of an isolated failure in place of its phase."""
        return [(word_of(each), "/".join(each.lineage.namespace)) for each in self.events]

    def of(self, phase: str) -> list[Any]:
        """The events of one phase."""
        return [each for each in self.events if word_of(each) == phase]


def word_of(event: Any) -> str:
    """An event's phase, or the name of an isolated failure."""
    return event.phase if isinstance(event, gn.NodeEvent) else event.event_name


def drive(graph: Any, how: str = "run", **given: Any) -> Any:
    """The finished run, under one of `DRIVERS`. Raises what the run raises."""

    async def here() -> Any:
        return await graph.arun(**given) if how == "arun" else graph.run(**given)

    return graph.run(**given) if how == "run" else asyncio.run(here())


def watch(graph: Any, how: str = "run", *, observers: Any = (), **given: Any) -> Driven:
    """How the run ended under one of `DRIVERS`, and all of its events."""
    driven = Driven()
    options = {"observers": [driven.events.append, *observers], **given}

    async def here() -> None:
        await _fill(driven, lambda: graph.arun(**options))
        await graph.adrain()

    if how == "arun":
        asyncio.run(here())
    else:
        _note(driven, lambda: drive(graph, how, **options))
        graph.drain()
    return driven


def _note(driven: Driven, run: Callable[[], Any]) -> None:
    try:
        driven.run = run()
    except Exception as error:
        driven.run, driven.error = error.run, error  # type: ignore[attr-defined]  # the engine put it there


async def _fill(driven: Driven, run: Callable[[], Any]) -> None:
    try:
        driven.run = await run()
    except Exception as error:
        driven.run, driven.error = error.run, error  # type: ignore[attr-defined]  # the engine put it there
