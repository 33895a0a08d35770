"""Runs that came to no end, made by hand: stopped or failed within a fan-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from graphnb.errors import NodeException
from graphnb.state.model import State
from graphnb.state.reducers.strict import append
from graphnb.trace.instances import Instances
from graphnb.trace.log import Failure, Log, Open
from tests.traces import Made


class Batch(State):
    files: list[str] = []
    notes: Annotated[list[Any], append] = []
    n: int = 0


class Reader(State):
    file: str = ""
    note: str = ""


FILES = ["a.py", "b.py", "c.py", "d.py", "e.py", "f.py"]


def instances(
    *given: Any,
    errors: Mapping[int, BaseException] | None = None,
    begun: int = 4,
    count: int = 6,
    into: tuple[str, ...] = ("notes",),
    logs: Sequence[Made | None] = (),
    over: str | None = "files",
) -> Instances:
    """A fan-out that did not complete: the first instances gave these values."""
    pairs = tuple((i, each if len(into) > 1 else (each,)) for i, each in enumerate(given))
    inner = tuple(each.log if each else None for each in logs)
    return Instances(count, inner, (), tuple((errors or {}).items()), over, into, begun, pairs)


def planned() -> Made:
    """A run that has come to its fan-out `read_each`."""
    return Made(Batch, {"files": FILES}, name="batch").step("plan", {"n": 1}, "read_each")


def failed(made: Instances) -> Made:
    """A run that failed in its fan-out."""
    run = planned()
    error = NodeException("graph 'batch', node 'read_each', step 1", "instance 2 failed with ValueError: no luck")
    run.log.failure = Failure("read_each", error, instances=made)
    return run


def stopped(made: Instances | None = None, child: Log | None = None, *, is_running: bool = False) -> Made:
    """A run that was stopped in `read_each`, or is running there."""
    run = planned()
    run.log.open = Open(1, "read_each", child, made, stopped=not is_running)
    return run


def stopped_in_instances() -> Made:
    """A run over a graph that was stopped in two of its instances, at different nodes."""
    done = Made(Reader, {"file": "a.py"}).step("open", {"note": "x"}, "note").step("note", {"note": "A"})
    first = Made(Reader, {"file": "b.py"}).step("open", {"note": "y"}, "note")
    first.log.open = Open(1, "note", stopped=True)
    second = Made(Reader, {"file": "c.py"})
    second.log.open = Open(0, "open", stopped=True)
    return stopped(instances("A", begun=3, logs=[done, first, second, None, None, None]))
