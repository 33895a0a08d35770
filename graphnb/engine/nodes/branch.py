"""One parallel branch: a graph on its own state, or a function of the parent's, within its middleware."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphnb.engine.failing import error_of_node
from graphnb.engine.invocation import enter_branch
from graphnb.engine.middleware.dispatch import Dispatch, chain_layers
from graphnb.engine.nodes.function import update_of_node
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.nodes.tries import note_tries
from graphnb.engine.observers.visit import Visit
from graphnb.engine.work import Work
from graphnb.errors import InvalidUpdate
from graphnb.errors.text import kind_of, shown
from graphnb.graph.interrupt import asks_instead
from graphnb.graph.plan import PlannedBranch
from graphnb.state.marks import UNSET
from graphnb.state.projection import project
from graphnb.state.schema import start_values, state_of
from graphnb.state.values.detach import detach
from graphnb.trace.instances import Spreading
from graphnb.trace.log import Log

BranchWork = Callable[[Spreading, int], Work[Mapping[str, Any]]]


def work_of_branch(branch: PlannedBranch, attempt: Attempt) -> BranchWork:
    """A function (the branches, place among them) -> work that gives the branch's update to the parent."""
    if branch.child is None:
        return lambda spreading, i: _call(branch, attempt, spreading=spreading, i=i)
    return lambda spreading, i: _run_graph(branch, attempt, spreading=spreading, i=i)


def _run_graph(branch: PlannedBranch, attempt: Attempt, *, spreading: Spreading, i: int) -> Work[Mapping[str, Any]]:
    """Runs the graph from a fresh state; middleware sees the graph's own fields, of which `outputs` come out."""
    plan, spec = branch.child, branch.spec
    assert plan is not None
    enter_branch(branch.name)
    given = project(spec.inputs or {}, attempt.values)
    start = start_values(plan.schema, given, f"{branch.place}, graph '{plan.name}'")
    view, unit = plan.schema.view(start, branch.name), _unit_of(branch, attempt)

    def body(state: Any) -> Work[dict[str, Any]]:
        first = start
        if state is not view:
            first = start_values(plan.schema, state, f"{branch.place}, state given by middleware")
        spreading.logs[i] = log = Log(plan.name, plan.schema, first)
        scope = attempt.graph.scope.of_graph(
            attempt.node.name,
            (attempt.schema, attempt.values),
            attempt_index=unit.attempt_index,
            observers=plan.observers,
            branch=branch.name,
        )
        final = yield from attempt.graph.run_graph(plan, log, scope=scope)
        return {name: detach(each) for name, each in final.items() if each is not UNSET}

    chain = chain_layers(spec.middleware, body, dispatch=unit, is_quick=False)(view)
    update = yield from note_tries(chain, unit, spreading=spreading, i=i) if spec.middleware else chain
    _check_mapping(update, branch)
    return {parent: update[child] for parent, child in (spec.outputs or {}).items() if child in update}


def _call(branch: PlannedBranch, attempt: Attempt, *, spreading: Spreading, i: int) -> Work[Mapping[str, Any]]:
    """Calls the function; observers are told of it under the branch's name. Decision D-5 on the specification."""
    node, values, schema = attempt.node, attempt.values, attempt.schema
    enter_branch(branch.name)
    unit = _unit_of(branch, attempt)
    if unit.scope.watch is not None:
        unit.visit = Visit(branch.name, unit.scope, place=branch.place, schema=schema, before=values)
    try:
        chain = _dispatch(branch, attempt, unit=unit)
        update = yield from note_tries(chain, unit, spreading=spreading, i=i) if branch.spec.middleware else chain
        _check_mapping(update, branch)
    except Exception as error:  # noqa: BLE001  user code
        failed = error_of_node(branch.place, error)
        failed.node, failed.path = branch.name, (node.name, branch.name)
        failed.recoverable_state = state_of(schema, values)
        if unit.visit is not None:
            yield from unit.visit.tell_failed(failed)
        raise failed  # noqa: B904  its cause is set
    if unit.visit is not None:
        yield from unit.visit.tell_completed_alone(update)  # the merge of all branches comes later
    given: Mapping[str, Any] = update
    return given


def _dispatch(branch: PlannedBranch, attempt: Attempt, *, unit: Dispatch) -> Work[Any]:
    """What the chain around the function gives."""
    values, schema = attempt.values, attempt.schema
    view = schema.view(values, branch.name)

    def body(state: Any) -> Work[Any]:
        given = values
        if state is not view:
            given = start_values(schema, state, f"{branch.place}, state given by middleware")
        if unit.visit is not None:
            yield from unit.visit.tell_started(given, unit.attempt_index)
        own = schema.view(given, branch.name)
        returned = yield branch.function, own, branch.is_async  # type: ignore[misc]  # such a branch has one
        return update_of_node(returned, own, schema=schema, values=given, place=branch.place)

    return chain_layers(branch.spec.middleware, body, dispatch=unit, is_quick=not branch.is_async)(view)


def _unit_of(branch: PlannedBranch, attempt: Attempt) -> Dispatch:
    """The dispatch of the branch as a whole.

    A function has events of its own, below the node, and so has what becomes of them; for a graph, whose nodes have
    theirs, events name the node and the branch, as they do for an instance. Source: graph-engine §6, namespace.
    """
    node, scope, parent = attempt.node, attempt.graph.scope, (attempt.schema, attempt.values)
    if branch.child is None:
        own = scope.of_graph(node.name, parent, attempt_index=attempt.attempt_index, branch=branch.name)
        unit = Dispatch(branch.name, own, place=branch.place)
    else:
        unit = Dispatch(branch.name, scope.of_part(branch=branch.name), place=branch.place, event_node=node.name)
    unit.attempt_index = attempt.attempt_index
    return unit


def _check_mapping(update: Any, branch: PlannedBranch) -> None:
    if not isinstance(update, Mapping):
        what = f"returned {kind_of(update)}, want a dict of fields: {shown(update)}"
        mend = asks_instead(update) or "Return a dict such as {'field': value}, or {} to change nothing."
        raise InvalidUpdate(branch.place, what, mend)
