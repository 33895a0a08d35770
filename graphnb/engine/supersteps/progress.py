"""How far a run has come: what its log says, in the form in which the next super-step needs it.

Pure, and made of the log alone: a run that is taken up again plans what an undisturbed one would have planned.
Source: the super-step contract, planning and replaying.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphnb.graph.edges import Link, joins_in
from graphnb.graph.ends import Target
from graphnb.graph.interrupt import Answer, Interrupt
from graphnb.graph.plan import Plan
from graphnb.state.schema import Values
from graphnb.trace.log import Commit, Log, end_of_step


class Progress:
    """The state of a run between two commits.

    `values` are those after the last commit, `step` how many super-steps there were. `changed` are the fields that
    the last super-step wrote, `versions` how many super-steps or answers wrote a field. `targets` are the nodes to
    which edges have led, `arrived` the sources of each join that completed since it was last asked. `open` are the
    interrupts that nobody has answered, by id, `answered` the nodes whose interrupt was, and `ids` all that were used.
    """

    __slots__ = ("answered", "arrived", "changed", "ids", "open", "step", "targets", "values", "versions")

    def __init__(self, values: Values, starts: Sequence[str], given: frozenset[str] = frozenset()) -> None:
        self.values = values
        self.step = 0
        self.changed = given
        self.versions = dict.fromkeys(given, 1)
        self.targets: frozenset[str] = frozenset(starts)
        self.arrived: dict[str, frozenset[str]] = {}
        self.open: dict[str, Interrupt] = {}
        self.answered: frozenset[str] = frozenset()
        self.ids: set[str] = set()

    def active(self) -> tuple[str, ...]:
        """The nodes of the next super-step, sorted by name; none if the run has ended or waits for answers."""
        waiting = {each.node for each in self.open.values()}
        return tuple(sorted((self.targets | self.answered) - waiting))


def progress_of(plan: Plan, log: Log) -> Progress:
    """The progress of a run, replayed from its log."""
    progress = Progress(log.start, (plan.entry,) if log.starts is None else log.starts, log.given)
    joins = joins_of(plan)
    first = 0
    while first < len(log.routes):
        last = end_of_step(log.commits, first)
        take_in(progress, joins, log.commits[first:last], log.routes[first:last])
        first = last
    return progress


def joins_of(plan: Plan) -> dict[str, tuple[Link, ...]]:
    """The joins of a graph by the nodes for which they wait."""
    joins: dict[str, tuple[Link, ...]] = {}
    for link in joins_in({name: node.links for name, node in plan.nodes.items() if node.links is not None}):
        for source in link.sources:
            joins[source] = (*joins.get(source, ()), link)
    return joins


def take_in(
    progress: Progress,
    joins: dict[str, tuple[Link, ...]],
    commits: Sequence[Commit],
    routes: Sequence[tuple[Target, ...]],
) -> None:
    """Takes in one super-step, or one answer, whose edges have been asked."""
    folds = [fold for commit in commits for fold in commit.folds]
    if folds:
        progress.values = progress.values | {fold.field: fold.after for fold in folds}
    written = frozenset(fold.field for fold in folds)
    for field in written:
        progress.versions[field] = progress.versions.get(field, 0) + 1
    given = commits[0].interrupt
    progress.changed = written
    if isinstance(given, Answer):
        del progress.open[given.id]
        progress.answered |= {commits[0].node}
        return
    progress.step += 1
    progress.targets = frozenset(target for some in routes for target in some if isinstance(target, str))
    progress.answered -= {commit.node for commit in commits}
    for commit in commits:
        if isinstance(commit.interrupt, Interrupt):
            progress.open[commit.interrupt.id] = commit.interrupt
            progress.ids.add(commit.interrupt.id)
        else:
            for link in joins.get(commit.node, ()):
                arrive(progress.arrived, link, commit.node)


def arrive(arrived: dict[str, frozenset[str]], link: Link, source: str) -> bool:
    """Notes that a source of the join has completed; True if that was the last one, and then it begins anew."""
    there = arrived.get(link.id, frozenset()) | {source}
    if there.issuperset(link.sources):
        arrived.pop(link.id, None)
        return True
    arrived[link.id] = there
    return False
