"""What becomes of an interruption: raised again as it came, and told in the log by the node in which it came."""

from __future__ import annotations

from graphnb.graph.ends import END
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
        return
    made = inside.instances
    log.open = inside._replace(spread=None if made is None else _halted(made, node), stopped=True)


def _halted(made: Instances, node: PlannedNode) -> Instances:
    """The instances as they are now, those whose threads do not know yet told as stopped as well."""
    if node.child is None:
        return made
    logs = tuple(None if log is None else log.snapshot() for log in made.logs)
    for log in filter(None, logs):
        _halt(log, node.child)
    return made._replace(logs=logs)


def _halt(log: Log, plan: Plan) -> None:
    """Tells in a snapshot that its graph was stopped where it is, unless it has come to an end."""
    is_ended = log.failure is not None or (bool(log.routes) and log.routes[-1] == (END,))
    inside = log.under_way
    if is_ended or (inside is not None and inside.stopped):
        return
    if inside is None:  # a node that runs no graphs, or its router
        at_edge = len(log.routes) < len(log.commits)
        name = log.commits[-1].node if at_edge else str(log.routes[-1][0]) if log.routes else plan.entry
        log.open = Open(len(log.commits), name, at_edge=at_edge, stopped=True)
        return
    log.open = inside._replace(stopped=True)
    child = plan.nodes[inside.node].child
    logs = (inside.child,) if inside.child is not None else inside.instances.logs if inside.instances else ()
    for inner in filter(None, logs):
        assert child is not None  # as it has a log
        _halt(inner, child)
