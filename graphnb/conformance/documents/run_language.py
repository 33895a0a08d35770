"""What a case of the kind `run` may say: the rules of its nodes, its operations, and what is expected after each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, get_args

from graphnb.conformance.documents.runs import EXPECTATIONS
from graphnb.conformance.reading.parts import CaseFault, NotSupported, Part
from graphnb.conformance.reading.shapes import (
    Shape,
    anything,
    at_least,
    each,
    keyed,
    many,
    nullable,
    number,
    one_of,
    text,
)
from graphnb.errors.text import choices, shown
from graphnb.trace.checkpoints import CheckpointKind
from graphnb.trace.trace import Status

_UPDATE: Final = ("write", "copy", "add", "snapshot_to")
_OTHER: Final = ("interrupt", "fail", "raise", "return")
OPERATIONS: Final = ("start", "drive", "resume", "resolve", "cancel", "crash")


def rule(part: Part) -> Iterator[CaseFault]:
    """What a node does, and when: parts of one update, or one other thing."""
    yield from keyed({}, {"when": _WHEN, **_ACTIONS})(part)
    if isinstance(part.value, dict):
        others = [name for name in _OTHER if name in part.value]
        updates = [name for name in _UPDATE if name in part.value]
        if len(others) > 1 or (others and updates):
            yield part.fault(f"does several things: {', '.join((*updates, *others))}", "A node does one.")
        if not others and not updates:
            yield part.fault("does nothing", f"Give it one of {[*_UPDATE, *_OTHER]}; write: {{}} changes nothing.")


def operations(graph: Shape) -> Shape:
    """The operations on one run, beside starts that are refused; together they assert something."""

    def check(part: Part) -> Iterator[CaseFault]:
        yield from many(_operation(graph), some=True)(part)
        if not isinstance(part.value, list) or not all(isinstance(op, dict) for op in part.value):
            return
        has_begun = False
        for entry in part.entries():
            is_start, is_refused = entry.value.get("op") == "start", "error" in entry.value
            if is_start and has_begun and not is_refused:
                yield entry.fault("starts a second run", "A case is about one run.")
            if not is_start and not has_begun:
                yield entry.fault("stands before a start that is not refused")
            if is_start and is_refused and "expect" in entry.value:
                yield entry.at("expect").fault("stands beside a start that is refused, and there is no run then")
            has_begun = has_begun or (is_start and not is_refused)
        if not any(op.get("expect") or "error" in op for op in part.value):
            yield part.fault("assert nothing", "Expect something after one of them.")

    return check


def _operation(graph: Shape) -> Shape:
    def check(part: Part) -> Iterator[CaseFault]:
        name = part.value.get("op") if isinstance(part.value, dict) else None
        if not isinstance(name, str) or name not in OPERATIONS:
            what = f"not supported yet: op {shown(name)}"
            yield part.fault(what, choices("Operations", OPERATIONS, name), kind=NotSupported)
            return
        required: dict[str, Shape] = {"op": text, **_NEEDED.get(name, {})}
        optional = {**_OPTIONS.get(name, {}), **({"graph": graph} if name == "resume" else {})}
        yield from keyed(required, {"error": text, "expect": _expected, "reference_expect": anything, **optional})(part)

    return check


def _pair(second: Shape) -> Shape:
    """A list of a field and something else."""

    def check(part: Part) -> Iterator[CaseFault]:
        if not isinstance(part.value, list) or len(part.value) != 2:
            yield part.fault("must be a list of a field and a value")
            return
        first, other = part.entries()
        yield from text(first)
        yield from second(other)

    return check


def _values(part: Part) -> Iterator[CaseFault]:
    """Fields, each with its value, its version or both."""
    shape = keyed({}, {"value": anything, "version": at_least(1)})
    yield from each(shape, some=True)(part)
    for name, told in part.value.items() if isinstance(part.value, dict) else ():
        if told == {}:
            yield part.at(name).fault("asserts nothing", "Give it value, version or both.")


def _expected(part: Part) -> Iterator[CaseFault]:
    """Expectations by name, each in its form."""
    yield from keyed({}, _EXPECTED)(part)
    if part.value == {}:
        yield part.fault("asserts nothing", choices("Known here", EXPECTATIONS))


_NAMES: Final = many(text)
_WHEN: Final = keyed(
    {},
    {
        "absent": text,
        "present": text,
        "equals": _pair(anything),
        "not_equals": _pair(anything),
        "attempt_below": at_least(2),
    },
)
_ACTIONS: Final[Mapping[str, Shape]] = {
    "write": each(anything),
    "copy": each(text, some=True),
    "add": each(_pair(number), some=True),
    "snapshot_to": text,
    "interrupt": keyed({"resume": text}, {"id": text, "schema": anything}),
    "fail": text,
    "raise": text,
    "return": anything,
}
_NEEDED: Final[Mapping[str, Mapping[str, Shape]]] = {
    "resolve": {"id": text, "value": anything},
    "crash": {"drop_commits": at_least(1)},
}
_OPTIONS: Final[Mapping[str, Mapping[str, Shape]]] = {
    "start": {"input": anything, "max_commits": at_least(1)},
    "drive": {"max_commits": at_least(1)},
}
_EXPECTED: Final[Mapping[str, Shape]] = {
    "status": one_of(*get_args(Status)),
    "step": at_least(0),
    "fields": _values,
    "inputs": _values,
    "unwritten": many(text, some=True),
    "output": nullable(each(anything)),
    "failure": nullable(keyed({"code": text, "node": nullable(text)})),
    "interrupts": each(one_of("open", "resolved")),
    "pending_nodes": _NAMES,
    "pending_writes": _NAMES,
    "barriers": each(many(text, some=True)),
    "changed": _NAMES,
    "checkpoints": many(one_of(*get_args(CheckpointKind))),
    "attempts": _NAMES,
}
