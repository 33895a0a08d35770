"""Steps and deltas: the commits of a log as records to look at, numbered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graphnb.graph.ends import Target
from graphnb.graph.interrupt import Answer, Interrupt, detach_interrupt
from graphnb.state.folding.fold import Fold
from graphnb.state.folding.writes import REPLACED, Contribution, Writes, written_value
from graphnb.state.schema import state_of
from graphnb.state.values.detach import detach
from graphnb.state.values.same import is_same
from graphnb.trace.instances import Instances, have_ended_alike
from graphnb.trace.log import Commit, Log, end_of_step, start_of_step, values_at
from graphnb.trace.places import Part, path_text
from graphnb.trace.reading.questions import is_same_question
from graphnb.trace.reading.unfinished import FailedStep, OpenStep


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Delta:
    """One field changed by one step.

    `before`, `written` and `after` are own copies made when asked for; `kept` gives the fold as the log holds
    it, for readers that must not copy long lists. `instances` is set where a fan-out made the write, `branch` where
    a parallel branch did. `overwritten_by` tells who wrote the field after it within the same step and took nothing
    over: a branch, "" for the node itself, None for nobody.
    """

    kept: Fold
    instances: Instances | None = None
    branch: str | None = None
    overwritten_by: str | None = None

    @property
    def field(self) -> str:
        """The field's name."""
        return self.kept.field

    @property
    def reducer(self) -> str:
        """The reducer's name; "Replace" where the write went round it."""
        return self.kept.reducer

    @property
    def is_replace(self) -> bool:
        """True if the write bypassed the reducer."""
        return self.kept.written is REPLACED

    @property
    def contributions(self) -> tuple[Contribution, ...]:
        """What each writer gave, in the order of the fold, where several nodes of a step wrote the field; else empty.

        Values as the log holds them: to be read, not changed.
        """
        written = self.kept.written
        return written.parts if type(written) is Writes else ()

    @property
    def writers(self) -> tuple[str, ...]:
        """The nodes of a step that wrote the field together, in the order of the fold; empty if a single one did."""
        return tuple(dict.fromkeys(each.writer for each in self.contributions))

    @property
    def before(self) -> Any:
        """The value before the fold."""
        return detach(self.kept.before)

    @property
    def written(self) -> Any:
        """What the node wrote: validated where it went into the value as it is, else as it came.

        Of several writers the list of what each gave.

        As it came: for `merge_all` and `merge_by_key`, where items were left out, and where the value that a
        reducer gave is validated as a whole, as with custom reducers.
        """
        return detach(written_value(self.kept.written, self.kept.before, self.kept.after))

    @property
    def after(self) -> Any:
        """The value after the fold."""
        return detach(self.kept.after)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Delta):
            return NotImplemented
        if (self.field, self.reducer, self.branch) != (other.field, other.reducer, other.branch):
            return False
        return all(map(is_same, _values_of(self.kept), _values_of(other.kept)))

    def __repr__(self) -> str:
        return f"Delta({self.field!r}, {self.reducer})"


def _values_of(kept: Fold) -> tuple[Any, Any, Any]:
    return kept.before, written_value(kept.written, kept.before, kept.after), kept.after


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Step:
    """One completed node, one that has asked, or the answer to that.

    `number` counts from 0 over the whole run, inner steps included; the step of a subgraph node itself bears
    the number of its last inner step, since the specification gives it none. Nodes of one super-step share a number,
    and have what ran inside them behind it; an answer bears the number of the step that comes after it. `parents` lead
    from the outermost graph to the one that holds the node. `targets` are where the run went next.
    Source of the numbers: graph-engine §6, observer events.
    """

    number: int
    parents: tuple[Part, ...]
    log: Log
    index: int

    @property
    def _commit(self) -> Commit:
        return self.log.commits[self.index]

    @property
    def node(self) -> str:
        """The node's name in its own graph."""
        return self._commit.node

    @property
    def path(self) -> str:
        """Where the node stands: `child/a`, or `read[2]/a` in the third instance of a fan-out."""
        return path_text(self.parents, self.node)

    @property
    def namespace(self) -> tuple[str, ...]:
        """The names from the outermost graph down to the node's own."""
        return (*(part.node for part in self.parents), self.node)

    @property
    def folds(self) -> tuple[Fold, ...]:
        """The folds as the log holds them, in the order of the update: to be read, not changed."""
        return self._commit.folds

    @property
    def deltas(self) -> tuple[Delta, ...]:
        """One per written field, in the order of the update; of parallel branches one per branch that wrote it."""
        commit = self._commit
        made = commit.instances
        if made is None or not made.owners:
            return tuple(Delta(each, _instances_of(each, made)) for each in commit.folds)
        writers = [made.writer(i) for i in range(len(commit.folds))]
        return tuple(
            Delta(each, None, writers[i], _overwriter(each.field, commit.folds[i + 1 :], writers=writers[i + 1 :]))
            for i, each in enumerate(commit.folds)
        )

    @property
    def targets(self) -> tuple[Target, ...]:
        """The nodes that came next, or END; empty if the edge failed or was not asked yet."""
        return self.log.routes[self.index] if self.index < len(self.log.routes) else ()

    @property
    def instances(self) -> Instances | None:
        """What instances, parallel branches or delegates did, None for other nodes."""
        return self._commit.instances

    @property
    def failures(self) -> tuple[Exception, ...]:
        """The errors of attempts before the last one, or of all of them where `is_degraded`."""
        return self._commit.failures

    @property
    def is_entered(self) -> bool:
        """False if middleware has answered without asking the node."""
        return self._commit.is_entered

    @property
    def is_degraded(self) -> bool:
        """True if every attempt has failed, and middleware has put an update in its place."""
        return self._commit.is_degraded

    @property
    def before(self) -> Any:
        """The state before the super-step, an instance of the graph's own state class."""
        return state_of(self.log.schema, values_at(self.log, start_of_step(self.log.commits, self.index)))

    @property
    def after(self) -> Any:
        """The state after the super-step."""
        return state_of(self.log.schema, values_at(self.log, end_of_step(self.log.commits, self.index)))

    @property
    def is_joined(self) -> bool:
        """True if the node ran in the same super-step as that of the step before."""
        return self._commit.is_joined

    @property
    def interrupt(self) -> Interrupt | Answer | None:
        """What the node has asked instead of completing (an own copy), or the answer that this step is; else None."""
        given = self._commit.interrupt
        return detach_interrupt(given) if isinstance(given, Interrupt) else given

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        mine = (self.number, self.parents, self.node, self.targets, self.deltas)
        if mine != (other.number, other.parents, other.node, other.targets, other.deltas):
            return False
        if not have_ended_alike(self.instances, other.instances):
            return False
        return is_same_question(self.interrupt, other.interrupt)

    def __repr__(self) -> str:
        return f"Step({self.number}, {self.path!r}, writes {[each.field for each in self._commit.folds]})"


def numbers_in(steps: Iterable[Step]) -> tuple[int, ...]:
    """The numbers of steps as a table shows them, each once: where a run tells how many steps it has, it is these."""
    return tuple(dict.fromkeys(each.number for each in steps))


def _instances_of(fold: Fold, made: Instances | None) -> Instances | None:
    """The instances whose values the fold has put together: none if other nodes wrote the field as well."""
    return made if made and fold.field in made.into and type(fold.written) is not Writes else None


def _overwriter(field: str, folds: Sequence[Fold], *, writers: Sequence[str | None]) -> str | None:
    """Who of these writes the field next, if that takes nothing of the value over; None if nobody does."""
    for each, writer in zip(folds, writers, strict=True):
        if each.field == field:
            takes_over = each.written is not REPLACED and each.reducer not in ("last_write_wins", "step.last_value")
            return None if takes_over else writer or ""
    return None


Entry = Step | FailedStep | OpenStep
