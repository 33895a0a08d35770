"""The rows of the step diff table: one per step, node and written field; nodes that did not complete are rows too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.show.diff.change_text import change_text
from graphnb.show.diff.instances import instances_text
from graphnb.show.writing.error_text import error_text
from graphnb.show.writing.words import UNITS, printable
from graphnb.state.folding.writes import written_value
from graphnb.trace.comparing.changes import changes_of
from graphnb.trace.comparing.differences import Change
from graphnb.trace.instances import Instances, Unit
from graphnb.trace.places import path_text
from graphnb.trace.reading.notices import listed
from graphnb.trace.reading.steps import Delta, Entry, Step
from graphnb.trace.reading.unfinished import FailedStep, OpenStep

NOTHING: Final = ""
ATTEMPTS: Final = "(attempts)"
ERROR: Final = "(error)"
INSTANCES: Final = "(instances)"
ASKS: Final = "(asks)"
ANSWER: Final = "(answer)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Row:
    """One row. `delta` is the written field, None where a step wrote nothing or did not complete.

    `error` is what failed, after it was `tried` so often: the step, or its instance, branch or delegate `instance`.
    `made` is set in the row that tells of the instances, branches or delegates of a node that did not complete.
    `attempts` is what is to be told of the attempts that were made before what the other rows tell of the step, or of
    an instance, and of what middleware has put in their place; `failures` are the errors of these. `together` are all
    nodes of the super-step if several ran in it, one tuple for all of its rows; a field that several of them wrote is
    one row, of which `step` is the last. `waits`: the interrupt that the row tells of has no answer yet. `visit` counts
    from 1 how often the node has come under this number: one that middleware answers for takes none. `before`,
    `written` and `after` are values as the run keeps them: to be read, not changed.
    """

    step: Entry
    delta: Delta | None = None
    error: BaseException | None = None
    instance: int | str | None = None
    made: Instances | None = None
    attempts: str = ""
    failures: tuple[Exception, ...] = ()
    tried: int = 0
    together: tuple[Entry, ...] = ()
    waits: bool = False
    visit: int = 1

    @property
    def number(self) -> int:
        """The step's number."""
        return self.step.number

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that wrote the field, in the order of the fold; the step's node where it was one alone."""
        return (self.delta.writers if self.delta else ()) or (self.step.node,)

    @property
    def paths(self) -> tuple[str, ...]:
        """Where each of these nodes stands."""
        return tuple(path_text(self.step.parents, node) for node in self.nodes)

    @property
    def path(self) -> str:
        """Where the node stands, with the branch that wrote the field, or the instance where only that failed.

        Several nodes stand in the order of the fold, with commas; an answer is marked as such behind its node, and
        so is a second visit.
        """
        if self.is_answer:
            return f"{self.step.path} {ANSWER}"
        one = self.branch if self.branch is not None else self.instance
        path = path_text(self.step.parents, ", ".join(self.nodes))
        path = path if one is None else f"{path}[{one}]"
        return path if self.visit == 1 else f"{path} ({self.visit})"

    @property
    def branch(self) -> str | None:
        """The parallel branch that wrote the field, None if it was the node itself."""
        return self.delta.branch if self.delta else None

    @property
    def is_answer(self) -> bool:
        """True if the row tells of an answer to an interrupt."""
        return isinstance(self.step, Step) and isinstance(self.step.interrupt, Answer)

    @property
    def asked(self) -> Interrupt | None:
        """What the node has asked, if the row tells of that."""
        asked = self.step.interrupt if isinstance(self.step, Step) and not self.attempts else None
        return asked if isinstance(asked, Interrupt) else None

    @property
    def field(self) -> str:
        """The field's name; empty where nothing was written, else in brackets what the row tells instead."""
        if self.delta:
            return self.delta.field
        if self.made:
            return INSTANCES
        if self.attempts:
            return ATTEMPTS
        if self.asked:
            return ASKS
        return ERROR if self.error else f"({self.fate})" if self.fate else NOTHING

    @property
    def fate(self) -> str:
        """Of a node that was not committed: "stopped", "running", "dropped" or "finished"; empty for others."""
        return self.step.fate if isinstance(self.step, OpenStep) else ""

    @property
    def reducer(self) -> str:
        """The reducer's name, empty where nothing was folded."""
        return self.delta.reducer if self.delta else ""

    @property
    def before(self) -> Any:
        """The value before the fold."""
        return self.delta.kept.before if self.delta else None

    @property
    def written(self) -> Any:
        """What the node wrote, of several nodes the list of what each wrote.

        Of a fan-out that did not complete what its instances gave, by instance.
        """
        if self.made:
            return {self.made.label(i): _as_one(self.made, values) for i, values in self.made.given}
        return written_value(self.delta.kept.written, self.before, self.after) if self.delta else None

    @property
    def after(self) -> Any:
        """The value after the fold."""
        return self.delta.kept.after if self.delta else None

    @property
    def is_replace(self) -> bool:
        """True if the write went round the reducer."""
        return self.delta is not None and self.delta.is_replace

    @property
    def changes(self) -> tuple[Change, ...]:
        """What happened inside the value."""
        return changes_of(self.delta) if self.delta else ()

    @property
    def change(self) -> str:
        """What happened, in words."""
        if self.delta:
            return change_text(self.delta, self.changes)
        if self.made:
            return instances_text(self.step)
        if self.attempts:
            return self.attempts
        if self.asked:
            return asked_text(self.asked, waits=self.waits)
        if isinstance(self.step, OpenStep):
            if self.step.is_finished:
                return _finished_text(self.step, self.together)
            return f"{self.fate}{' at its edge' if self.step.at_edge else ''}: {no_write(self.step)}"
        return error_text(self.error) if self.error else "wrote nothing"

    @property
    def is_inside(self) -> bool:
        """True for a step within an instance of a fan-out, a parallel branch or a delegate."""
        return self.unit is not None

    @property
    def unit(self) -> Unit | None:
        """What the step is in, of the outermost node around it that runs several at once; None if there is none."""
        return next((part.unit for part in self.step.parents if part.instance is not None), None)


def inside_text(units: Iterable[Unit | None]) -> str:
    """What rows are within, in words; empty if any of them is within none.

    >>> inside_text(["branch", "branch", "delegate"])
    'branches and delegates'
    """
    kinds = dict.fromkeys(units)
    return "" if None in kinds else " and ".join(UNITS[each] for each in kinds if each)


def no_write(step: Entry) -> str:
    """What a node that came to no end has not done."""
    if isinstance(step, OpenStep) and step.at_edge:
        return "none was chosen"
    return "wrote nothing" if not isinstance(step, OpenStep) or step.stopped else "nothing written yet"


def asked_text(asked: Interrupt, *, waits: bool) -> str:
    """What was asked for, and the question.

    >>> asked_text(Interrupt("answers", "Go on?"), waits=True)
    'asks for answers: Go on? (no answer yet)'
    """
    question = f": {printable(' '.join(asked.ask.split()))}" if asked.ask else ""
    return f"asks for {printable(asked.field)}{question}{' (no answer yet)' if waits else ''}"


def _finished_text(step: OpenStep, together: Sequence[Entry]) -> str:
    """What became of what a node wrote whose super-step was not committed."""
    if not step.stopped:
        return "finished, the other nodes of the step go on"
    failed = [each.node for each in together if isinstance(each, FailedStep)]
    why = f"{printable(listed(failed))} failed" if failed else "the run was stopped"
    return f"finished, but what it wrote was dropped: {why}"


def _as_one(made: Instances, values: tuple[Any, ...]) -> Any:
    """The value that an instance gave, or a dict of them by field."""
    return values[0] if len(values) == 1 else dict(zip(made.into, values, strict=True))
