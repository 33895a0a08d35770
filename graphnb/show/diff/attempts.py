"""The attempts at a node that failed before what came of it, in words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from graphnb.show.writing.error_text import error_text
from graphnb.show.writing.words import clipped, things
from graphnb.trace.instances import Tries
from graphnb.trace.reading.steps import Step
from graphnb.trace.reading.unfinished import FailedStep

_MOST: Final = 3
_MESSAGE: Final = 160


def attempts_text(step: Step | FailedStep) -> str:
    """How many attempts failed and how, and what middleware put in their place; empty if there is nothing to tell."""
    is_failed = isinstance(step, FailedStep)
    tries = Tries(step.failures, step.is_entered, isinstance(step, Step) and step.is_degraded)
    return tries_text(tries, "node", gives="an update", is_failed=is_failed)


def tries_text(tries: Tries, who: str, *, gives: str, is_failed: bool) -> str:
    """The same of whatever middleware is around, and of what that `gives`.

    >>> tries_text(Tries((ValueError("no"),) * 2, is_degraded=True), "instance", gives="a result", is_failed=False)
    '2 attempts failed: ValueError: no (2×); middleware put a result in place of the failure'
    """
    failures = tries.failures
    told = [f"{things(len(failures), 'attempt')} failed: {errors_text(failures)}"] if failures else []
    if not tries.is_entered:
        is_told = f"failed without asking the {who}" if is_failed else f"answered, the {who} was not asked"
        told.append(f"middleware {is_told}")
    elif tries.is_degraded:
        told.append(f"middleware put {gives} in place of the failure")
    return "; ".join(told)


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
