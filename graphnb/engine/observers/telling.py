"""Telling one observer of one event: what it raises is reported with a warning, and concerns nobody else."""

from __future__ import annotations

import asyncio
import threading
import warnings
from contextlib import suppress
from typing import Any

from graphnb.engine.failing import text_of
from graphnb.errors import ObserverWarning
from graphnb.graph.observer import Observer
from graphnb.trace.events import Event, NodeEvent


def wants(observer: Observer, event: Event) -> bool:
    """True if the observer asked for events of this kind."""
    return not isinstance(event, NodeEvent) or event.phase in observer.phases


async def atell(observer: Observer, event: Event, *, task: asyncio.Task[Any]) -> None:
    """Tells the observer, and awaits it. Raises what ends the `task` in which this runs, and nothing else."""
    try:
        result = observer.function(event)
        if hasattr(result, "__await__"):
            await result
    except BaseException as error:  # user code: even an exit ends nothing else
        if _is_ended(task, error):
            raise
        warn_of(observer, event, error=error)


def warn_of(observer: Observer, event: Event, *, error: BaseException) -> None:
    """Reports what an observer has raised."""
    warning = ObserverWarning(f"observer '{observer.name}'", f"raised {text_of(error)} on {event!r}")
    try:
        warnings.warn(warning, stacklevel=2)
    except Exception as raised:  # noqa: BLE001  where warnings are errors, or a hook that shows them fails
        kind, thread = type(raised), threading.current_thread()
        with suppress(Exception):  # as of a thread, whose errors nobody can catch; this hook may fail as well
            threading.excepthook(threading.ExceptHookArgs((kind, raised, raised.__traceback__, thread)))


def _is_ended(task: asyncio.Task[Any], error: BaseException) -> bool:
    """True if it is the delivery that is ended: its task is cancelled, or closed with a loop that never runs again."""
    if isinstance(error, asyncio.CancelledError):
        return task.cancelling() > 0
    return isinstance(error, GeneratorExit) and not task.get_loop().is_running()
