"""The attempts at a node that failed before what came of it, in words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from graphnb.show.error_text import error_text
from graphnb.show.words import clipped, things
from graphnb.trace.steps import Step
from graphnb.trace.unfinished import FailedStep

_MOST: Final = 3
_MESSAGE: Final = 160


def attempts_text(step: Step | FailedStep) -> str:
    """How many attempts failed and how, and what middleware put in their place; empty if there is nothing to tell."""
    told = [f"{things(len(step.failures), 'attempt')} failed: {errors_text(step.failures)}"] if step.failures else []
    if not step.is_entered:
        told.append("middleware failed without asking the node" if isinstance(step, FailedStep) else _ANSWERED)
    elif isinstance(step, Step) and step.is_degraded:
        told.append("middleware put an update in place of the failure")
    return "; ".join(told)


_ANSWERED: Final = "middleware answered, the node was not asked"


def errors_text(errors: Sequence[BaseException]) -> str:
    """Errors one after the other, equal ones in a row once with their number; a few of them.

    >>> errors_text([ValueError("no"), ValueError("no"), KeyError("x")])
    "ValueError: no (2×), KeyError: 'x'"
    """
    texts = (clipped(error_text(each), _MESSAGE) for each in errors)
    runs = [(text, len(list(run))) for text, run in itertools.groupby(texts)]
    told = [text if count == 1 else f"{text} ({count:,}×)" for text, count in runs[:_MOST]]
    hidden = sum(count for _, count in runs[_MOST:])
    return ", ".join([*told, *([f"… {hidden:,} more"] if hidden else [])])
