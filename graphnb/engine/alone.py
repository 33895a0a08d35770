"""One node by itself, without a graph that goes on from it: the same work as within a graph, driven alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphnb.engine.attempt import runner_of
from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.invocation import Ids, Inside
from graphnb.engine.nodes.made import Attempt, Made
from graphnb.engine.observers.scope import Scope
from graphnb.engine.run import MAX_STEPS
from graphnb.engine.running_graph import RunningGraph
from graphnb.engine.step import run_graph
from graphnb.engine.work import Work
from graphnb.graph.plan import Plan
from graphnb.state.schema import start_values
from graphnb.trace.log import Log


def run_alone(plan: Plan, given: Mapping[str, Any]) -> Made:
    """What the entry node of the plan makes of these fields; asynchronous functions run on a private event loop.

    Nothing is folded. Raises what the node raises.
    """
    ids = Ids()
    with Inside(ids):
        return drive(_work_of(plan, given, ids=ids), Host())  # type: ignore[return-value]  # it does not pause


async def arun_alone(plan: Plan, given: Mapping[str, Any]) -> Made:
    """The same in the running event loop."""
    from graphnb.engine.drivers.adrive import adrive

    ids = Ids()
    with Inside(ids):
        return await adrive(_work_of(plan, given, ids=ids), Host())  # type: ignore[return-value]  # as above


def _work_of(plan: Plan, given: Mapping[str, Any], *, ids: Ids) -> Work[Made]:
    log = Log(plan.name, plan.schema, start_values(plan.schema, given, plan.name), is_outermost=True)
    node, graph = plan.nodes[plan.entry], RunningGraph(plan, log, Scope(MAX_STEPS, ids=ids), run_graph)
    return runner_of(node)(Attempt(graph, node, log.start))
