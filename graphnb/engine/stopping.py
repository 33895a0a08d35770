"""What becomes of an interruption: raised again as it came, and told in the log by the node in which it came."""

from __future__ import annotations

from collections.abc import Mapping

from graphnb.engine.position import position_of
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.trace.instances import Instances
from graphnb.trace.log import Log, Open


def stop(log: Log, node: PlannedNode, *, at_edge: bool) -> None:
    """Tells in the log that the run was stopped in this node, and what had been done inside it by then.

    Threads that run inside it and cannot be woken may go on for a while: no longer does it show in this log.
    """
    inside = log.under_way
    if inside is None:
        log.open = Open(len(log.commits), node.name, at_edge=at_edge, stopped=True)
    elif not inside.stopped:
        made = inside.instances
        log.open = inside._replace(spread=None if made is None else halt_instances(made, node), stopped=True)


def stop_step(log: Log, plan: Plan, *, lanes: Mapping[str, Log]) -> None:
    """Tells in the log that the run was stopped in a step of several nodes, and how far each had come, in its lane."""
    halted = tuple(lane.snapshot() for lane in lanes.values())
    for lane in halted:
        if lane.under_way is not None:
            _halt(lane, plan)
    log.open = Open(len(log.commits), ", ".join(lanes), stopped=True, lanes=halted)


def halt_instances(made: Instances, node: PlannedNode) -> Instances:
    """The instances as they are now, those whose threads do not know yet told as stopped as well."""
    made = made._replace(logs=tuple(None if log is None else log.snapshot() for log in made.logs))
    for log, plan in _begun_in(made, node):
        _halt(log, plan)
    return made


def _begun_in(made: Instances, node: PlannedNode) -> list[tuple[Log, Plan]]:
    """The instances, branches or delegates that run graphs and have begun: each log, and the graph whose log it is."""
    children = {branch.name: branch.child for branch in node.branches} | {
        delegate.name: delegate.child for delegate in node.delegates
    }
    plans = [node.child if made.names is None else children[made.names[i]] for i in range(len(made.logs))]
    pairs = zip(made.logs, plans, strict=True)
    return [(log, plan) for log, plan in pairs if log is not None and plan is not None]


def _halt(log: Log, plan: Plan) -> None:
    """Tells in a snapshot that its graph was stopped where it is, unless it has come to an end."""
    inside = log.under_way
    if log.failure is not None or (inside is not None and inside.stopped):
        return
    if inside is None:  # a node that runs no graphs, or its router
        at_edge = len(log.routes) < len(log.commits)
        names = (log.commits[len(log.routes)].node,) if at_edge else position_of(plan, log).active
        if names:
            log.open = Open(len(log.commits), names[0], at_edge=at_edge, stopped=True)
        return
    log.open = inside._replace(stopped=True)
    for lane in inside.lanes:
        if lane.under_way is not None:
            _halt(lane, plan)
    if inside.lanes:
        return
    node = plan.nodes[inside.node]
    if inside.child is not None and node.child is not None:
        _halt(inside.child, node.child)
    if inside.instances is not None:
        for inner, plan_within in _begun_in(inside.instances, node):
            _halt(inner, plan_within)
