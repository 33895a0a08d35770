"""How a run goes on after a super-step: every node's edge is asked about the state after the fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphnb.engine.answers import is_yes
from graphnb.engine.failing import end_edge
from graphnb.engine.position import Position
from graphnb.engine.routing import target_of
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.supersteps.lanes import drop_lanes
from graphnb.engine.work import Work
from graphnb.errors import GuardError, RunError
from graphnb.graph.edges import Link, arrive, names_in
from graphnb.graph.ends import Target
from graphnb.graph.guards.evaluating import evaluate
from graphnb.graph.guards.guard import Guard
from graphnb.graph.plan import Plan, PlannedNode, is_async
from graphnb.graph.spec import guard_label
from graphnb.state.marks import UNSET
from graphnb.state.schema import Values
from graphnb.state.values.detach import detach
from graphnb.state.values.grown import GrownDict, GrownList, entries_of, items_of
from graphnb.state.views.view import check_untouched
from graphnb.trace.log import Commit, Failure, Log, Open, completed_in

if TYPE_CHECKING:
    from graphnb.engine.observers.visit import Visit

Routes = list[tuple[Target, ...]]


def choose_routes(
    graph: RunningGraph, position: Position, *, commits: Sequence[Commit], visits: Sequence[Visit | None]
) -> Work[Routes]:
    """Where each node of the super-step after this position leads on, in the order of its commits.

    A node that has asked instead of completing leads nowhere. Raises RunError, and then no edge is taken.
    """
    plan, log = graph.plan, graph.log
    inquiry: _Inquiry | None = None
    routes: Routes = []
    for commit, visit in zip(commits, visits, strict=True):
        node = plan.nodes[commit.node]
        if commit.interrupt is not None:
            routes.append(())
            continue
        if node.target is not None:
            routes.append((node.target,))
            continue
        inquiry = inquiry or _Inquiry(plan, position, commits=commits)
        if len(commits) > 1:  # else it follows from the log whose edge is asked
            log.open = Open(len(log.commits), node.name, at_edge=True)
        try:
            routes.append((yield from _routes_of(node, inquiry)))
        except BaseException as error:  # noqa: BLE001  user code: routers and guards
            is_dropped = plan.rules is not None  # of a document the whole step is
            kept = position.values if is_dropped else inquiry.values
            failed = end_edge(log, node, error=error, values=kept, asked=inquiry.what)
            if isinstance(failed, RunError):
                if is_dropped:
                    at_edge = Failure(node.name, failed, at_edge=True)
                    lanes = drop_lanes(graph, commits, values=position.values, failure=at_edge)
                    log.failure = Failure(node.name, failed, lanes=lanes)
                yield from _tell(failed, visit, visits=[visit] if is_dropped else visits, values=kept)
            raise failed  # noqa: B904  its cause is set
    log.open = None
    return routes


def first_targets_of(plan: Plan, log: Log) -> tuple[str, ...]:
    """The nodes with which a run of a document begins: its edges are asked, and the inputs given have changed.

    Raises GuardError for a guard that cannot be evaluated.
    """
    assert plan.rules is not None  # other graphs have an entry
    seen, versions = _Seen(log.start), dict.fromkeys(log.given, 1)
    taken: list[Target] = []
    for link in plan.rules.starts:
        try:
            if link.when is None or evaluate(link.when, seen, versions, log.given):
                taken.append(link.target)
        except GuardError as error:
            error.where = f"graph '{plan.name}', edge '{link.id}' from the start, {error.where}"
            error.args = (error.where, error.what, error.mend)
            raise
    return names_in(tuple(dict.fromkeys(taken)))


def _tell(failed: RunError, visit: Visit | None, *, visits: Sequence[Visit | None], values: Values) -> Work[None]:
    """Tells observers how the nodes of the step ended: of one the edge failed, and all of them are committed."""
    for each in visits:
        if each is not None and each is visit:
            yield from each.tell_failed(failed)
        elif each is not None:
            yield from each.tell_completed(values)


class _Inquiry:
    """What the edges of one super-step are asked about.

    `arrived` is that of the joins, as far as they were asked; `what` is asked at this moment, in words.
    """

    def __init__(self, plan: Plan, position: Position, *, commits: Sequence[Commit]) -> None:
        after = {fold.field: fold.after for commit in commits for fold in commit.folds}
        self.plan = plan
        self.values = position.values | after
        self.changed = after.keys()
        self.versions = position.versions | {name: position.versions.get(name, 0) + 1 for name in after}
        self.arrived = dict(position.arrived)
        self.completed = completed_in(commits)
        self.what = "router"
        self._seen: _Seen | None = None

    @property
    def seen(self) -> _Seen:
        """What guards see of the values; made for the first of them."""
        if self._seen is None:
            self._seen = _Seen(self.values)
        return self._seen

    def arrive_at(self, join: Link, name: str) -> bool:
        """Notes which sources of the join have completed; True if none is missing any more.

        Asked at the last of them alone: before, and for others, it is False.
        """
        is_last = name == next(each for each in reversed(self.completed) if each in join.sources)
        return is_last and arrive(self.arrived, join.id, sources=join.sources, completed=self.completed)


class _Seen(dict[str, Any]):
    """What guards see of a state: fields that are set, as plain values; only what is asked for is made plain."""

    def get(self, name: str, default: Any = None) -> Any:
        """The field's value, the default if it is not set."""
        value = super().get(name, UNSET)
        if type(value) is GrownList:
            return items_of(value)  # not copied: guards only read, and are asked in every step
        if type(value) is GrownDict:
            return entries_of(value)
        return default if value is UNSET else detach(value)


def _routes_of(node: PlannedNode, inquiry: _Inquiry) -> Work[tuple[Target, ...]]:
    if node.branch is not None:
        inquiry.what = "router"
        returned = yield from _call(node, node.branch.router, inquiry=inquiry)
        target = target_of(node, returned, plan=inquiry.plan)
        return target if isinstance(target, tuple) else (target,)
    taken: list[Target] = []
    for link in node.links.links if node.links is not None else ():
        if link.is_join and not inquiry.arrive_at(link, node.name):
            continue
        if link.when is None or (yield from _holds(node, link, inquiry=inquiry)):
            taken.append(link.target)
    return tuple(dict.fromkeys(taken))


def _holds(node: PlannedNode, link: Link, *, inquiry: _Inquiry) -> Work[bool]:
    inquiry.what = f"guard {guard_label(link.when)} of the edge to {link.target!r}"
    if isinstance(link.when, Guard):
        try:
            return evaluate(link.when, inquiry.seen, inquiry.versions, inquiry.changed)
        except GuardError as error:
            error.where = f"{node.place}, {error.where}"
            raise
    return is_yes((yield from _call(node, link.when, inquiry=inquiry)))


def _call(node: PlannedNode, function: Any, *, inquiry: _Inquiry) -> Work[Any]:
    schema = inquiry.plan.schema
    view = schema.view(inquiry.values, node.name)
    returned = yield function, view, is_async(function)
    if schema.has_opaque:
        check_untouched(view)
    return returned
