"""Running the graph of a case once, from scratch, and keeping everything that can be said about it."""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any, Final

import graphnb as gn
from graphnb.conformance.build import Built, build_case, nodes_of
from graphnb.conformance.cases import Case
from graphnb.conformance.parts import CaseFault
from graphnb.conformance.probe import Probe
from graphnb.notebook.running import RESERVED

_OF_LIBRARIES: Final = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run a graph: with `graph.run`, or awaiting `graph.arun`; with `def` nodes, or with `async def`."""

    is_awaited: bool
    has_async: bool

    def __str__(self) -> str:
        return f"graph.{'arun' if self.is_awaited else 'run'}, {'async def' if self.has_async else 'def'} nodes"


WAYS: Final = tuple(Way(*flags) for flags in ((False, False), (True, True), (False, True), (True, False)))
"""All of them. A case holds only if it holds in each, with the same outcome."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of a case, run in one way.

    `refused` is what building or compiling raised; `error` what the run raised, None if it ended well or was not
    wanted; `state` the final state by field, None without one; `order` the nodes in the order in which they were
    entered. `warned` are the categories of the warnings while compiling, `news` of those that only the run gave;
    `nodes` are the names of all nodes that the case declares.
    """

    way: Way
    probe: Probe
    warned: tuple[str, ...] = ()
    news: tuple[str, ...] = ()
    refused: Exception | None = None
    error: BaseException | None = None
    state: dict[str, Any] | None = None
    order: tuple[str, ...] = ()
    steps: tuple[gn.Step, ...] = ()
    nodes: frozenset[str] = frozenset()


def outcome_of(case: Case, way: Way, *, runs: bool, watch: bool) -> Outcome:
    """Builds and compiles the case's graph and, if it `runs`, runs it. Raises CaseFault if the case is at fault."""
    probe = Probe()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            nodes = nodes_of(case)
            built = build_case(case, probe, has_async=way.has_async, watch=watch)
            built.graph.compile()
        except CaseFault:
            raise
        except Exception as error:  # noqa: BLE001  the product's refusal is what may be asked for
            return Outcome(way, probe, _categories(caught), refused=error)
        outcome = Outcome(way, probe, _categories(caught), nodes=nodes)
        return _ran(built, outcome, caught=caught) if runs else outcome


def plain_state(state: Any) -> dict[str, Any] | None:
    """A state's values by field; None if it is no state."""
    # Not dict(state): a field may be called "keys".
    return {name: getattr(state, name) for name in type(state).model_fields} if isinstance(state, gn.State) else None


def _ran(built: Built, compiled: Outcome, *, caught: list[warnings.WarningMessage]) -> Outcome:
    graph, given, fields = built.graph, *_given(built)
    error: BaseException | None = None
    try:
        run = _awaited(graph.arun(given, **fields)) if compiled.way.is_awaited else graph.run(given, **fields)
        trace: gn.Trace | None = run.trace
    except (Exception, asyncio.CancelledError) as raised:  # noqa: BLE001  a failing run may be what is asked for
        error, trace = raised, getattr(raised, "trace", None)
    news = tuple(name for name in _categories(caught) if name not in compiled.warned)
    if trace is None:  # it failed before it began
        return replace(compiled, error=error, news=news)
    state = plain_state(trace.state) if error is None else None
    return replace(compiled, error=error, news=news, state=state, order=trace.execution_order, steps=trace.steps)


def _given(built: Built) -> tuple[gn.State | None, dict[str, Any]]:
    """The state to start from, by field; as an instance where a field bears the name of an option of `run`."""
    if not set(RESERVED) & set(built.state.model_fields):
        return None, dict(built.initial)
    # Not validated here: that is the product's part.
    return built.state.model_construct(**built.initial), {}


def _awaited(run: Coroutine[Any, Any, gn.Run]) -> gn.Run:
    """The run, awaited in an event loop of its own; beside a running loop, in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run)
    box: list[gn.Run | BaseException] = []

    def work() -> None:
        try:
            box.append(asyncio.run(run))
        except BaseException as error:  # noqa: BLE001  handed to the caller
            box.append(error)

    thread = threading.Thread(target=work, name="graphnb-conformance")
    thread.start()
    thread.join()
    if isinstance(box[0], BaseException):
        raise box[0]
    return box[0]


def _categories(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    return tuple(
        str(getattr(each.message, "category", None) or each.category.__name__)
        for each in caught
        if not issubclass(each.category, _OF_LIBRARIES)
    )
