"""One delegate: call the function with its brief, or run the graph that takes the brief as what it starts from.

Around it is what delegates of a node and candidates of a race have alike: briefs, their place in the log, and the
record of a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphnb.engine.failing import recorded_category_of, text_of
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.nodes.options import ask_option
from graphnb.engine.work import Outcomes, Work
from graphnb.errors import InvalidUpdate, UnsetField
from graphnb.errors.text import kind_of, shown
from graphnb.graph.delegation import BRIEF, RESULT, copy_of_brief
from graphnb.graph.interrupt import asks_instead
from graphnb.graph.plan import PlannedDelegate, PlannedNode
from graphnb.state.marks import UNSET
from graphnb.state.schema import Schema, start_values, state_of
from graphnb.state.values.detach import detach
from graphnb.trace.instances import Spreading, Unit
from graphnb.trace.log import Log


def brief_of(briefs: Any, briefs_from: str | None, option: str, *, attempt: Attempt) -> Work[Any]:
    """What was given as brief or briefs: as it is, from a field, or by a function of the state.

    Observers are told that the node starts, also if that cannot be found out.
    """
    node, values, visit = attempt.node, attempt.values, attempt.visit
    try:
        if briefs_from is not None:
            if values[briefs_from] is UNSET:
                raise UnsetField(node.place, f"takes its {option} from field '{briefs_from}', which is unset")
            return detach(values[briefs_from])
        if callable(briefs):
            return (yield from ask_option(briefs, option, attempt=attempt))
        return briefs
    finally:
        if visit is not None:
            yield from visit.tell_started(values, attempt.attempt_index)


def spreading_of(
    node: PlannedNode,
    outcomes: Outcomes,
    *,
    ahead: Iterator[int],
    unit: Unit,
    briefs: tuple[Any, ...],
    into: tuple[str, ...],
) -> Spreading:
    """The delegates or candidates while they are under way, for the log; only those that are graphs get logs."""
    has_graphs = any(each.child is not None for each in node.delegates)
    return Spreading(
        outcomes.results,
        outcomes.errors,
        ahead=ahead,
        logs=[None] * len(briefs) if has_graphs else [],
        over=None,
        into=into,
        first=None,
        tries={},
        names=tuple(each.name for each in node.delegates),
        unit=unit,
        briefs=briefs,
    )


def record_of(delegate: PlannedDelegate, i: int, *, unit: Unit, error: Exception) -> dict[str, Any]:
    """What is kept of a delegate or candidate that failed, or whose result was not acceptable."""
    return {"index": i, unit: delegate.name, "category": recorded_category_of(error), "error": text_of(error)}


def ask_delegate(
    delegate: PlannedDelegate, brief: Any, *, attempt: Attempt, logs: list[Log | None], i: int
) -> Work[Any]:
    """What the delegate gives for a copy of the brief that nobody else has. It sees nothing of the others."""
    own, plan = copy_of_brief(brief, delegate.place), delegate.child
    if plan is None:
        result = yield delegate.function, own, delegate.is_async  # type: ignore[misc]  # such a delegate has one
        if mend := asks_instead(result):
            raise InvalidUpdate(delegate.place, "returned an interrupt", mend)
        return result
    place, graph = f"{delegate.place}, graph '{plan.name}'", attempt.graph
    logs[i] = log = Log(plan.name, plan.schema, start_values(plan.schema, _start_of(plan.schema, own, place), place))
    scope = graph.scope
    if scope.watch is not None:
        parent = attempt.schema, attempt.values
        index = attempt.attempt_index
        scope = scope.of_graph(attempt.node.name, parent, attempt_index=index, observers=plan.observers, index=i)
    final = yield from graph.run_graph(plan, log, scope=scope)
    if RESULT not in plan.schema.fields:
        return state_of(plan.schema, final)
    if final[RESULT] is UNSET:
        raise UnsetField(delegate.place, f"has no result: field '{RESULT}' was never written")
    return detach(final[RESULT])


def _start_of(schema: Schema, brief: Any, place: str) -> Any:
    """What the graph starts from: the brief in its field of that name, else the fields that the brief maps."""
    if BRIEF in schema.fields:
        return {BRIEF: brief}
    if isinstance(brief, (Mapping, schema.cls)):
        return brief
    what = f"has no field '{BRIEF}' to take {kind_of(brief)}: {shown(brief)}"
    raise InvalidUpdate(place, what, f"Declare '{BRIEF}', or give a dict of the graph's fields as its brief.")
