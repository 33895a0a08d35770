"""Running the graph of a case from scratch, as often as its invocations say, and keeping what comes of each."""

from __future__ import annotations

import asyncio
import threading
import time
import warnings
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import graphnb as gn
from graphnb.conformance.building.build import Built, Manner, build_case, given_to
from graphnb.conformance.building.notes import RECORDER, values_of
from graphnb.conformance.building.observers import recorder_of
from graphnb.conformance.building.probe import Probe
from graphnb.conformance.outcomes import Drained, Outcome, Way
from graphnb.conformance.reading.cases import Case
from graphnb.conformance.reading.parts import CaseFault, Part
from graphnb.graph.observer import Observer
from graphnb.notebook.starting import RESERVED

T = TypeVar("T")

_OF_LIBRARIES: Final = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
_LONGEST: Final = 60.0  # seconds for everything that is still to be delivered when a run has ended


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a case: that it `runs`, with bodies watched, events recorded, one further run at the end."""

    runs: bool = True
    watch: bool = False
    records: bool = False
    further: bool = False


def outcomes_of(case: Case, way: Way, *, wanted: Wanted) -> tuple[Outcome, ...]:
    """Builds and compiles the case's graph and runs it: an outcome for each invocation, at least one.

    Raises CaseFault if the case is at fault.
    """
    clock = case.part.find("clock_stub")
    probe = Probe(None if clock is None else clock.value["advance_ms_per_call"])
    manner = Manner(has_async=way.has_async, may_block=not way.is_awaited, watch=wanted.watch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            built = build_case(case, probe, manner=manner)
            built.graph.compile()
        except CaseFault:
            raise
        except Exception as error:  # noqa: BLE001  the product's refusal is what may be asked for
            return (Outcome(way, case, probe, warned=_categories(caught), refused=error),)
        compiled = Outcome(way, case, probe, warned=_categories(caught), watchers=built.watchers)
        if not wanted.runs:
            return (compiled,)
        caught.clear()
        work = _Runner(built, compiled, caught=caught, wanted=wanted).run()
        return awaited(work) if way.is_awaited else _at_once(work)


class _Runner:
    """The invocations of one case, one after another, in one event loop if they are awaited."""

    def __init__(
        self, built: Built, compiled: Outcome, *, caught: list[warnings.WarningMessage], wanted: Wanted
    ) -> None:
        self._built = built
        self._compiled = compiled
        self._caught = caught
        self._wanted = wanted
        self._is_awaited = compiled.way.is_awaited
        self._observers: tuple[Observer | Callable[[Any], Any], ...] = built.observers
        if wanted.records:
            self._observers += (Observer(recorder_of(compiled.probe), RECORDER),)

    async def run(self) -> tuple[Outcome, ...]:
        """The outcomes in order."""
        case = self._compiled.case.part
        listed = case.find("invocations")
        parts = [case] if listed is None else list(listed.entries())
        outcomes: list[Outcome] = []
        for part in parts:
            outcomes.append(replace(await self._invoke(part), earlier=tuple(outcomes)))
        if self._wanted.further:
            self._compiled.probe.is_hurried = True
            outcomes[-1] = replace(outcomes[-1], further=await self._invoke(parts[-1]))
        return tuple(outcomes)

    async def _invoke(self, part: Part) -> Outcome:
        """Runs the graph once and lets observers receive everything that was not given up."""
        probe, graph = self._compiled.probe, self._built.graph
        probe.begin()
        run: gn.Run | None = None
        error: BaseException | None = None
        try:
            state, options = self._start(part)
            run = await graph.arun(state, **options) if self._is_awaited else graph.run(state, **options)
        except (Exception, asyncio.CancelledError) as raised:  # noqa: BLE001  a failing run may be what is asked for
            error, run = raised, getattr(raised, "run", None)
        drain = await self._drain(part)
        is_given_up = drain is not None and drain.summary.timeout_reached  # what is left then is not waited for
        if not is_given_up and (await self._drained(_LONGEST)).timeout_reached:
            probe.faults.append(f"observers were not told of everything within {_LONGEST:.0f} seconds")
        return self._outcome(run, error, drain=drain)

    def _outcome(self, run: gn.Run | None, error: BaseException | None, *, drain: Drained | None) -> Outcome:
        compiled, probe = self._compiled, self._compiled.probe
        news = tuple(name for name in _categories(self._caught) if name not in compiled.warned)
        self._caught.clear()
        outcome = replace(
            compiled,
            notes=probe.notes,
            error=error,
            news=news,
            calls=probe.calls,
            drain=drain,
            is_recorded=self._wanted.records,
        )
        if run is None:  # it failed before it began
            return outcome
        return replace(
            outcome,
            state=values_of(run.trace.state) if error is None else None,
            order=run.trace.execution_order,
            steps=run.trace.steps,
            invocation_id=run.invocation_id,
            correlation_id=run.correlation_id,
        )

    def _start(self, part: Part) -> tuple[gn.State | None, dict[str, Any]]:
        """What a run starts from, as an instance where a field bears an option's name, and its options by name."""
        told, given = self._compiled.case.part.value, given_to(part)
        ids = {"caller_invocation_id": "invocation_id", "caller_correlation_id": "correlation_id"}
        is_first = self._compiled.probe.invocation == 1  # ids are the caller's for one run, and then drawn
        options: dict[str, Any] = {option: told[word] for word, option in ids.items() if word in told and is_first}
        if self._observers:
            options["observers"] = self._observers
        if not set(RESERVED) & set(self._built.state.model_fields):
            return None, {**given, **options}
        missing = [name for name, each in self._built.state.model_fields.items() if each.is_required()]
        if not set(missing) <= set(given):  # an instance cannot be made: the product is to say what is missing
            return None, {**given, **options}
        return self._built.state(**given), options

    async def _drain(self, part: Part) -> Drained | None:
        """The drain that the case, or the invocation, asks for."""
        asked = part.find("invoke") if "invoke" in part.value else part
        if asked is None or "drain" not in asked.value:
            return None
        timeout = (asked.value["drain"] or {}).get("timeout_seconds")
        began = time.monotonic()
        summary = await self._drained(timeout)
        seconds = time.monotonic() - began
        return Drained(summary, timeout, seconds, len(self._compiled.probe.notes.deliveries))

    async def _drained(self, timeout: float | None) -> gn.DrainSummary:
        graph = self._built.graph
        return await graph.adrain(timeout) if self._is_awaited else graph.drain(timeout)


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """What the work gives; it never waits, so that no event loop is needed."""
    try:
        work.send(None)
    except StopIteration as stop:
        value: T = stop.value
        return value
    raise AssertionError("a run without an event loop has waited for one")


def awaited(work: Coroutine[Any, Any, T]) -> T:
    """What the work gives, awaited in an event loop of its own; beside a running loop, in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    box: list[T | BaseException] = []

    def wait() -> None:
        try:
            box.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001  handed to the caller
            box.append(error)

    thread = threading.Thread(target=wait, name="graphnb-conformance")
    thread.start()
    thread.join()
    if isinstance(box[0], BaseException):
        raise box[0]
    return box[0]


def _categories(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    return tuple(
        str(getattr(each.message, "category", None) or each.category.__name__)
        for each in caught
        if not issubclass(each.category, (*_OF_LIBRARIES, gn.UnfitWriteWarning))  # the latter is graphnb's own
    )
