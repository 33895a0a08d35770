"""Making the rows of a run: step by step, the nodes of one super-step side by side, then what ran inside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.show.diff.attempts import attempts_text, tries_text
from graphnb.show.diff.rows import Row
from graphnb.trace.instances import Instances
from graphnb.trace.log import end_of_step, start_of_step
from graphnb.trace.reading.steps import Entry, Step
from graphnb.trace.reading.unfinished import FailedStep, OpenStep
from graphnb.trace.reading.walking import walk
from graphnb.trace.trace import Trace


def rows_of(trace: Trace) -> Iterator[Row]:
    """All rows of a run in the order of its steps."""
    waiting = frozenset(each.id for each in trace.pending)
    visits: Counter[tuple[int, str]] = Counter()
    for nodes in super_steps(tuple(walk(trace.log))):
        if len(nodes) == 1:
            visit = _count(visits, nodes[0])
            own = _rows(nodes[0], waiting, together=())
            yield from own if visit == 1 else (replace(row, visit=visit) for row in own)
            continue
        for each in nodes:
            _count(visits, each)
        rows = [row for each in nodes for row in _rows(each, waiting, together=nodes)]
        shared = [row for row in rows if row.delta and row.delta.writers]
        writers = {name for row in shared for name in row.nodes}
        for row in rows:
            if row not in shared and not (_is_empty(row) and row.step.node in writers):
                yield row
        yield from shared


def _count(visits: Counter[tuple[int, str]], entry: Entry) -> int:
    """How often its node has stood under its number by now: once, but for steps that have taken no number."""
    if not isinstance(entry, Step) or isinstance(entry.interrupt, Answer):
        return 1
    visits[entry.number, entry.path] += 1
    return visits[entry.number, entry.path]


def super_steps(entries: Sequence[Entry]) -> Iterator[tuple[Entry, ...]]:
    """The nodes of each super-step, in the order of their names; what ran inside them comes after all of them."""
    groups: dict[Hashable, list[Entry]] = {}
    for each in entries:
        if key := _key_of(each):
            groups.setdefault(key, []).append(each)
    lanes = [group for group in groups.values() if not isinstance(group[0], Step)]
    told: set[Hashable] = set()
    for each in entries:
        around = next((group[0] for group in lanes if _is_within(each, group)), each)
        for one in (around, each):
            key = _key_of(one)
            if key is not None and key not in told:
                told.add(key)
                yield tuple(groups[key])
        if _key_of(each) is None:
            yield (each,)


def _key_of(entry: Entry) -> Hashable:
    """What the nodes of one super-step share, None for a node that ran alone."""
    if isinstance(entry, Step):
        commits = entry.log.commits
        first = start_of_step(commits, entry.index)
        return None if end_of_step(commits, entry.index) - first == 1 else (id(entry.log), first)
    return (entry.parents, entry.number) if entry.is_shared else None


def _is_within(entry: Entry, group: Sequence[Entry]) -> bool:
    """True for what ran inside a node of a super-step that was not committed: it may stand before that node."""
    first = group[0]
    depth = len(first.parents)
    return (
        len(entry.parents) > depth
        and entry.number > first.number
        and entry.parents[:depth] == first.parents
        and entry.parents[depth].node in [each.node for each in group]
    )


def _is_empty(row: Row) -> bool:
    """True if the row says that its node wrote nothing."""
    return isinstance(row.step, Step) and not (row.field or row.error)


def _rows(step: Entry, waiting: Iterable[str], *, together: tuple[Entry, ...]) -> Iterator[Row]:
    """What is to be told of one node."""
    if not isinstance(step, OpenStep) and (told := attempts_text(step)):
        yield Row(step, attempts=told, failures=step.failures, together=together)
    if isinstance(step, Step):
        deltas = step.deltas
        waits = isinstance(step.interrupt, Interrupt) and step.interrupt.id in waiting
        yield from (Row(step, delta, together=together) for delta in deltas)
        yield from () if deltas else (Row(step, together=together, waits=waits),)
    elif isinstance(step, FailedStep):
        yield Row(step, error=step.error, tried=1 if step.at_edge else step.attempts, together=together)
        yield from (Row(step, made=step.instances, together=together),) if step.instances else ()
    else:
        yield Row(step, made=None if step.is_finished else step.instances, together=together)
    if step.instances is not None:
        yield from _attempts_at_instances(step, step.instances, together=together)
        yield from _failed_instances(step, step.instances, together=together)


def _attempts_at_instances(step: Entry, made: Instances, *, together: tuple[Entry, ...]) -> Iterator[Row]:
    """What middleware around instances or branches has made of their attempts, where there is something to tell."""
    failed = {i for i, _ in made.errors}
    gives = "an update" if made.unit == "branch" else "a result"
    for i, tries in made.tries:
        told = tries_text(tries, made.unit, gives=gives, is_failed=i in failed)
        yield Row(step, instance=made.label(i), attempts=told, failures=tries.failures, together=together)


def _failed_instances(step: Entry, made: Instances, *, together: tuple[Entry, ...]) -> Iterator[Row]:
    """The failures of instances that no log tells of: those of plain functions, and of a start that was refused."""
    logs, tries = made.logs, dict(made.tries)
    for i, error in made.errors:
        log = logs[i] if logs else None
        if log is None or log.failure is None:
            tried = len(tries[i].failures) + tries[i].is_entered if i in tries else 1
            yield Row(step, error=error, instance=made.label(i), tried=tried, together=together)
