"""The kind `run`: a graph is started, driven, interrupted, answered, and taken up again after crashes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from graphnb.conformance.compare import differences
from graphnb.conformance.documents.graphs import document_of
from graphnb.conformance.documents.replays import replay_reasons
from graphnb.conformance.documents.scripted import scripted
from graphnb.conformance.documents.stored import Call, Stored, started
from graphnb.errors import GraphError
from graphnb.graph.documents.lowering import plan_of_document
from graphnb.graph.documents.reading import read_document
from graphnb.graph.interrupt import Interrupt
from graphnb.graph.plan import Plan
from graphnb.state.values.detach import detach
from graphnb.trace.outputs import outputs_of
from graphnb.trace.reading.faults import fault_of

WAYS: Final = (False, True)
"""Whether nodes are asynchronous; a case is run in both ways."""


def run_reasons(told: dict[str, Any]) -> Iterator[str]:
    """What each operation makes of the run, one after the other; with plain nodes, then with asynchronous ones."""
    for is_async in WAYS:
        for reason in _reasons(told, is_async=is_async):
            yield f"{reason} (asynchronous nodes)" if is_async else reason


def _reasons(told: dict[str, Any], *, is_async: bool) -> Iterator[str]:
    calls: list[Call] = []
    plan = plan_of(told["graph"], calls, is_async=is_async)
    run: Stored | None = None
    for i, op in enumerate(told["ops"]):
        place = f"ops[{i}] ({op['op']})"
        calls.clear()
        before = run.checkpoints if run is not None and op["op"] != "start" else ()
        kinds: tuple[str, ...] | None = None
        try:
            if op["op"] == "start":
                run = started(plan, op.get("input", {}), told=calls, max_commits=op.get("max_commits"))
            elif run is None:
                yield f"{place}: there is no run"
                return
            elif op["op"] == "drive":
                run.drive(plan, op.get("max_commits"))
            elif op["op"] == "resume":
                kinds = run.resume(plan_of(op["graph"], calls, is_async=is_async) if "graph" in op else plan)
            elif op["op"] == "resolve":
                run.resolve(op["id"], op["value"])
            elif op["op"] == "cancel":
                run.cancel()
            elif op["drop_commits"] >= len(before):
                yield f"{place}: there are {len(before)} commits, and the first stays"
                return
            else:
                run.crash(op["drop_commits"])
        except GraphError as refused:
            if op.get("error") != refused.category:
                yield f"{place}: refused, category {refused.category}: {refused}"
        else:
            if "error" in op:
                yield f"{place}: expected {op['error']!r}, and it was not refused"
        if run is None:
            continue
        attempts = sorted(key for key, _ in calls)
        made = tuple(each.kind for each in run.checkpoints[len(before) :]) if kinds is None else kinds
        seen = _Seen(run, made=made, attempts=attempts)
        for name, expected in op.get("expect", {}).items():
            yield from _EXPECTED[name](expected, seen, f"{place}.{name}")
        if told.get("replay") and op["op"] in ("start", "drive", "resume") and "error" not in op:
            yield from (f"{place}: {each}" for each in replay_reasons(plan, run, first=max(len(before), 1)))


def plan_of(graph: Mapping[str, Any], calls: list[Call], *, is_async: bool = False) -> Plan:
    """The plan of a graph as cases write it; the nodes' executions are put into `calls`."""
    nodes = graph.get("nodes", {})
    registry = {name: scripted(node["rules"], calls, is_async=is_async) for name, node in nodes.items()}
    content = document_of(graph)
    for name, node in content["nodes"].items():
        node["implementation"] = {"type": "module", "implementation": name}
    return plan_of_document(read_document(content), registry)[1]


class _Seen:
    """A run after an operation, the kinds of the commits that it made, and the keys of all executions in it."""

    def __init__(self, run: Stored, *, made: tuple[str, ...], attempts: list[str]) -> None:
        self.run = run
        self.made = made
        self.attempts = attempts
        self.position = run.position


def _simply(get: Callable[[_Seen], Any]) -> Callable[[Any, _Seen, str], Iterator[str]]:
    return lambda expected, seen, place: differences(expected, get(seen), place=place)


def _values(expected: dict[str, Any], seen: _Seen, place: str) -> Iterator[str]:
    """Committed values, and versions where they are told."""
    position = seen.position
    for name, told in expected.items():
        version = position.versions.get(name, 0)
        if not version:
            yield f"{place}.{name}: was never written"
            continue
        got = {"value": detach(position.values[name]), "version": version}
        yield from differences(told, {key: got[key] for key in told if key in got}, place=f"{place}.{name}")


def _unwritten(expected: list[str], seen: _Seen, place: str) -> Iterator[str]:
    for name in expected:
        if name not in seen.run.plan.schema.fields:
            yield f"{place}: {name!r} is no input and no field"
        if seen.position.versions.get(name, 0):
            yield f"{place}: {name!r} was written"


def _failure(expected: dict[str, Any], seen: _Seen, place: str) -> Iterator[str]:
    fault = fault_of(seen.run.log)
    got = None if fault is None else {"code": fault.code, "node": fault.node}
    yield from differences(expected, got, place=place)


def _output(seen: _Seen) -> dict[str, Any] | None:
    if seen.run.status != "done":
        return None
    return outputs_of(seen.run.log, seen.position.values)


def _interrupts(seen: _Seen) -> dict[str, str]:
    asked = [each.interrupt.id for each in seen.run.log.commits if isinstance(each.interrupt, Interrupt)]
    return {name: "open" if name in seen.position.open else "resolved" for name in asked}


def _pending_nodes(seen: _Seen) -> list[str]:
    position = seen.position
    return sorted({*(each.node for each in position.open.values()), *position.answered})


def _pending_writes(seen: _Seen) -> list[str]:
    parked = seen.run.log.parked if seen.run.status not in ("failed", "cancelled") else None
    return [] if parked is None else sorted(parked.given)


_EXPECTED: Final[Mapping[str, Callable[[Any, _Seen, str], Iterator[str]]]] = {
    "status": _simply(lambda seen: seen.run.status),
    "step": _simply(lambda seen: seen.position.step),
    "fields": _values,
    "inputs": _values,
    "unwritten": _unwritten,
    "output": _simply(_output),
    "failure": _failure,
    "interrupts": _simply(_interrupts),
    "pending_nodes": _simply(_pending_nodes),
    "pending_writes": _simply(_pending_writes),
    "barriers": _simply(lambda seen: {name: sorted(each) for name, each in seen.position.arrived.items()}),
    "changed": _simply(lambda seen: sorted(seen.position.changed)),
    "checkpoints": _simply(lambda seen: list(seen.made)),
    "attempts": _simply(lambda seen: seen.attempts),
}
EXPECTATIONS: Final = tuple(_EXPECTED)
"""What can be expected after an operation."""
