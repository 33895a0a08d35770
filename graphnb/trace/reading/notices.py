"""Notices: what happened in a run without failing and is easily overlooked, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.errors.text import shown
from graphnb.graph.topology import Topology
from graphnb.state.folding.writes import Writes
from graphnb.trace.log import Log
from graphnb.trace.places import path_text
from graphnb.trace.reading.closed import closed_text
from graphnb.trace.reading.steps import Delta, Step
from graphnb.trace.reading.walking import walk

_FEW: Final = 3
_MOST: Final = 6
_FIRST: Final = "step.first_value"


def notices_of(log: Log, topology: Topology) -> Iterator[str]:
    """Writes that were lost as several wrote one field, and guards that let nothing come after a node, by step.

    `topology` is that of the graph whose log it is.
    """
    for step in walk(log):
        if isinstance(step, Step):
            for told in (*_among_nodes(step), *_among_branches(step), closed_text(step, topology)):
                if told:
                    yield f"step {step.number}: {told}"


def _among_nodes(step: Step) -> Iterator[str]:
    """What several nodes of a super-step wrote in vain, by field; of the branches of one of them only how many."""
    for delta in (Delta(fold) for fold in step.folds if type(fold.written) is Writes):
        if len(delta.writers) > 1 and losers_of(delta):
            yield _lost_text(delta, step)
        for name in delta.writers:
            if told := _lost_among(delta, name):
                yield f"branches of {shown(path_text(step.parents, name))} wrote {delta.field} over each other; {told}"


def _lost_among(delta: Delta, writer: str) -> str:
    """What the branches of one node lost among themselves; empty if it was nothing, or all of it to other nodes."""
    lost = [each.is_lost for each in delta.contributions if each.writer == writer]
    if all(lost):
        return "all lost, it was set before" if len(delta.writers) == 1 else ""
    return f"all but the {'first' if lost[-1] else 'last'} lost" if any(lost) else ""


def _among_branches(step: Step) -> Iterator[str]:
    """What the branches of a node wrote in vain, by field."""
    fields: dict[str, list[Delta]] = {}
    for delta in step.deltas if step.instances and step.instances.owners else ():
        fields.setdefault(delta.field, []).append(delta)
    for field, deltas in fields.items():
        losers = _losers_among(deltas) if len(deltas) > 1 else ()
        if losers:
            names = [each.branch for each in deltas if each.branch is not None]
            node = " and the node itself" if len(names) < len(deltas) else ""
            writers = f"{'branches' if len(names) > 1 else 'branch'} {listed(names)} of {shown(step.path)}{node}"
            yield f"{writers} {_both(len(deltas))} wrote {field}; {_losers_told(names, losers, is_open=bool(node))}"


def _losers_among(deltas: Sequence[Delta]) -> list[str]:
    """The branches of which nothing is in the field's value in the end; `deltas` are all that wrote it, in order."""
    lost: list[bool] = []
    for delta, later in zip(reversed(deltas), (None, *reversed(deltas)), strict=False):
        is_late = delta.reducer == _FIRST and delta.kept.after is delta.kept.before
        goes_on = later is not None and later.reducer != _FIRST and lost[-1]
        lost.append(delta.overwritten_by is not None or is_late or goes_on)
    return [each.branch for each, is_lost in zip(deltas, reversed(lost), strict=True) if is_lost and each.branch]


def counted(notices: Iterable[str]) -> Iterator[str]:
    """Each notice once, with how often it is to be told: a graph within a node may run many times.

    >>> list(counted(["a", "b", "a"]))
    ['a (2×)', 'b']
    """
    yield from (text if count == 1 else f"{text} ({count:,}×)" for text, count in Counter(notices).items())


def losers_of(delta: Delta) -> tuple[str, ...]:
    """The nodes of which nothing is in the field's value, though they wrote it in this step."""
    kept = {each.writer for each in delta.contributions if not each.is_lost}
    return tuple(name for name in delta.writers if name not in kept)


def _lost_text(delta: Delta, step: Step) -> str:
    """Who wrote a field, and who lost; nodes of a graph within another one bear their paths."""
    writers = listed([path_text(step.parents, name) for name in delta.writers])
    return f"{writers} {_both(len(delta.writers))} wrote {delta.field}; {losers_text(delta)}"


def losers_text(delta: Delta) -> str:
    """Who lost, in words; of many who did not."""
    return _losers_told(delta.writers, losers_of(delta))


def _losers_told(writers: Sequence[str], losers: Sequence[str], *, is_open: bool = False) -> str:
    """The same of these writers; `is_open` tells that others wrote as well."""
    rest = [name for name in writers if name not in losers]
    if not rest and not is_open:
        return f"{_both(len(losers))} lost, it was set before"
    return f"{listed(losers)} lost" if len(losers) <= _FEW or not rest else f"all but {listed(rest)} lost"


def _both(count: int) -> str:
    return "both" if count == 2 else "all"


def listed(names: Sequence[str]) -> str:
    """Names in quotes, as they stand in a sentence; of many the first ones and the last.

    >>> listed(["a", "b", "c"])
    "'a', 'b' and 'c'"
    >>> listed("abcdefgh")
    "'a', 'b', 'c', … 4 more and 'h'"
    """
    quoted = [shown(name) for name in names]
    if len(quoted) > _MOST:
        quoted[3:-1] = [f"… {len(quoted) - 4:,} more"]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
