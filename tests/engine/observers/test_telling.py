"""Telling one observer: which events it wants, and what becomes of what it raises."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

import graphnb as gn
from graphnb.engine.observers.telling import atell, wants, warn_of
from graphnb.errors import Causes
from graphnb.graph.observer import Observer
from graphnb.state.schema import schema_of, start_values


class Empty(gn.State):
    pass


SCHEMA = schema_of(Empty)


def event(phase: Any) -> gn.NodeEvent:
    """An event of this phase."""
    return gn.NodeEvent(phase, 0, gn.Lineage(("a",)), "i", "c", (SCHEMA, start_values(SCHEMA, {}, "")))


def observer(function: Callable[[Any], Any], *phases: str) -> Observer:
    """One of these phases."""
    return Observer(function, "mine", frozenset(phases))


def test_observer_wants_its_phases_and_what_has_none() -> None:
    """A failure that was isolated is told to everybody."""
    isolated = gn.FailureIsolated("lost", gn.Lineage(("a",)), "i", "c", None, {}, Causes((), None, ""))

    assert [True, False, True] == [
        wants(observer(print, "started"), each) for each in (event("started"), event("completed"), isolated)
    ]


@pytest.mark.parametrize("error", [ValueError, SystemExit, GeneratorExit, asyncio.CancelledError])
async def test_what_an_observer_raises_in_a_loop_is_reported(error: type[BaseException]) -> None:
    """Whatever it is: it is the observer's own."""

    async def wrong(each: Any) -> None:
        raise error("mine")

    task = asyncio.current_task()
    assert task is not None
    with pytest.warns(gn.ObserverWarning, match=f"observer 'mine': raised {error.__name__}: mine on NodeEvent"):
        await atell(observer(wrong), event("started"), task=task)


async def test_cancellation_of_the_delivery_is_no_observers_own() -> None:
    """It ends the task in which observers are told."""
    held: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def tell() -> None:
        task = asyncio.current_task()
        assert task is not None
        await atell(observer(lambda each: held), event("started"), task=task)

    task = asyncio.create_task(tell())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.filterwarnings("error")
def test_warning_that_is_an_error_is_told_like_one_of_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could catch it."""
    told: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: told.append(str(arguments.exc_value)))
    warn_of(observer(print), event("started"), error=LookupError("lost"))

    assert ["observer 'mine': raised LookupError: lost on NodeEvent(0, 'a', started)."] == told
