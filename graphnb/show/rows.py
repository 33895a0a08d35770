"""The rows of the step diff table: one per step, node and written field; nodes that did not complete are rows too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graphnb.show.attempts import attempts_text, tries_text
from graphnb.show.change_text import change_text
from graphnb.show.error_text import error_text
from graphnb.show.instances import instances_text
from graphnb.state.folding.writes import written_value
from graphnb.trace.changes import Change, changes_of
from graphnb.trace.instances import Instances
from graphnb.trace.steps import Delta, Entry, Step, walk
from graphnb.trace.trace import Trace
from graphnb.trace.unfinished import FailedStep, OpenStep

NOTHING: Final = ""
ATTEMPTS: Final = "(attempts)"
ERROR: Final = "(error)"
INSTANCES: Final = "(instances)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Row:
    """One row. `delta` is the written field, None where a step wrote nothing or did not complete.

    `error` is what failed, after it was `tried` so often: the step, or the fan-out's instance `instance`. `made` is
    set in the row that tells of the instances of a fan-out that did not complete. `attempts` is what is to be told of
    the attempts that were made before what the other rows tell of the step, or of an instance, and of what middleware
    has put in their place; `failures` are the errors of these. `before`, `written` and
    `after` are values as the run keeps them: to be read, not changed.
    """

    step: Entry
    delta: Delta | None = None
    error: BaseException | None = None
    instance: int | str | None = None
    made: Instances | None = None
    attempts: str = ""
    failures: tuple[Exception, ...] = ()
    tried: int = 0

    @property
    def number(self) -> int:
        """The step's number."""
        return self.step.number

    @property
    def path(self) -> str:
        """Where the node stands, with the branch that wrote the field, or the instance where only that failed."""
        one = self.branch if self.branch is not None else self.instance
        return self.step.path if one is None else f"{self.step.path}[{one}]"

    @property
    def branch(self) -> str | None:
        """The parallel branch that wrote the field, None if it was the node itself."""
        return self.delta.branch if self.delta else None

    @property
    def field(self) -> str:
        """The field's name; empty where nothing was written, else in brackets what the row tells instead."""
        if self.delta:
            return self.delta.field
        if self.made:
            return INSTANCES
        if self.attempts:
            return ATTEMPTS
        return ERROR if self.error else f"({self.fate})" if self.fate else NOTHING

    @property
    def fate(self) -> str:
        """Of a node that came to no end: "stopped" or "running"; empty for others."""
        return self.step.fate if isinstance(self.step, OpenStep) else ""

    @property
    def reducer(self) -> str:
        """The reducer's name, empty where nothing was folded."""
        return self.delta.reducer if self.delta else ""

    @property
    def before(self) -> Any:
        """The value before the fold."""
        return self.delta.kept.before if self.delta else None

    @property
    def written(self) -> Any:
        """What the node wrote; of a fan-out that did not complete what its instances gave, by instance."""
        if self.made:
            return {self.made.label(i): _as_one(self.made, values) for i, values in self.made.given}
        return written_value(self.delta.kept.written, self.before, self.after) if self.delta else None

    @property
    def after(self) -> Any:
        """The value after the fold."""
        return self.delta.kept.after if self.delta else None

    @property
    def is_replace(self) -> bool:
        """True if the write went round the reducer."""
        return self.delta is not None and self.delta.is_replace

    @property
    def changes(self) -> tuple[Change, ...]:
        """What happened inside the value."""
        return changes_of(self.delta) if self.delta else ()

    @property
    def change(self) -> str:
        """What happened, in words."""
        if self.delta:
            return change_text(self.delta, self.changes)
        if self.made:
            return instances_text(self.step)
        if self.attempts:
            return self.attempts
        if isinstance(self.step, OpenStep):
            return f"{self.fate}{' at its edge' if self.step.at_edge else ''}: {no_write(self.step)}"
        return error_text(self.error) if self.error else "wrote nothing"

    @property
    def is_inside(self) -> bool:
        """True for a step within an instance of a fan-out, or within a parallel branch."""
        return any(part.instance is not None for part in self.step.parents)

    @property
    def are_branches(self) -> bool:
        """True if what the step is in are parallel branches."""
        return are_branches(self.step)


def are_branches(step: Entry) -> bool:
    """True if the outermost node that the step is in, and that does several things at once, runs branches."""
    return isinstance(next((part.instance for part in step.parents if part.instance is not None), None), str)


def no_write(step: OpenStep) -> str:
    """What a node that came to no end has not done."""
    if step.at_edge:
        return "none was chosen"
    return "wrote nothing" if step.stopped else "nothing written yet"


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows that are not shown: how many, and of how many steps.

    `is_inside`: all within instances of a fan-out or within parallel branches; `are_branches`: the latter alone.
    """

    rows: int
    steps: int
    is_inside: bool
    are_branches: bool = False


def rows_of(trace: Trace) -> Iterator[Row]:
    """All rows of a run in the order of its steps."""
    for step in walk(trace.log):
        if not isinstance(step, OpenStep) and (told := attempts_text(step)):
            yield Row(step, attempts=told, failures=step.failures)
        if isinstance(step, Step):
            deltas = step.deltas
            yield from (Row(step, delta) for delta in deltas)
            yield from () if deltas else (Row(step),)
        elif isinstance(step, FailedStep):
            yield Row(step, error=step.error, tried=step.attempts)
            yield from (Row(step, made=step.instances),) if step.instances else ()
        else:
            yield Row(step, made=step.instances)
        if step.instances is not None:
            yield from _attempts_at_instances(step, step.instances)
            yield from _failed_instances(step, step.instances)


def _as_one(made: Instances, values: tuple[Any, ...]) -> Any:
    """The value that an instance gave, or a dict of them by field."""
    return values[0] if len(values) == 1 else dict(zip(made.into, values, strict=True))


def _attempts_at_instances(step: Entry, made: Instances) -> Iterator[Row]:
    """What middleware around instances or branches has made of their attempts, where there is something to tell."""
    failed = {i for i, _ in made.errors}
    who, gives = ("instance", "a result") if made.names is None else ("branch", "an update")
    for i, tries in made.tries:
        told = tries_text(tries, who, gives=gives, is_failed=i in failed)
        yield Row(step, instance=made.label(i), attempts=told, failures=tries.failures)


def _failed_instances(step: Entry, made: Instances) -> Iterator[Row]:
    """The failures of instances that no log tells of: those of plain functions, and of a start that was refused."""
    logs, tries = made.logs, dict(made.tries)
    for i, error in made.errors:
        log = logs[i] if logs else None
        if log is None or log.failure is None:
            tried = len(tries[i].failures) + tries[i].is_entered if i in tries else 1
            yield Row(step, error=error, instance=made.label(i), tried=tried)


def selected(rows: Sequence[Row], limit: int | None) -> list[Row | Gap]:
    """At most `limit` rows, with the gaps between them; all for None.

    Steps within instances of a fan-out give way to the others; then the first and the last rows are kept.
    """
    if limit is None or len(rows) <= limit:
        return list(rows)
    outer = [i for i, row in enumerate(rows) if not row.is_inside]
    if len(outer) <= limit:
        inner = (i for i, row in enumerate(rows) if row.is_inside)
        keep = {*outer, *(i for i, _ in zip(inner, range(limit - len(outer)), strict=False))}
    else:
        last = limit // 4
        keep = {*outer[: limit - last], *(outer[-last:] if last else ())}
    return _with_gaps(rows, keep)


def _with_gaps(rows: Sequence[Row], keep: set[int]) -> list[Row | Gap]:
    shown: list[Row | Gap] = []
    hidden: list[Row] = []
    for i, row in enumerate(rows):
        if i not in keep:
            hidden.append(row)
            continue
        shown += _gap(hidden)
        shown.append(row)
        hidden = []
    return [*shown, *_gap(hidden)]


def _gap(hidden: Sequence[Row]) -> list[Gap]:
    if not hidden:
        return []
    steps = sum(1 for i, row in enumerate(hidden) if not i or row.step is not hidden[i - 1].step)
    is_inside = all(row.is_inside for row in hidden)
    return [Gap(len(hidden), steps, is_inside, is_inside and all(row.are_branches for row in hidden))]
