"""One run from start to end, and the trace that is left."""

import asyncio
import uuid
from typing import Annotated, Any

import pytest

import graphnb as gn
from graphnb.engine.run import advance, aexecute, begin, execute


class Count(gn.State):
    n: int = 0
    log: Annotated[list[str], gn.append] = []


def plan(*nodes: Any) -> Any:
    """The plan of the nodes in a line."""
    graph = gn.Graph(Count, entry="n0", name="count")
    for i, node in enumerate(nodes):
        graph.node(f"n{i}", node, to=f"n{i + 1}" if i + 1 < len(nodes) else gn.END)
    return graph.compile().plan


def more(s: Any) -> dict[str, Any]:
    """A node that counts."""
    return {"n": s.n + 1}


def test_execute_gives_the_trace():
    """The whole record, done."""
    trace = execute(begin(plan(more, more), {"n": 1}))

    assert ("done", 3, 2) == (trace.status, trace.state.n, len(trace.steps))


def test_every_execution_has_a_run_id_of_its_own():
    """A random uuid that stays while the log grows, and stands in no text."""
    one, other = begin(plan(more, more), {}, pauses=True), begin(plan(more), {})
    run_id = one.run_id
    execute(one)

    assert run_id == one.run_id != other.run_id
    assert 4 == uuid.UUID(run_id).version
    assert run_id not in repr(one) + repr(one.trace("done"))


async def test_aexecute_gives_an_equal_trace():
    """The driver does not show."""
    assert execute(begin(plan(more, more), {})) == await aexecute(begin(plan(more, more), {}))


def test_advance_stops_after_every_super_step():
    """With pauses the log grows by one commit at a time; the last call gives the trace."""
    execution = begin(plan(more, more, more), {}, pauses=True)
    seen = []
    while (trace := advance(execution)) is None:
        seen.append(len(execution.log.commits))

    assert [1, 2] == seen
    assert 3 == trace.state.n


async def test_execution_with_pauses_can_be_driven_to_its_end():
    """Pauses are an offer: both drivers may go past them."""
    whole = execute(begin(plan(more, more), {}))

    assert whole == execute(begin(plan(more, more), {}, pauses=True))
    assert whole == await aexecute(begin(plan(more, more), {}, pauses=True))


def test_start_that_is_refused_runs_nothing():
    """A state that does not fit is an error of the start, before any node."""
    with pytest.raises(gn.StateValidationError, match="graph 'count', start: n: "):
        begin(plan(lambda s: 1 / 0), {"n": "x"})


@pytest.mark.parametrize("drive", [execute, lambda execution: asyncio.run(aexecute(execution))], ids=["plain", "loop"])
def test_failure_carries_the_trace(drive):
    """A failed trace holds the error and the steps so far."""
    with pytest.raises(gn.NodeException) as caught:
        drive(begin(plan(more, lambda s: 1 / 0), {}))

    trace = caught.value.trace
    assert ("failed", caught.value, 1) == (trace.status, trace.error, len(trace.steps))


class OwnExit(BaseException):
    """A way out that is no Exception, made up by a user."""


@pytest.mark.parametrize("drive", [execute, lambda execution: asyncio.run(aexecute(execution))], ids=["plain", "loop"])
@pytest.mark.parametrize("error", [OwnExit(), KeyboardInterrupt(), BaseExceptionGroup("g", [SystemExit()])])
def test_any_interruption_carries_the_trace(drive, error):
    """A cancelled trace holds the steps so far and no error."""

    def node(s: Any) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        drive(begin(plan(more, node), {}))

    trace = caught.value.trace
    assert ("cancelled", None, 1) == (trace.status, trace.error, len(trace.steps))


def test_fault_of_the_engine_itself_is_a_failure_that_carries_the_trace(monkeypatch):
    """Even an error that nobody foresaw leaves the record."""

    def broken(*_: object, **__: object) -> None:
        raise AssertionError("a bug")

    monkeypatch.setattr("graphnb.engine.step.end_node", broken)
    with pytest.raises(AssertionError) as caught:
        execute(begin(plan(lambda s: 1 / 0), {}))

    assert ("failed", None, ()) == (caught.value.trace.status, caught.value.trace.error, caught.value.trace.steps)


def test_end_by_an_error_stops_what_is_still_under_way():
    """Threads that nobody waits for any more start nothing else."""
    execution = begin(plan(lambda s: 1 / 0), {})
    with pytest.raises(gn.NodeException):
        execute(execution)

    assert execution.host.cancelled


def test_trace_of_a_run_under_way_does_not_grow():
    """What was looked at stays as it was while the run goes on."""
    execution = begin(plan(more, more), {}, pauses=True)
    advance(execution)
    early = execution.trace("running")
    advance(execution)

    assert (1, 1) == (len(early.steps), early.state.n)
    assert 2 == len(execution.trace("running").steps)


async def test_cancellation_of_aexecute_carries_the_trace():
    """The task's CancelledError has what was done."""
    started = asyncio.Event()

    async def sleep(s: Any) -> None:
        started.set()
        await asyncio.sleep(60)

    execution = begin(plan(more, sleep), {})
    task = asyncio.create_task(aexecute(execution))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task

    assert ("cancelled", 1) == (caught.value.trace.status, len(caught.value.trace.steps))
