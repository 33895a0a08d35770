"""Errors in a run that pickle would write and nobody could read: found when they are written."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

from graphnb.errors import GraphError
from graphnb.trace.reading.steps import Entry
from graphnb.trace.reading.unfinished import OpenStep
from graphnb.trace.reading.walking import walk
from graphnb.trace.trace import Trace


def check_errors(trace: Trace) -> None:
    """Raises TypeError for an error of the user's that does not survive pickling; many exceptions do not.

    A class whose `__init__` takes other arguments than it passes on is written without complaint.
    """
    for step in walk(trace.log):
        for error in _errors_of(step):
            try:
                pickle.loads(pickle.dumps(error))
            except Exception as fault:
                node = f"run of {trace.topology.name!r}, node '{step.path}'"
                what = f"{node}: its {type(error).__name__} cannot be pickled"
                mend = "Give its class a __reduce__, or keep what there is to see: run.to_html('run.html')."
                raise TypeError(f"{what} ({type(fault).__name__}: {fault})\n{mend}") from fault


def _errors_of(step: Entry) -> Iterator[BaseException]:
    """The errors that are no graphnb errors, and the causes of those that are; causes of theirs pickle leaves out."""
    errors: list[BaseException] = [] if isinstance(step, OpenStep) else list(step.failures)
    if step.instances is not None:
        errors += [error for _, error in step.instances.errors]
    failed = getattr(step, "error", None)
    for error in [*errors, failed]:
        while isinstance(error, GraphError):
            error = error.__cause__
        if error is not None:
            yield error
