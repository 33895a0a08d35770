"""A node that calls a function of the state."""

from __future__ import annotations

from typing import Any

from graphnb.engine.nodes.made import Attempt, Made
from graphnb.engine.work import Work
from graphnb.state.folding.returned import is_state, update_of
from graphnb.state.schema import Schema, Values
from graphnb.state.views.view import View, check_untouched


def run_function(attempt: Attempt) -> Work[Made]:
    """What the function returns."""
    node, values, schema, visit = attempt.node, attempt.values, attempt.schema, attempt.visit
    if visit is not None:
        yield from visit.tell_started(values, attempt.attempt_index)
    view = schema.view(values, node.name)
    returned = yield node.function, view, node.is_async  # type: ignore[misc]  # such a node has one
    return Made(update_of_node(returned, view, schema=schema, values=values, place=node.place))


def update_of_node(returned: Any, view: View, *, schema: Schema, values: Values, place: str) -> Any:
    """The update that the node meant; what is none is left to be refused by the fold."""
    update = update_of(schema, values, returned, place) if is_state(schema, returned) else returned
    if schema.has_opaque:
        check_untouched(view, update)
    return update
