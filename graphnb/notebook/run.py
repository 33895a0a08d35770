"""Run: what a user holds after a graph has run, or has run as far as it came."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Protocol

from graphnb.engine.invocation import Ids
from graphnb.errors import InactiveRun
from graphnb.notebook.pickling import check_errors
from graphnb.state.schema import Values, state_of
from graphnb.trace.log import values_at
from graphnb.trace.reading.steps import Step, numbers_in
from graphnb.trace.trace import Status, Trace

if TYPE_CHECKING:
    from graphnb.show.diff.table import Diff
    from graphnb.show.drawing.picture import Picture
    from graphnb.show.pending import Pending
    from graphnb.trace.reading.faults import Fault
    from graphnb.trace.reading.stalled import Stalled


class Resumable(Protocol):
    """What goes on with a run that waits, see `Run.resume`."""

    def resume(self, trace: Trace, answer: Any, *, max_steps: int | None) -> Run:
        """The run that comes of the answer."""

    async def aresume(self, trace: Trace, answer: Any, *, max_steps: int | None) -> Run:
        """Like `resume`, in the running event loop."""


class Run:
    """One run of a graph: its final state, its steps, and how to look at them. Never changes.

    Equality compares what happened. What takes long to make is made when it is first asked for. It can be pickled
    where its state class and values can; functions of the graph are no part of it.
    """

    def __init__(
        self,
        trace: Trace,
        ids: Ids | None = None,
        *,
        values: Values | None = None,
        resumable: Resumable | None = None,
    ) -> None:
        self._trace = trace
        self._ids = ids or Ids()
        self._values = values
        self._resumable = resumable
        self._steps: tuple[Step, ...] | None = None

    @property
    def run_id(self) -> str:
        """The name of the log, the same while the run goes on and after its end; random, and shown nowhere."""
        return self._ids.run_id

    @property
    def invocation_id(self) -> str:
        """The name of this drive of the log, which observers were told; the caller's own if one was given."""
        return self._ids.invocation_id

    @property
    def correlation_id(self) -> str:
        """The name of what the run belongs to; the caller's own if one was given."""
        return self._ids.correlation_id

    @property
    def trace(self) -> Trace:
        """The whole record."""
        return self._trace

    @property
    def state(self) -> Any:
        """The state after the last step, an instance of the graph's state class; its lists are the caller's own."""
        return state_of(self._trace.log.schema, self._last_values())

    @property
    def status(self) -> Status:
        """`done`, `failed`, `cancelled`, `waiting` or `running`."""
        return self._trace.status

    @property
    def error(self) -> BaseException | None:
        """What ended the run early, None if nothing did."""
        return self._trace.error

    @property
    def fault(self) -> Fault | None:
        """Why the run failed: a code, the node if one alone is at fault, the reasons by node; None if it did not."""
        from graphnb.trace.reading.faults import fault_of

        return fault_of(self._trace.log)

    @property
    def outputs(self) -> dict[str, Any] | None:
        """What the run of a graph document puts out, by name: None for what was never written.

        None instead of a dict where there is nothing yet: for a run that is not done, and for no document.
        """
        from graphnb.trace.outputs import outputs_of

        return outputs_of(self._trace.log, self._last_values()) if self.status == "done" else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """All completed nodes by number, inner ones included."""
        if self._steps is None:
            self._steps = self._trace.steps
        return self._steps

    @property
    def pending(self) -> Pending:
        """The interrupts that wait for an answer: a sequence of records, which shows itself as a table."""
        from graphnb.show.pending import Pending

        return Pending(self._trace.pending)

    @property
    def stalled(self) -> tuple[Stalled, ...]:
        """The joins that still waited when their graph had nothing left to do, with the nodes that never came.

        Those of graphs within nodes, instances and branches too: `parents` and `place` tell where.
        """
        return self._trace.stalled

    @property
    def notices(self) -> tuple[str, ...]:
        """What to know though nothing failed: writes that were lost, guards that ended it, joins that still waited."""
        return self._trace.notices

    def resume(self, answer: Any, /, *, max_steps: int | None = None) -> Run:
        """Goes on with a run that waits, and gives the run that comes of it; this one stays as it is.

        `answer` is written to the field that was asked for, through its reducer, and the node runs again. If several
        interrupts are open, it maps their ids to answers, in the order in which these are to be folded; those left
        out stay open. Answered once more from here, the run gets a branch with a `run_id` of its own. Raises
        InactiveRun, AlreadyResolved, InterruptNotFound or InvalidInput before anything changes, else like `run`.
        """
        return self._going_on().resume(self._trace, answer, max_steps=max_steps)

    async def aresume(self, answer: Any, /, *, max_steps: int | None = None) -> Run:
        """Like `resume`, in the running event loop."""
        return await self._going_on().aresume(self._trace, answer, max_steps=max_steps)

    def _last_values(self) -> Values:
        if self._values is None:
            self._values = values_at(self._trace.log)
        return self._values

    def _going_on(self) -> Resumable:
        if self._resumable is not None:
            return self._resumable
        place, mend = f"run of graph '{self._trace.topology.name}'", ""
        what = f"is {self.status} and waits for no answer"
        if self.status == "waiting":
            what, mend = "was read from a pickle, which has no functions", "Resume it where the graph has run."
        elif self.status == "running":
            mend = "Answer once it waits, when run.status is 'waiting'."
        raise InactiveRun(place, what, mend)

    def diff(
        self,
        *,
        step: int | None = None,
        node: str | None = None,
        field: str | None = None,
        limit: int | None = 50,
    ) -> Diff:
        """The table of changes: one row per step, node and field; the options keep some rows only.

        `limit` bounds the rows that are shown, None shows all; `.data` is a DataFrame with all of them.
        """
        from graphnb.show.diff.table import diff_of

        return diff_of(self._trace, step=step, node=node, field=field, limit=limit)

    def draw(self) -> Picture:
        """The drawing of the graph with the path that was taken."""
        from graphnb.show.drawing.picture import picture_of
        from graphnb.trace.reading.visits import visits_of

        return picture_of(self._trace.topology, visits_of(self._trace.log))

    def to_html(self, path: str | pathlib.Path) -> pathlib.Path:
        """Writes a report that needs nothing else to be read, and gives its path."""
        from graphnb.show.report import report_html

        target = pathlib.Path(path)
        html = report_html(self._trace, self.draw().html, title=f"Run of {self._trace.topology.name}")
        target.write_text(html, encoding="utf-8")
        return target

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from graphnb.show.run_view import run_mimebundle

        return run_mimebundle(self._trace, self.draw()._repr_mimebundle_())

    def __eq__(self, other: object) -> bool:
        return self._trace == other._trace if isinstance(other, Run) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.status, self._trace.execution_order))

    def __copy__(self) -> Run:
        return self

    def __deepcopy__(self, memo: object) -> Run:
        return self  # nothing changes it

    def __getstate__(self) -> dict[str, Any]:
        check_errors(self._trace)
        return {**self.__dict__, "_resumable": None}  # functions of the graph are no part of it

    def __repr__(self) -> str:
        steps = len(numbers_in(self.steps))
        return f"<Run of {self._trace.topology.name!r}: {self.status}, {steps} step{'' if steps == 1 else 's'}>"
