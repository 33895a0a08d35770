"""What had become of the instances, branches or delegates of a node that did not complete: in words, and as marks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from graphnb.show.diff.element_marks import Mark
from graphnb.show.writing.error_text import error_text
from graphnb.show.writing.values import value_text
from graphnb.show.writing.words import clipped, units
from graphnb.trace.instances import Instances, fates_of
from graphnb.trace.log import start_of_step
from graphnb.trace.reading.steps import Entry, Step
from graphnb.trace.reading.unfinished import OpenStep

_MOST: Final = 6
_MOST_RUNS: Final = 4
_ITEM: Final = 28
_VALUE: Final = 60
_MESSAGE: Final = 160


def tag_marks(step: Entry, instance: int) -> list[Mark]:
    """A new line that begins with an instance of the step's fan-out and its item, or a delegate and its brief."""
    made = step.instances
    tag = [Mark("line", ""), Mark(made.unit, f"#{made.label(instance)}") if made else Mark("instance", f"#{instance}")]
    try:
        item = item_of(step, instance)
    except LookupError:
        return tag
    is_cut = isinstance(item, str) and made is not None and made.unit == "delegate"  # a beginning tells enough
    return [*tag, Mark("item", repr(clipped(item, _ITEM - 2)) if is_cut else value_text(item, _ITEM))]


def item_of(step: Entry, instance: int) -> Any:
    """The item that an instance was given, or a delegate's brief. Raises LookupError if it was given none."""
    if step.instances and step.instances.briefs is not None:
        return step.instances.briefs[instance]
    over = step.instances.over if step.instances else None
    if over is None:
        raise LookupError(instance)
    return _kept_before(step, over)[instance]


def _kept_before(step: Entry, field: str) -> Any:
    """The value of a field before the super-step, as the run keeps it."""
    commits = step.log.commits
    first = start_of_step(commits, step.index) if isinstance(step, Step) else step.index
    for commit in reversed(commits[:first]):
        for fold in commit.folds:
            if fold.field == field:
                return fold.after
    return step.log.start[field]


def instances_text(step: Entry) -> str:
    """How many instances, branches or delegates of the step had come to which end, in words."""
    made = step.instances
    assert made is not None
    fates = fates_of(made)
    begun, ahead = _words(step)
    ends = {"failed": fates.failed, begun: fates.stopped, ahead: fates.unstarted}
    told = [f"{len(fates.finished):,} of {units(made.count, made.unit)} finished"]
    return ", ".join([*told, *(f"{len(some):,} {word}" for word, some in ends.items() if some)])


def instances_marks(step: Entry, *, errors: bool = True) -> list[Mark]:
    """The instances by what became of them, a few values and, if asked for, errors one by one."""
    made = step.instances
    assert made is not None
    fates = fates_of(made)
    begun, ahead = _words(step)
    marks: list[Mark] = []
    for i, values in made.given[:_MOST]:
        marks += [*tag_marks(step, i), Mark("plain", _values_text(made, values))]
    marks += _more(len(made.given), "finished")
    for i, error in made.errors[:_MOST] if errors else ():
        marks += [*tag_marks(step, i), Mark("failed", clipped(error_text(error), _MESSAGE))]
    marks += _more(len(made.errors), "failed") if errors else []
    return [*marks, *_numbers(made, begun, instances=fates.stopped), *_numbers(made, ahead, instances=fates.unstarted)]


def split_lines(marks: Iterable[Mark]) -> Iterator[list[Mark]]:
    """The marks of each line by themselves."""
    for is_break, run in itertools.groupby(marks, key=lambda mark: mark.kind == "line"):
        if not is_break:
            yield list(run)


def _words(step: Entry) -> tuple[str, str]:
    """What to call instances that have begun and come to no end, and those that have not begun."""
    is_running = isinstance(step, OpenStep) and not step.stopped
    return ("running", "to come") if is_running else ("stopped", "never started")


def _values_text(made: Instances, values: Sequence[object]) -> str:
    if len(values) == 1:
        return value_text(values[0], _VALUE)
    return ", ".join(f"{field}: {value_text(each, _VALUE)}" for field, each in zip(made.into, values, strict=True))


def _more(count: int, word: str) -> list[Mark]:
    hidden = count - _MOST
    return [Mark("line", ""), Mark("note", f"… {hidden:,} more {word}")] if hidden > 0 else []


def _numbers(made: Instances, word: str, *, instances: Sequence[int]) -> list[Mark]:
    if not instances:
        return []
    told = numbers_text(instances)
    if made.names is not None:
        hidden = len(instances) - _MOST
        more = [f"… {hidden:,} more"] if hidden > 0 else []
        told = ", ".join([*(f"#{made.names[i]}" for i in instances[:_MOST]), *more])
    return [Mark("line", ""), Mark("note", f"{word}: {told}")]


def numbers_text(instances: Sequence[int]) -> str:
    """The numbers of instances, those in a row by the first and the last; a few of them.

    >>> numbers_text([3, 5, 6, 7, 8])
    '#3, #5 to #8'
    """
    runs: list[list[int]] = []
    for i in instances:
        if runs and runs[-1][-1] == i - 1:
            runs[-1][1:] = [i]
        else:
            runs.append([i])
    told = [(", " if run[-1] == run[0] + 1 else " to ").join(f"#{i}" for i in run) for run in runs[:_MOST_RUNS]]
    hidden = len(instances) - sum(run[-1] - run[0] + 1 for run in runs[:_MOST_RUNS])
    return ", ".join([*told, *([f"… {hidden:,} more"] if hidden else [])])
