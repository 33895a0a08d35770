"""Whether two runs did the same, told at the cost of what they wrote.

Comparing all values before and after every fold would cost the square of a long loop with a growing list. By
induction less is enough: a value before that is the value after an earlier fold was compared there, and where a
list or dict only grew, the same growth of the same value is the same value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphnb.state.folding.fold import Fold
from graphnb.state.folding.writes import ADDED, REPLACED, InFull, Split, Writes, written_value
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.state.values.same import is_same
from graphnb.trace.instances import are_asked_alike, have_ended_alike
from graphnb.trace.log import Log
from graphnb.trace.reading.questions import is_same_question
from graphnb.trace.reading.steps import Entry, Step
from graphnb.trace.reading.unfinished import FailedStep
from graphnb.trace.reading.walking import walk

_Pairs = set[tuple[int, int]]
"""Pairs of values that are known to be the same, by their ids: both logs hold them as long as this lasts."""


def are_logs_same(one: Log, other: Log) -> bool:
    """True if both start from the same values, and all steps and failures are equal, as if compared one by one."""
    if not is_same(one.start, other.start):
        return False
    mine, theirs = list(walk(one)), list(walk(other))
    if not _have_failed_alike(mine, theirs):
        return False
    steps = [[each for each in entries if type(each) is Step] for entries in (mine, theirs)]
    known = {(id(value), id(other.start[name])) for name, value in one.start.items()}
    return len(steps[0]) == len(steps[1]) and all(
        _are_steps_same(a, b, known=known) for a, b in zip(*steps, strict=True)
    )


def _have_failed_alike(mine: Iterable[Entry], theirs: Iterable[Entry]) -> bool:
    failures = [[each for each in entries if type(each) is FailedStep] for entries in (mine, theirs)]
    return len(failures[0]) == len(failures[1]) and all(
        _told(one) == _told(other) and are_asked_alike(one.instances, other.instances)
        for one, other in zip(*failures, strict=True)
    )


def _told(failed: FailedStep) -> tuple[object, ...]:
    return failed.number, failed.path, failed.error.category, str(failed.error)


def _are_steps_same(one: Step, other: Step, *, known: _Pairs) -> bool:
    if (one.number, one.parents, one.node, one.targets) != (other.number, other.parents, other.node, other.targets):
        return False
    if not have_ended_alike(one.instances, other.instances) or not is_same_question(one.interrupt, other.interrupt):
        return False
    mine, theirs = one.folds, other.folds
    grow = not (one.log.schema.whole or other.log.schema.whole)
    return len(mine) == len(theirs) and all(
        _are_folds_same(*pair, known=known, grow=grow) for pair in zip(mine, theirs, strict=True)
    )


def _are_folds_same(one: Fold, other: Fold, *, known: _Pairs, grow: bool) -> bool:
    """True if equal; the values after are then known to be the same. `grow`: lists and dicts are not made anew."""
    if one.field != other.field or one.reducer != other.reducer or not _are_same(one.before, other.before, known=known):
        return False
    if not _is_write_after(one, other):
        if not is_same(_written(one), _written(other)):
            return False
        if grow and _have_grown_alike(one, other):
            known.add((id(one.after), id(other.after)))
            return True
    if not _are_same(one.after, other.after, known=known):
        return False
    known.add((id(one.after), id(other.after)))
    return True


def _are_same(one: Any, other: Any, *, known: _Pairs) -> bool:
    return one is other or (id(one), id(other)) in known or is_same(one, other)


def _written(fold: Fold) -> Any:
    return written_value(fold.written, fold.before, fold.after)


def _is_write_after(one: Fold, other: Fold) -> bool:
    """True if both writes are the values after, so that one comparison does for both."""
    return all(each.written is REPLACED or each.written is each.after for each in (one, other))


def _have_grown_alike(one: Fold, other: Fold) -> bool:
    """True if both added the same to lists or dicts that they else left alone; the writes are known to be the same."""
    if any(type(each.after) not in (GrownList, GrownDict) for each in (one, other)):
        return False
    if any(type(each.written) in (InFull, Writes) for each in (one, other)):
        return False
    if all(
        each.written is ADDED or type(each.written) is Split for each in (one, other)
    ):  # the write is what was added
        return True
    return is_same(*(written_value(ADDED, each.before, each.after) for each in (one, other)))
