"""Where a run stands: what its log says, in the form in which the next super-step needs it.

Pure, and made of the log alone: a run that is taken up again plans what an undisturbed one would have planned.
Source: the super-step contract, planning and replaying.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphnb.graph.edges import Link, arrive, joins_in
from graphnb.graph.ends import Target
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.graph.plan import Plan
from graphnb.trace.log import Commit, Log, completed_in, super_steps_of


class Position:
    """Where a run stands between two commits; new ones begin where the log does.

    `values` are those after the last commit, `step` how many super-steps there were. `changed` are the fields that
    the last super-step wrote, `versions` how many super-steps or answers wrote a field. `targets` are the nodes to
    which edges have led, `arrived` the sources of each join that completed since it was last asked. `open` are the
    interrupts that nobody has answered, by id, `answered` the nodes whose interrupt was, and `ids` all that were used.
    `joins` are those of the graph, by the nodes for which they wait.
    """

    __slots__ = ("answered", "arrived", "changed", "ids", "joins", "open", "step", "targets", "values", "versions")

    def __init__(self, plan: Plan, log: Log) -> None:
        self.joins = _joins_of(plan)
        self.values = log.start
        self.step = 0
        self.changed = log.given
        self.versions = dict.fromkeys(log.given, 1)
        self.targets = frozenset[str]((plan.entry,) if log.starts is None else log.starts)
        self.arrived: dict[str, frozenset[str]] = {}
        self.open: dict[str, Interrupt] = {}
        self.answered = frozenset[str]()
        self.ids: set[str] = set()

    @property
    def active(self) -> tuple[str, ...]:
        """The nodes of the next super-step, sorted by name; none if the run has ended or waits for answers."""
        waiting = {each.node for each in self.open.values()}
        return tuple(sorted((self.targets | self.answered) - waiting))

    def take_in(self, commits: Sequence[Commit], routes: Sequence[tuple[Target, ...]]) -> None:
        """Takes in one super-step, or one answer, whose edges have been asked."""
        folds = [fold for commit in commits for fold in commit.folds]
        if folds:
            self.values = self.values | {fold.field: fold.after for fold in folds}
        self.changed = frozenset(fold.field for fold in folds)
        for field in self.changed:
            self.versions[field] = self.versions.get(field, 0) + 1
        given = commits[0].interrupt
        if isinstance(given, Answer):
            del self.open[given.id]
            self.answered |= {commits[0].node}
            return
        self.step += 1
        self.targets = frozenset(target for some in routes for target in some if isinstance(target, str))
        self.answered -= {commit.node for commit in commits}
        for commit in commits:
            if isinstance(commit.interrupt, Interrupt):
                self.open[commit.interrupt.id] = commit.interrupt
                self.ids.add(commit.interrupt.id)
        if self.joins:
            completed = completed_in(commits)
            for link in {link.id: link for name in completed for link in self.joins.get(name, ())}.values():
                arrive(self.arrived, link.id, sources=link.sources, completed=completed)


def position_of(plan: Plan, log: Log) -> Position:
    """Where the log ends: all of it is replayed."""
    position = Position(plan, log)
    for place in super_steps_of(log):
        position.take_in(log.commits[place], log.routes[place])
    return position


def _joins_of(plan: Plan) -> dict[str, tuple[Link, ...]]:
    joins: dict[str, tuple[Link, ...]] = {}
    for link in joins_in({name: node.links for name, node in plan.nodes.items() if node.links is not None}):
        for source in link.sources:
            joins[source] = (*joins.get(source, ()), link)
    return joins
