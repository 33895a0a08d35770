"""Options of a node that are given as functions of the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphnb.engine.failing import error_of_option
from graphnb.engine.nodes.made import Attempt
from graphnb.engine.work import Work
from graphnb.graph.interrupt import asks_instead
from graphnb.state.views.view import check_untouched


def ask_option(
    function: Callable[[Any], Any], option: str, *, attempt: Attempt, says: Callable[[Any], Any] | None = None
) -> Work[Any]:
    """What a function that was given for an option says about the state; `says` makes of it what was asked for."""
    node, values, schema = attempt.node, attempt.values, attempt.schema
    try:
        view = schema.view(values, node.name)
        answer = yield function, view, False
        if schema.has_opaque:
            check_untouched(view)
        if mend := asks_instead(answer):
            raise TypeError(f"it returned an interrupt. {mend}")
        return answer if says is None else says(answer)
    except Exception as error:  # noqa: BLE001  user code
        raise error_of_option(node, option, error=error)  # noqa: B904  its cause is set
