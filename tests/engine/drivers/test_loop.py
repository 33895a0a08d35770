"""Driving work inside an event loop."""

import asyncio
from collections.abc import Generator
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.loop import drive_in_loop
from graphnb.engine.run import begin
from graphnb.engine.work import Outcomes, Request, Spread, begin_outcomes
from tests.engine.works import Pressed


class Diary(gn.State):
    log: Annotated[list[str], gn.append] = []


def chain(*names: str) -> gn.Graph:
    """A graph whose nodes write their names."""
    graph = gn.Graph(Diary, entry=names[0])
    for name, following in zip(names, [*names[1:], gn.END], strict=True):
        graph.node(name, lambda s, name=name: {"log": [name]}, to=following)
    return graph


async def refuse(spread: Spread, host: Host) -> Outcomes:
    """No way to spread work."""
    raise AssertionError("nothing is spread")


async def test_work_is_driven_to_its_result():
    """The last values, with the log filled."""
    execution = begin(chain("a", "b").compile().plan, {})

    assert ["a", "b"] == list((await drive_in_loop(execution.work, execution.host, spread=refuse, drive=drive))["log"])


async def test_spread_work_is_done_as_the_caller_says():
    """What is spread goes to the given function, and its answer to the work."""
    outcomes = begin_outcomes(0)

    async def answer(spread: Spread, host: Host) -> Outcomes:
        return spread.outcomes

    def work() -> Generator[Request, Any, Any]:
        return (
            yield Spread(
                len,
                iter([]),
                outcomes=outcomes,
                concurrency=None,
                fail_fast=True,
                kind="plain",
                has_plain=True,
                has_async=False,
            )
        )

    assert outcomes is await drive_in_loop(work(), Host(), spread=answer, drive=drive)


async def test_interruption_between_two_calls_stops_the_work_at_the_next_one():
    """It comes to the driver, not to a node: the work is closed, and the log tells which node would have been next."""
    execution = begin(chain("a", "b", "c").compile().plan, {})
    with pytest.raises(KeyboardInterrupt):
        await drive_in_loop(Pressed(execution.work, 2), execution.host, spread=refuse, drive=drive)

    trace = execution.trace("cancelled")
    assert (["a", "b"], ["c"]) == ([step.path for step in trace.steps], [each.path for each in trace.open_steps])


async def test_cancellation_is_thrown_into_the_work():
    """The node that is awaited is the one that was stopped."""
    graph = gn.Graph(Diary, entry="nap")
    begun = asyncio.Event()

    async def nap(s: Any) -> None:
        begun.set()
        await asyncio.sleep(20)

    graph.node(nap, to=gn.END)
    execution = begin(graph.compile().plan, {})
    task = asyncio.ensure_future(drive_in_loop(execution.work, execution.host, spread=refuse, drive=drive))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert ["nap"] == [each.path for each in execution.trace("cancelled").open_steps]
