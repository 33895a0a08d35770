"""Notices: what happened in a run without failing and is easily overlooked, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphnb.errors.text import shown
from graphnb.state.folding.writes import Writes
from graphnb.trace.log import Log
from graphnb.trace.places import path_text
from graphnb.trace.reading.steps import Delta, Step
from graphnb.trace.reading.walking import walk

_FEW: Final = 3
_MOST: Final = 6


def notices_of(log: Log) -> Iterator[str]:
    """The writes that were lost because several nodes of one step wrote the same field, by step and field."""
    for step in walk(log):
        if isinstance(step, Step):
            shared = (Delta(fold) for fold in step.folds if type(fold.written) is Writes)
            for delta in shared:
                if len(delta.writers) > 1 and losers_of(delta):
                    yield f"step {step.number}: {_lost_text(delta, step)}"


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
    both = "both" if len(delta.writers) == 2 else "all"
    return f"{writers} {both} wrote {delta.field}; {losers_text(delta)}"


def losers_text(delta: Delta) -> str:
    """Who lost, in words; of many who did not."""
    losers = losers_of(delta)
    rest = [name for name in delta.writers if name not in losers]
    if not rest:
        return f"{'both' if len(losers) == 2 else 'all'} lost, it was set before"
    return f"{listed(losers)} lost" if len(losers) <= _FEW else f"all but {listed(rest)} lost"


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
