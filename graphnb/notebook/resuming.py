"""Going on with a run that waits: the answers to its interrupts, and the log that the next drive begins with."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from graphnb.engine.invocation import Ids
from graphnb.engine.run import Execution, go_on
from graphnb.engine.supersteps.answering import fold_answers
from graphnb.errors import InactiveRun, InvalidInput
from graphnb.errors.text import shown
from graphnb.graph.interrupt import Interrupt
from graphnb.trace.trace import Trace


class Resumption:
    """What it takes to go on with a run: how it was driven, and whether somebody has gone on from its end before."""

    def __init__(self, execution: Execution) -> None:
        self._plan = execution.plan  # not the execution itself, which would keep alive what drives the run
        self._ids = execution.ids
        self._max_steps = execution.max_steps
        self._observers = execution.observers
        self._lock = threading.Lock()
        self._is_taken = False

    def begin(self, trace: Trace, answer: Any, *, max_steps: int | None) -> Execution:
        """A run that goes on from where this one waits, under the same ids unless somebody has taken them on before."""
        log, position = fold_answers(self._plan, trace.log, status=trace.status, answers=answers_of(trace, answer))
        most = self._max_steps if max_steps is None else max_steps
        with self._lock:
            ids = Ids(correlation_id=self._ids.correlation_id) if self._is_taken else self._ids
            execution = go_on(self._plan, log, ids=ids, position=position, max_steps=most, observers=self._observers)
            self._is_taken = True
        return execution


def answers_of(trace: Trace, answer: Any) -> Mapping[str, Any]:
    """The answers by the ids of their interrupts: a mapping where several are open, for a single one its answer alone.

    A mapping that has nothing but ids of interrupts of this run is by id even then: an answer given once more does not
    become that of the interrupt which is still open.

    Raises InactiveRun if the run does not wait, InvalidInput for no mapping, or one without answers, where several are.
    """
    place, pending = f"run of graph '{trace.log.graph}'", trace.pending
    if trace.status != "waiting":
        raise InactiveRun(place, f"is {trace.status} and waits for no answer")
    ids = [each.id for each in pending]
    is_by_id = isinstance(answer, Mapping) and bool(answer) and all(isinstance(each, str) for each in answer)
    if len(pending) == 1:
        asked = {each.interrupt.id for each in trace.log.commits if isinstance(each.interrupt, Interrupt)}
        return dict(answer) if is_by_id and set(answer) <= asked else {ids[0]: answer}
    if is_by_id:
        return dict(answer)
    mend = f"Give a mapping: run.resume({{{', '.join(f'{each!r}: ...' for each in ids)}}})."
    raise InvalidInput(
        place, f"has {len(ids)} open interrupts, and the answer {shown(answer)} names none of them", mend
    )
