"""What a router's answer means. Source: graph-engine §3.4 and §4."""

from __future__ import annotations

from collections.abc import Sequence

from graphnb.errors import RoutingError
from graphnb.errors.text import choices, kind_of, shown
from graphnb.graph.ends import END, Target
from graphnb.graph.interrupt import asks_instead
from graphnb.graph.plan import Plan, PlannedNode
from graphnb.graph.spec import name_of_worker


def target_of(node: PlannedNode, returned: object, *, plan: Plan) -> Target | tuple[Target, ...]:
    """The target that the node's router has chosen, or a tuple of several, which all come next.

    Raises RoutingError for anything that is no declared target.
    """
    assert node.branch is not None
    targets = node.branch.targets
    if targets is not None:
        try:
            return targets[returned]
        except (KeyError, TypeError):  # not among them, or nothing that could be
            if isinstance(returned, (list, tuple)) and returned:
                return _targets_of(node, returned, plan=plan)
            raise _error_of_target(node, returned, plan=plan) from None
    if returned is END:
        return END
    if isinstance(returned, str) and returned in plan.nodes:
        if not plan.nodes[returned].leads_on:
            raise _error_of_dead_end(node, returned)
        return str.__str__(returned)  # the bare name of a text that knows more, such as a member of an Enum
    if isinstance(returned, (list, tuple)) and returned:
        return _targets_of(node, returned, plan=plan)
    raise _error_of_target(node, returned, plan=plan)


def _targets_of(node: PlannedNode, returned: Sequence[object], *, plan: Plan) -> tuple[Target, ...]:
    """The targets of a router that has chosen several, each once."""
    targets: list[Target] = []
    for each in returned:
        try:
            if isinstance(each, (list, tuple)):
                raise _error_of_target(node, each, plan=plan)
            targets.append(target_of(node, each, plan=plan))  # type: ignore[arg-type]  # one was asked about
        except RoutingError as error:
            error.returned = returned
            raise
    return tuple(dict.fromkeys(targets))


def _error_of_dead_end(node: PlannedNode, returned: str) -> RoutingError:
    """The error of an open router that chose a node from which nothing leads on; it is found out in time."""
    assert node.branch is not None
    what = f"router '{name_of_worker(node.branch.router)}' returned {shown(returned)}, which has no outgoing edge"
    error = RoutingError(node.place, what, f"Declare one: graph.edge({shown(returned)}, gn.END).")
    error.returned = returned
    return error


def _error_of_target(node: PlannedNode, returned: object, *, plan: Plan) -> RoutingError:
    assert node.branch is not None
    router, targets = name_of_worker(node.branch.router), node.branch.targets
    if targets is not None:
        fault = "not among its targets"
        mend = choices("Targets", [each if isinstance(each, str) else repr(each) for each in targets], returned)
    else:
        fault = "neither a node nor END"
        mend = choices("Nodes", plan.nodes, returned)
    if question := asks_instead(returned):
        mend = question
    elif isinstance(returned, str) and returned == "END":
        mend = "To end there return gn.END without quotes."
    error = RoutingError(
        node.place, f"router '{router}' returned {shown(returned)} ({kind_of(returned)}), which is {fault}", mend
    )
    error.returned = returned
    return error
