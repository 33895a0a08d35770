"""Steps of documents that are parked: what is kept of them, and what is made of that again."""

from typing import Any

import pytest

from graphnb.engine.observers.scope import Scope
from graphnb.engine.position import position_of
from graphnb.engine.run import Execution, advance, begin
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.step import run_graph
from graphnb.engine.supersteps.parkable import ParkableStep
from graphnb.trace.log import Log
from tests.documents import fails_below, gives, plan, tries, written


def parked(count: int) -> Execution:
    """A run that was parked so often: one node fails each time, one in the first attempt, and one has finished."""
    document = written("a", "b", "c", nodes={"a": tries(9), "b": tries(2, 60_000)})
    nodes = {"a": fails_below(9, {}), "b": fails_below(9, {}), "c": gives({"log": "c"})}
    execution = begin(plan(document, **nodes), {}, pauses=True)
    for _ in range(count):
        assert advance(execution) is None
    return execution


def taken_up(execution: Execution) -> ParkableStep:
    """The step, made of the log alone."""
    log = execution.log.snapshot()
    graph = RunningGraph(execution.plan, log, Scope(10), run_graph)
    return ParkableStep(graph, position_of(execution.plan, log))


def test_step_is_taken_up_as_it_was_parked() -> None:
    """Who is to be tried and when, what was given; and all errors of attempts, in their order."""
    step = taken_up(parked(3))

    assert ({"a": 4, "b": 2}, {"a": 0, "b": 60_000}, 0) == (step.attempts, step.waits, step.pause)
    assert {"c": {"log": "c"}} == {name: each.update for name, each in step.given.items()}
    assert {
        "a": [f"raised ValueError: attempt {i}" for i in (1, 2, 3)],
        "b": ["raised ValueError: attempt 1"],
    } == {name: [each.what for each in failures] for name, failures in step.failures.items()}


def test_each_parking_tells_of_its_own_attempts_alone() -> None:
    """So that what is kept grows with the attempts, and not with their square."""
    told = [{"a": "ValueError: attempt 1", "b": "ValueError: attempt 1"}]
    told += [{"a": f"ValueError: attempt {i}"} for i in (2, 3)]

    assert told == [each.failures for each in parked(3).log.parkings]


def test_step_that_was_taken_up_is_parked_as_if_nothing_had_been() -> None:
    """The next parking is the same."""
    whole, half = parked(3), taken_up(parked(2))
    half.schedule({"a": ValueError("attempt 3")})

    assert whole.log.parkings[-1] == half.park()


@pytest.mark.parametrize("of_another_step", [True, False])
def test_step_begins_anew_where_none_is_parked(of_another_step: bool) -> None:
    """Or where the parked one was committed since."""
    execution = begin(plan(written("a", nodes={"a": tries(2)}), a=fails_below(2, {"log": "a"})), {}, pauses=True)
    log: Any = execution.log
    if of_another_step:
        while advance(execution) is None:
            pass
        log = Log(log.graph, log.schema, log.start, first=1)
        log.parkings, log.starts = execution.log.parkings, ("a",)
    graph = RunningGraph(execution.plan, log, Scope(10), run_graph)
    step = ParkableStep(graph, position_of(execution.plan, log))

    assert ({"a": 1}, {"a": 0}, {}, {}) == (step.attempts, step.waits, step.given, step.failures)
